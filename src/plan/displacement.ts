/**
 * Measures how far the records of a sample are from their places in the order. This decides the cost of merges that
 * skip lists without overlap. Pure.
 *
 * A sample is a set of distant windows of neighboring records. It shows distances on three scales. Distances within a
 * window are measured. Merges of lists at least as long as the gap between windows are simulated on the windows.
 * Distances between these two scales are interpolated: a key halfway between the keys of two windows belongs halfway
 * between them.
 */

export interface Displacement {
  /** The number of windows. */
  readonly windows: number;
  /**
   * Mean distance of records from their places in the order, over those at least half a window away, as a share of the
   * input; 0 if there are none.
   */
  readonly displacement: number;
  /**
   * Share of records that are at least half a window from their place in the order: of those displaced forward and
   * those displaced backward, the smaller share. A quarter in random order.
   */
  readonly strays: number;
  /**
   * How many times the sequence of windows passes a record's key: once if the input is in order or in reverse order.
   */
  readonly courses: number;
  /** Share of the records in the overlaps when lists of 1, 2, 4 ... windows are merged pairwise. */
  readonly overlaps: readonly number[];
}

/**
 * The displacement of the records of a sample. `windows` has the number of records in each window; `values` has each
 * record's key as a number that ascends in the requested order, window after window.
 */
export function displacementOf(windows: readonly number[], values: Float64Array): Displacement {
  let first = 0;
  const keys = windows.map((length) => values.subarray(first, (first += length)));
  const medians = keys.map((window) => window.slice().sort()[window.length >> 1]);
  return {
    windows: windows.length,
    ...distances(keys, medians),
    courses: coursesOf(medians, values),
    overlaps: overlapsOf(keys, values.length),
  };
}

/**
 * Maps byte strings to numbers in the same order: the `count` bytes of the keys after `from`, as far as the precision
 * of a number allows. A byte's digit is its rank among the bytes of all keys, less the least rank at its position; the
 * radix is the number of ranks up to the greatest one. Ranks among only the bytes at the position would close the gaps
 * between distant windows, but not those within a window.
 */
export function keyValues(ordered: readonly Uint8Array[], from: number, count: number, reverse: boolean): Float64Array {
  const values = new Float64Array(ordered.length);
  const ranks = ranksOf(ordered, from, from + count);
  const digits = new Int32Array(ordered.length);
  let weight = reverse ? -1 : 1;
  for (let at = from; at < from + count && Math.abs(weight) > Number.EPSILON; at++) {
    let [least, greatest] = [ranks.length, 0];
    for (let i = 0; i < ordered.length; i++) {
      const digit = ranks[1 + (ordered[i][at] ?? -1)];
      digits[i] = digit;
      if (digit < least) least = digit;
      if (digit > greatest) greatest = digit;
    }
    weight /= greatest - least + 1;
    for (let i = 0; i < digits.length; i++) values[i] += weight * (digits[i] - least);
  }
  return values;
}

/** The rank of the end of a string, which sorts before all bytes, and of each byte among those of [from, to). */
function ranksOf(ordered: readonly Uint8Array[], from: number, to: number): Int32Array {
  const ranks = new Int32Array(257);
  for (const bytes of ordered) for (let at = from; at < to; at++) ranks[1 + (bytes[at] ?? -1)] = 1;
  let different = 0;
  for (let i = 0; i < ranks.length; i++) if (ranks[i] === 1) ranks[i] = different++;
  return ranks;
}

function distances(
  keys: readonly Float64Array[],
  medians: readonly number[],
): Pick<Displacement, 'displacement' | 'strays'> {
  // If the windows themselves are out of order, each belongs where its median does.
  const inOrder = Float64Array.from(medians).sort();
  let [sum, far, farBackwards, records] = [0, 0, 0, 0];
  keys.forEach((window, w) => {
    const { length } = window;
    const places = Array.from(window.keys()).sort((a, b) => window[a] - window[b] || a - b);
    places.forEach((i, place) => {
      if (2 * Math.abs(length - 1 - place - i) >= length) farBackwards++;
      if (2 * Math.abs(place - i) < length) return;
      sum += distanceFromPlace(inOrder, window[i], w / keys.length);
      far++;
    });
    records += length;
  });
  return { displacement: far === 0 ? 0 : sum / far, strays: Math.min(far, farBackwards) / records };
}

/** The distance of `here` from where a value belongs among the medians of windows, both as shares of the input. */
function distanceFromPlace(medians: Float64Array, value: number, here: number): number {
  const windows = medians.length;
  const below = medians.filter((median) => median < value).length;
  const upTo = medians.filter((median) => median <= value).length;
  // If several medians equal the value, it may be at any of their places.
  if (below < upTo) return Math.max(below / windows - here, here - (upTo - 1) / windows, 0);
  // Before the first and after the last window, extrapolate from the nearest two.
  const from = Math.max(0, Math.min(below - 1, windows - 2));
  const apart = medians[Math.min(windows - 1, from + 1)] - medians[from];
  const way = apart > 0 ? (value - medians[from]) / apart : value < medians[from] ? -Infinity : Infinity;
  return Math.abs(Math.min(1, Math.max(0, (from + way) / windows)) - here);
}

function coursesOf(medians: readonly number[], values: Float64Array): number {
  const steps = medians.slice(1).map((median, w) => [medians[w], median] as const);
  // Windows mostly ascend or mostly descend. A step the other way starts a new course and is not counted.
  const ups = steps.reduce((sum, [from, to]) => sum + Math.sign(to - from), 0);
  const sign = ups < 0 ? -1 : 1;
  const met = steps.reduce(
    (sum, [from, to]) => sum + values.filter((value) => sign * from <= sign * value && sign * value < sign * to).length,
    0,
  );
  return Math.max(1, met / values.length);
}

function overlapsOf(keys: readonly Float64Array[], records: number): number[] {
  let lists: Float64Array[] = keys.map((window) => window.slice().sort());
  const overlaps: number[] = [];
  while (lists.length > 1) {
    let moved = 0;
    const merged: Float64Array[] = [];
    for (let w = 0; w < lists.length; w += 2) {
      const [left, right] = [lists[w], lists[w + 1] ?? new Float64Array(0)];
      if (right.length > 0) {
        moved += left.filter((value) => value > right[0]).length;
        moved += right.filter((value) => value < left[left.length - 1]).length;
      }
      merged.push(Float64Array.of(...left, ...right).sort());
    }
    overlaps.push(moved / records);
    lists = merged;
  }
  return overlaps;
}

/**
 * How often merges move a record on average, if `records` of `total` are sorted together and lists begin with `tile`
 * records. A merge moves the overlap of two lists, unless the overlap is no larger than a tile. The overlap reaches as
 * far to both sides as the farthest record is from its place: about twice the mean distance.
 */
export function mergedPasses(
  { windows, displacement, overlaps }: Displacement,
  records: number,
  total: number,
  tile: number,
): number {
  const apart = total / windows;
  const distance = displacement * total;
  let passes = 0;
  for (let list = tile; list < records; list *= 2) {
    const level = Math.min(Math.round(Math.log2(list / apart)), overlaps.length - 1);
    const share = Math.max(Math.min(1, (2 * distance) / list), overlaps[level] ?? 0);
    if (2 * share * list > tile) passes += share;
  }
  return passes;
}
