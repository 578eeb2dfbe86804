/** Reduces a sample of records to the few statistics that the estimates of costs.ts use. Pure. */
import type { Ordering } from '../job.js';
import { alphabetOf } from '../keys/alphabet.js';
import { compareBytes } from '../keys/compare.js';
import { textOf } from '../keys/keyed.js';
import { commonPrefixLength, orderedBytes } from '../keys/ordered-bytes.js';
import { type Displacement, displacementOf, keyValues } from './displacement.js';
import { surprises } from './surprise.js';
import type { Families } from './ties.js';

export interface Sample {
  /** The number of records. */
  readonly records: number;
  /** Mean length with delimiters, as read: the input has its bytes / recordBytes records. */
  readonly recordBytes: number;
  /** Mean length with delimiters, in the engines' form with keys. */
  readonly keyedBytes: number;
  /** Mean length of the ordered bytes. */
  readonly orderedBytes: number;
  /** The number of distinct bytes, and how a 64-bit key packs them (src/keys/alphabet.ts). */
  readonly alphabet: number;
  readonly symbolBits: number;
  readonly keySymbols: number;
  /** Bytes of the prefix that all records share. */
  readonly commonPrefix: number;
  /** Symbols of the first key in which records differ. */
  readonly differingSymbols: number;
  /** Mean common prefix of sorted neighbors in bytes. */
  readonly neighbourPrefix: number;
  /** Share of records that occur once. */
  readonly distinct: number;
  /** From 0 (in order or in reverse order) to 1 (order and input position are unrelated). */
  readonly scatter: number;
  /** Distances of records from their places, by their 64-bit keys. */
  readonly displaced: Displacement;
  /** The data that predicts ties. */
  readonly ties: Families;
}

/** Ordered bytes examined: ties beyond cost each algorithm the same. */
const LOOK_BYTES = 4096;
/** Bytes that a number holds exactly. */
const HEAD_BYTES = 6;

/**
 * Statistics of a sample; null if there are too few records. `windows` lists neighboring records (in the engines' form,
 * without delimiters) in input order.
 */
export function sampleOf(windows: readonly (readonly Uint8Array[])[], ordering: Ordering): Sample | null {
  const records = windows.flat();
  if (records.length < 2) return null;
  const ordered = records.map((record) => orderedBytes(ordering, record, LOOK_BYTES));
  const commonPrefix = ordered.reduce(
    (least, bytes) => Math.min(least, commonPrefixLength(ordered[0], bytes)),
    ordered[0].length,
  );
  const order = sortedOrder(ordered, commonPrefix);
  const shared = Float64Array.from(order, (record, i) =>
    i === 0 ? 0 : commonPrefixLength(ordered[order[i - 1]], ordered[record]),
  );
  const lengths = Float64Array.from(order, (record) => ordered[record].length);
  const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
  const { size, symbolBits, keySymbols } = alphabetOf(
    presentBytes(records),
    ordering.format.kind === 'lines' ? ordering.format.delimiter : null,
  );
  const ties = familiesOf(
    order,
    ordered,
    commonPrefix,
    shared,
    lengths,
    Uint16Array.from(windows.flatMap((window, w) => window.map(() => w))),
    ordering.key.kind === 'bytes' ? ordering.key.length : Infinity,
  );
  return {
    records: records.length,
    recordBytes: mean(records, (record) => textOf(ordering, record).length) + delimiter,
    keyedBytes: mean(records, (record) => record.length) + delimiter,
    orderedBytes: mean(lengths, (length) => length),
    alphabet: size,
    symbolBits,
    keySymbols,
    commonPrefix,
    differingSymbols: differingSymbols(ordered, commonPrefix, keySymbols),
    neighbourPrefix: mean(shared.subarray(1), (bytes) => bytes),
    distinct: ties.once,
    scatter: scatterOf(windows, ordered),
    displaced: displacementOf({
      windows: windows.map((window) => window.length),
      ranks: keyRanks(order, shared, lengths, commonPrefix + keySymbols, ordering.reverse),
      values: keyValues(ordered, commonPrefix, keySymbols, ordering.reverse),
    }),
    ties,
  };
}

/**
 * Indices of the byte strings in sorted order. Comparing their first bytes after the common prefix as numbers
 * takes a tenth of the time.
 */
function sortedOrder(ordered: readonly Uint8Array[], commonPrefix: number): number[] {
  const heads = Float64Array.from(ordered, (bytes) => {
    let head = 0;
    for (let i = 0; i < HEAD_BYTES; i++) head = 256 * head + (bytes[commonPrefix + i] ?? 0);
    return head;
  });
  return Array.from(ordered.keys()).sort(
    (a, b) => heads[a] - heads[b] || compareBytes(ordered[a], ordered[b]) || a - b,
  );
}

function mean<T>(items: ArrayLike<T>, value: (item: T) => number): number {
  let sum = 0;
  for (let i = 0; i < items.length; i++) sum += value(items[i]);
  return items.length === 0 ? 0 : sum / items.length;
}

/** A bit for each byte that occurs, as alphabetOf expects. */
function presentBytes(records: readonly Uint8Array[]): Uint32Array {
  const present = new Uint32Array(8);
  for (const record of records)
    for (let i = 0; i < record.length; i++) present[record[i] >> 5] |= 1 << (record[i] & 31);
  return present;
}

