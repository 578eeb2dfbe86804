/** The planner: a pure function from the job and the facts to a plan, with a reason for each choice. Opens nothing. */

import { HOST_KEY_CHUNKS, keysOnDevice } from '../gpu/keyed-lines/key-support.js';
import { UPLOAD_BUFFERS } from '../gpu/thresholds.js';
import type { Algorithm, COLLATED_ALGORITHM, Limit, Ordering, SortJob, SortKey } from '../job.js';
import { keyedBound, longestLine, mostKeyed } from '../keys/bounds.js';
import { isCollated } from '../keys/collation/collation.js';
import { isKeyed } from '../keys/keyed.js';
import { type DistributionLimits, divideSample, type Splitters } from '../keys/splitters.js';
import { GpusortError } from '../report/errors.js';
import { formatBytes } from '../report/units.js';
import type { WindowSizes } from '../runs/window-memory.js';
import { choicePays, chooseAlgorithm, isGpus } from './algorithm.js';
import { GiB, KiB, MiB } from './amount.js';
import { collatedPlan, collatingReason } from './collated.js';
import type { Estimate } from './costs.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import { windowsOf } from './windows.js';

export interface Plan {
  readonly engine: 'gpu' | 'cpu';
  readonly algorithm: Exclude<Algorithm, 'auto'> | typeof COLLATED_ALGORITHM;
  /**
   * The number of buckets under `sample-sort`, or the planned number until withSplitters gets a sample;
   * 0: merge sorted chunks.
   */
  readonly buckets: number;
  /** The splitters that distribute chunks; null: sort and merge chunks. */
  readonly splitters: Splitters | null;
  /** How much of the input is distributed; later chunks are sorted. Null: nothing is distributed. */
  readonly distributed: DistributionLimits | null;
  /** The estimated time of each GPU algorithm for a chunk, ascending; empty on the CPU and without a sample. */
  readonly estimates: readonly Estimate[];
  /** The records wanted of the whole input, at least one; null: all. */
  readonly limit: Limit | null;
  /** The maximum bytes of text sorted at once, without keys. */
  readonly chunkBytes: number;
  /** Bytes of a stream's first chunks, which grow as more is read; null: all chunks are of the same size. */
  readonly streamBytes: number | null;
  /** Bytes of memory given to the input at once. GPU only: a chunk of the CPU engine is one piece. */
  readonly pieceBytes: number;
  /** The maximum bytes of text with keys sorted or merged at once; GPU only. */
  readonly mergeBytes: number;
  /** Bytes of text merged at once. */
  readonly rangeBytes: number;
  /** The maximum number of records sorted at once; GPU only. Null: unbounded. */
  readonly mostRecords: number | null;
  /** Whether the GPU makes the keys of lines, if they have keys; GPU only. */
  readonly deviceKeys: boolean;
  /** Threads, besides the main one, that sort or make the keys that the GPU does not. */
  readonly workers: number;
  /** Whether the main thread sorts too. */
  readonly helps: boolean;
  /** The maximum bytes of runs in the engine's memory; null: as much as the device grants. */
  readonly residentBytes: number | null;
  readonly windows: WindowSizes;
  /** Whether to keep V8's heap small because memory is small. */
  readonly smallHeap: boolean;
  /** Bytes of runs kept in host memory outside the engine before runs go to temporary files. */
  readonly hostBytes: number;
  readonly reasons: readonly string[];
}

/**
 * Smaller inputs (with their keys) are sorted by one thread: a worker's start takes 20 ms of CPU time. On two cores,
 * 16 MB take equally long with and without a worker.
 */
const ONE_THREAD_BYTES = 16 * MiB;
/**
 * Input sizes from which a GPU pays. Starting it takes 0.3 s on an H200, which then sorts 100 MB in 0.64 s and 300 MB
 * in 0.75 s; 16 processors take 0.46 and 0.95 s. If processors make the keys (GPU and CPU engine): -V 200 MB 1.22 and
 * 0.93 s, 1.2 GB 3.5 and 4.0 s; -g 200 MB 1.25 and 1.07 s, 500 MB 1.8 and 2.1 s. If they also look for quotes: 500 MB
 * 2.4 and 1.4 s, 2.4 GB 7.5 and 6.8 s.
 */
