/**
 * The numbers of shares and ranges of a sort, and whether distributing it is worth it: the bytes and files that it
 * reads and creates besides the text itself, and its time by measured rates. Pure. Used by --explain and by the model
 * of docs/cluster.md (tools/bench/cluster/costs.mjs), which adds assumptions about networks and file systems.
 */

import { SAMPLE_BYTES } from '../contract/engine.js';
import type { ClusterRequest, SortJob } from '../job/job.js';
import type { MachineFacts } from '../plan/facts.js';
import { plannedMemory } from '../plan/memory.js';
import { BLOCK_BYTES, CHECKPOINT_BYTES } from '../verify/survey.js';
import { FIXED_BYTES, INDEX_HEADER_BYTES, SAMPLES } from './run-index.js';

const GiB = 2 ** 30;

/**
 * Bytes of a share and of a range. Tasks then take minutes: little is lost with a node, and the seconds that Slurm
 * takes do not matter. There are up to TASKS of each, which is one array job. Larger inputs get larger shares and
 * ranges, because each range reads a slice of each share (docs/cluster.md, the model).
 */
const TASKS = 1000;
const SHARE_BYTES = { least: 4 * GiB, most: 16 * GiB } as const;
const RANGE_BYTES = { least: 4 * GiB, most: 64 * GiB } as const;
/** Below these sizes one machine is faster: two array jobs cost seconds before any work. */
export const LEAST_BYTES = { slurm: 32 * GiB, local: 1 * GiB, prepare: 0 } as const;

export interface TaskCounts {
  readonly shares: number;
  readonly ranges: number;
}

/** Whether one machine sorts the input sooner. Irrelevant if the user gave a number of tasks, or requested parts. */
export function isTooSmall({ scheduler, tasks, parts }: ClusterRequest, bytes: number): boolean {
  return tasks === null && !parts && bytes < LEAST_BYTES[scheduler.kind];
}

/** The numbers of shares and ranges to make for `bytes` of input. */
export function chooseTasks({ scheduler, tasks }: ClusterRequest, bytes: number): TaskCounts {
  const given = tasks ?? (scheduler.kind === 'local' ? scheduler.processes : null);
  if (given !== null) return { shares: given, ranges: given };
  const count = ({ least, most }: { least: number; most: number }): number =>
    Math.max(1, Math.ceil(bytes / Math.max(least, Math.min(most, bytes / TASKS))));
  return { shares: count(SHARE_BYTES), ranges: count(RANGE_BYTES) };
}

/**
 * Each task's part of this host's memory and processors, if several tasks run on the host and the user gave no numbers.
 */
export function tasksOwn(
  job: SortJob,
  machine: MachineFacts,
  tasks: number,
): { readonly memoryBytes?: number; readonly parallel?: number } {
  const { scheduler } = job.cluster!;
  if (scheduler.kind !== 'local') return {};
  const processes = Math.min(scheduler.processes, tasks);
  return {
    ...(job.resources.memoryBytes === null && { memoryBytes: Math.floor(plannedMemory(job, machine) / processes) }),
    ...(job.resources.parallel === null && { parallel: Math.max(1, Math.floor(machine.processors / processes)) }),
  };
}

/** The number of processors of the machine on which the rates were measured. */
const MEASURED_PROCESSORS = 16;

/**
 * Bytes a second that one machine sorts, with files in memory: an NVIDIA H200 with 16 cores, and the 16 cores alone.
 */
export const SORT_RATES = {
  /** 10 GB of 100-byte lines in 3.58 to 3.85 s, 20 GB in 22.1 s with 8 GiB: docs/benchmarks.md. */
  gpu: { sortRate: 2.7e9, spillingRate: 0.91e9 },
  /** 4 GB of access-log lines in 3.01 s, 20 GB in 28 s with 8 GiB: docs/benchmarks.md (h1). */
  cpu: { sortRate: 1.33e9, spillingRate: 0.71e9 },
} as const;

export const MERGE_RATES = {
  /**
   * `-m` of 8 files of 1 GB: 4.24 s (docs/benchmarks.md, m3). The rate falls with the logarithm of the number of files
   * (m1, m2).
   */
  mergeRate: 1.89e9,
  mergeRateRuns: 8,
} as const;

/** Seconds that Slurm takes for a phase (22.05, four virtual nodes), and of a task's start. */
export const WAITS = { phaseWait: 6, taskStart: 1 } as const;

