/**
 * Multikey quicksort (3-way radix quicksort) of records in host memory, for the small buckets that Drozd and Matsuoka
 * leave to the host. A symbol is the four bytes that one access to a record gives. Plain functions over typed arrays,
 * so they run in any thread on shared memory; knows nothing of devices. Bentley and Sedgewick: Fast Algorithms for
 * Sorting and Searching Strings, 1997.
 */
import type { Ordering } from '../../../job/ordering.js';
import { KEY_HEADER_BYTES, keyLength } from '../../../keys/keyed.js';
import { IN_HEADER, recordOverrides, TO_END } from '../records/records.js';

/** Records in host memory, and their ordered bytes (kernels/wgsl/shared/record.wgsl). */
export interface HostRecords {
  readonly text: Uint8Array;
  /** The start of each record, then the end of the last one. */
  readonly starts: Uint32Array;
  readonly delimiterBytes: number;
  readonly keyOffset: number;
  /** In bytes, or TO_END, or IN_HEADER. */
  readonly keyLength: number;
  readonly ordering: Ordering;
  readonly lastResort: boolean;
  readonly reverse: boolean;
}

export function hostRecords(text: Uint8Array, starts: Uint32Array, ordering: Ordering): HostRecords {
  const o = recordOverrides(ordering);
  return {
    text,
    starts,
    ordering,
    delimiterBytes: o.DELIMITER_BYTES,
    keyOffset: o.KEY_OFFSET,
    keyLength: o.KEY_LENGTH,
    lastResort: o.LAST_RESORT === 1,
    reverse: o.REVERSE === 1,
  };
}

/** Ranges of at most this many records use insertion sort. */
const FEW = 12;
/** Bytes of a symbol. */
const SYMBOL_BYTES = 4;

export function orderedLength(r: HostRecords, record: number): number {
  const length = r.starts[record + 1] - r.starts[record] - r.delimiterBytes;
  if (r.keyLength === TO_END) return length - r.keyOffset;
  if (r.keyLength === IN_HEADER)
    return keyLength(r.ordering, r.text.subarray(r.starts[record], r.starts[record] + KEY_HEADER_BYTES));
  return r.keyLength + (r.lastResort ? length : 0);
}

/** Ordered byte `at` of a record; -1 after its end. */
export function orderedByte(r: HostRecords, record: number, at: number): number {
  const start = r.starts[record];
  if (at >= orderedLength(r, record)) return -1;
  return r.text[r.lastResort && at >= r.keyLength ? start + at - r.keyLength : start + r.keyOffset + at];
}

/**
 * The four ordered bytes from `at` on (zeros after the end), times 8, plus the number of bytes present. Compares as the
 * bytes do, and puts a record before one that continues with zeros. Negated under `reverse`.
 */
function symbolAt(r: HostRecords, record: number, at: number): number {
  let word = 0;
  let count = SYMBOL_BYTES;
  if (r.keyLength === TO_END) {
    const { text } = r;
    const from = r.starts[record] + r.keyOffset + at;
    const left = r.starts[record + 1] - r.delimiterBytes - from;
    if (left >= SYMBOL_BYTES)
      word = ((text[from] << 24) | (text[from + 1] << 16) | (text[from + 2] << 8) | text[from + 3]) >>> 0;
    else {
      count = Math.max(left, 0);
      for (let i = 0; i < SYMBOL_BYTES; i++) word = word * 256 + (i < count ? text[from + i] : 0);
    }
  } else {
    const left = orderedLength(r, record) - at;
    if (left < SYMBOL_BYTES) count = Math.max(left, 0);
    for (let i = 0; i < SYMBOL_BYTES; i++) word = word * 256 + (i < count ? orderedByte(r, record, at + i) : 0);
  }
  const symbol = word * 8 + count;
  return r.reverse ? -symbol : symbol;
}

/** Whether records with this symbol end within it; if so, all of them are equal. */
function ends(symbol: number): boolean {
  return Math.abs(symbol) % 8 < SYMBOL_BYTES;
}

/** Compares the ordered bytes from `depth` on, then the lengths; 0 only if both are equal. */
export function compareFrom(r: HostRecords, a: number, b: number, depth: number): number {
  for (let at = depth; ; at += SYMBOL_BYTES) {
    const symbol = symbolAt(r, a, at);
    const order = symbol - symbolAt(r, b, at);
    if (order !== 0 || ends(symbol)) return order;
  }
}

