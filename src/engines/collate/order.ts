/**
 * Sorts a chunk of lines; with segments, each segment by itself. The whole chunk is sorted at once, so chunks are small
 * (src/plan/collated.ts).
 */
import type { Limit } from '../../job/job.js';
import type { Collation } from '../../keys/collation/collation.js';
import type { Intervals } from '../../keys/collation/primary-weights.js';
import { sameSegment, segmentMark } from '../../keys/fields.js';
import type { Outcome } from '../cpu/outcome.js';
import { compareLines, LineBuffer, type Lines, readLines, record } from './lines.js';

/** Finding the weights takes a thread 15 ms. A comparison with them saves 100 ns, and each line needs about fifteen. */
export const WEIGHING_BYTES = 256 << 10;

/** Sorts `text` (whole lines) in place. The lines that `unique` and `limit` keep are moved to its beginning. */
export function orderText(
  collation: Collation,
  text: Buffer,
  limit: Limit | null = null,
  weighingBytes = WEIGHING_BYTES,
): Outcome {
  const { segments, unique } = collation.ordering;
  const lines = readLines(collation, text, 0, text.length, text.length >= weighingBytes);
  const compare = (a: number, b: number): number => compareLines(collation, lines, a, lines, b);
  const order = new Uint32Array(lines.count);
  for (let i = 0; i < lines.count; i++) order[i] = i;
  const spare = new Uint32Array(lines.count);
  const sorted = Buffer.allocUnsafe(text.length);
  const output = new LineBuffer(sorted);
  const begins = segments === undefined ? [0] : segmentBegins(lines, (i) => segmentMark(segments, record(lines, i)));
  let firstEnd = output.bytes;
  let lastBegin = output.bytes;
  for (const [number, begin] of begins.entries()) {
    const end = begins[number + 1] ?? lines.count;
    sortLines(order, spare, begin, end, lines.intervals, compare);
    lastBegin = output.bytes;
    const left = order.subarray(begin, unique ? withoutEquals(order, begin, end, compare) : end);
    const wanted =
      limit === null
        ? left
        : limit.end === 'first'
          ? left.subarray(0, limit.count)
          : left.subarray(Math.max(0, left.length - limit.count));
    for (const i of wanted) output.write(lines, i);
    if (number === 0) firstEnd = output.bytes;
  }
  const outcome = output.outcome();
  sorted.copy(text, 0, 0, outcome.bytes);
  return segments === undefined ? outcome : { ...outcome, segments: { firstEnd, lastBegin } };
}

/** Moves the first of each group of equal lines of [begin, end) to the front; returns where these end. */
function withoutEquals(order: Uint32Array, begin: number, end: number, compare: CompareNumbers): number {
  let place = begin;
  for (let i = begin; i < end; i++)
    if (place === begin || compare(order[place - 1], order[i]) !== 0) order[place++] = order[i];
  return place;
}

/** The first line of each segment. */
function segmentBegins(lines: Lines, markOf: (i: number) => ReturnType<typeof segmentMark>): number[] {
  const begins: number[] = [];
  let mark: ReturnType<typeof segmentMark> = null;
  for (let i = 0; i < lines.count; i++) {
    const next = markOf(i);
    if (i === 0 || !sameSegment(mark, next)) begins.push(i);
    mark = next;
  }
  return begins;
}

/** Compares two numbers; if the result is 0, their order in the list is kept. */
type CompareNumbers = (a: number, b: number) => number;

/** Runs of this length are first sorted by insertion. */
const RUN = 8;

/** Sorts numbers [from, to) of `list`; `spare` is as long as the list. */
export function mergeSortNumbers(
  list: Uint32Array,
  spare: Uint32Array,
  from: number,
  to: number,
  compare: CompareNumbers,
): void {
  for (let begin = from; begin < to; begin += RUN) insertionSort(list, begin, Math.min(to, begin + RUN), compare);
  let [source, target] = [list, spare];
  for (let width = RUN; width < to - from; width *= 2) {
    for (let begin = from; begin < to; begin += 2 * width) {
      mergeHalves(source, target, [begin, Math.min(to, begin + width), Math.min(to, begin + 2 * width)], compare);
    }
    [source, target] = [target, source];
  }
  if (source !== list) list.set(source.subarray(from, to), from);
}

function insertionSort(list: Uint32Array, begin: number, end: number, compare: CompareNumbers): void {
  for (let i = begin + 1; i < end; i++) {
    const number = list[i];
    let place = i;
    for (; place > begin && compare(list[place - 1], number) > 0; place--) list[place] = list[place - 1];
    list[place] = number;
  }
}

/**
 * Merges [begin, middle) and [middle, end) of `source` into the same places of `target`. Among equal lines, the one
 * with the smaller number comes first.
 */
function mergeHalves(
  source: Uint32Array,
  target: Uint32Array,
  [begin, middle, end]: readonly [number, number, number],
  compare: CompareNumbers,
): void {
  let [a, b, to] = [begin, middle, begin];
  const isFirst = (one: number, other: number): boolean => {
    const sign = compare(one, other);
    return sign < 0 || (sign === 0 && one < other);
  };
  const isInOrder = middle === end || isFirst(source[middle - 1], source[middle]);
  if (!isInOrder)
    while (a < middle && b < end) target[to++] = isFirst(source[a], source[b]) ? source[a++] : source[b++];
  target.set(source.subarray(a, middle), to);
  target.set(source.subarray(b, end), to + middle - a);
}

/** Fewer lines are sorted faster by comparisons. */
const LEAST_LINES = 512;
/** The divisor that leaves the high 32 of the 53 bits of a number. */
const LOW_BITS = 2 ** 21;
const DIGIT_BITS = 11;
const DIGITS = 3;

/**
 * Sorts the ascending numbers [from, to) of `list` stably by their intervals (src/keys/collation/primary-weights.ts),
 * with which `compare` must agree; `spare` is as long as the list. Lines whose interval is a single number are sorted
 * by its high 32 bits with a radix sort; only equal ones are compared. The other lines are sorted by comparisons, then
 * both lists are merged.
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
    mergeSortNumbers(list, spare, from, to, compare);
    return;
  }
  const middle = partition(list, spare, from, to, intervals.firsts);
  const keys = sortByHighBits(list, spare, from, middle, intervals.firsts);
  for (let begin = from, end = from; begin < middle; begin = end) {
    while (end < middle && keys[end - from] === keys[begin - from]) end++;
    if (end - begin > 1) mergeSortNumbers(list, spare, begin, end, compare);
  }
  mergeSortNumbers(list, spare, middle, to, compare);
  if (middle === from || middle === to) return;
  mergeHalves(list, spare, [from, middle, to], compare);
  list.set(spare.subarray(from, to), from);
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