/**
 * Stored runs: bytes of a block with a checksum, bytes between checkpoints, checkpoints in a sample, and bytes of an
 * index entry.
 */
export const RUN_LAYOUT = {
  blockBytes: BLOCK_BYTES,
  checkpointBytes: CHECKPOINT_BYTES,
  samples: SAMPLES,
  entryBytes: FIXED_BYTES + SAMPLE_BYTES,
} as const;
type RunLayout = Readonly<Record<keyof typeof RUN_LAYOUT, number>>;

/**
 * The number of files per task. Share: run, index, log; range: result, part or edges, log; then those of a copy.
 */
export const FILES_OF_TASKS = { share: 3, range: 3, place: 3 } as const;

/** Bytes of the index of a run of `bytes` bytes. */
export function indexBytes(
  bytes: number,
  { checkpointBytes, samples, entryBytes, blockBytes }: RunLayout = RUN_LAYOUT,
): number {
  const checkpoints = bytes / checkpointBytes;
  return (
    INDEX_HEADER_BYTES +
    (checkpoints + Math.min(samples, checkpoints)) * entryBytes +
    (bytes / blockBytes) * CHECKSUM_BYTES
  );
}

/**
 * Bytes that a range task reads of a run of `bytes` bytes besides its slice: the index's header and sample, both cuts,
 * and the rest of a block. A cut reads the checkpoints between two samples twice, checksums, the text between two
 * checkpoints, and the part of it before the cut again.
 */
export function bytesBesideSlice(bytes: number, layout: RunLayout = RUN_LAYOUT): number {
  const { checkpointBytes, samples, entryBytes, blockBytes } = layout;
  const checkpoints = bytes / checkpointBytes;
  const cut =
    2 * Math.max(1, checkpoints / samples) * entryBytes + CHECKSUMS_READ * CHECKSUM_BYTES + 2 * checkpointBytes;
  return INDEX_HEADER_BYTES + Math.min(samples, checkpoints) * entryBytes + 2 * cut + blockBytes;
}

/** Bytes that one of `ranges` range tasks reads of a run. A short run is read as a whole. */
export const bytesOfRange = (bytes: number, ranges: number): number =>
  Math.min(bytes, bytes / ranges + bytesBesideSlice(bytes));

const CHECKSUM_BYTES = 4;
const CHECKSUMS_READ = 1024;

/** Bytes a second that one machine merges, by the number of runs. */
export function mergeRateOf(
  runs: number,
  { mergeRate, mergeRateRuns }: Readonly<Record<keyof typeof MERGE_RATES, number>> = MERGE_RATES,
): number {
  return mergeRate / Math.max(1, Math.log2(runs) / Math.log2(mergeRateRuns));
}

/** A machine that runs one task at a time. */
export interface Worker {
  readonly engine: 'gpu' | 'cpu';
  readonly processors: number;
  /** Bytes that it sorts without temporary files. */
  readonly memoryBytes: number;
}

/**
 * The fraction of a measured rate that a machine with fewer processors reaches. More processors are not counted,
 * because rates for them would be guesses.
 */
const speedOf = ({ processors }: Worker): number => Math.min(1, processors / MEASURED_PROCESSORS);

/** The seconds in which one machine sorts `bytes`. */
export function aloneSeconds(bytes: number, worker: Worker): number {
  const { sortRate, spillingRate } = SORT_RATES[worker.engine];
  return WAITS.taskStart + bytes / (speedOf(worker) * (bytes <= worker.memoryBytes ? sortRate : spillingRate));
}

/** The size of a distributed sort: bytes, shares or inputs of -m, ranges, and seconds before each phase. */
interface DistributedWork {
  readonly bytes: number;
  readonly shares: number;
  readonly ranges: number;
  readonly wait: number;
}

/** The seconds of both phases, if `atOnce` workers share the tasks. */
export function distributedSeconds(work: DistributedWork, worker: Worker, atOnce: number): number {
  const { bytes, shares, wait } = work;
  return (
    wait + Math.ceil(shares / atOnce) * aloneSeconds(bytes / shares, worker) + mergingSeconds(work, worker, atOnce)
  );
}

/** The seconds of the second phase, which is the only one of -m. */
export function mergingSeconds(
  { bytes, shares, ranges, wait }: DistributedWork,
  worker: Worker,
  atOnce: number,
): number {
  const range = WAITS.taskStart + bytes / ranges / (speedOf(worker) * mergeRateOf(shares));
  return wait + Math.ceil(ranges / atOnce) * range;
}
