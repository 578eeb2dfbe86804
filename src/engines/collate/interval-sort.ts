/**
 * A stable sort of line numbers by their intervals (src/keys/collation/primary-weights.ts). Lines whose interval is a
 * single number are sorted by its high 32 bits with a radix sort; only equal ones are compared. The other lines are
 * sorted by comparisons, then both lists are merged.
 */
import type { Intervals } from '../../keys/collation/primary-weights.js';
import { type CompareNumbers, mergeSort } from './merge-sort.js';

/** Fewer lines are sorted faster by comparisons. */
const LEAST_LINES = 512;
/** The divisor that leaves the high 32 of the 53 bits of a number. */
const LOW_BITS = 2 ** 21;
const DIGIT_BITS = 11;
const DIGITS = 3;

/**
 * Sorts the ascending numbers [from, to) of `list`; `spare` is as long as the list. `compare` must
 * agree with the intervals.
 */
export function sortLines(
  list: Uint32Array,
  spare: Uint32Array,
  from: number,
  to: number,
  intervals: Intervals | null,
  compare: CompareNumbers,
): void {
  if (intervals === null || to - from < LEAST_LINES) {
    mergeSort(list, spare, from, to, compare);
    return;
  }
  const middle = partition(list, spare, from, to, intervals.firsts);
  const keys = sortByHighBits(list, spare, from, middle, intervals.firsts);
  for (let begin = from, end = from; begin < middle; begin = end) {
    while (end < middle && keys[end - from] === keys[begin - from]) end++;
    if (end - begin > 1) mergeSort(list, spare, begin, end, compare);
  }
  mergeSort(list, spare, middle, to, compare);
  if (middle > from && middle < to) merge(list, spare, from, middle, to, compare);
}

/** Moves lines with a single number to the front, stably; returns where the others begin. */
function partition(list: Uint32Array, spare: Uint32Array, from: number, to: number, firsts: Float64Array): number {
  let middle = from;
  let others = 0;
  for (let i = from; i < to; i++) {
    const number = list[i];
    if (firsts[number] >= 0) list[middle++] = number;
    else spare[others++] = number;
  }
  list.set(spare.subarray(0, others), middle);
  return middle;
}

/** Sorts [from, to) by the high bits of their numbers, lowest digit first; returns these bits in sorted order. */
function sortByHighBits(
  list: Uint32Array,
  spare: Uint32Array,
  from: number,
  to: number,
  firsts: Float64Array,
): Uint32Array {
  let keys = new Uint32Array(to - from);
  let sortedKeys = new Uint32Array(to - from);
  let [source, target] = [list, spare];
  for (let i = from; i < to; i++) keys[i - from] = firsts[list[i]] / LOW_BITS;
  for (let digit = 0; digit < DIGITS; digit++) {
    const shift = digit * DIGIT_BITS;
    const mask = 2 ** DIGIT_BITS - 1;
    const places = new Uint32Array(2 ** DIGIT_BITS + 1);
    for (let i = 0; i < keys.length; i++) places[((keys[i] >>> shift) & mask) + 1]++;
    for (let i = 1; i < places.length; i++) places[i] += places[i - 1];
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const place = places[(key >>> shift) & mask]++;
      sortedKeys[place] = key;
      target[from + place] = source[from + i];
    }
    [keys, sortedKeys] = [sortedKeys, keys];
    [source, target] = [target, source];
  }
  if (source !== list) list.set(source.subarray(from, to), from);
  return keys;
}

/** Merges [from, middle) and [middle, to). Of equal lines the one with the smaller number comes first. */
function merge(
  list: Uint32Array,
  spare: Uint32Array,
  from: number,
  middle: number,
  to: number,
  compare: CompareNumbers,
): void {
  let [a, b, at] = [from, middle, from];
  while (a < middle && b < to) {
    const [first, second] = [list[a], list[b]];
    const sign = compare(first, second);
    if (sign < 0 || (sign === 0 && first < second)) {
      spare[at++] = first;
      a++;
    } else {
      spare[at++] = second;
      b++;
    }
  }
  spare.set(list.subarray(a, middle), at);
  spare.set(list.subarray(b, to), at + middle - a);
  list.set(spare.subarray(from, to), from);
}
