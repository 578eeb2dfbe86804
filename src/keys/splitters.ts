/**
 * Chooses splitters from a sample, which divide an input into buckets of about equal size. Each bucket can then be
 * sorted by itself (sample sort: Frazer and McKellar, Samplesort, 1970). Pure.
 */

import type { Ordering } from '../job/ordering.js';
import { asBuffer } from '../system/memory.js';
import { commonPrefixLength, keyOf } from './compare.js';

/** Plain data for workers. kernels/wasm/cpu/distribute.ts finds a record's bucket with it. */
export interface Splitters {
  /** The prefix that most keys begin with. */
  readonly prefix: Uint8Array;
  /**
   * The next 8 bytes of keys as numbers, complemented under `reverse`; ascending. There is one less than buckets, whose
   * number is a power of two.
   */
  readonly keys: BigUint64Array;
}

/** Limits of distributing an input; bytes include keys. */
export interface DistributionLimits {
  /** The maximum bytes of one bucket, which is sorted at once. */
  readonly bucketBytes: number;
  /** The maximum bytes in all. */
  readonly bytes: number;
  /** The maximum share of one bucket. A larger one shows that the splitters do not suit the input. */
  readonly share: number;
  /**
   * Shares are checked only after this many bytes: the sample is from the beginning of a stream, so the shares there
   * are as expected.
   */
  readonly judgedBytes: number;
}

/** The maximum length of the prefix. */
const PREFIX_BYTES = 1024;
/** Tolerance for rounding errors in sums of shares. */
const ROUNDING = 1e-9;

/** The result of dividing a sample by splitters. */
interface Division {
  readonly splitters: Splitters;
  /** The largest bucket's size as a multiple of the fair size. */
  readonly largest: number;
  /** Share of distinct keys under `unique`, else of distinct records. */
  readonly distinct: number;
  /** Share of neighboring places whose keys ascend, or descend if more do: half in random order, 0 for one place. */
  readonly inOrder: number;
}

/**
 * Divides a sample into `buckets` buckets, a power of two of at least 2. The sample is a list of records (in the
 * engines' form, without delimiters) for each of some places. No list is empty, and each stands for the same
 * number of input bytes.
 */
export function divideSample(
  sample: readonly (readonly Uint8Array[])[],
  ordering: Ordering,
  buckets: number,
): Division {
  const keys = sample.flatMap((records) => records.map((record) => keyOf(ordering, record)));
  const weights = sample.flatMap((records) => records.map(() => 1 / records.length));
  const shared = keys.reduce((least, key) => Math.min(least, commonPrefixLength(keys[0], key)), PREFIX_BYTES);
  const prefix = keys[0].slice(0, shared);
  const numbers = numbersAt(keys, shared, ordering.reverse);
  // The high 53 bits: doubles compare faster than bigints.
  const heads = Float64Array.from(numbers, (number) => Number(number >> 11n));
  const order = Uint32Array.from(numbers.keys()).sort((a, b) => heads[a] - heads[b] || Number(numbers[a] - numbers[b]));
  const splitters = new BigUint64Array(buckets - 1);
  let [passed, chosen] = [0, 0];
  for (const i of order) {
    for (; chosen < splitters.length && passed >= ((chosen + 1) * sample.length) / buckets - ROUNDING; chosen++)
      splitters[chosen] = numbers[i];
    passed += weights[i];
  }
  splitters.fill(numbers[order.at(-1)!], chosen);
  let [largest, part, bucket] = [0, 0, 0];
  for (const i of order) {
    for (; bucket < splitters.length && splitters[bucket] <= numbers[i]; bucket++) part = 0;
    part += weights[i];
    largest = Math.max(largest, part);
  }
  return {
    splitters: { prefix, keys: splitters },
    largest: (largest * buckets) / sample.length,
    distinct: distinctShare(ordering.unique ? keys : sample.flat()),
    inOrder: shareInOrder(
      sample.map(({ length }) => length),
      heads,
    ),
  };
}

/** The 8 bytes from `at` on as numbers, padded with zeros; complemented under `reverse`. */
function numbersAt(keys: readonly Uint8Array[], at: number, reverse: boolean): BigUint64Array {
  const padded = Buffer.alloc(8);
  return BigUint64Array.from(keys, (key) => {
    padded.fill(0).set(key.subarray(at, at + 8));
    const number = padded.readBigUInt64BE();
    return reverse ? BigInt.asUintN(64, ~number) : number;
  });
}

/** The value of `inOrder` in Parting. `lengths`: the number of keys at each place, whose median stands for them. */
function shareInOrder(lengths: readonly number[], heads: Float64Array): number {
  let [rising, falling, begin] = [0, 0, 0];
  let before: number | undefined;
  for (const length of lengths) {
    const median = heads.slice(begin, (begin += length)).sort()[length >> 1];
    if (before !== undefined && before <= median) rising++;
    if (before !== undefined && before >= median) falling++;
    before = median;
  }
  return lengths.length < 2 ? 0 : Math.max(rising, falling) / (lengths.length - 1);
}

function distinctShare(texts: readonly Uint8Array[]): number {
  return new Set(texts.map((text) => asBuffer(text).toString('latin1'))).size / texts.length;
}
