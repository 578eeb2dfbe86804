/**
 * Sorts a chunk of lines; with segments, each segment by itself. The whole chunk is sorted at once, so chunks are small
 * (src/plan/collated.ts).
 */

import type { Limit } from '../../job/job.js';
import type { Collation } from '../../keys/collation/collation.js';
import { sameSegment, segmentMark } from '../../keys/fields.js';
import type { Outcome } from '../cpu/outcome.js';
import { sortLines } from './interval-sort.js';
import { compareLines, type Lines, readLines, record } from './lines.js';
import type { CompareNumbers } from './merge-sort.js';
import { Output } from './output.js';

/** Finding the weights takes a thread 15 ms. A comparison with them saves 100 ns, and each line needs about fifteen. */
export const WEIGHING_BYTES = 256 << 10;

/** Sorts `text` (whole lines) in place. What `unique` and `limit` leave of it is at its beginning. */
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
  const output = new Output(sorted);
  const begins = segments === undefined ? [0] : segmentBegins(lines, (i) => segmentMark(segments, record(lines, i)));
  let firstEnd = output.position;
  let lastBegin = output.position;
  for (const [number, begin] of begins.entries()) {
    const end = begins[number + 1] ?? lines.count;
    sortLines(order, spare, begin, end, lines.intervals, compare);
    lastBegin = output.position;
    const left = order.subarray(begin, unique ? withoutEquals(order, begin, end, compare) : end);
    const wanted =
      limit === null
        ? left
        : limit.end === 'first'
          ? left.subarray(0, limit.count)
          : left.subarray(Math.max(0, left.length - limit.count));
    for (const i of wanted) output.write(lines, i);
    if (number === 0) firstEnd = output.position;
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