function differingSymbols(ordered: readonly Uint8Array[], from: number, count: number): number {
  let differing = 0;
  for (let at = from; at < from + count; at++) if (ordered.some((bytes) => bytes[at] !== ordered[0][at])) differing++;
  return differing;
}

/** The sorted sample as families (see ties.ts). `windowOf` is indexed in input order. */
function familiesOf(
  order: readonly number[],
  ordered: readonly Uint8Array[],
  commonPrefix: number,
  shared: Float64Array,
  lengths: Float64Array,
  windowOf: Uint16Array,
  keyBytes: number,
): Families {
  const leaves = shared.map((bytes, i) => Math.max(bytes, shared[i + 1] ?? 0));
  const fourth = {
    shared: new Float64Array(Math.ceil(order.length / 4)),
    lengths: new Float64Array(Math.ceil(order.length / 4)),
  };
  let [count, least] = [0, Infinity];
  order.forEach((record, i) => {
    least = Math.min(least, shared[i]);
    if (record % 4 !== 0) return;
    fourth.shared[count] = count === 0 ? 0 : least;
    fourth.lengths[count++] = lengths[i];
    least = Infinity;
  });
  return {
    shared,
    lengths,
    ...sharersOf(shared, leaves, order, windowOf),
    bits: surprises(
      order.map((record) => ordered[record]),
      leaves,
      commonPrefix,
      keyBytes,
    ),
    once: distinctShare(shared, lengths),
    onceOfFourth: distinctShare(fourth.shared, fourth.lengths),
  };
}

function distinctShare(shared: Float64Array, lengths: Float64Array): number {
  const equalsBefore = (i: number): boolean =>
    i > 0 && i < lengths.length && shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  let distinct = 0;
  for (let i = 0; i < lengths.length; i++) if (!equalsBefore(i) && !equalsBefore(i + 1)) distinct++;
  return distinct / lengths.length;
}

/** Each record's rank among the keys that differ in their first `end` bytes. */
function keyRanks(
  order: readonly number[],
  shared: Float64Array,
  lengths: Float64Array,
  end: number,
  reverse: boolean,
): Int32Array {
  const ranks = new Int32Array(order.length);
  let rank = 0;
  order.forEach((record, i) => {
    const equal = i > 0 && shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
    if (shared[i] < end && !equal) rank += reverse ? -1 : 1;
    ranks[record] = rank;
  });
  return ranks;
}

/**
 * For each sorted record, how many share with it what it shares with its nearer neighbor, and whether all of
 * these lie in one window.
 */
function sharersOf(
  shared: Float64Array,
  leaves: Float64Array,
  order: readonly number[],
  windowOf: Uint16Array,
): Pick<Families, 'sharers' | 'near' | 'changes'> {
  const m = shared.length;
  // Each border between neighbors lies in a run of borders that share at least as much. Find the first border
  // of each run and its end.
  const [begins, ends] = [new Uint16Array(m + 1), new Uint16Array(m + 1)];
  const open: number[] = [];
  for (let i = 1; i <= m; i++) {
    const bytes = i < m ? shared[i] : -1;
    let begin = i;
    while (open.length > 0 && shared[open.at(-1)!] > bytes) {
      const border = open.pop()!;
      begin = begins[border];
      ends[border] = i;
    }
    if (open.length > 0 && shared[open.at(-1)!] === bytes) begin = begins[open.at(-1)!];
    begins[i] = begin;
    open.push(i);
  }
  const changes = new Uint16Array(m);
  for (let i = 1; i < m; i++) changes[i] = changes[i - 1] + (windowOf[order[i]] === windowOf[order[i - 1]] ? 0 : 1);
  const sharers = new Uint16Array(m).fill(1);
  const near = new Uint8Array(m);
  for (let i = 0; i < m && m > 1; i++) {
    const border = i > 0 && shared[i] === leaves[i] ? i : i + 1;
    sharers[i] = ends[border] - begins[border] + 1;
    near[i] = changes[ends[border] - 1] === changes[begins[border] - 1] ? 1 : 0;
  }
  return { sharers, near, changes };
}

/** How far neighbors within windows, and the windows themselves, are from being in order or in reverse order. */
function scatterOf(windows: readonly (readonly Uint8Array[])[], ordered: readonly Uint8Array[]): number {
  let [pairs, ascending] = [0, 0];
  let first = 0;
  let before: Uint8Array | null = null;
  const count = (a: Uint8Array, b: Uint8Array, weight: number): void => {
    const order = compareBytes(a, b);
    pairs += weight;
    ascending += order < 0 ? weight : order === 0 ? weight / 2 : 0;
  };
  // Weights: all pairs within windows count as much as all pairs of windows.
  const within = ordered.length - windows.length;
  for (const window of windows) {
    for (let i = first + 1; i < first + window.length; i++) count(ordered[i - 1], ordered[i], 1 / Math.max(1, within));
    if (before !== null) count(before, ordered[first], 1 / (windows.length - 1));
    before = ordered[first];
    first += window.length;
  }
  return 1 - Math.abs(2 * (ascending / pairs) - 1);
}
