/**
 * How far the records of a sample are from their places in the order, as a sort feels it that merges lists only where they overlap. Pure.
 *
 * A sample is windows of some neighbouring records each, far apart. So it tells three scales apart: places within a window, which are
 * seen; merges of lists as long as the windows are apart, or longer, which are played on the windows; and what lies between, of
 * which the values of keys tell: a record whose key lies half way from one window's keys to the next window's belongs half way between them.
 */

export interface Displacement {
  /** Windows that the sample is made of. */
  readonly windows: number;
  /** Mean distance from home of the records that are half a window or more from it, as a share of the input; 0 where there are none. */
  readonly displacement: number;
  /** Share of records half a window or more from their place in it, forwards or backwards, whichever is less: a quarter in random order. */
  readonly strays: number;
  /** How often the input comes by a record's key on the way from window to window: once in order, or in reverse. */
  readonly courses: number;
  /** Share of the records that lie where lists overlap when lists of 1, 2, 4 ... windows are merged two by two. */
  readonly overlaps: readonly number[];
}

/** A sample's records as far as keys tell them apart. */
export interface SampleKeys {
  /** Records of each window, which lie one after another. */
  readonly windows: readonly number[];
  /** Each record's place among all keys of the sample in the order that is asked for; equal keys have the same. */
  readonly ranks: Int32Array;
  /** Each record's key as a number, larger ones later in the order. */
  readonly values: Float64Array;
}

export function displacementOf({ windows, ranks, values }: SampleKeys): Displacement {
  return { windows: windows.length, ...distances(windows, ranks, values), courses: coursesOf(windows, values), overlaps: overlapsOf(windows, ranks) };
}

/** Numbers in the order of byte strings: behind `from`, as many bytes as a number holds of the `count` that keys have, each counted among those that occur there. */
export function keyValues(ordered: readonly Uint8Array[], from: number, count: number, reverse: boolean): Float64Array {
  const values = new Float64Array(ordered.length);
  const digits = new Int32Array(257);
  let weight = reverse ? -1 : 1;
  for (let at = from; at < from + count && Math.abs(weight) > Number.EPSILON; at++) {
    // An end comes before all bytes.
    digits.fill(0);
    for (const bytes of ordered) digits[1 + (bytes[at] ?? -1)] = 1;
    let different = 0;
    for (let i = 0; i < 257; i++) if (digits[i] === 1) digits[i] = different++;
    weight /= different;
    ordered.forEach((bytes, i) => { values[i]! += weight * digits[1 + (bytes[at] ?? -1)]!; });
  }
  return values;
}

/** Indices of `numbers` in ascending order, equal ones as they were. */
const sortedIndices = (numbers: ArrayLike<number>): number[] => Array.from({ length: numbers.length }, (_, i) => i).sort((a, b) => numbers[a]! - numbers[b]! || a - b);

function distances(windows: readonly number[], ranks: Int32Array, values: Float64Array): Pick<Displacement, 'displacement' | 'strays'> {
  const home = homes(windows, values);
  let [sum, far, farBackwards] = [0, 0, 0];
  let first = 0;
  windows.forEach((length, w) => {
    const here = w / windows.length;
    sortedIndices(ranks.subarray(first, first + length)).forEach((i, place) => {
      if (2 * Math.abs(length - 1 - place - i) >= length) farBackwards++;
      if (2 * Math.abs(place - i) < length) return;
      sum += home(values[first + i]!, here);
      far++;
    });
    first += length;
  });
  return { displacement: far === 0 ? 0 : sum / far, strays: Math.min(far, farBackwards) / values.length };
}

function mediansOf(windows: readonly number[], values: Float64Array): Float64Array {
  const medians = new Float64Array(windows.length);
  let first = 0;
  windows.forEach((length, w) => {
    medians[w] = values.slice(first, first + length).sort()[length >> 1]!;
    first += length;
  });
  return medians;
}

function coursesOf(windows: readonly number[], values: Float64Array): number {
  const medians = mediansOf(windows, values);
  let ups = 0;
  for (let w = 1; w < medians.length; w++) ups += Math.sign(medians[w]! - medians[w - 1]!);
  // Where most windows lead upwards, one that leads down begins anew.
  const sign = ups < 0 ? -1 : 1;
  let met = 0;
  for (let w = 1; w < medians.length; w++) {
    const [from, to] = [sign * medians[w - 1]!, sign * medians[w]!];
    for (const value of values) if (from <= sign * value && sign * value < to) met++;
  }
  return Math.max(1, met / values.length);
}

/** A function that tells how far from `here`, a share of the input, a value belongs by the medians of the windows. */
function homes(windows: readonly number[], values: Float64Array): (value: number, here: number) => number {
  const medians = mediansOf(windows, values);
  // Where the windows themselves are out of order, each belongs where its median does.
  medians.sort();
  const last = windows.length - 1;
  return (value, here) => {
    let after = 0;
    while (after <= last && medians[after]! < value) after++;
    let before = last;
    while (before >= 0 && medians[before]! > value) before--;
    // Medians that are the same: any of their places will do.
    if (before >= after) return Math.max(after / windows.length - here, here - before / windows.length, 0);
    // Beyond the first and the last keys go on as they do beside them.
    const from = Math.max(0, Math.min(before, last - 1));
    const apart = medians[Math.min(last, from + 1)]! - medians[from]!;
    const way = apart > 0 ? (value - medians[from]!) / apart : value < medians[from]! ? -Infinity : Infinity;
    return Math.abs(Math.min(1, Math.max(0, (from + way) / windows.length)) - here);
  };
}

function overlapsOf(windows: readonly number[], ranks: Int32Array): number[] {
  const starts = [0];
  for (const length of windows) starts.push(starts.at(-1)! + length);
  const overlaps: number[] = [];
  for (let size = 1; size < windows.length; size *= 2) {
    let moved = 0;
    for (let w = 0; w + size < windows.length; w += 2 * size) {
      const left = ranks.subarray(starts[w]!, starts[w + size]!);
      const right = ranks.subarray(starts[w + size]!, starts[Math.min(windows.length, w + 2 * size)]!);
      const most = left.reduce((a, b) => Math.max(a, b));
      const least = right.reduce((a, b) => Math.min(a, b));
      for (const rank of left) if (rank > least) moved++;
      for (const rank of right) if (rank < most) moved++;
    }
    overlaps.push(moved / ranks.length);
  }
  return overlaps;
}

/**
 * How often merges of lists that begin with `tile` records each move a record, on average, where `records` of `total` are sorted together:
 * what lies in the overlap of two lists is moved, unless that is no more than a tile.
 */
export function mergedPasses({ windows, displacement, overlaps }: Displacement, records: number, total: number, tile: number): number {
  const apart = total / windows;
  const distance = displacement * total;
  let passes = 0;
  for (let list = tile; list < records; list *= 2) {
    const level = Math.min(Math.round(Math.log2(list / apart)), overlaps.length - 1);
    const share = Math.max(Math.min(1, distance / list), overlaps[level] ?? 0);
    if (2 * share * list > tile) passes += share;
  }
  return passes;
}