/**
 * The number of ordered bytes that the records of `order` share with the record `first`. They are known to share
 * `depth`.
 */
export function sharedDepth(r: HostRecords, order: Uint32Array, first: number, depth: number): number {
  const { text, starts } = r;
  let shared = orderedLength(r, first);
  for (let i = 0; i < order.length && shared > depth; i++) {
    const record = order[i];
    const end = Math.min(shared, orderedLength(r, record));
    let at = depth;
    if (r.keyLength === TO_END) {
      const [a, b] = [starts[first] + r.keyOffset, starts[record] + r.keyOffset];
      while (at < end && text[a + at] === text[b + at]) at++;
    } else {
      while (at < end && orderedByte(r, first, at) === orderedByte(r, record, at)) at++;
    }
    shared = at;
  }
  return Math.max(shared, depth);
}

/** Sorts order[from ... to). The symbols at `depth` are keys[from - base ...). */
function insertionSort(
  r: HostRecords,
  order: Uint32Array,
  keys: Float64Array,
  base: number,
  from: number,
  to: number,
  depth: number,
): void {
  for (let i = from + 1; i < to; i++) {
    const record = order[i];
    const key = keys[i - base];
    let at = i;
    for (; at > from; at--) {
      const before = keys[at - 1 - base];
      if (before < key || (before === key && !follows(r, order[at - 1], record, key, depth))) break;
      order[at] = order[at - 1];
      keys[at - base] = before;
    }
    order[at] = record;
    keys[at - base] = key;
  }
}

/** Whether record `a` belongs after `b`; both have `symbol` at `depth`. */
function follows(r: HostRecords, a: number, b: number, symbol: number, depth: number): boolean {
  const order = ends(symbol) ? 0 : compareFrom(r, a, b, depth + SYMBOL_BYTES);
  return order > 0 || (order === 0 && a > b);
}

/** The symbols of the records being sorted, parallel to `order`; reused by the next sort. */
let symbols = new Float64Array(1024);

/**
 * Sorts the records order[from ... to), which share `depth` ordered bytes, by the rest of these, then length, then
 * number. The current symbols lie in a parallel array (Ng and Kakehi: Cache Efficient Radix Sort for String Sorting,
 * 2007), so the text is read once per symbol. There is no recursion: equal records of any length need a stack of a few
 * entries.
 */
export function multikeyQuicksort(r: HostRecords, order: Uint32Array, from: number, to: number, depth: number): void {
  if (symbols.length < to - from) symbols = new Float64Array(Math.max(to - from, 2 * symbols.length));
  const keys = symbols;
  // Each entry: a range, its depth, and 1 if its symbols have been read.
  const stack = [from, to, depth, 0];
  while (stack.length > 0) {
    const isRead = stack.pop()!;
    const at = stack.pop()!;
    const end = stack.pop()!;
    const begin = stack.pop()!;
    if (isRead === 0) for (let i = begin; i < end; i++) keys[i - from] = symbolAt(r, order[i], at);
    if (end - begin <= FEW) {
      insertionSort(r, order, keys, from, begin, end, at);
      continue;
    }
    const pivot = middle(keys[begin - from], keys[((begin + end) >>> 1) - from], keys[end - 1 - from]);
    let less = begin;
    let greater = end;
    for (let i = begin; i < greater; ) {
      const here = keys[i - from];
      const record = order[i];
      if (here < pivot) {
        order[i] = order[less];
        keys[i++ - from] = keys[less - from];
        order[less] = record;
        keys[less++ - from] = here;
      } else if (here > pivot) {
        greater--;
        order[i] = order[greater];
        keys[i - from] = keys[greater - from];
        order[greater] = record;
        keys[greater - from] = here;
      } else {
        i++;
      }
    }
    if (less - begin > 1) stack.push(begin, less, at, 1);
    if (end - greater > 1) stack.push(greater, end, at, 1);
    if (ends(pivot)) {
      order.subarray(less, greater).sort();
    } else if (greater - less > 1) {
      // If all are equal here, they may stay equal for long.
      const next = at + SYMBOL_BYTES;
      stack.push(
        less,
        greater,
        greater - less === end - begin ? sharedDepth(r, order.subarray(less + 1, greater), order[less], next) : next,
        0,
      );
    }
  }
}

function middle(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
