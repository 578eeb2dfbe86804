/** Reduces a sample of records to the few statistics that the estimates of costs.ts use. Pure. */
import type { Ordering } from '../job/ordering.js';
import { alphabetOf } from '../keys/alphabet.js';
import { commonPrefixLength, compareBytes, orderedBytes } from '../keys/compare.js';
import { textWithoutKey } from '../keys/keyed.js';
import { type Displacement, displacementOf, keyValues } from './displacement.js';
import { surprises } from './surprise.js';

export interface SampleStatistics {
  /** The number of records. */
  readonly records: number;
  /** Mean length with delimiters, as read. An input has about bytes / recordBytes records. */
  readonly recordBytes: number;
  /** Mean length with delimiters, in the engines' form with keys. */
  readonly keyedBytes: number;
  /** The number of distinct bytes, and how many of them a 64-bit key holds (src/keys/alphabet.ts). */
  readonly alphabet: number;
  readonly keySymbols: number;
  /** Bytes of the prefix that all records share. */
  readonly commonPrefix: number;
  /** Mean common prefix of sorted neighbors in bytes. */
  readonly neighborPrefix: number;
  /** Share of distinct records. */
  readonly distinct: number;
  /** From 0 (in order or in reverse order) to 1 (order and input position are unrelated). */
  readonly scatter: number;
  /** Distances of records from their places in the order of their 64-bit keys. */
  readonly displaced: Displacement;
  /** The sorted sample, which predicts ties. */
  readonly ties: SortedSample;
}

/** The sorted sample, record by record. */
interface SortedSample {
  /** The common prefix with the record before (0 for the first), and the length, in ordered bytes. */
  readonly shared: Float64Array;
  readonly lengths: Float64Array;
  /**
   * The information in the bytes after the longest prefix shared with a neighbor (surprise.ts), and how many records
   * of the sample share that prefix.
   */
  readonly bits: Float32Array;
  readonly sharers: Uint16Array;
  /** 1 if all records that share this prefix lie in one window: the input then has hardly any more of them. */
  readonly near: Uint8Array;
}

/** Maximum ordered bytes examined of each record: longer ties cost each algorithm the same. */
const LOOK_BYTES = 4096;
/** Bytes that a number holds exactly. */
const HEAD_BYTES = 6;

/**
 * Statistics of a sample; null if there are too few records. `windows` lists neighboring records (in the engines'
 * form, without delimiters) in input order.
 */
export function statisticsOf(windows: readonly (readonly Uint8Array[])[], ordering: Ordering): SampleStatistics | null {
  const records = windows.flat();
  if (records.length < 2) return null;
  const ordered = records.map((record) => orderedBytes(ordering, record, LOOK_BYTES));
  const commonPrefix = Math.min(...ordered.map((bytes) => commonPrefixLength(ordered[0], bytes)));
  const order = sortedOrder(ordered, commonPrefix);
  const sorted = order.map((record) => ordered[record]);
  const shared = Float64Array.from(sorted, (bytes, i) => (i === 0 ? 0 : commonPrefixLength(sorted[i - 1], bytes)));
  const lengths = Float64Array.from(sorted, (bytes) => bytes.length);
  const leaves = shared.map((bytes, i) => Math.max(bytes, shared[i + 1] ?? 0));
  const windowOf = windows.flatMap((window, w) => window.map(() => w));
  const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
  const { size, keySymbols } = alphabetOf(
    foundBytes(records),
    ordering.format.kind === 'lines' ? ordering.format.delimiter : null,
    { oneLength: records.every((record) => record.length === records[0].length) },
  );
  const keyBytes = ordering.key.kind === 'bytes' ? ordering.key.length : Infinity;
  return {
    records: records.length,
    recordBytes: mean(records, (record) => textWithoutKey(ordering, record).length) + delimiter,
    keyedBytes: mean(records, (record) => record.length) + delimiter,
    alphabet: size,
    keySymbols,
    commonPrefix,
    neighborPrefix: mean(shared.subarray(1), (bytes) => bytes),
    distinct: distinctShare(shared, lengths),
    scatter: scatterOf(windows, ordered),
    displaced: displacementOf(
      windows.map((window) => window.length),
      keyValues(ordered, commonPrefix, keySymbols, ordering.reverse),
    ),
    ties: {
      shared,
      lengths,
      ...sharersOf(
        shared,
        leaves,
        order.map((record) => windowOf[record]),
      ),
      bits: surprises(sorted, leaves, commonPrefix, keyBytes),
    },
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

/** 256 flags: 1 for each byte that occurs. */
function foundBytes(records: readonly Uint8Array[]): Uint8Array {
  const found = new Uint8Array(256);
  for (const record of records) for (let i = 0; i < record.length; i++) found[record[i]] = 1;
  return found;
}

function distinctShare(shared: Float64Array, lengths: Float64Array): number {
  const equalsBefore = (i: number): boolean =>
    i > 0 && i < lengths.length && shared[i] === lengths[i] && lengths[i] === lengths[i - 1];
  return lengths.filter((_, i) => !equalsBefore(i) && !equalsBefore(i + 1)).length / lengths.length;
}

/**
 * For each sorted record, how many share with it the prefix that it shares with its nearer neighbor (`leaves`), and
 * whether all
 * of these lie in one window. `windowOf` lists the windows of sorted records.
 */
function sharersOf(
  shared: Float64Array,
  leaves: Float64Array,
  windowOf: readonly number[],
): Pick<SortedSample, 'sharers' | 'near'> {
  const m = shared.length;
  const sharers = new Uint16Array(m);
  const near = new Uint8Array(m);
  for (let i = 0; i < m; i++) {
    if (i > 0 && shared[i] === leaves[i] && leaves[i] === leaves[i - 1]) {
      sharers[i] = sharers[i - 1];
      near[i] = near[i - 1];
      continue;
    }
    let [begin, end] = [i, i + 1];
    while (begin > 0 && shared[begin] >= leaves[i]) begin--;
    while (end < m && shared[end] >= leaves[i]) end++;
    sharers[i] = end - begin;
    near[i] = Number(windowOf.slice(begin, end).every((window) => window === windowOf[i]));
  }
  return { sharers, near };
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
