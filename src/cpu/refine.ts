/**
 * Stages 2 to 4 for one tile of text: the order of its records. Knows text, record starts and the shape of the order; no
 * memory, threads or output.
 *
 * Ranges of records that are still tied wait on a list with the depth up to which they are equal. One range at a time: skip
 * what all of it shares, sort by the next 8 bytes, let the length decide where records end within them, and put what is still
 * tied back on the list. Every byte that does not tell records apart is thus read once for the skip, whatever the number of
 * records; all-equal input and long common prefixes cost one read of the text. The scheme is the MSD radix sort with cached
 * symbols of Karkkainen and Rantala, Engineering Radix Sort for Strings, SPIRE 2008, with LSD passes within a round.
 */
import type { Shape } from './shape.js';
import { commonPrefix, compareWindows, takePrefixes } from './prefix.js';
import { chooseWidth, radixSort } from './radix.js';
import { INSERTION_MOST, insertionSort, mergeSort } from './small.js';

/** From here on eight histograms of 256 bins cost less than the levels of a merge sort; by estimate. */
const RADIX_LEAST = 1024;

/** Takes the place of a record's number where `unique` drops it. */
export const DROPPED = 0xffffffff;

/** The arrays a tile is ordered in: each as long as the most records of a tile. `starts` has one more. */
export interface Workspace {
  readonly starts: Uint32Array;
  readonly order: Uint32Array;
  readonly orderRoom: Uint32Array;
  readonly hi: Uint32Array;
  readonly hiRoom: Uint32Array;
  readonly lo: Uint32Array;
  readonly loRoom: Uint32Array;
}

export function createWorkspace(records: number): Workspace {
  const array = (): Uint32Array => new Uint32Array(records);
  return {
    starts: new Uint32Array(records + 1),
    order: array(), orderRoom: array(), hi: array(), hiRoom: array(), lo: array(), loRoom: array(),
  };
}

/**
 * Orders the `count` records whose starts are in `work.starts`: their numbers into work.order, DROPPED for those that `unique`
 * leaves out. Returns how many bytes at the beginning of their keys all records share.
 */
export function orderRecords(text: DataView, work: Workspace, count: number, shape: Shape): number {
  const { starts, order, orderRoom, hi, hiRoom, lo, loRoom } = work;
  numberRecords(order, count);
  if (count === 0) return 0;
  let shared = -1;
  // Ranges still to be ordered, four numbers each: from, to, the depth up to which they are equal, 1 for the last resort.
  const ranges: number[] = [0, count, 0, 0];
  while (ranges.length > 0) {
    const whole = ranges.pop()!;
    let depth = ranges.pop()!;
    const to = ranges.pop()!;
    const from = ranges.pop()!;
    const skip = whole === 1 ? 0 : shape.keyOffset;
    const length = whole === 1 ? shape.size : shape.keyLength;
    depth += commonPrefix(text, starts, order, from, to, skip, length, depth);
    if (shared < 0) shared = depth;

    let width = 8;
    if (!takePrefixes(text, starts, order, from, to, skip, length, depth, shape.flip, hi, lo)) {
      if (to - from <= INSERTION_MOST) insertionSort(hi, lo, order, from, to);
      else if (to - from < RADIX_LEAST) mergeSort(hi, lo, order, hiRoom, loRoom, orderRoom, from, to);
      else {
        width = chooseWidth(hi, lo, from, to);
        radixSort(hi, lo, order, hiRoom, loRoom, orderRoom, from, to, width);
      }
    }
    splitTies(text, work, from, to, depth, width, whole, shape, ranges);
  }
  return shared;
}

/*
 * Loops stand in functions of their own all over the engine: V8 compiles a function when its first loop runs hot, and again
 * whenever it meets what had not yet run; with one loop each that happened once, in a function of several up to ten times.
 */

function numberRecords(order: Uint32Array, count: number): void {
  for (let i = 0; i < count; i++) order[i] = i;
}

