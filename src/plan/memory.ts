/** Memory for a sort: the amount from -S or the machine, and the rest after threads and lists. Pure. */

import { type Limit, limitsLate, type PlannedJob, type Resources } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { isKeyed, keyedBound } from '../keys/keyed.js';
import { formatBytes, KiB, MiB } from '../report/units.js';
import type { WindowSizes } from '../runs/fan-in.js';
import { choosesBySample } from './algorithm.js';
import type { InputFacts, MachineFacts } from './facts.js';
import type { Plan } from './plan.js';

/**
 * Smaller inputs (with their keys) are sorted by one thread: a worker's start takes 20 ms of CPU time. On two cores,
 * 16 MB take equally long with and without a worker.
 */
export const ONE_THREAD_BYTES = 16 * MiB;
/**
 * Bytes that are read and sampled before planning, if the input is read sequentially. If it ends within these bytes,
 * its size is known, and the sample is spread over all of it. Planned like longer inputs, pipes of 24 MB took 0.57 s of
 * processor time instead of 0.38, and pipes of 64 MB 0.73 s instead of 0.62.
 */
export const READ_AHEAD_BYTES = 64 * MiB;
/** Bytes of input for each worker that make its start worthwhile: on 16 cores, 6 threads sort 100 MB fastest. */
export const WORKER_BYTES = 16 * MiB;
/** Share of the available memory that a sort takes without -S. */
export const MEMORY_SHARE = 0.5;
/** With less memory, runs would be short and numerous, and merging them would take most of the time. */
const LEAST_MEMORY = 32 * MiB;
/** With at most this much memory, V8's heap would take as much as the text. */
export const SMALL_MEMORY = 64 * MiB;
/**
 * Share of the memory that the process limits allow: V8 may need a thread's memory twice while it grows that memory.
 */
const ALLOWED_SHARE = 0.4;
/** The share of that memory for pipes that are kept while a GPU inflates them. */
const KEPT_SHARE = 1 / 2;
/** Bytes of a worker besides the memory it sorts in. -S does not count the first two threads. */
export const THREAD_BYTES = 14 * MiB;
export const UNCOUNTED_THREADS = 2;
/** The least -S for each thread that compresses or decompresses. */
const LEAST_PER_CODEC = 64 * MiB;
/**
 * Bytes of a codec thread: its heap, its kernels and the groups of 1 MiB that it has in flight. Together at most a
 * share of the memory.
 */
const CODEC_BYTES = 16 * MiB;
const CODECS_SHARE = 1 / 4;
/**
 * Bytes of the main thread's lists, which grow with the number of chunks, runs and reads; at most
 * a share of the memory.
 */
const LISTS_BYTES = 20 * MiB;
const LISTS_SHARE = 3 / 8;

/** Memory for the sort: -S, or a share of what is available, within the limits of the process. */
export function plannedMemory(job: PlannedJob, machine: MachineFacts): number {
  const wanted =
    job.resources.memoryBytes === null
      ? Math.floor(machine.availableBytes * MEMORY_SHARE)
      : Math.max(job.resources.memoryBytes, leastMemory(job));
  return Math.min(wanted, Math.max(0, Math.floor(machine.allowedBytes * ALLOWED_SHARE)));
}

/** The part of it for pipes that are kept while a GPU inflates them. */
export function keptMemory(job: PlannedJob, machine: MachineFacts): number {
  return Math.floor(plannedMemory(job, machine) * KEPT_SHARE);
}

/** Bytes of pipes that a sort may keep; null: it keeps none. Threads that sort BAM count them with its text. */
export function mostKept(plan: Plan): number | null {
  if (plan.engine === 'cpu') return plan.bam === null ? null : Infinity;
  return plan.bam?.memoryBytes ?? plan.inflates?.memoryBytes ?? null;
}

/** The reason that a plan gives for its memory. */
export function memoryReason(job: PlannedJob, machine: MachineFacts): string {
  const { memoryBytes } = job.resources;
  const why =
    memoryBytes === null
      ? halfOf(machine)
      : memoryBytes < leastMemory(job)
        ? `-S ${formatBytes(memoryBytes)} would make the sort far slower`
        : machine.isShared === true
          ? "an equal part of this host's for each process"
          : 'as requested with -S';
  return `memory ${formatBytes(plannedMemory(job, machine))}: ${why}`;
}

/** The memory of which a sort takes half without -S. */
function halfOf({ allocated }: MachineFacts): string {
  const bytes = allocated?.memoryBytes ?? null;
  return `half of what is ${bytes === null ? 'available' : `left of the Slurm job's ${formatBytes(bytes)}`}`;
}

