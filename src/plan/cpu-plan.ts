/** The plan of the CPU engine: threads, chunks and memory. Pure. */
import type { PlannedJob } from '../job/job.js';
import { isKeyed, keyedBound } from '../keys/keyed.js';
import { smallShape } from '../keys/small-records.js';
import { formatBytes, GiB, KiB, MiB } from '../report/units.js';
import { bucketCount, distributionLimits, paysForUnknownSize, samplePays } from './buckets.js';
import { planCounting } from './counting.js';
import type { InputFacts, MachineFacts } from './facts.js';
import {
  atLeastOneRecord,
  engineLimit,
  keyedGrowth,
  memoryForText,
  ONE_THREAD_BYTES,
  plannedMemory,
  recordBytes,
  SMALL_MEMORY,
  THREAD_BYTES,
  UNCOUNTED_THREADS,
  WORKER_BYTES,
  windowsOf,
} from './memory.js';
import type { Basis, CpuPlan } from './plan.js';

/**
 * Memory of a thread, in chunks. Three chunks are in flight, three wait to be refilled, and sorting very short lines
 * takes five times the memory of a chunk. Merging takes half as much.
 */
const CHUNKS_PER_THREAD = 11;
/** Chunks for each thread that the memory would hold if it held nothing else. */
const CHUNKS_IN_MEMORY = 32;
/**
 * With at most this many threads, the main thread is one of them: it has time besides I/O, and one thread fewer must
 * start.
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
 * Bytes of a merge of -m. Each range is cut out of all inputs, so smaller ones take more time, and larger ones touch
 * more new memory. 8 files of 125 MB took 1.27 s in ranges of 4 MiB with two ranges for each thread in all windows (153
 * MiB, 34,000 page faults), 1.37 s in ranges of 2 MiB, and 1.62 s in ranges of 8 MiB with four (296 MiB, 67,000
 * faults). Two processors, 15 us a fault, medians, 30 November 2026.
 */
const MERGE_BYTES = 4 * MiB;

/** The reason for the number of threads, if the user or a Slurm job set it. */
export function whyThreads(job: PlannedJob, { allocated }: MachineFacts, threads: number): string {
  if (job.resources.parallel !== null) return ', as requested';
  return threads === allocated?.processors ? `: the Slurm job has ${threads} ${threads === 1 ? 'CPU' : 'CPUs'}` : '';
}

export function cpuPlan(basis: Basis, reasons: string[]): CpuPlan {
  const { job, machine, memory, input } = basis;
  const growth = keyedGrowth(job, input);
  const { threads, isSmall } = threadsOf(basis, growth, reasons);
  const forText = memoryForText(memory, threads, input.codecThreads ?? 0);
  const chunkBytes = chunkBytesOf(basis, growth, threads, isSmall);
  // A pipe holds at most as much as one read takes, so the main thread must keep reading it. It takes part in sorting
  // only if memory is too small for one more thread.
  const reads = input.bytes === null && paysForUnknownSize(memory);
  const helps = isSmall || (!reads && threads <= HELP_THREADS && chunkBytes <= HELP_CHUNK_BYTES);
  if (isKeyed(job.ordering)) reasons.push('the threads that sort a line put its key before it');
  if (smallShape(job.ordering) !== null && engineLimit(job) === null)
    reasons.push(
      `the threads sort records of ${recordBytes(job)} bytes by the values of their bytes (radix sort), and ` +
        'sort them again instead of merging',
    );
  const keyedBytes = input.bytes === null ? Infinity : input.bytes * growth;
  const counting = planCounting(basis, threads, reasons);
  const buckets = samplePays(job, memory, keyedBytes) ? bucketCount(keyedBytes, threads) : 0;
  const rangeBytes = Math.min(Math.max(chunkBytes, CPU_RANGE_BYTES.least), CPU_RANGE_BYTES.most);
  // Lines and keyed lines coexist while keys are made.
  const inWork = CHUNKS_PER_THREAD * threads * (growth + Number(isKeyed(job.ordering))) * chunkBytes;
  // With a large --chunk-size, nothing may be left.
  const residentBytes = Math.floor(Math.max(forText - inWork, memory / 4));
  reasons.push(
    `chunks of ${formatBytes(chunkBytes)}${chunkBytes === job.resources.chunkBytes ? ': as requested' : ''}`,
  );
  return {
    engine: 'cpu',
    algorithm: 'radix',
    buckets,
    splitters: null,
    distributed: buckets > 0 ? distributionLimits(basis, keyedBytes, threads, rangeBytes) : null,
    counting,
    limit: engineLimit(job),
    workers: isSmall ? 0 : Math.min(machine.mostWorkers, helps ? threads - 1 : threads),
    helps,
    bam: null,
    chunkBytes,
    // The first chunks of an input that is read sequentially are small, so that sorting begins while it is read.
    firstChunkBytes:
      job.resources.chunkBytes === null
        ? Math.min(chunkBytes, atLeastOneRecord(job, Math.ceil(CPU_CHUNK_BYTES.least / growth)))
        : null,
    rangeBytes,
    residentBytes,
    windows: windowsOf(job, Math.max(forText - inWork / 2, memory / 4), Math.ceil(chunkBytes * growth)),
    smallHeap: memory <= SMALL_MEMORY,
    hostBytes: 0,
    reasons: [
      ...reasons,
      `up to ${formatBytes(residentBytes)} of runs stay in memory; beyond that, they are merged into temporary files`,
    ],
  };
}

