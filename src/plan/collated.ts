/**
 * The plan for collated keys. Threads compare strings, which takes about ten times as long as sorting by bytes and
 * several times the memory of the text.
 */
import { COLLATED_ALGORITHM } from '../job/algorithm-table.js';
import type { Ordering } from '../job/ordering.js';
import { formatBytes, KiB, MiB } from '../report/units.js';
import { planCounting } from './counting.js';
import { whyThreads } from './cpu-plan.js';
import { engineLimit, windowsOf } from './memory.js';
import type { Basis, CpuPlan } from './plan.js';

/**
 * Smaller inputs are sorted by one thread: a worker's start and its queries to the collator (50 ms of CPU time)
 * cost more than they save.
 */
const ONE_THREAD_BYTES = 1 * MiB;
/** Bytes of input for each worker that make its start worthwhile. */
const WORKER_BYTES = 512 * KiB;
/**
 * The smallest chunk is ordered in a third of a second. Larger ones take memory: 50 bytes a line and 40 more
 * for each of its strings.
 */
const CHUNK_BYTES = { least: 2 * MiB, most: 16 * MiB, unknown: 4 * MiB } as const;
/**
 * Memory of a chunk or merge in progress, strings included, as a multiple of its text. Together they
 * get half of the memory.
 */
const GROWTH = 10;
/** The maximum number of runs, as long as chunks may grow. */
const RUNS = 64;

/** How records compare, and why on the CPU. */
export function collatingReason({ key }: Ordering): string {
  const tag = key.kind === 'collated' ? key.locale : '';
  return (
    `--locale ${tag}: records are compared by the collation of ICU ${process.versions.icu ?? ''} on the CPU, ` +
    'because it makes no keys that a GPU could sort by'
  );
}

export function collatedPlan(basis: Basis, reasons: string[]): CpuPlan {
  const { job, machine, memory, input } = basis;
  const needed = input.bytes === null ? machine.processors : Math.ceil(input.bytes / WORKER_BYTES);
  const threads =
    job.resources.parallel ?? Math.max(Math.min(2, machine.processors), Math.min(machine.processors, needed));
  const small = input.bytes !== null && input.bytes < ONE_THREAD_BYTES;
  reasons.push(
    small ? `one thread: only ${formatBytes(input.bytes!)}` : `${threads} threads${whyThreads(job, machine, threads)}`,
  );
  const fits = Math.max(64 * KiB, Math.floor(memory / (2 * GROWTH * (threads + 1))));
  const usual =
    input.bytes === null
      ? CHUNK_BYTES.unknown
      : Math.min(CHUNK_BYTES.most, Math.max(CHUNK_BYTES.least, Math.ceil(input.bytes / RUNS)));
  // Two chunks for each thread balance the load of small inputs.
  const even = input.bytes === null ? Infinity : Math.ceil(input.bytes / (small ? 1 : 2 * threads)) + 64 * KiB;
  const chunkBytes = Math.min(CHUNK_BYTES.most, job.resources.chunkBytes ?? Math.min(usual, fits, even));
  return {
    engine: 'cpu',
    algorithm: COLLATED_ALGORITHM,
    buckets: 0,
    splitters: null,
    distributed: null,
    counting: planCounting(basis, threads, reasons),
    firstChunkBytes: null,
    limit: engineLimit(job),
    chunkBytes,
    rangeBytes: chunkBytes,
    // The main thread handles no events, signals included, while it sorts a chunk.
    workers: small ? 0 : Math.min(machine.mostWorkers, threads),
    helps: small || machine.mostWorkers === 0,
    bam: null,
    residentBytes: Math.floor(memory / 2),
    windows: windowsOf(job, memory / 2),
    smallHeap: false,
    hostBytes: 0,
    reasons: [
      ...reasons,
      `chunks of ${formatBytes(chunkBytes)}${chunkBytes === job.resources.chunkBytes ? ': as requested' : ''}`,
      `runs of up to ${formatBytes(Math.floor(memory / 2))} in all stay in memory, further runs go to temporary files`,
    ],
  };
}
