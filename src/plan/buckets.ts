/** Whether and how the CPU engine distributes chunks into buckets (sample sort) instead of merging them. Pure. */

import type { PlannedJob } from '../job/job.js';
import { equalsAreIdentical } from '../keys/compare.js';
import { type DistributionLimits, DividedSample } from '../keys/splitters.js';
import { MiB } from '../report/units.js';
import { atLeastOneRecord, ONE_THREAD_BYTES, STREAM_AHEAD_BYTES } from './memory.js';
import type { CpuPlan } from './plan.js';

/**
 * The size of buckets of sample sort, with keys: small enough for a processor's own cache, unless that would make too
 * many. Each thread gets several.
 */
const BUCKET_BYTES = 2 * MiB;
const BUCKETS_PER_THREAD = 4;
/**
 * More buckets of a file than of a stream, because its sample is larger. With 1,024 buckets instead of 256, 2 GB took a
 * sixth less time on 16 processors.
 */
const MOST_BUCKETS = { file: 1024, stream: 256 } as const;
/** Records of a sample needed for each bucket; with fewer the splitters would be too inexact. */
const SAMPLED_PER_BUCKET = 6;
/**
 * The maximum size of distributed chunks. Their number does not matter; small ones fit a processor's cache and
 * give each thread several.
 */
const DISTRIBUTED_CHUNK_BYTES = 16 * MiB;
/**
 * The largest acceptable bucket of a sample: LARGEST_BUCKET times its fair size or, if larger, the smaller
 * of two shares: of the input, and of a thread's part of it. One thread sorts it, in a third of the time
 * if its keys are equal.
 */
const LARGEST_BUCKET = 3;
const LARGEST_SHARE = { all: 1 / 8, threads: 1 / 2 } as const;
/**
 * A stream is distributed by a sample of its beginning: until it ends, a bucket's share may be
 * this many times the limit.
 */
const STREAM_MARGIN = 2;
/**
 * The maximum share of memory for distributed text. Threads need memory for buckets, and results wait to be written.
 */
const DISTRIBUTED_MEMORY = 1 / 4;
/** A stream is distributed only if this much of it fits: if it is longer, the distributed part is sorted once more. */
const STREAM_LEAST_BYTES = 256 * MiB;
/**
 * The largest bucket sorted at once: a share of the memory, since a thread needs three times its size. At
 * least a few merge ranges.
 */
const BUCKET_MEMORY = 1 / 32;
const LEAST_BUCKET_RANGES = 4;
/**
 * Under -u, a sorted chunk keeps only its distinct keys. Below this share of distinct keys, that
 * saves more than buckets do.
 */
const DISTINCT_SHARE = 0.9;
/**
 * Below this share of distinct records, sorting each chunk's distinct records and merging costs less than distributing.
 */
const REPEATED_SHARE = 0.6;
/**
 * From this share of neighboring sample places in order on, most chunks are in order or overlap few others: merging
 * costs less than buckets.
 */
const IN_ORDER_SHARE = 0.9;

/**
 * The plan with splitters for its buckets, from a sample (described in src/keys/splitters.ts). If the sample divides
 * the input badly and sample sort was not requested, the plan without buckets.
 */
