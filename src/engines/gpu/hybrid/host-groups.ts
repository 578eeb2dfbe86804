/**
 * Groups of tied records in host memory: sorts each group, and splits a large one into buckets for several threads.
 * Plain functions over typed arrays; knows no device and no thread.
 */
import { compareFrom, type HostRecords, multikeyQuicksort, orderedByte } from './multikey-quicksort.js';

/**
 * The states of kernels/wgsl/strings/ties/mark.wgsl: a record begins a group, is equal to the one before it, or is
 * equal to it in the bytes compared so far.
 */
export const NEW = 0;
export const SAME = 1;
export const JOINED = 2;

/** The records that are sorted, by their index in `starts`, and how each compares to the one before it. */
export interface MarkedOrder {
  /** Whether equal records must be marked, which reads the text of neighbors again. */
  readonly marks: boolean;
  readonly records: HostRecords;
  readonly order: Uint32Array;
  readonly states: Uint32Array;
}

/** Sorts order[from ... to), which share `depth` ordered bytes. If `marks`, writes the states of all but the first. */
export function sortRange(
  { marks, records, order, states }: MarkedOrder,
  from: number,
  to: number,
  depth: number,
): void {
  multikeyQuicksort(records, order, from, to, depth);
  if (!marks) return;
  for (let i = from + 1; i < to; i++)
    states[i] = compareFrom(records, order[i - 1], order[i], depth) === 0 ? SAME : NEW;
}

/**
 * Sorts each group in [from, to). A group is a record and the JOINED ones after it, which share `depth` ordered bytes.
 * Returns the number of records in groups.
 */
export function sortGroups(sorted: MarkedOrder, from: number, to: number, depth: number): number {
  const { states } = sorted;
  let members = 0;
  for (let i = from + 1; i < to; i++) {
    if (states[i] !== JOINED) continue;
    const begin = i - 1;
    while (i < to && states[i] === JOINED) i++;
    sortRange(sorted, begin, i, depth);
    members += i - begin;
  }
  return members;
}

/** Buckets of a split: one per byte, and one for records that end. */
export const BUCKETS = 257;

/**
 * The digit that a group is split by: its ordered byte at `depth`. If all its records are equal: the bits of their
 * numbers from `shift` on.
 */
export type SplitDigit = { readonly depth: number } | { readonly shift: number };

/** The bucket of records that end. */
export function endedBucket({ reverse }: HostRecords): number {
  return reverse ? BUCKETS - 1 : 0;
}

function bucketOf(records: HostRecords, record: number, digit: SplitDigit): number {
  if ('shift' in digit) return Math.min(BUCKETS - 1, record >>> digit.shift);
  const bucket = orderedByte(records, record, digit.depth) + 1;
  return records.reverse ? BUCKETS - 1 - bucket : bucket;
}

/** The number of records of order[from ... to) in each bucket. */
export function countParts({ records, order }: MarkedOrder, from: number, to: number, digit: SplitDigit): Uint32Array {
  const counts = new Uint32Array(BUCKETS);
  for (let i = from; i < to; i++) counts[bucketOf(records, order[i], digit)]++;
  return counts;
}

/** Moves order[from ... to) to the next free place of each bucket in `target`. Overwrites `places`. */
export function moveParts(
  { records, order }: MarkedOrder,
  from: number,
  to: number,
  digit: SplitDigit,
  { places, target }: { readonly places: Uint32Array; readonly target: Uint32Array },
): void {
  for (let i = from; i < to; i++) {
    const record = order[i];
    target[places[bucketOf(records, record, digit)]++] = record;
  }
}
