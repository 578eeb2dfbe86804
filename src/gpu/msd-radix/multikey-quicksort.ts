/**
 * Multikey quicksort (3-way radix quicksort) of records in host memory: what Drozd and Matsuoka leave to the host once buckets are
 * small. Bentley and Sedgewick: Fast Algorithms for Sorting and Searching Strings, 1997. Plain numbers over typed arrays, so that it runs in
 * any thread over shared memory; knows nothing of devices.
 */
import type { Ordering } from '../../job.js';
import { recordOverrides } from '../records.js';

/** Records in host memory and the bytes that order them (kernels/shared/record.wgsl). */
export interface HostRecords {
  readonly text: Uint8Array;
  /** Where each record begins, and the end of the last. */
  readonly starts: Uint32Array;
  readonly delimiterBytes: number;
  readonly keyOffset: number;
  /** 2^32 - 1: the whole record. */
  readonly keyLength: number;
  readonly lastResort: boolean;
  readonly reverse: boolean;
}

export function hostRecords(text: Uint8Array, starts: Uint32Array, ordering: Ordering): HostRecords {
  const o = recordOverrides(ordering);
  return {
    text, starts, delimiterBytes: o['DELIMITER_BYTES']!, keyOffset: o['KEY_OFFSET']!, keyLength: o['KEY_LENGTH']!,
    lastResort: o['LAST_RESORT'] === 1, reverse: o['REVERSE'] === 1,
  };
}

const WHOLE = 0xffffffff;
/** Below this, insertion sort. */
const FEW = 12;

export function orderedLength(r: HostRecords, record: number): number {
  const length = r.starts[record + 1]! - r.starts[record]! - r.delimiterBytes;
  if (r.keyLength === WHOLE) return length;
  return r.keyLength + (r.lastResort ? length : 0);
}

/** Ordered byte `at` of a record; -1 past its end. */
export function orderedByte(r: HostRecords, record: number, at: number): number {
  const start = r.starts[record]!;
  if (r.keyLength === WHOLE) return start + at < r.starts[record + 1]! - r.delimiterBytes ? r.text[start + at]! : -1;
  if (at < r.keyLength) return r.text[start + r.keyOffset + at]!;
  return at < orderedLength(r, record) ? r.text[start + at - r.keyLength]! : -1;
}

/** Compares the ordered bytes from `depth` on, then lengths; 0 only where all are equal. */
export function compareFrom(r: HostRecords, a: number, b: number, depth: number): number {
  const end = Math.min(orderedLength(r, a), orderedLength(r, b));
  let order = 0;
  for (let at = depth; at < end && order === 0; at++) order = orderedByte(r, a, at) - orderedByte(r, b, at);
  if (order === 0) order = orderedLength(r, a) - orderedLength(r, b);
  return r.reverse ? -order : order;
}

/** Where the records order[from ... to), which are equal before `depth`, stop being equal. */
function sharedDepth(r: HostRecords, order: Uint32Array, from: number, to: number, depth: number): number {
  const first = order[from]!;
  let shared = orderedLength(r, first);
  for (let i = from + 1; i < to && shared > depth; i++) {
    const end = Math.min(shared, orderedLength(r, order[i]!));
    let at = depth;
    while (at < end && orderedByte(r, first, at) === orderedByte(r, order[i]!, at)) at++;
    shared = at;
  }
  return Math.max(shared, depth);
}

function insertionSort(r: HostRecords, order: Uint32Array, from: number, to: number, depth: number): void {
  for (let i = from + 1; i < to; i++) {
    const record = order[i]!;
    let at = i;
    for (; at > from; at--) {
      const sign = compareFrom(r, order[at - 1]!, record, depth);
      if (sign < 0 || (sign === 0 && order[at - 1]! < record)) break;
      order[at] = order[at - 1]!;
    }
    order[at] = record;
  }
}

/**
 * Sorts the record numbers order[from ... to) whose records share `depth` ordered bytes: by the rest of those, then length, then number.
 * No recursion: equal records of any length need a stack of a few entries.
 */
export function multikeyQuicksort(r: HostRecords, order: Uint32Array, from: number, to: number, depth: number): void {
  const stack = [from, to, depth];
  const symbol = (record: number, at: number): number => (r.reverse ? -orderedByte(r, record, at) : orderedByte(r, record, at));
  while (stack.length > 0) {
    const at = stack.pop()!;
    const end = stack.pop()!;
    const begin = stack.pop()!;
    if (end - begin <= FEW) {
      insertionSort(r, order, begin, end, at);
      continue;
    }
    const [a, b, c] = [symbol(order[begin]!, at), symbol(order[(begin + end) >>> 1]!, at), symbol(order[end - 1]!, at)];
    const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
    let less = begin;
    let greater = end;
    for (let i = begin; i < greater;) {
      const record = order[i]!;
      const here = symbol(record, at);
      if (here < pivot) {
        order[i++] = order[less]!;
        order[less++] = record;
      } else if (here > pivot) {
        order[i] = order[--greater]!;
        order[greater] = record;
      } else {
        i++;
      }
    }
    stack.push(begin, less, at, greater, end, at);
    if (pivot === (r.reverse ? 1 : -1)) {
      // All at their ends: the number decides.
      order.subarray(less, greater).sort();
    } else if (greater - less > 1) {
      // Where all are equal here they may be so for long.
      const next = greater - less === end - begin ? sharedDepth(r, order, less, greater, at + 1) : at + 1;
      stack.push(less, greater, next);
    }
  }
}
