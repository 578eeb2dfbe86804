/**
 * Decides whether and how the CPU engine distributes chunks into buckets (sample sort) instead of merging them. Pure.
 */

import type { PlannedJob } from '../job/job.js';
import { equalsAreIdentical } from '../keys/compare.js';
import { type DistributionLimits, DividedSample } from '../keys/splitters.js';
import { MiB } from '../report/units.js';
import { atLeastOneRecord, ONE_THREAD_BYTES, READ_AHEAD_BYTES } from './memory.js';
import type { Basis, CpuPlan } from './plan.js';

/**
 * Bytes of a bucket of sample sort, with keys: small enough for a processor's own cache, unless there would be too many
 * buckets. Each thread gets several.
 */
const BUCKET_BYTES = 2 * MiB;
const BUCKETS_PER_THREAD = 4;
/**
 * An input of unknown size gets fewer buckets, because it may not need more. With 1,024 buckets instead of 256, 2 GB
 * took a sixth less time on 16 processors.
 */
const MOST_BUCKETS = { knownSize: 1024, unknownSize: 256 } as const;
/** Records of a sample needed for each bucket; with fewer the splitters would be too inexact. */
const SAMPLED_PER_BUCKET = 6;
/**
 * The maximum size of distributed chunks. Their number does not matter. Small chunks fit in a processor's cache, and
 * each thread gets several.
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
 * If the sample is only from the beginning of the input, a bucket's share may reach this many times the limit while the
 * input is distributed.
 */
const BEGINNING_MARGIN = 2;
/**
 * The maximum share of memory for distributed text. Threads need memory for buckets, and results wait to be written.
 */
const DISTRIBUTED_MEMORY = 1 / 4;
/**
 * An input of unknown size is distributed only if this much of it fits in memory. If the input is longer, the
 * distributed part must be sorted once more.
 */
const UNKNOWN_LEAST_BYTES = 256 * MiB;
/**
 * The largest bucket sorted at once, as a share of the memory: a thread needs three times the bucket's size. It is at
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
 * If at least this share of neighboring places of the sample is in order, most chunks are in order or overlap few
 * others: merging costs less than buckets.
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
  // An input of unknown size may have chunks that are merged.
  const isPartly = plan.distributed !== null && plan.distributed.bytes < Infinity;
  const chunkBytes =
    isPartly || job.resources.chunkBytes !== null
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
 * Whether to distribute chunks into buckets: if the whole input fits in the memory for distributed text or, if its size
 * is unknown (Infinity), if enough of it fits.
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
    (keyedBytes === Infinity ? paysForUnknownSize(memory) : keyedBytes <= memory * DISTRIBUTED_MEMORY)
  );
}

/**
 * How much of an input of `keyedBytes` bytes is distributed, keys included (Infinity: its size is unknown). If a sample
 * shows only the beginning, the input is distributed as long as buckets are of similar size.
 */
export function distributionLimits(
  { job, memory, input }: Basis,
  keyedBytes: number,
  threads: number,
  rangeBytes: number,
): DistributionLimits {
  const isLimited = job.resources.algorithm === 'auto';
  return {
    bucketBytes: Math.max(Math.floor(memory * BUCKET_MEMORY), LEAST_BUCKET_RANGES * rangeBytes),
    bytes: isLimited && keyedBytes === Infinity ? Math.floor(memory * DISTRIBUTED_MEMORY) : Infinity,
    share: isLimited && input.sampledPart !== 'whole' ? Math.min(1, BEGINNING_MARGIN * largestShare(threads)) : 1,
    judgedBytes: READ_AHEAD_BYTES,
  };
}

/** The largest share of the input that one bucket may have. */
function largestShare(threads: number): number {
  return Math.min(LARGEST_SHARE.all, LARGEST_SHARE.threads / threads);
}

/** The number of buckets for `keyedBytes` bytes, keys included (Infinity: unknown): a power of two. */
export function bucketCount(keyedBytes: number, threads: number): number {
  const wanted = Math.max(keyedBytes / BUCKET_BYTES, BUCKETS_PER_THREAD * threads);
  const most = keyedBytes === Infinity ? MOST_BUCKETS.unknownSize : MOST_BUCKETS.knownSize;
  return Math.min(most, 2 ** Math.ceil(Math.log2(wanted)));
}

/** Whether enough of an input of unknown size would fit in memory that distributing it saves time. */
export function paysForUnknownSize(memory: number): boolean {
  return memory * DISTRIBUTED_MEMORY >= UNKNOWN_LEAST_BYTES;
}