/** Finds the records of [from, to) that the first `width` bytes of their prefixes leave tied, and has them settled. */
function splitTies(
  text: DataView, work: Workspace, from: number, to: number, depth: number, width: number, whole: number, shape: Shape, ranges: number[],
): void {
  const { starts, order, orderRoom, hi, lo } = work;
  const highMask = width < 4 ? -1 << ((4 - width) << 3) : -1;
  const lowMask = width <= 4 ? 0 : width < 8 ? -1 << ((8 - width) << 3) : -1;
  for (let i = from; i < to;) {
    const end = tieEnd(hi, lo, i, to, highMask, lowMask);
    if (end - i === 2) settlePair(text, starts, order, i, depth, whole, shape);
    else if (end - i > 2) settleTies(starts, order, orderRoom, i, end, depth, width, whole, shape, ranges);
    i = end;
  }
}

/** The end of the range of equal prefixes that begins at `from`. */
function tieEnd(hi: Uint32Array, lo: Uint32Array, from: number, to: number, highMask: number, lowMask: number): number {
  const high = hi[from] & highMask;
  const low = lo[from] & lowMask;
  let end = from + 1;
  while (end < to && (hi[end] & highMask) === high && (lo[end] & lowMask) === low) end++;
  return end;
}

/** Orders the records order[at] and order[at + 1], whose windows are equal up to `depth`, by reading them to the end. */
function settlePair(
  text: DataView, starts: Uint32Array, order: Uint32Array, at: number, depth: number, whole: number, shape: Shape,
): void {
  const a = order[at];
  const b = order[at + 1];
  const skip = whole === 1 ? 0 : shape.keyOffset;
  const length = whole === 1 ? shape.size : shape.keyLength;
  const beginA = starts[a] + skip;
  const beginB = starts[b] + skip;
  const endA = length < 0 ? starts[a + 1] - 1 : beginA + length;
  const endB = length < 0 ? starts[b + 1] - 1 : beginB + length;
  let sign = compareWindows(text, beginA + depth, endA, text, beginB + depth, endB);
  if (sign === 0 && shape.lastResort && whole === 0) {
    sign = compareWindows(text, starts[a], starts[a] + shape.size, text, starts[b], starts[b] + shape.size);
  }
  if (sign === 0) {
    if (shape.unique) order[at + 1] = DROPPED;
  } else if ((shape.flip === 0) === (sign > 0)) {
    order[at] = b;
    order[at + 1] = a;
  }
}

/**
 * Takes a range of records whose prefixes of `width` bytes at `depth` are equal apart: those that end within the prefix by
 * length, done except for a last resort; the rest goes on the list of ranges.
 */
function settleTies(
  starts: Uint32Array, order: Uint32Array, room: Uint32Array, from: number, to: number,
  depth: number, width: number, whole: number, shape: Shape, ranges: number[],
): void {
  const length = whole === 1 ? shape.size : shape.keyLength;
  if (length >= 0) {
    if (length - depth > width) ranges.push(from, to, depth + width, whole);
    else settleEquals(order, from, to, whole, shape, ranges);
    return;
  }
  const skip = shape.keyOffset + depth + 1;
  const beyond = width + 1;
  let shortest = beyond;
  let longest = 0;
  for (let i = from; i < to; i++) {
    const r = order[i];
    const left = Math.min(starts[r + 1] - starts[r] - skip, beyond);
    if (left < shortest) shortest = left;
    if (left > longest) longest = left;
  }
  if (shortest === longest) {
    if (shortest === beyond) ranges.push(from, to, depth + width, whole);
    else settleEquals(order, from, to, whole, shape, ranges);
    return;
  }
  // A stable distribution by length: at most 10 classes, each copied out in turn.
  room.set(order.subarray(from, to), from);
  const step = shape.flip === 0 ? 1 : -1;
  let next = from;
  for (let left = step > 0 ? shortest : longest; left >= shortest && left <= longest; left += step) {
    const first = next;
    for (let i = from; i < to; i++) {
      const r = room[i];
      if (Math.min(starts[r + 1] - starts[r] - skip, beyond) === left) order[next++] = r;
    }
    if (next - first < 2) continue;
    if (left === beyond) ranges.push(first, next, depth + width, whole);
    else settleEquals(order, first, next, whole, shape, ranges);
  }
}

/** Records whose windows are equal to the end: the last resort, or one of them, or the order of the input as it stands. */
function settleEquals(order: Uint32Array, from: number, to: number, whole: number, shape: Shape, ranges: number[]): void {
  if (shape.lastResort && whole === 0) ranges.push(from, to, 0, 1);
  else if (shape.unique) order.fill(DROPPED, from + 1, to);
}