const GPU_BYTES = { own: 160 * MiB, hostKeys: 512 * MiB, quoted: 3072 * MiB } as const;
/** Bytes of a stream read and sampled before planning: a stream that ends within these is planned like a file. */
const STREAM_AHEAD_BYTES = ONE_THREAD_BYTES;
/** Share of the available memory that a sort takes without -S. */
const MEMORY_SHARE = 0.5;
/** With less memory, runs would be short and numerous, and merging them would take most of the time. */
const LEAST_MEMORY = 32 * MiB;
/** Up to this much memory, V8's heap would take as much as the text. */
const SMALL_MEMORY = 64 * MiB;
/** Share of the memory under the process limits: V8 may need a thread's memory twice while it grows it. */
const ALLOWED_SHARE = 0.4;
/** Bytes of a worker besides the memory it sorts in. -S does not count the first two threads. */
const THREAD_BYTES = 14 * MiB;
const UNCOUNTED_THREADS = 2;
/**
 * Bytes of the main thread's lists, which grow with the number of chunks, runs and reads; at most
 * a share of the memory.
 */
const LISTS_BYTES = 20 * MiB;
const LISTS_SHARE = 3 / 8;
/**
 * Memory of a thread, in chunks. Three are in flight, as many wait to be refilled, and sorting very short lines takes
 * five times the memory of a chunk. Merging takes half of that.
 */
const CHUNKS_A_THREAD = 11;
/** Chunks for each thread that the memory would hold if it held nothing else. */
const CHUNKS_IN_MEMORY = 32;
/** Input for each worker that pays for its start: on 16 cores, 6 threads sort 100 MB fastest. */
const WORKER_BYTES = 16 * MiB;
/**
 * Up to this many threads, the main thread is one of them: it has time besides I/O, and one thread fewer must start.
 */
const HELP_THREADS = 2;
/**
 * Chunk size up to which the main thread sorts. It handles no events, signals included, while it sorts a
 * chunk: 2 to 12 ms for 4 MiB.
 */
const HELP_CHUNK_BYTES = 16 * MiB;
/**
 * Chunks of the CPU engine. The smallest is sorted in a processor's cache, with its keys; larger ones keep the number
 * of runs small. A thread can sort 1.7 GiB.
 */
const CPU_CHUNK_BYTES = { least: 4 * MiB, most: 1 * GiB, unknown: 64 * MiB } as const;
/**
 * The maximum number of CPU runs, as long as memory allows: merging 500 spends its time on slices of a few kilobytes.
 */
const CPU_RUNS = 64;
/** Bytes of a merge, keys included. */
const CPU_RANGE_BYTES = { least: 4 * MiB, most: 16 * MiB } as const;
/**
 * Buckets of sample sort, with keys: small enough for a processor's own cache unless there would be too many, and at
 * most a tile (src/cpu/tiles.ts). Each thread gets several.
 */
const BUCKET_BYTES = { wanted: 2 * MiB, most: 4 * MiB } as const;
const BUCKETS_A_THREAD = 4;
const MOST_BUCKETS = 256;
/** Records of a sample needed for each bucket; with fewer the splitters would be too inexact. */
const SAMPLED_A_BUCKET = 6;
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
/** Assumed growth of most lines by their keys. Their maximum (src/keys/bounds.ts) need only fit where kernels sort. */
const KEYED_GROWTH = 3;
/**
 * Chunks of the GPU engine. Small ones overlap and need little memory, which takes 20 ms a GiB to allocate and as long
 * to free. Larger ones keep the number of runs small; each run costs each merge a copy (H200, 10 GB: 3.9 s with 40 or
 * 20 runs, 4.3 with 80).
 */
const GPU_CHUNK_BYTES = { least: 256 * MiB, most: 1 * GiB } as const;
/** The preferred maximum number of GPU runs. */
const GPU_RUNS = 40;
const GPU_PIECE_BYTES = { least: 256 * KiB, most: 8 * MiB } as const;
/** With -S: the share of host memory for upload buffers and for text read from temporary files before its upload. */
const UPLOAD_MEMORY = 1 / 2;
/** Bytes of a key-making task for the GPU. A thread holds the text once more, and its keyed lines. */
const KEY_TASK_BYTES = 4 * MiB;
/** Bytes of one merge: enough work for a large GPU, and finished soon when the output waits for its first block. */
const GPU_RANGE_BYTES = 256 * MiB;
/** A GPU that cannot hold chunks of this size is not used. */
const SMALLEST_RETRY_BYTES = 16 * MiB;
/**
 * Working memory of sorts and merges besides resident runs, in chunks: measured at 8 for lines of 11 bytes, 5 for 100.
 */
