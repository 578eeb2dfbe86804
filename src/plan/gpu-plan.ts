/** The plan of the GPU engine: chunks, the memory of the device and of the host, and who makes the keys. Pure. */

import { HOST_CHUNKS, keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import { UPLOAD_BUFFERS } from '../engines/gpu/thresholds.js';
import type { GpuAlgorithm } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import { isKeyed, longestLine, mostKeyed } from '../keys/keyed.js';
import { formatBytes } from '../report/units.js';
import { chooseAlgorithm } from './algorithm.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import {
  atLeastOneRecord,
  BINDING_PAD,
  engineLimit,
  GiB,
  KiB,
  keyedGrowth,
  MiB,
  SMALL_MEMORY,
  THREAD_BYTES,
  WORKER_BYTES,
  windowsOf,
} from './memory.js';
import type { GpuPlan } from './plan.js';

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
/**
 * Working memory of sorts and merges besides resident runs, in chunks: measured at 8 for lines of 11 bytes, 5 for 100.
 */
const GPU_WORK_CHUNKS = 8;
/** The sort that leaves the text in host memory. */
const HOST_ALGORITHM: GpuAlgorithm = 'msd-radix-hybrid';
/** Bytes of its lists for each byte of text: 28 a record, so that lines of 9 bytes and more fit. */
const HOST_LISTS = 3;
/**
 * Bytes of a chunk for each record sorted at once if memory is bounded: a record takes 50 bytes in
 * lists, whatever its length.
 */
const GPU_CHUNK_BYTES_A_RECORD = 12;

export function gpuPlan(
  job: PlannedJob,
  machine: MachineFacts,
  memory: number,
  input: InputFacts,
  adapter: Extract<AdapterAnswer, { found: true }>,
  reasons: string[],
): GpuPlan {
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
  const budget = job.resources.gpuMemoryBytes ?? Infinity;
  const within = Math.max(64 * KiB, Math.floor(budget / (2 * GPU_WORK_CHUNKS)));
  const onHost = job.resources.algorithm === HOST_ALGORITHM;
  const deviceKeys = keysOnDevice(key) && !onHost;
  const hostMemory = job.resources.memoryBytes === null ? Infinity : memory;
  const pieceBytes = Math.max(
    GPU_PIECE_BYTES.least,
    Math.min(GPU_PIECE_BYTES.most, Math.floor((hostMemory * UPLOAD_MEMORY) / (2 * UPLOAD_BUFFERS))),
  );
  const threadBytes = THREAD_BYTES + (1 + growth) * KEY_TASK_BYTES;
  const mostThreads = deviceKeys ? Infinity : Math.max(1, Math.floor(hostMemory / 4 / threadBytes));
  const workers = keyed || onHost ? Math.min(mostThreads, keyThreads(job, machine, input)) : 0;
  // If the host makes the keys, it holds the chunks and their keyed lines. What sorts on the host also needs lists of
  // records, and leaves a quarter of the memory to runs, which the device does not keep.
  const forRuns = onHost ? Math.floor(hostMemory / 4) : 0;
  const textBytes = (keyed ? 1 + growth : 1) + (onHost ? HOST_LISTS : 0);
  const forChunks = hostMemory - forRuns - 2 * UPLOAD_BUFFERS * pieceBytes - Math.max(0, workers - 1) * threadBytes;
  const host =
    (onHost || (keyed && !deviceKeys)) && hostMemory < Infinity
      ? Math.max(64 * KiB, Math.floor(forChunks / (HOST_CHUNKS * textBytes)))
      : Infinity;
  const chunkBytes = Math.min(
    longestLine(key, largest),
    atLeastOneRecord(
      job,
      job.resources.chunkBytes ?? Math.min(Math.ceil(Math.min(usual, within) / growth), host, even),
    ),
  );
  // Any line of a chunk fits with its key; the whole chunk usually does.
  const mergeBytes = keyed
    ? Math.min(largest, Math.max(mostKeyed(key, chunkBytes), job.resources.chunkBytes === null ? within : 0))
    : chunkBytes;
  const sortedBytes = Math.min(mergeBytes, Math.ceil(chunkBytes * growth));
  const keep = Math.min(job.resources.memoryBytes ?? Infinity, Math.max(0, budget - GPU_WORK_CHUNKS * sortedBytes));
  const mostRecords = job.resources.gpuMemoryBytes === null ? null : Math.ceil(sortedBytes / GPU_CHUNK_BYTES_A_RECORD);
  const { algorithm, estimates: compared } = chooseAlgorithm(
    job,
    Math.min(chunkBytes, input.bytes ?? Infinity),
    mostRecords,
    input,
    reasons,
  );
  if (keyed) {
    const requested = job.resources.parallel === null ? '' : ', as requested';
    const threads = `${workers} ${workers === 1 ? 'thread' : 'threads'} of the host${requested}`;
    reasons.push(
      `keys are made by ${deviceKeys ? 'the GPU' : threads}; ` +
        `a line with its key takes ${growth.toFixed(1)} times the line's bytes`,
    );
  }
  const hostBytes = job.resources.memoryBytes === null ? memory : forRuns;
  const inGpuMemory = `in GPU memory ${keep === Infinity ? 'until it is full' : `up to ${formatBytes(keep)}`}, then `;
  const inHostMemory = hostBytes === 0 ? '' : `in host memory up to ${formatBytes(hostBytes)}, then `;
  reasons.push(
    `chunks of ${formatBytes(chunkBytes)}${job.resources.chunkBytes === null ? '' : ': as requested'}; ` +
      `a binding holds ${formatBytes(adapter.maxBindingBytes)}`,
    `runs stay ${onHost ? '' : inGpuMemory}${inHostMemory}in temporary files`,
  );
  return {
    engine: 'gpu',
    algorithm,
    estimates: compared,
    limit: engineLimit(job),
    deviceKeys,
    workers,
    chunkBytes,
    mergeBytes,
    pieceBytes: Math.min(Math.ceil(pieceBytes / 16) * 16, Math.ceil(chunkBytes / 16) * 16),
    // If memory is bounded, the results of merges, some of which wait, must not take more than chunks did.
    rangeBytes: Math.min(
      job.resources.gpuMemoryBytes === null ? sortedBytes : Math.ceil(sortedBytes / 2),
      GPU_RANGE_BYTES,
    ),
    mostRecords,
    residentBytes: keep === Infinity ? null : keep,
    windows: windowsOf(job, 0),
    smallHeap: hostMemory <= SMALL_MEMORY,
    hostBytes,
    reasons,
  };
}

/** The number of threads that make keys for the GPU. */
function keyThreads(job: PlannedJob, { processors, mostWorkers }: MachineFacts, { bytes }: InputFacts): number {
  return Math.min(
    Math.max(1, mostWorkers),
    job.resources.parallel ??
      Math.max(1, Math.min(processors, bytes === null ? processors : Math.ceil(bytes / WORKER_BYTES))),
  );
}
