/** The plan of the GPU engine: chunks, the memory of the device and of the host, and who makes the keys. Pure. */

import { HOST_CHUNKS, keysOnDevice } from '../engines/gpu/records/keyed-lines/key-support.js';
import { UPLOAD_BUFFERS } from '../engines/gpu/thresholds.js';
import { isKeyed, longestLine, mostKeyed } from '../keys/keyed.js';
import { formatBytes, GiB, KiB, MiB } from '../report/units.js';
import type { WindowSizes } from '../runs/fan-in.js';
import { chooseAlgorithm } from './algorithm.js';
import type { AdapterAnswer } from './facts.js';
import { idleTunings } from './idle-tunings.js';
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
 * Chunks of the GPU engine. Small ones overlap, and need little memory, which takes 20 ms per GiB to allocate and again
 * to free. Larger ones keep the number of runs small; each run costs each merge a copy (H200, 10 GB: 3.9 s with 40 or
 * 20 runs, 4.3 s with 80).
 */
export const GPU_CHUNK_BYTES = { least: 256 * MiB, most: 1 * GiB } as const;
/** The preferred maximum number of GPU runs. */
const GPU_RUNS = 40;
const GPU_PIECE_BYTES = { least: 256 * KiB, most: 8 * MiB } as const;
/** With -S: the share of host memory for upload buffers and for text read from temporary files before its upload. */
const UPLOAD_MEMORY = 1 / 2;
/** Bytes of a key-making task for the GPU. A thread also holds a copy of the text, and its keyed lines. */
const KEY_TASK_BYTES = 4 * MiB;
/** Bytes of one merge: enough work for a large GPU, and finished soon when the output waits for its first block. */
const GPU_RANGE_BYTES = 256 * MiB;
/**
 * Working memory of sorts and merges besides resident runs, in chunks: 8 were measured for lines of 11 bytes, 5 for
 * lines of 100.
 */
const GPU_WORK_CHUNKS = 8;
/**
 * Bytes of a chunk for each record sorted at once, if memory is bounded: a record takes 50 bytes in lists, whatever its
 * length.
 */
const GPU_CHUNK_BYTES_PER_RECORD = 12;

/** Facts of an adapter that was found. */
export type FoundAdapter = Extract<AdapterAnswer, { found: true }>;

/** The room that a plan has for text, wherever it is, and the host's threads. Sizes are in bytes. */
export interface Room {
  /** The largest text sorted or merged at once. */
  readonly textBytes: number;
  /** The best size of a chunk with its keys, if the size of the input is known. */
  readonly usualBytes: number;
  /** The largest chunk that fits the host's memory; Infinity if the host holds none. */
  readonly chunkBytes: number;
  readonly rangeBytes: number;
  readonly deviceKeys: boolean;
  /** Threads of the host. */
  readonly workers: number;
  /** The places for runs, if chunks have `chunkBytes`, or `sortedBytes` with their keys. */
  runs(chunkBytes: number, sortedBytes: number): RunPlaces;
}

interface RunPlaces {
  /** In the engine's memory; Infinity: until it is full. */
  readonly residentBytes: number;
  /** In host memory outside the engine. */
  readonly hostBytes: number;
  readonly windows: WindowSizes;
  /** The places before temporary files, for `--explain`. */
  readonly names: readonly string[];
}

/** The plan for text on the device. */
export function gpuPlan(basis: Basis, adapter: FoundAdapter, reasons: string[]): GpuPlan {
  return planIn(roomOnDevice(basis, adapter), basis, adapter, reasons);
}

/** The plan for text that has `room`. */
export function planIn(room: Room, basis: Basis, adapter: FoundAdapter, reasons: string[]): GpuPlan {
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
  const memory = requestedMemory(basis);
  const within = Math.max(64 * KiB, Math.floor((resources.gpuMemoryBytes ?? Infinity) / (2 * GPU_WORK_CHUNKS)));
  const chunkBytes = Math.min(
    longestLine(key, room.textBytes),
    atLeastOneRecord(
      job,
      resources.chunkBytes ?? Math.min(usualChunkBytes(basis, room.usualBytes, within), room.chunkBytes),
    ),
  );
  // Any line of a chunk fits with its key; the whole chunk usually does.
  const mergeBytes = keyed
    ? Math.min(room.textBytes, Math.max(mostKeyed(key, chunkBytes), resources.chunkBytes === null ? within : 0))
    : chunkBytes;
  const sortedBytes = Math.min(mergeBytes, Math.ceil(chunkBytes * growth));
  const runs = room.runs(chunkBytes, sortedBytes);
  const mostRecords = resources.gpuMemoryBytes === null ? null : Math.ceil(sortedBytes / GPU_CHUNK_BYTES_PER_RECORD);
  const chosen = chooseAlgorithm(job, Math.min(chunkBytes, input.bytes ?? Infinity), mostRecords, input, reasons);
  reasons.push(...idleTunings(job, input, chunkBytes));
  if (keyed) reasons.push(whoMakesKeys(room, growth, resources.parallel !== null));
  reasons.push(
    `chunks of ${formatBytes(chunkBytes)}${resources.chunkBytes === null ? '' : ': as requested'}; ` +
      `a binding holds ${formatBytes(adapter.maxBindingBytes)}`,
    `runs stay ${[...runs.names, 'in temporary files'].join(', then ')}`,
  );
  return {
    engine: 'gpu',
    ...chosen,
    tunings: resources.tunings,
    limit: engineLimit(job),
    deviceKeys: room.deviceKeys,
    inflates: null,
    deflateLevel: null,
    bam: null,
    workers: room.workers,
    chunkBytes,
    mergeBytes,
    pieceBytes: Math.min(Math.ceil(pieceBytesIn(memory) / 16) * 16, Math.ceil(chunkBytes / 16) * 16),
    // If memory is bounded, the results of merges, some of which wait, must not take more than chunks did.
    rangeBytes: Math.min(resources.gpuMemoryBytes === null ? sortedBytes : Math.ceil(sortedBytes / 2), room.rangeBytes),
    mostRecords,
    residentBytes: runs.residentBytes === Infinity ? null : runs.residentBytes,
    windows: runs.windows,
    smallHeap: memory <= SMALL_MEMORY,
    hostBytes: runs.hostBytes,
    reasons,
  };
}