const GPU_WORK_CHUNKS = 8;
/**
 * Bytes of a chunk for each record sorted at once if memory is bounded: a record takes 50 bytes in
 * lists, whatever its length.
 */
const GPU_CHUNK_BYTES_A_RECORD = 12;
/** Kernels read slightly past the end of the text. */
const BINDING_PAD = 64;

/** Whether the choice of engine depends on the adapter. */
export function adapterMatters(job: SortJob, input: InputFacts): boolean {
  if (job.mode !== 'sort' || engineAsked(job) === 'cpu') return false;
  return engineAsked(job) === 'gpu' || worthwhile(job, input);
}

function engineAsked(job: SortJob): 'auto' | 'gpu' | 'cpu' {
  if (isCollated(job.ordering)) {
    if (job.engine === 'gpu')
      throw new GpusortError(
        'usage',
        '--locale runs on --engine cpu only: ICU compares strings, and makes no keys that a GPU could sort by',
      );
    return 'cpu';
  }
  if (job.algorithm === 'auto') return job.engine;
  const needed = isGpus(job.algorithm) ? 'gpu' : 'cpu';
  if (job.engine !== 'auto' && job.engine !== needed) {
    throw new GpusortError('usage', `--algorithm ${job.algorithm} runs on --engine ${needed} only`);
  }
  return needed;
}

/** Whether a GPU sorts the input faster than 16 processors. */
function worthwhile({ ordering }: SortJob, { bytes }: InputFacts): boolean {
  return bytes === null ? !isQuoted(ordering.key) : bytes >= gpuBytes(ordering.key);
}

function gpuBytes(key: SortKey): number {
  if (key.kind !== 'normalised' || keysOnDevice(key)) return GPU_BYTES.own;
  return isQuoted(key) ? GPU_BYTES.quoted : GPU_BYTES.hostKeys;
}

function isQuoted(key: SortKey): boolean {
  return key.kind === 'normalised' && key.parts.some(({ span }) => span.quoted);
}

/** Whether the choice among GPU sorts depends on a sample, or --explain shows one. */
export function sampleMatters(job: SortJob, input: InputFacts): boolean {
  if (job.ordering.segments !== undefined) return false;
  return job.explain !== 'no' || (job.algorithm === 'auto' && choicePays(input));
}

/**
 * Bytes of a stream to read before planning: enough to choose the engine if there may be a GPU
 * (`gpu`), or for a sample.
 */
export function readAheadBytes(job: SortJob, machine: MachineFacts, input: InputFacts, gpu: boolean): number {
  const memory = job.memoryBytes ?? machine.availableBytes * MEMORY_SHARE;
  const decisive =
    gpu && engineAsked(job) === 'auto' && input.bytes === null && worthwhile(job, input)
      ? gpuBytes(job.ordering.key)
      : STREAM_AHEAD_BYTES;
  return Math.max(64 * KiB, Math.min(decisive, memory / 4));
}

/** What to try after `error` ended `plan`: smaller chunks if the GPU ran out of memory, then the CPU. Null: nothing. */
export function smallerPlan(plan: Plan, error: unknown, job: SortJob, machine: MachineFacts): Plan | null {
  if (plan.engine !== 'gpu' || !(error instanceof GpusortError)) return null;
  const half = Math.ceil(plan.chunkBytes / 2);
  if (error.code === 'out-of-device-memory' && half >= SMALLEST_RETRY_BYTES) {
    const chunkBytes = atLeastOneRecord(job, half);
    const mergeBytes = Math.min(plan.mergeBytes, mostKeyed(job.ordering.key, chunkBytes));
    return {
      ...plan,
      chunkBytes,
      mergeBytes,
      rangeBytes: Math.min(plan.rangeBytes, mergeBytes),
      pieceBytes: Math.min(plan.pieceBytes, Math.ceil(chunkBytes / 16) * 16),
      reasons: [...plan.reasons, `chunks of ${formatBytes(chunkBytes)}`],
    };
  }
  if (error.code !== 'out-of-device-memory' && error.code !== 'device-lost') return null;
  const cpuJob: SortJob = { ...job, engine: 'cpu', algorithm: 'auto' };
  const memory = plannedMemory(job, machine);
  const cpu = cpuPlan(cpuJob, machine, memory, { bytes: null }, []);
  return { ...cpu, reasons: [...plan.reasons, ...cpu.reasons, 'the CPU engine'] };
}

