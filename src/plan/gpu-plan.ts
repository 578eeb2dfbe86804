/** The plan of the GPU engine: chunks, the memory of the device and of the host, and who makes the keys. Pure. */

import { HOST_CHUNKS, keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import { UPLOAD_BUFFERS } from '../engines/gpu/thresholds.js';
import type { GpuAlgorithm } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import { isKeyed, longestLine, mostKeyed } from '../keys/keyed.js';
import { formatBytes, GiB, KiB, MiB } from '../report/units.js';
import { chooseAlgorithm } from './algorithm.js';
import type { AdapterAnswer, InputFacts, MachineFacts } from './facts.js';
import {
  atLeastOneRecord,
  BINDING_PAD,
  engineLimit,
  keyedGrowth,
  SMALL_MEMORY,
  THREAD_BYTES,
  WORKER_BYTES,
  windowsOf,
} from './memory.js';
import type { Basis, GpuPlan } from './plan.js';

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
/** Share of the memory for its chunks without -S. */
const HOST_CHUNK_SHARE = 1 / 2;
/** Bytes of one of its merges, and the merges for each thread in memory: in work, waiting and being written. */
const HOST_RANGE_BYTES = { least: 64 * KiB, most: 4 * MiB } as const;
const HOST_MERGES_PER_THREAD = 5;
/**
 * Bytes of a chunk for each record sorted at once if memory is bounded: a record takes 50 bytes in
 * lists, whatever its length.
 */
const GPU_CHUNK_BYTES_PER_RECORD = 12;

export function gpuPlan(basis: Basis, adapter: Extract<AdapterAnswer, { found: true }>, reasons: string[]): GpuPlan {
  const {
    job,
    job: {
      ordering: { key },
      resources,
    },
    input,
  } = basis;
  const keyed = isKeyed(job.ordering);
  const growth = keyedGrowth(job, input);
  const budget = resources.gpuMemoryBytes ?? Infinity;
  const within = Math.max(64 * KiB, Math.floor(budget / (2 * GPU_WORK_CHUNKS)));
  const host = hostShare(basis, growth);
  const largest = host.holdsText ? GPU_CHUNK_BYTES.most : adapter.maxBindingBytes - BINDING_PAD;
  const chunkBytes = Math.min(
    longestLine(key, largest),
    atLeastOneRecord(
      job,
      resources.chunkBytes ?? Math.min(usualChunkBytes(input, growth, within, host.holdsText), host.chunkBytes),
    ),
  );
  // Any line of a chunk fits with its key; the whole chunk usually does.
  const mergeBytes = keyed
    ? Math.min(largest, Math.max(mostKeyed(key, chunkBytes), resources.chunkBytes === null ? within : 0))
    : chunkBytes;
  const sortedBytes = Math.min(mergeBytes, Math.ceil(chunkBytes * growth));
  const keep = host.holdsText
    ? host.runBytes
    : Math.min(resources.memoryBytes ?? Infinity, Math.max(0, budget - GPU_WORK_CHUNKS * sortedBytes));
  const mostRecords = resources.gpuMemoryBytes === null ? null : Math.ceil(sortedBytes / GPU_CHUNK_BYTES_PER_RECORD);
  const chosen = chooseAlgorithm(job, Math.min(chunkBytes, input.bytes ?? Infinity), mostRecords, input, reasons);
  if (keyed) reasons.push(whoMakesKeys(host, growth, resources.parallel !== null));
  const inGpuMemory = `in GPU memory ${keep === Infinity ? 'until it is full' : `up to ${formatBytes(keep)}`}, then `;
  const inHostMemory = host.runBytes === 0 ? '' : `in host memory up to ${formatBytes(host.runBytes)}, then `;
  reasons.push(
    `chunks of ${formatBytes(chunkBytes)}${resources.chunkBytes === null ? '' : ': as requested'}; ` +
      `a binding holds ${formatBytes(adapter.maxBindingBytes)}`,
    `runs stay ${host.holdsText ? '' : inGpuMemory}${inHostMemory}in temporary files`,
  );
  return {
    engine: 'gpu',
    ...chosen,
    tunings: resources.tunings,
    limit: engineLimit(job),
    deviceKeys: host.deviceKeys,
    bam: null,
    workers: host.workers,
    chunkBytes,
    mergeBytes,
    pieceBytes: Math.min(Math.ceil(host.pieceBytes / 16) * 16, Math.ceil(chunkBytes / 16) * 16),
    // If memory is bounded, the results of merges, some of which wait, must not take more than chunks did.
    rangeBytes: Math.min(resources.gpuMemoryBytes === null ? sortedBytes : Math.ceil(sortedBytes / 2), host.rangeBytes),
    mostRecords,
    residentBytes: keep === Infinity ? null : keep,
    // Windows lie in the memory of chunks, beside runs.
    windows: host.holdsText ? windowsOf(job, host.runBytes + HOST_CHUNKS * chunkBytes, chunkBytes) : windowsOf(job, 0),
    smallHeap: host.memory <= SMALL_MEMORY,
    hostBytes: host.holdsText ? 0 : host.runBytes,
    reasons,
  };
}

/**
 * Bytes of text in a chunk, if the host's memory does not matter. `within`: what the GPU's memory allows. `holdsText`:
 * the text stays on the host; one large chunk needs no merge.
 */
function usualChunkBytes({ bytes }: InputFacts, growth: number, within: number, holdsText: boolean): number {
  const even = bytes === null ? Infinity : Math.max(64 * KiB, bytes + 4 * KiB);
  // Of text with keys; chunks as read are smaller by the growth.
  const usual =
    bytes === null
      ? GPU_CHUNK_BYTES.least
      : holdsText
        ? GPU_CHUNK_BYTES.most
        : Math.min(GPU_CHUNK_BYTES.most, Math.max(GPU_CHUNK_BYTES.least, Math.ceil((bytes * growth) / GPU_RUNS)));
  return Math.min(Math.ceil(Math.min(usual, within) / growth), even);
}

/** The work and the memory of the host. */
interface HostShare {
  /** Infinity without -S. */
  readonly memory: number;
  /** Whether the text of chunks stays in host memory. */
  readonly holdsText: boolean;
  readonly deviceKeys: boolean;
  /** Threads that make keys, or sort what the host holds. */
  readonly workers: number;
  readonly pieceBytes: number;
  /** The largest chunk that fits; Infinity if the host holds none. */
  readonly chunkBytes: number;
  /** Memory for runs. */
  readonly runBytes: number;
  /** Bytes of one merge. */
  readonly rangeBytes: number;
}

function hostShare({ job, machine, memory: planned, input }: Basis, growth: number): HostShare {
  const { key } = job.ordering;
  const keyed = isKeyed(job.ordering);
  const holdsText = job.resources.algorithm === HOST_ALGORITHM;
  const deviceKeys = keysOnDevice(key) && !holdsText;
  const memory = job.resources.memoryBytes === null ? Infinity : planned;
  const pieceBytes = Math.max(
    GPU_PIECE_BYTES.least,
    Math.min(GPU_PIECE_BYTES.most, Math.floor((memory * UPLOAD_MEMORY) / (2 * UPLOAD_BUFFERS))),
  );
  // Threads that merge what the host holds are threads of their own.
  const threadBytes = (holdsText ? 2 : 1) * THREAD_BYTES + (keyed ? (1 + growth) * KEY_TASK_BYTES : 0);
  const mostThreads = deviceKeys ? Infinity : Math.max(1, Math.floor(memory / 4 / threadBytes));
  const workers = keyed || holdsText ? Math.min(mostThreads, keyThreads(job, machine, input)) : 0;
  // If the host makes the keys, it holds the chunks and their keyed lines. A sort on the host also needs lists of
  // records, and leaves a quarter of the memory to runs, which the device does not keep.
  const forRuns = holdsText ? Math.floor(memory / 4) : 0;
  const textBytes = (keyed ? 1 + growth : 1) + (holdsText ? HOST_LISTS : 0);
  // Nothing is uploaded of what the host holds; merges take the place of upload buffers.
  const uploadBytes = 2 * UPLOAD_BUFFERS * pieceBytes;
  const forChunks =
    memory < Infinity
      ? memory - forRuns - uploadBytes - Math.max(0, workers - 1) * threadBytes
      : planned * HOST_CHUNK_SHARE;
  const isBounded = holdsText || (keyed && !deviceKeys && memory < Infinity);
  return {
    memory,
    holdsText,
    deviceKeys,
    workers,
    pieceBytes,
    chunkBytes: isBounded ? Math.max(64 * KiB, Math.floor(forChunks / (HOST_CHUNKS * textBytes))) : Infinity,
    runBytes: job.resources.memoryBytes === null ? planned : forRuns,
    rangeBytes: holdsText
      ? Math.max(
          HOST_RANGE_BYTES.least,
          Math.min(HOST_RANGE_BYTES.most, Math.floor(uploadBytes / (HOST_MERGES_PER_THREAD * workers))),
        )
      : GPU_RANGE_BYTES,
  };
}

function whoMakesKeys({ deviceKeys, workers }: HostShare, growth: number, isRequested: boolean): string {
  const requested = isRequested ? ', as requested' : '';
  const threads = `${workers} ${workers === 1 ? 'thread' : 'threads'} of the host${requested}`;
  return (
    `keys are made by ${deviceKeys ? 'the GPU' : threads}; ` +
    `a line with its key takes ${growth.toFixed(1)} times the line's bytes`
  );
}

/** The number of threads that make keys for the GPU. */
function keyThreads(job: PlannedJob, { processors, mostWorkers }: MachineFacts, { bytes }: InputFacts): number {
  return Math.min(
    Math.max(1, mostWorkers),
    job.resources.parallel ??
      Math.max(1, Math.min(processors, bytes === null ? processors : Math.ceil(bytes / WORKER_BYTES))),
  );
}
