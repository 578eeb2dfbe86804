/**
 * How far the records of a sample are from their places in the order. That decides the cost of merges that skip lists
 * without overlap. Pure.
 *
 * A sample is a set of distant windows of neighboring records, which show three scales: places within a window; merges
 * of lists at least as long as the windows are apart, which are played on the windows; and distances between, which are
 * interpolated: a key halfway between the keys of two windows belongs halfway between the windows.
 */

export interface Displacement {
  /** The number of windows. */
  readonly windows: number;
  /**
   * Mean distance from home of the records at least half a window away from it, as a share of the
   * input; 0 if there are none.
   */
  readonly displacement: number;
  /**
   * Share of records at least half a window from their place in it, forwards or backwards, whichever is less: a
   * quarter in random order.
   */
  readonly strays: number;
  /**
   * How many times the sequence of windows passes a record's key: once if the input is in order or in reverse order.
   */
  readonly courses: number;
  /** Share of the records in the overlaps when lists of 1, 2, 4 ... windows are merged pairwise. */
  readonly overlaps: readonly number[];
}

/** The records of a sample, as far as their keys distinguish them. */
interface SampleKeys {
  /** Records in each window; the windows follow one another. */
  readonly windows: readonly number[];
  /** Each record's rank among all keys of the sample in the requested order; equal keys have equal ranks. */
  readonly ranks: Int32Array;
  /** Each record's key as a number that ascends in the requested order. */
  readonly values: Float64Array;
}

export function displacementOf({ windows, ranks, values }: SampleKeys): Displacement {
  return {
    windows: windows.length,
    ...distances(windows, ranks, values),
    courses: coursesOf(windows, values),
    overlaps: overlapsOf(windows, ranks),
  };
}

/**
 * Maps byte strings to numbers in the same order: the `count` bytes of the keys after `from`, as far as a number is
 * precise. A byte's digit is its rank among the bytes that occur at its position; their number is the radix.
 */
export function keyValues(ordered: readonly Uint8Array[], from: number, count: number, reverse: boolean): Float64Array {
  const values = new Float64Array(ordered.length);
  const digits = new Int32Array(257);
  let weight = reverse ? -1 : 1;
  for (let at = from; at < from + count && Math.abs(weight) > Number.EPSILON; at++) {
    // The end of a string sorts before all bytes.
    digits.fill(0);
    for (const bytes of ordered) digits[1 + (bytes[at] ?? -1)] = 1;
    let different = 0;
    for (let i = 0; i < 257; i++) if (digits[i] === 1) digits[i] = different++;
    weight /= different;
    ordered.forEach((bytes, i) => {
      values[i] += weight * digits[1 + (bytes[at] ?? -1)];
    });
  }
  return values;
}

/** Indices of `numbers` in ascending order; the sort is stable. */
const sortedIndices = (numbers: ArrayLike<number>): number[] =>
  Array.from({ length: numbers.length }, (_, i) => i).sort((a, b) => numbers[a] - numbers[b] || a - b);

function distances(
  windows: readonly number[],
  ranks: Int32Array,
  values: Float64Array,
): Pick<Displacement, 'displacement' | 'strays'> {
  const home = homes(windows, values);
  let [sum, far, farBackwards] = [0, 0, 0];
  let first = 0;
  windows.forEach((length, w) => {
    const here = w / windows.length;
    sortedIndices(ranks.subarray(first, first + length)).forEach((i, place) => {
      if (2 * Math.abs(length - 1 - place - i) >= length) farBackwards++;
      if (2 * Math.abs(place - i) < length) return;
      sum += home(values[first + i], here);
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
    medians[w] = values.slice(first, first + length).sort()[length >> 1];
    first += length;
  });
  return medians;
}

function coursesOf(windows: readonly number[], values: Float64Array): number {
  const medians = mediansOf(windows, values);
  let ups = 0;
  for (let w = 1; w < medians.length; w++) ups += Math.sign(medians[w] - medians[w - 1]);
  // Windows mostly ascend or mostly descend. A step the other way starts a new course and is not counted.
  const sign = ups < 0 ? -1 : 1;
  let met = 0;
  for (let w = 1; w < medians.length; w++) {
    const [from, to] = [sign * medians[w - 1], sign * medians[w]];
    for (const value of values) if (from <= sign * value && sign * value < to) met++;
  }
  return Math.max(1, met / values.length);
}

/**
 * Returns a function that estimates how far a value is from home, as a share of the input. `here` is the value's place;
 * the medians of the windows give its home.
 */
function homes(windows: readonly number[], values: Float64Array): (value: number, here: number) => number {
  const medians = mediansOf(windows, values);
  // If the windows themselves are out of order, each belongs where its median does.
  medians.sort();
  const last = windows.length - 1;
  return (value, here) => {
    let after = 0;
    while (after <= last && medians[after] < value) after++;
    let before = last;
    while (before >= 0 && medians[before] > value) before--;
    // If several medians equal the value, it may be at any of their places.
    if (before >= after) return Math.max(after / windows.length - here, here - before / windows.length, 0);
    // Before the first and after the last window, extrapolate from the nearest two.
    const from = Math.max(0, Math.min(before, last - 1));
    const apart = medians[Math.min(last, from + 1)] - medians[from];
    const way = apart > 0 ? (value - medians[from]) / apart : value < medians[from] ? -Infinity : Infinity;
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
      const left = ranks.subarray(starts[w], starts[w + size]);
      const right = ranks.subarray(starts[w + size], starts[Math.min(windows.length, w + 2 * size)]);
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
 * How often merges of lists that begin with `tile` records move a record on average, if `records` of `total` are sorted
 * together. A merge moves the overlap of two lists, unless it is no larger than a tile.
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
    const share = Math.max(Math.min(1, distance / list), overlaps[level] ?? 0);
    if (2 * share * list > tile) passes += share;
  }
  return passes;
}