/**
 * Bytes of text in a chunk, if the host's memory does not matter. `usual`: the preferred size with keys, for an input
 * of known size; `within`: the size that the GPU's memory allows.
 */
function usualChunkBytes({ job, input }: Basis, usual: number, within: number): number {
  const { bytes } = input;
  const even = bytes === null ? Infinity : Math.max(64 * KiB, bytes + 4 * KiB);
  // Chunks as read are smaller than chunks with keys, by the growth.
  const withKeys = Math.min(bytes === null ? GPU_CHUNK_BYTES.least : usual, within);
  return Math.min(Math.ceil(withKeys / keyedGrowth(job, input)), even);
}

function roomOnDevice(basis: Basis, adapter: FoundAdapter): Room {
  const { job, memory: planned, input } = basis;
  const { memoryBytes, gpuMemoryBytes } = job.resources;
  const keyed = isKeyed(job.ordering);
  const growth = keyedGrowth(job, input);
  const deviceKeys = keysOnDevice(job.ordering.key);
  const memory = requestedMemory(basis);
  const threadBytes = THREAD_BYTES + keyTaskBytes(basis);
  // If the device makes the keys, threads only make those of a few long lines.
  const workers = keyed ? hostThreads(basis, deviceKeys ? 0 : threadBytes) : 0;
  // If the host makes the keys, it holds the chunks and their keyed lines.
  const forChunks = memory - uploadBytesIn(memory) - Math.max(0, workers - 1) * threadBytes;
  const usual = Math.ceil(((input.bytes ?? 0) * growth) / GPU_RUNS);
  return {
    textBytes: adapter.maxBindingBytes - BINDING_PAD,
    usualBytes: Math.min(GPU_CHUNK_BYTES.most, Math.max(GPU_CHUNK_BYTES.least, usual)),
    chunkBytes: keyed && !deviceKeys ? chunkBytesIn(forChunks, 1 + growth) : Infinity,
    rangeBytes: GPU_RANGE_BYTES,
    deviceKeys,
    workers,
    runs: (_, sortedBytes) => {
      const free = Math.max(0, (gpuMemoryBytes ?? Infinity) - GPU_WORK_CHUNKS * sortedBytes);
      const residentBytes = Math.min(memoryBytes ?? Infinity, free);
      const hostBytes = memoryBytes === null ? planned : 0;
      const onDevice = residentBytes === Infinity ? 'until it is full' : `up to ${formatBytes(residentBytes)}`;
      return {
        residentBytes,
        hostBytes,
        windows: windowsOf(job, 0),
        names: [`in GPU memory ${onDevice}`, ...inHostMemory(hostBytes)],
      };
    },
  };
}

/** Bytes that -S leaves to the sort; Infinity without -S. */
export function requestedMemory({ job, memory }: Basis): number {
  return job.resources.memoryBytes === null ? Infinity : memory;
}

function pieceBytesIn(memory: number): number {
  return Math.max(
    GPU_PIECE_BYTES.least,
    Math.min(GPU_PIECE_BYTES.most, Math.floor((memory * UPLOAD_MEMORY) / (2 * UPLOAD_BUFFERS))),
  );
}

/** Bytes of upload buffers, and of an equal number of read-back buffers. */
export function uploadBytesIn(memory: number): number {
  return 2 * UPLOAD_BUFFERS * pieceBytesIn(memory);
}

/** Bytes of a chunk that the host holds, if each takes `factor` times its text. */
export function chunkBytesIn(memory: number, factor: number): number {
  return Math.max(64 * KiB, Math.floor(memory / (HOST_CHUNKS * factor)));
}

/** Bytes that a thread takes to make keys; 0 if lines have none. */
export function keyTaskBytes({ job, input }: Basis): number {
  return isKeyed(job.ordering) ? (1 + keyedGrowth(job, input)) * KEY_TASK_BYTES : 0;
}

/** The number of the host's threads, at least 1. All of them together may take a quarter of -S. */
export function hostThreads(basis: Basis, threadBytes: number): number {
  const {
    job,
    machine: { processors, mostWorkers },
    input: { bytes },
  } = basis;
  return Math.min(
    Math.max(1, Math.floor(requestedMemory(basis) / 4 / threadBytes)),
    Math.max(1, mostWorkers),
    job.resources.parallel ??
      Math.max(1, Math.min(processors, bytes === null ? processors : Math.ceil(bytes / WORKER_BYTES))),
  );
}

/** Host memory as a place for runs; empty if it has no bytes. */
export function inHostMemory(bytes: number): readonly string[] {
  return bytes === 0 ? [] : [`in host memory up to ${formatBytes(bytes)}`];
}

function whoMakesKeys({ deviceKeys, workers }: Room, growth: number, isRequested: boolean): string {
  const requested = isRequested ? ', as requested' : '';
  const threads = `${workers} ${workers === 1 ? 'thread' : 'threads'} of the host${requested}`;
  return (
    `keys are made by ${deviceKeys ? 'the GPU' : threads}; ` +
    `a line with its key takes ${growth.toFixed(1)} times the line's bytes`
  );
}