/** The minimum of -S. With --chunk-size, the user decides. */
function leastMemory({ resources: { chunkBytes } }: PlannedJob): number {
  return chunkBytes === null ? LEAST_MEMORY : 0;
}

/** The maximum number of threads that compress or decompress. */
export function mostCodecThreads({ memoryBytes }: Resources): number {
  return memoryBytes === null ? Infinity : Math.max(1, Math.floor(memoryBytes / LEAST_PER_CODEC));
}

/** The memory that lists and threads leave: `threads` sort, `codecThreads` compress or decompress. */
export function memoryForText(memory: number, threads: number, codecThreads: number): number {
  const lists = Math.min(LISTS_BYTES, memory * LISTS_SHARE);
  const sorting = Math.max(0, threads - UNCOUNTED_THREADS) * THREAD_BYTES;
  const codecs = Math.min(codecThreads * CODEC_BYTES, memory * CODECS_SHARE);
  return memory - lists - sorting - codecs;
}

/** A sufficient window size. Two thirds of a window are read at once; smaller reads take longer. */
const LEAST_WINDOW = 384 * KiB;
/** The minimum with the smallest --chunk-size. */
const SMALLEST_WINDOW = 256;

/**
 * Sizes of windows in `bytes` bytes of memory. Windows lie in blocks that chunks used before, a whole number in each
 * block. With --chunk-size, windows may be as small as chunks.
 */
export function windowsOf(
  { resources: { chunkBytes } }: PlannedJob,
  bytes: number,
  blockBytes = chunkBytes ?? LEAST_WINDOW,
): WindowSizes {
  const inBlock = Math.round(blockBytes / LEAST_WINDOW);
  const alone = chunkBytes === null ? LEAST_WINDOW : Math.max(SMALLEST_WINDOW, Math.min(blockBytes, LEAST_WINDOW));
  return { bytes: Math.floor(bytes), least: inBlock === 0 ? alone : Math.floor(blockBytes / inBlock) };
}

/**
 * The number of checking threads with a GPU. A thread checks 1 to 3 GB/s, or a quarter of that if keys are rebuilt, and
 * output is written at 2 to 4 GB/s.
 */
const GPU_THREADS = { plain: 4, keyed: 12 } as const;
/** CPU engine: sorting threads for each checking thread. */
const SORTERS_PER_CHECKER = 4;

/** 0: the main thread checks, because it also sorts or has nothing else to do. */
export function checkingThreads(plan: Plan, { processors }: MachineFacts, ordering: Ordering): number {
  if (plan.engine === 'cpu') return plan.helps ? 0 : Math.ceil(plan.workers / SORTERS_PER_CHECKER);
  return Math.max(0, Math.min(isKeyed(ordering) ? GPU_THREADS.keyed : GPU_THREADS.plain, processors - 2));
}

/** Kernels read slightly past the end of the text. */
export const BINDING_PAD = 64;
/**
 * Assumed growth of most lines by their keys. The maximum growth (src/keys/keyed.ts) need only fit where kernels sort.
 */
const KEYED_GROWTH = 3;

/** The bytes of a fixed record; 0 for lines. */
export function recordBytes(job: PlannedJob): number {
  return job.ordering.format.kind === 'fixed' ? job.ordering.format.size : 0;
}

/** A chunk holds at least one fixed record. */
export function atLeastOneRecord(job: PlannedJob, bytes: number): number {
  return Math.max(bytes, recordBytes(job));
}

/**
 * The limit as engines get it: at least 1 record. Null with --count, because it is unknown how many records the
 * requested counts need.
 */
export function engineLimit({ output }: PlannedJob): Limit | null {
  const { limit } = output;
  return limit === null || limitsLate(output) ? null : { ...limit, count: Math.max(1, limit.count) };
}

/** Assumed length of lines without a sample, if their keys do not grow with the lines. */
const ASSUMED_LINE_BYTES = 256;

/** The growth of lines by their keys, from the sample of a sort or assumed; 1 without keys. */
export function keyedGrowth(job: PlannedJob, input: InputFacts): number {
  if (!isKeyed(job.ordering)) return 1;
  const { factor, constant } = keyedBound(job.ordering.key);
  const { sample } = input;
  return sample === undefined || sample === null || !choosesBySample(job, input)
    ? Math.min(factor + Math.floor(constant / ASSUMED_LINE_BYTES), KEYED_GROWTH)
    : sample.keyedBytes / sample.recordBytes;
}