/** Memory for the sort: -S, or a share of what is available, within the limits of the process. */
function plannedMemory(job: SortJob, machine: MachineFacts): number {
  const wanted =
    job.memoryBytes === null
      ? Math.floor(machine.availableBytes * MEMORY_SHARE)
      : Math.max(job.memoryBytes, leastMemory(job));
  return Math.min(wanted, Math.max(0, Math.floor(machine.allowedBytes * ALLOWED_SHARE)));
}

/** The minimum of -S. With --chunk-size the user decides. */
function leastMemory({ chunkBytes }: SortJob): number {
  return chunkBytes === null ? LEAST_MEMORY : 0;
}

/** The plan for a job in mode `sort`. Throws `usage` or `no-adapter` if the request cannot be met. */
export function makePlan(job: SortJob, machine: MachineFacts, input: InputFacts, adapter: AdapterAnswer): Plan {
  const reasons: string[] = [];
  const engine = chooseEngine(job, input, adapter, reasons);
  const memory = plannedMemory(job, machine);
  if (job.ordering.segments !== undefined)
    reasons.push(
      'segments are written as soon as they are sorted; only a segment that continues in the next chunk is kept',
    );
  const limit = engineLimit(job);
  if (limit !== null)
    reasons.push(
      `--${limit.end === 'first' ? 'top' : 'bottom'}: only the ${limit.end} ${limit.count} records of each chunk are kept`,
    );
  reasons.push(
    job.memoryBytes === null
      ? `memory ${formatBytes(memory)}: half of what is available`
      : `memory ${formatBytes(memory)}: ${job.memoryBytes < leastMemory(job) ? `-S ${formatBytes(job.memoryBytes)} would make the sort far slower` : 'as asked with -S'}`,
  );
  return engine === 'gpu'
    ? gpuPlan(job, machine, memory, input, adapter as Extract<AdapterAnswer, { found: true }>, reasons)
    : isCollated(job.ordering)
      ? { ...collatedPlan(job, machine, memory, input, reasons), limit: engineLimit(job) }
      : cpuPlan(job, machine, memory, input, reasons);
}

function chooseEngine(job: SortJob, input: InputFacts, adapter: AdapterAnswer, reasons: string[]): 'gpu' | 'cpu' {
  const asked = engineAsked(job);
  if (asked === 'cpu') {
    reasons.push(
      isCollated(job.ordering)
        ? `engine cpu: ${collatingReason(job.ordering)}`
        : job.engine === 'cpu'
          ? 'engine cpu: as asked'
          : `engine cpu: --algorithm ${job.algorithm} runs there`,
    );
    return 'cpu';
  }
  if (asked === 'gpu') {
    if (adapter === null || !adapter.found)
      throw new GpusortError('no-adapter', adapter?.reason ?? 'no GPU was looked for');
    if (adapter.maxBindingBytes - BINDING_PAD < recordBytes(job)) {
      throw new GpusortError('usage', `${adapter.name} cannot hold a record of ${formatBytes(recordBytes(job))}`, {
        hint: 'Use --engine cpu.',
      });
    }
    reasons.push(
      `engine gpu: ${job.engine === 'gpu' ? 'as asked' : `--algorithm ${job.algorithm} runs there`}, on ${adapter.name}`,
    );
    return 'gpu';
  }
  if (!worthwhile(job, input)) {
    const bytes = input.bytes === null ? 'a stream' : formatBytes(input.bytes);
    reasons.push(
      input.bytes !== null && input.bytes < GPU_BYTES.own
        ? `engine cpu: sorting ${bytes} takes less time than starting a GPU`
        : `engine cpu: the CPU makes the keys, and sorts ${bytes} as fast as a GPU would`,
    );
    return 'cpu';
  }
  if (adapter === null || !adapter.found) {
    reasons.push(`engine cpu: ${adapter?.reason ?? 'no GPU was looked for'}`);
    return 'cpu';
  }
  if (adapter.software) {
    reasons.push(`engine cpu: ${adapter.name} is a software GPU`);
    return 'cpu';
  }
  if (adapter.maxBindingBytes - BINDING_PAD < recordBytes(job)) {
    reasons.push(`engine cpu: ${adapter.name} cannot hold a record of ${formatBytes(recordBytes(job))}`);
    return 'cpu';
  }
  reasons.push(
    `engine gpu: ${input.bytes === null ? 'the input is longer than what was read ahead' : formatBytes(input.bytes)}, on ${adapter.name}`,
  );
  return 'gpu';
}

