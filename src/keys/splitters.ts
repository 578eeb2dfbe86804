/**
 * Keys that part an input into buckets of about one size, chosen from a sample of it: each bucket can then be sorted by itself (sample sort: Frazer and McKellar, Samplesort, 1970).
 * Pure.
 */
import type { Ordering } from '../job.js';
import { keyOf } from './compare.js';
import { commonPrefixLength } from './ordered-bytes.js';

/** Plain data: it is posted to workers. kernels/cpu/distribute.ts tells a record's bucket by it. */
export interface Splitters {
  /** What most keys begin with. */
  readonly prefix: Uint8Array;
  /** The next 8 bytes of keys as numbers, turned about where larger keys come first; ascending, one less than buckets, which are a power of two. */
  readonly keys: BigUint64Array;
}

/** How far distributing goes; bytes are with keys. */
export interface DistributionLimits {
  /** Most bytes of one bucket, which is sorted at once. */
  readonly bucketBytes: number;
  /** Most bytes in all. */
  readonly bytes: number;
  /** Most of all bytes that one bucket may have: more shows that the splitters are not those of the input. */
  readonly share: number;
  /** Bytes from which on shares are compared: the first ones of a stream, which it was sampled from, are as they should be. */
  readonly judgedBytes: number;
}

/** Longest prefix that is passed over. */
const PREFIX_BYTES = 1024;
/** Sums of shares are as much beside what they should be. */
const ROUNDING = 1e-9;

/** What splitters make of a sample. */
export interface Parting {
  readonly splitters: Splitters;
  /** The largest bucket's part of the input, in parts as buckets should have. */
  readonly largest: number;
  /** Share of different keys under `unique`, else of different records. */
  readonly distinct: number;
  /** Share of the places whose keys come after those of the place before, or before them, whichever are more: half in random order, 0 of one place. */
  readonly inOrder: number;
}

/**
 * Parts a sample into `buckets`, a power of two of at least 2: a list of records (as engines have them, without delimiters) from each of some places, none empty, which stand for as many
 * bytes of the input each.
 */
export function partSample(sample: readonly (readonly Uint8Array[])[], ordering: Ordering, buckets: number): Parting {
  const keys = sample.flatMap((records) => records.map((record) => keyOf(ordering, record)));
  const weights = sample.flatMap((records) => records.map(() => 1 / records.length));
  const shared = keys.reduce((least, key) => Math.min(least, commonPrefixLength(keys[0]!, key)), PREFIX_BYTES);
  const prefix = keys[0]!.slice(0, shared);
  const numbers = numbersBehind(keys, shared, ordering.reverse);
  // As much of them as another kind of number holds exactly, which is compared in less time.
  const heads = Float64Array.from(numbers, (number) => Number(number >> 11n));
  const order = Uint32Array.from(numbers.keys()).sort((a, b) => heads[a]! - heads[b]! || Number(numbers[a]! - numbers[b]!));
  const splitters = new BigUint64Array(buckets - 1);
  let [passed, chosen] = [0, 0];
  for (const i of order) {
    for (; chosen < splitters.length && passed >= ((chosen + 1) * sample.length) / buckets - ROUNDING; chosen++) splitters[chosen] = numbers[i]!;
    passed += weights[i]!;
  }
  splitters.fill(numbers[order.at(-1)!]!, chosen);
  let [largest, part, bucket] = [0, 0, 0];
  for (const i of order) {
    for (; bucket < splitters.length && splitters[bucket]! <= numbers[i]!; bucket++) part = 0;
    part += weights[i]!;
    largest = Math.max(largest, part);
  }
  return { splitters: { prefix, keys: splitters }, largest: (largest * buckets) / sample.length, distinct: distinctShare(ordering.unique ? keys : sample.flat()),
    inOrder: shareInOrder(sample.map(({ length }) => length), heads) };
}

/** The 8 bytes from `at` on as numbers, padded with zeros. */
function numbersBehind(keys: readonly Uint8Array[], at: number, reverse: boolean): BigUint64Array {
  const padded = Buffer.alloc(8);
  return BigUint64Array.from(keys, (key) => {
    padded.fill(0).set(key.subarray(at, at + 8));
    const number = padded.readBigUInt64BE();
    return reverse ? BigInt.asUintN(64, ~number) : number;
  });
}

/** As `inOrder` of Parting says; `lengths`: how many keys each place has. The median of each place stands for its keys. */
function shareInOrder(lengths: readonly number[], heads: Float64Array): number {
  let [rising, falling, begin] = [0, 0, 0];
  let before: number | undefined;
  for (const length of lengths) {
    const median = heads.slice(begin, begin += length).sort()[length >> 1]!;
    if (before !== undefined && before <= median) rising++;
    if (before !== undefined && before >= median) falling++;
    before = median;
  }
  return lengths.length < 2 ? 0 : Math.max(rising, falling) / (lengths.length - 1);
}

function distinctShare(texts: readonly Uint8Array[]): number {
  return new Set(texts.map((text) => Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1'))).size / texts.length;
}
