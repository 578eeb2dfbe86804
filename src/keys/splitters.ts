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
   * The next 8 bytes of keys as numbers, complemented under `reverse`; ascending. There is one key less than there are
   * buckets, whose number is a power of two.
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
   * Shares are checked only after this many bytes: the sample is from the beginning of the input, so the shares there
   * are as expected.
   */
  readonly judgedBytes: number;
}

/** The maximum length of the prefix. */
const PREFIX_BYTES = 1024;
/** Tolerance for rounding errors in sums of shares. */
const ROUNDING = 1e-9;

/** A sample divided by splitters. */
interface Division {
  readonly splitters: Splitters;
  /** The largest bucket's size as a multiple of the fair size. */
  readonly largest: number;
}

/**
 * A sample prepared for choosing splitters. The sample has a list of records (in the engines' form, without delimiters)
 * for each sampled place. No list is empty, and each stands for the same number of input bytes. The code has loops and
 * no callbacks, because it runs once, before V8 has compiled it.
 */
export class DividedSample {
  private readonly sample: readonly (readonly Uint8Array[])[];
  private readonly ordering: Ordering;
  private readonly keys: readonly Uint8Array[];
  /** The prefix that all keys begin with. */
  private readonly prefix: Uint8Array;
  /** The high 53 bits of the next 8 bytes of each key, and all low 32 bits; complemented under `reverse`. */
  private readonly heads: Float64Array;
  private readonly low: Uint32Array;

  constructor(sample: readonly (readonly Uint8Array[])[], ordering: Ordering) {
    this.sample = sample;
    this.ordering = ordering;
    const keys: Uint8Array[] = [];
    for (const records of sample) for (const record of records) keys.push(keyOf(ordering, record));
    this.keys = keys;
    let after = PREFIX_BYTES;
    for (const key of keys) after = commonPrefixLength(keys[0], key, after);
    this.prefix = keys[0].slice(0, after);
    const flip = ordering.reverse ? -1 : 0;
    this.heads = new Float64Array(keys.length);
    this.low = new Uint32Array(keys.length);
    for (let i = 0; i < keys.length; i++) {
      this.low[i] = wordAt(keys[i], after + 4) ^ flip;
      this.heads[i] = ((wordAt(keys[i], after) ^ flip) >>> 0) * 2 ** 21 + (this.low[i] >>> 11);
    }
  }

  /** Share of neighboring places whose keys ascend, or descend if more do: half in random order, 0 for one place. */
  get inOrder(): number {
    const { sample, heads } = this;
    let [rising, falling, begin] = [0, 0, 0];
    let before: number | undefined;
    for (const { length } of sample) {
      // A place is compared by its median key.
      const median = heads.slice(begin, (begin += length)).sort()[length >> 1];
      if (before !== undefined && before <= median) rising++;
      if (before !== undefined && before >= median) falling++;
      before = median;
    }
    return sample.length < 2 ? 0 : Math.max(rising, falling) / (sample.length - 1);
  }

  /** Share of distinct keys under `unique`, otherwise of distinct records. */
  get distinct(): number {
    const texts = new Set<string>();
    if (this.ordering.unique) for (const key of this.keys) texts.add(latin1(key));
    else for (const records of this.sample) for (const record of records) texts.add(latin1(record));
    return texts.size / this.keys.length;
  }

  /** Divides the sample into `buckets` buckets, a power of two of at least 2. */
  divide(buckets: number): Division {
    const { sample, heads, low, prefix } = this;
    const before = (a: number, b: number): number => heads[a] - heads[b] || low[a] - low[b];
    const order = new Uint32Array(heads.length);
    const weights = new Float64Array(heads.length);
    let i = 0;
    for (const { length } of sample)
      for (let left = length; left > 0; left--, i++) {
        order[i] = i;
        weights[i] = 1 / length;
      }
    order.sort(before);
    /** The keys that are splitters. */
    const chosen: number[] = [];
    let passed = 0;
    for (const key of order) {
      while (chosen.length < buckets - 1 && passed >= ((chosen.length + 1) * sample.length) / buckets - ROUNDING)
        chosen.push(key);
      passed += weights[key];
    }
    while (chosen.length < buckets - 1) chosen.push(order.at(-1)!);
    let [largest, part, bucket] = [0, 0, 0];
    for (const key of order) {
      for (; bucket < chosen.length && before(chosen[bucket], key) <= 0; bucket++) part = 0;
      part += weights[key];
      largest = Math.max(largest, part);
    }
    const keys = BigUint64Array.from(
      chosen,
      (key) => (BigInt(Math.floor(heads[key] / 2 ** 21)) << 32n) | BigInt(low[key]),
    );
    return { splitters: { prefix, keys }, largest: (largest * buckets) / sample.length };
  }
}

/** The 4 bytes from `at` on as a number, padded with zeros. */
const wordAt = (key: Uint8Array, at: number): number =>
  ((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0);

const latin1 = (bytes: Uint8Array): string => asBuffer(bytes).toString('latin1');