/** The bytes of a fixed record; 0 for lines. */
function recordBytes(job: SortJob): number {
  return job.ordering.format.kind === 'fixed' ? job.ordering.format.size : 0;
}

/**
 * The limit as engines get it: at least 1 record. None with --count: it is unknown how many records will
 * make up the counts wanted.
 */
function engineLimit({ limit, count }: SortJob): Limit | null {
  return limit === null || count ? null : { ...limit, count: Math.max(1, limit.count) };
}

/** A chunk holds at least one fixed record. */
function atLeastOneRecord(job: SortJob, bytes: number): number {
  return Math.max(bytes, recordBytes(job));
}

/**
 * Whether to distribute chunks into buckets: if the whole input fits in the memory for distributed text or, for a
 * stream (Infinity), if enough of it fits.
 */
function samplePays({ algorithm, ordering, limit }: SortJob, memory: number, keyedBytes: number): boolean {
  if (algorithm !== 'auto') return algorithm === 'sample-sort';
  const most = memory * DISTRIBUTED_MEMORY;
  return (
    ordering.segments === undefined &&
    limit === null &&
    keyedBytes >= ONE_THREAD_BYTES &&
    (keyedBytes === Infinity ? most >= STREAM_LEAST_BYTES : keyedBytes <= most)
  );
}

/**
 * How much of an input of `keyedBytes` bytes is distributed, keys included; of a stream (Infinity), as long as
 * buckets are of similar size.
 */
function distributionLimits(
  { algorithm }: SortJob,
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
    judgedBytes: STREAM_MARGIN * STREAM_AHEAD_BYTES,
  };
}

/** The share of the input that one bucket may have. */
function largestShare(threads: number): number {
  return Math.min(LARGEST_SHARE.all, LARGEST_SHARE.threads / threads);
}

/** The number of buckets for `keyedBytes` bytes, keys included: a power of two. */
function bucketCount(keyedBytes: number, threads: number): number {
  const wanted = Math.max(keyedBytes / BUCKET_BYTES.wanted, BUCKETS_A_THREAD * threads);
  return 2 ** Math.min(Math.log2(MOST_BUCKETS), Math.ceil(Math.log2(wanted)));
}

/**
 * The plan with splitters for its buckets, from a sample (described in src/keys/splitters.ts). If the sample divides
 * the input badly and sample sort was not asked for, the plan without buckets.
 */