export function withSplitters(plan: CpuPlan, sample: readonly (readonly Uint8Array[])[], job: PlannedJob): CpuPlan {
  const {
    ordering,
    resources: { algorithm },
  } = job;
  const requested = algorithm === 'sample-sort';
  const records = sample.reduce((sum, list) => sum + list.length, 0);
  const merges = (reason: string): CpuPlan => ({
    ...plan,
    buckets: 0,
    distributed: null,
    reasons: [...plan.reasons, `sorted chunks are merged: ${reason}`],
  });
  // Buckets four times as large are distributed once more (src/engines/cpu/sort-bucket.ts).
  const least = requested ? 2 : plan.buckets / 4;
  let { buckets } = plan;
  while (buckets >= least && buckets * (requested ? 1 : SAMPLED_PER_BUCKET) > records) buckets /= 2;
  if (buckets < least)
    return merges(
      records === 0 ? 'no sample of the input was taken' : 'the sample is too small to choose splitters from',
    );
  const isStream = plan.distributed !== null && plan.distributed.share < 1;
  const divided = new DividedSample(sample, ordering);
  if (!requested && divided.inOrder >= IN_ORDER_SHARE)
    return merges('the sample is in order or in reverse, so chunks hardly overlap');
  const { splitters, largest } = divided.divide(buckets);
  if (!requested && largest > Math.max(LARGEST_BUCKET, buckets * largestShare(plan.workers + Number(plan.helps))))
    return merges('many keys of the sample are equal or share a prefix, so the sizes of buckets would differ too much');
  if (!requested && ordering.unique && divided.distinct < DISTINCT_SHARE)
    return merges('the sample has many equal keys, and sorted chunks keep only one of each');
  // The CPU engine then orders only one of equal records (src/engines/cpu/repeats.ts).
  if (!requested && !ordering.unique && equalsAreIdentical(ordering) && divided.distinct < REPEATED_SHARE)
    return merges('the sample has many equal records, and only the distinct ones of each chunk are sorted');
  const chunkBytes =
    isStream || job.resources.chunkBytes !== null
      ? plan.chunkBytes
      : Math.min(plan.chunkBytes, atLeastOneRecord(job, DISTRIBUTED_CHUNK_BYTES));
  return {
    ...plan,
    algorithm: 'sample-sort',
    buckets,
    splitters,
    chunkBytes,
    reasons: [...plan.reasons, `a sample divides the input into ${buckets} buckets, each of which is sorted by itself`],
  };
}

/**
 * Whether to distribute chunks into buckets: if the whole input fits in the memory for distributed text or, for a
 * stream (Infinity), if enough of it fits.
 */
export function samplePays(
  { ordering, output: { limit }, resources: { algorithm } }: PlannedJob,
  memory: number,
  keyedBytes: number,
): boolean {
  if (algorithm !== 'auto') return algorithm === 'sample-sort';
  return (
    ordering.segments === undefined &&
    limit === null &&
    keyedBytes >= ONE_THREAD_BYTES &&
    (keyedBytes === Infinity ? streamPays(memory) : keyedBytes <= memory * DISTRIBUTED_MEMORY)
  );
}

/**
 * How much of an input of `keyedBytes` bytes is distributed, keys included; of a stream (Infinity), as long as
 * buckets are of similar size.
 */
export function distributionLimits(
  { resources: { algorithm } }: PlannedJob,
  memory: number,
  keyedBytes: number,
  threads: number,
  rangeBytes: number,
): DistributionLimits {
  const isStream = keyedBytes === Infinity && algorithm === 'auto';
  return {
    bucketBytes: Math.max(Math.floor(memory * BUCKET_MEMORY), LEAST_BUCKET_RANGES * rangeBytes),
    bytes: isStream ? Math.floor(memory * DISTRIBUTED_MEMORY) : Infinity,
    share: isStream ? Math.min(1, STREAM_MARGIN * largestShare(threads)) : 1,
    judgedBytes: STREAM_AHEAD_BYTES,
  };
}

/** The largest share of the input that one bucket may have. */
function largestShare(threads: number): number {
  return Math.min(LARGEST_SHARE.all, LARGEST_SHARE.threads / threads);
}

/** The number of buckets for `keyedBytes` bytes (Infinity: a stream), keys included: a power of two. */
export function bucketCount(keyedBytes: number, threads: number): number {
  const wanted = Math.max(keyedBytes / BUCKET_BYTES, BUCKETS_PER_THREAD * threads);
  const most = keyedBytes === Infinity ? MOST_BUCKETS.stream : MOST_BUCKETS.file;
  return Math.min(most, 2 ** Math.ceil(Math.log2(wanted)));
}

/** Whether enough of a stream would fit that distributing it pays. */
export function streamPays(memory: number): boolean {
  return memory * DISTRIBUTED_MEMORY >= STREAM_LEAST_BYTES;
}