/** How many threads sort. `isSmall`: the main thread sorts alone. `growth`: the growth of lines by their keys. */
function threadsOf(
  { job, machine, memory, input }: Basis,
  growth: number,
  reasons: string[],
): { readonly threads: number; readonly isSmall: boolean } {
  const needed = input.bytes === null ? machine.processors : Math.ceil((input.bytes * growth) / WORKER_BYTES);
  const wanted =
    job.resources.parallel ?? Math.max(Math.min(2, machine.processors), Math.min(machine.processors, needed));
  const threads = Math.min(wanted, UNCOUNTED_THREADS + Math.floor(memory / 4 / THREAD_BYTES));
  const isSmall = input.bytes !== null && input.bytes * growth < ONE_THREAD_BYTES;
  const why = threads < wanted ? ': there is not enough memory for more' : whyThreads(job, machine, threads);
  reasons.push(isSmall ? `one thread: only ${formatBytes(input.bytes!)}` : `${threads} threads${why}`);
  return { threads, isSmall };
}

function chunkBytesOf({ job, memory, input }: Basis, growth: number, threads: number, isSmall: boolean): number {
  const forText = memoryForText(memory, threads, input.codecThreads ?? 0);
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
  const even = input.bytes === null ? Infinity : Math.ceil(input.bytes / (isSmall ? 1 : 2 * threads)) + 64 * KiB;
  return atLeastOneRecord(job, Math.min(most, job.resources.chunkBytes ?? Math.min(usual, fits, even)));
}

/** The plan for merging sorted text on the CPU. A chunk is the text of one merge, and memory is for windows. */
export function mergePlan(job: PlannedJob, machine: MachineFacts, input: InputFacts): CpuPlan {
  const memory = plannedMemory(job, machine);
  const plan = cpuPlan(
    { job: { ...job, resources: { ...job.resources, chunkBytes: null } }, machine, memory, input },
    [],
  );
  const threads = plan.workers + Number(plan.helps);
  const forText = memoryForText(memory, threads, input.codecThreads ?? 0);
  const chunkBytes = atLeastOneRecord(
    job,
    job.resources.chunkBytes ??
      Math.max(64 * KiB, Math.min(MERGE_BYTES, Math.floor(forText / (2 * CHUNKS_PER_THREAD * threads)))),
  );
  return {
    ...plan,
    buckets: 0,
    distributed: null,
    firstChunkBytes: null,
    limit: null,
    chunkBytes,
    rangeBytes: chunkBytes,
    residentBytes: 0,
    windows: windowsOf(job, Math.max((forText * 3) / 4, memory / 4)),
  };
}