export function withSplitters(plan: Plan, sample: readonly (readonly Uint8Array[])[], job: SortJob): Plan {
  const { algorithm, ordering } = job;
  const asked = algorithm === 'sample-sort';
  const records = sample.reduce((sum, list) => sum + list.length, 0);
  const merges = (reason: string): Plan => ({
    ...plan,
    buckets: 0,
    distributed: null,
    reasons: [...plan.reasons, `sorted chunks are merged: ${reason}`],
  });
  // Buckets twice as large are sorted in a few tiles, which is as good as a merge.
  const least = asked ? 2 : plan.buckets / 2;
  let { buckets } = plan;
  while (buckets >= least && buckets * (asked ? 1 : SAMPLED_A_BUCKET) > records) buckets /= 2;
  if (buckets < least)
    return merges(
      records === 0 ? 'no sample of the input was taken' : 'the sample is too small to choose splitters from',
    );
  const isStream = plan.distributed !== null && plan.distributed.share < 1;
  const { splitters, largest, distinct, inOrder } = divideSample(sample, ordering, buckets);
  if (!asked && inOrder >= IN_ORDER_SHARE)
    return merges('the sample is in order or in reverse, so chunks hardly overlap');
  if (!asked && largest > Math.max(LARGEST_BUCKET, buckets * largestShare(plan.workers + Number(plan.helps))))
    return merges('many keys of the sample are equal or share a prefix, so the sizes of buckets would differ too much');
  if (!asked && ordering.unique && distinct < DISTINCT_SHARE)
    return merges('the sample has many equal keys, and sorted chunks keep only one of each');
  if (!asked && !ordering.unique && isFolded(ordering) && distinct < REPEATED_SHARE)
    return merges('the sample has many equal records, and only the distinct ones of each chunk are sorted');
  const chunkBytes =
    isStream || job.chunkBytes !== null
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

/** Whether records with equal keys are identical, so that only one of them is ordered (src/cpu/repeats.ts). */
function isFolded({ key, lastResort }: Ordering): boolean {
  return lastResort || key.kind === 'record';
}

/** The memory that lists and threads leave. */
function memoryForText(memory: number, threads: number): number {
  return memory - Math.min(LISTS_BYTES, memory * LISTS_SHARE) - Math.max(0, threads - UNCOUNTED_THREADS) * THREAD_BYTES;
}

function cpuPlan(job: SortJob, machine: MachineFacts, memory: number, input: InputFacts, reasons: string[]): Plan {
  const growth = keyedGrowth(job, input);
  const needed = input.bytes === null ? machine.processors : Math.ceil((input.bytes * growth) / WORKER_BYTES);
  const wanted = job.parallel ?? Math.max(Math.min(2, machine.processors), Math.min(machine.processors, needed));
  const threads = Math.min(wanted, UNCOUNTED_THREADS + Math.floor(memory / 4 / THREAD_BYTES));
  const small = input.bytes !== null && input.bytes * growth < ONE_THREAD_BYTES;
  const why = threads < wanted ? ': there is not enough memory for more' : job.parallel === null ? '' : ', as asked';
  reasons.push(small ? `one thread: only ${formatBytes(input.bytes!)}` : `${threads} threads${why}`);
  const forText = memoryForText(memory, threads);
  const fits = Math.max(64 * KiB, Math.floor(forText / (CHUNKS_IN_MEMORY * threads * growth)));
  const most = Math.floor(CPU_CHUNK_BYTES.most / keyedBound(job.ordering.key).factor);
  const usual =
    input.bytes === null
      ? CPU_CHUNK_BYTES.unknown
      : Math.min(
          CPU_CHUNK_BYTES.most,
          Math.max(Math.ceil(CPU_CHUNK_BYTES.least / growth), Math.ceil(input.bytes / CPU_RUNS)),
        );
  // Two chunks for each thread balance the load of small inputs.
  const even = input.bytes === null ? Infinity : Math.ceil(input.bytes / (small ? 1 : 2 * threads)) + 64 * KiB;
  const chunkBytes = atLeastOneRecord(job, Math.min(most, job.chunkBytes ?? Math.min(usual, fits, even)));
  // A pipe holds at most as much as one read takes, so the main thread must keep reading it. It sorts as well only if
  // memory is too small for one more thread.
  const reads = input.bytes === null && memory * DISTRIBUTED_MEMORY >= STREAM_LEAST_BYTES;
  const helps = small || (!reads && threads <= HELP_THREADS && chunkBytes <= HELP_CHUNK_BYTES);
  const workers = small ? 0 : Math.min(machine.mostWorkers, helps ? threads - 1 : threads);
  if (isKeyed(job.ordering)) reasons.push('the threads that sort a line put its key before it');
  const keyedBytes = input.bytes === null ? Infinity : input.bytes * growth;
  const buckets = samplePays(job, memory, keyedBytes) ? bucketCount(keyedBytes, threads) : 0;
  const rangeBytes = Math.min(Math.max(chunkBytes, CPU_RANGE_BYTES.least), CPU_RANGE_BYTES.most);
  // The first chunks are small, so that sorting begins while the next ones are read.
  const streamBytes =
    job.chunkBytes === null
      ? Math.min(chunkBytes, atLeastOneRecord(job, Math.ceil(CPU_CHUNK_BYTES.least / growth)))
      : null;
  reasons.push(`chunks of ${formatBytes(chunkBytes)}${chunkBytes === job.chunkBytes ? ': as asked' : ''}`);
  // Lines and keyed lines coexist while keys are made.
  const inWork = CHUNKS_A_THREAD * threads * (growth + Number(isKeyed(job.ordering))) * chunkBytes;
  // A large --chunk-size may leave nothing.
  const residentBytes = Math.floor(Math.max(forText - inWork, memory / 4));
  return {
    engine: 'cpu',
    algorithm: 'radix',
    buckets,
    splitters: null,
    distributed: buckets > 0 ? distributionLimits(job, memory, keyedBytes, threads, rangeBytes) : null,
    estimates: [],
    limit: engineLimit(job),
    deviceKeys: false,
    workers,
    helps,
    chunkBytes,
    streamBytes,
    mergeBytes: chunkBytes,
    pieceBytes: chunkBytes,
    rangeBytes,
    mostRecords: null,
    residentBytes,
    windows: windowsOf(job, Math.max(forText - inWork / 2, memory / 4), Math.ceil(chunkBytes * growth)),
    smallHeap: memory <= SMALL_MEMORY,
    hostBytes: 0,
    reasons: [
      ...reasons,
      `runs of up to ${formatBytes(residentBytes)} in all stay in memory, further runs go to temporary files`,
    ],
  };
}

/**
 * The plan for merging `bytes` bytes (null: unknown) of sorted text on the CPU. A chunk is the text of one merge, and
 * memory is for windows.
 */
export function mergePlan(job: SortJob, machine: MachineFacts, bytes: number | null): Plan {
  const memory = plannedMemory(job, machine);
  const plan = cpuPlan({ ...job, chunkBytes: null }, machine, memory, { bytes }, []);
  const threads = plan.workers + Number(plan.helps);
  const forText = memoryForText(memory, threads);
  const chunkBytes = atLeastOneRecord(
    job,
    job.chunkBytes ??
      Math.max(64 * KiB, Math.min(CPU_RANGE_BYTES.least, Math.floor(forText / (2 * CHUNKS_A_THREAD * threads)))),
  );
  return {
    ...plan,
    buckets: 0,
    limit: null,
    chunkBytes,
    rangeBytes: chunkBytes,
    residentBytes: 0,
    windows: windowsOf(job, Math.max((forText * 3) / 4, memory / 4)),
  };
}

function gpuPlan(
  job: SortJob,
  machine: MachineFacts,
  memory: number,
  input: InputFacts,
  adapter: Extract<AdapterAnswer, { found: true }>,
  reasons: string[],
): Plan {
  const { key } = job.ordering;
  const keyed = isKeyed(job.ordering);
  const growth = keyedGrowth(job, input);
  const largest = adapter.maxBindingBytes - BINDING_PAD;
  const even = input.bytes === null ? Infinity : Math.max(64 * KiB, input.bytes + 4 * KiB);
  // These chunk sizes are of text with keys; chunks as read are smaller by the growth.
  const usual =
    input.bytes === null
      ? GPU_CHUNK_BYTES.least
      : Math.min(GPU_CHUNK_BYTES.most, Math.max(GPU_CHUNK_BYTES.least, Math.ceil((input.bytes * growth) / GPU_RUNS)));
  const budget = job.gpuMemoryBytes ?? Infinity;
  const within = Math.max(64 * KiB, Math.floor(budget / (2 * GPU_WORK_CHUNKS)));
  const deviceKeys = keysOnDevice(key);
  const hostMemory = job.memoryBytes === null ? Infinity : memory;
  const pieceBytes = Math.max(
    GPU_PIECE_BYTES.least,
    Math.min(GPU_PIECE_BYTES.most, Math.floor((hostMemory * UPLOAD_MEMORY) / (2 * UPLOAD_BUFFERS))),
  );
  const threadBytes = THREAD_BYTES + (1 + growth) * KEY_TASK_BYTES;
  const mostThreads = deviceKeys ? Infinity : Math.max(1, Math.floor(hostMemory / 4 / threadBytes));
  const workers = keyed ? Math.min(mostThreads, keyThreads(job, machine, input)) : 0;
  // If the host makes the keys, it holds the chunks and their keyed lines.
  const forChunks = hostMemory - 2 * UPLOAD_BUFFERS * pieceBytes - Math.max(0, workers - 1) * threadBytes;
  const host =
    keyed && !deviceKeys && hostMemory < Infinity
      ? Math.max(64 * KiB, Math.floor(forChunks / (HOST_KEY_CHUNKS * (1 + growth))))
      : Infinity;
  const chunkBytes = Math.min(
    longestLine(key, largest),
    atLeastOneRecord(job, job.chunkBytes ?? Math.min(Math.ceil(Math.min(usual, within) / growth), host, even)),
  );
  // Any line of a chunk fits with its key; the whole chunk usually does.
  const mergeBytes = keyed
    ? Math.min(largest, Math.max(mostKeyed(key, chunkBytes), job.chunkBytes === null ? within : 0))
    : chunkBytes;
  const sortedBytes = Math.min(mergeBytes, Math.ceil(chunkBytes * growth));
  const keep = Math.min(job.memoryBytes ?? Infinity, Math.max(0, budget - GPU_WORK_CHUNKS * sortedBytes));
  const mostRecords = job.gpuMemoryBytes === null ? null : Math.ceil(sortedBytes / GPU_CHUNK_BYTES_A_RECORD);
  const { algorithm, estimates: compared } = chooseAlgorithm(
    job,
    Math.min(chunkBytes, input.bytes ?? Infinity),
    mostRecords,
    input,
    reasons,
  );
  if (keyed) {
    const threads = `${workers} ${workers === 1 ? 'thread' : 'threads'} of the host${job.parallel === null ? '' : ', as asked'}`;
    reasons.push(
      `keys are made by ${deviceKeys ? 'the GPU' : threads}; a line with its key takes ${growth.toFixed(1)} times the line's bytes`,
    );
  }
  reasons.push(
    `chunks of ${formatBytes(chunkBytes)}${job.chunkBytes === null ? '' : ': as asked'}; a binding holds ${formatBytes(adapter.maxBindingBytes)}`,
    `runs stay in GPU memory ${keep === Infinity ? 'until it is full' : `up to ${formatBytes(keep)}`}, then ${job.memoryBytes === null ? `in host memory up to ${formatBytes(memory)}, then ` : ''}in temporary files`,
  );
  return {
    engine: 'gpu',
    algorithm,
    buckets: 0,
    splitters: null,
    distributed: null,
    streamBytes: null,
    estimates: compared,
    limit: engineLimit(job),
    deviceKeys,
    workers,
    helps: false,
    chunkBytes,
    mergeBytes,
    pieceBytes: Math.min(Math.ceil(pieceBytes / 16) * 16, Math.ceil(chunkBytes / 16) * 16),
    // If memory is bounded, the results of merges, some of which wait, must not take more than chunks did.
    rangeBytes: Math.min(job.gpuMemoryBytes === null ? sortedBytes : Math.ceil(sortedBytes / 2), GPU_RANGE_BYTES),
    mostRecords,
    residentBytes: keep === Infinity ? null : keep,
    windows: windowsOf(job, 0),
    smallHeap: hostMemory <= SMALL_MEMORY,
    hostBytes: job.memoryBytes === null ? memory : 0,
    reasons,
  };
}

/** The growth of lines by their keys, from a sample or assumed; 1 without keys. */
function keyedGrowth(job: SortJob, { sample }: InputFacts): number {
  if (!isKeyed(job.ordering)) return 1;
  return sample === undefined || sample === null
    ? Math.min(keyedBound(job.ordering.key).factor, KEYED_GROWTH)
    : sample.keyedBytes / sample.recordBytes;
}

/** The number of threads that make keys for the GPU. */
function keyThreads(job: SortJob, { processors, mostWorkers }: MachineFacts, { bytes }: InputFacts): number {
  return Math.min(
    Math.max(1, mostWorkers),
    job.parallel ?? Math.max(1, Math.min(processors, bytes === null ? processors : Math.ceil(bytes / WORKER_BYTES))),
  );
}
