/** Memory for a sort: what -S or the machine gives, and what threads and lists leave of it. Pure. */
import type { SortJob } from '../job/job.js';
import { MiB } from './amount.js';
import type { MachineFacts } from './facts.js';

/**
 * Smaller inputs (with their keys) are sorted by one thread: a worker's start takes 20 ms of CPU time. On two cores,
 * 16 MB take equally long with and without a worker.
 */
export const ONE_THREAD_BYTES = 16 * MiB;
/** Bytes of a stream read and sampled before planning: a stream that ends within these is planned like a file. */
export const STREAM_AHEAD_BYTES = ONE_THREAD_BYTES;
/** Input for each worker that pays for its start: on 16 cores, 6 threads sort 100 MB fastest. */
export const WORKER_BYTES = 16 * MiB;
/** Share of the available memory that a sort takes without -S. */
export const MEMORY_SHARE = 0.5;
/** With less memory, runs would be short and numerous, and merging them would take most of the time. */
const LEAST_MEMORY = 32 * MiB;
/** Up to this much memory, V8's heap would take as much as the text. */
export const SMALL_MEMORY = 64 * MiB;
/** Share of the memory under the process limits: V8 may need a thread's memory twice while it grows it. */
const ALLOWED_SHARE = 0.4;
/** Bytes of a worker besides the memory it sorts in. -S does not count the first two threads. */
export const THREAD_BYTES = 14 * MiB;
export const UNCOUNTED_THREADS = 2;
/**
 * -S for each thread that compresses or decompresses: a thread, its buffers and those of its stream take half of it,
 * which the plan does not count. Measured with -S 64M: a second thread takes 30 MB.
 */
const CODEC_MEMORY = 64 * MiB;
/**
 * Bytes of the main thread's lists, which grow with the number of chunks, runs and reads; at most
 * a share of the memory.
 */
const LISTS_BYTES = 20 * MiB;
const LISTS_SHARE = 3 / 8;

/** Memory for the sort: -S, or a share of what is available, within the limits of the process. */
export function plannedMemory(job: SortJob, machine: MachineFacts): number {
  const wanted =
    job.memoryBytes === null
      ? Math.floor(machine.availableBytes * MEMORY_SHARE)
      : Math.max(job.memoryBytes, leastMemory(job));
  return Math.min(wanted, Math.max(0, Math.floor(machine.allowedBytes * ALLOWED_SHARE)));
}

/** The minimum of -S. With --chunk-size the user decides. */
export function leastMemory({ chunkBytes }: SortJob): number {
  return chunkBytes === null ? LEAST_MEMORY : 0;
}

/** The maximum number of threads that compress or decompress. */
export function mostCodecThreads({ memoryBytes }: SortJob): number {
  return memoryBytes === null ? Infinity : Math.max(1, Math.floor(memoryBytes / CODEC_MEMORY));
}

/** The memory that lists and threads leave. */
export function memoryForText(memory: number, threads: number): number {
  return memory - Math.min(LISTS_BYTES, memory * LISTS_SHARE) - Math.max(0, threads - UNCOUNTED_THREADS) * THREAD_BYTES;
}
