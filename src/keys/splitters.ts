/**
 * Keys that part an input into buckets of about one size, chosen from a sample of it: each bucket can then be sorted by itself (sample sort: Frazer and McKellar, Samplesort, 1970).
 * Pure.
 */
import type { Ordering } from '../job.js';
import { compareBytes, keyOf } from './compare.js';
import { commonPrefixLength } from './ordered-bytes.js';

/** Plain data: it is posted to workers. kernels/cpu/distribute.ts tells a record's bucket by it. */
export interface Splitters {
  /** What most keys begin with. */
  readonly prefix: Uint8Array;
  /** The next 8 bytes of keys as numbers, turned about where larger keys come first; ascending, one less than buckets, which are a power of two. */
  readonly keys: BigUint64Array;
}

/** A bucket may have so many times the records it should have: another sort does more for many equal keys. */
const MOST_SHARE = 3;
/** Under `unique` sorted chunks are no longer than their different keys: where a sample has fewer of these, chunks are worth sorting. */
const DISTINCT_SHARE = 0.9;
/** Longest prefix that is passed over. */
const PREFIX_BYTES = 1024;

/** Splitters for `buckets`, a power of two of at least 2, from a sample of records, at least one (as engines have them, without delimiters). */
export function splittersOf(sample: readonly Uint8Array[], ordering: Ordering, buckets: number): Splitters {
  const keys = sample.map((record) => keyOf(ordering, record));
  const shared = keys.reduce((least, key) => Math.min(least, commonPrefixLength(keys[0]!, key)), PREFIX_BYTES);
  const prefix = keys[0]!.slice(0, shared);
  const numbers = numbersOf(keys, prefix, ordering);
  return { prefix, keys: BigUint64Array.from({ length: buckets - 1 }, (_, i) => numbers[Math.floor(((i + 1) * numbers.length) / buckets)]!) };
}

/** Whether splitters part a sample so that sorting the buckets is less work than merging sorted chunks. */
export function partsEvenly(sample: readonly Uint8Array[], ordering: Ordering, { prefix, keys: splitters }: Splitters): boolean {
  const keys = sample.map((record) => keyOf(ordering, record));
  if (ordering.unique && distinct(keys) < DISTINCT_SHARE * keys.length) return false;
  return largestShare(numbersOf(keys, prefix, ordering), splitters) * (splitters.length + 1) <= MOST_SHARE * keys.length;
}

/** The 8 bytes behind the prefix as numbers, padded with zeros, in order. */
function numbersOf(keys: readonly Uint8Array[], prefix: Uint8Array, { reverse }: Ordering): BigUint64Array {
  const padded = Buffer.alloc(8);
  return BigUint64Array.from(keys, (key) => {
    padded.fill(0).set(key.subarray(prefix.length, prefix.length + 8));
    const number = padded.readBigUInt64BE();
    return reverse ? BigInt.asUintN(64, ~number) : number;
  }).sort();
}

/** How many keys differ. */
function distinct(keys: readonly Uint8Array[]): number {
  const sorted = keys.slice().sort(compareBytes);
  return sorted.reduce((count, key, i) => count + Number(i === 0 || compareBytes(sorted[i - 1]!, key) !== 0), 0);
}

/** Of `numbers`, ascending, most that are in one bucket. */
function largestShare(numbers: BigUint64Array, splitters: BigUint64Array): number {
  let [most, share, bucket] = [0, 0, 0];
  for (const number of numbers) {
    for (; bucket < splitters.length && splitters[bucket]! <= number; bucket++) share = 0;
    most = Math.max(most, ++share);
  }
  return most;
}
