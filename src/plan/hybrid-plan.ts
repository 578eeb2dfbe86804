/** The plan of the algorithm msd-radix-hybrid, whose text stays in host memory (src/engines/gpu/hybrid/). Pure. */

import { HOST_CHUNKS } from '../engines/gpu/records/keyed-lines/key-support.js';
import { isKeyed } from '../keys/keyed.js';
import { KiB, MiB } from '../report/units.js';
import {
  chunkBytesIn,
  type FoundAdapter,
  GPU_CHUNK_BYTES,
  hostThreads,
  inHostMemory,
  keyTaskBytes,
  planIn,
  type Room,
  requestedMemory,
  uploadBytesIn,
} from './gpu-plan.js';
import { keyedGrowth, THREAD_BYTES, windowsOf } from './memory.js';
import type { Basis, GpuPlan } from './plan.js';

/** Bytes of lists for each byte of text: 28 a record, so that lines of 9 bytes and more fit. */
const LISTS = 3;
/** Share of the memory for chunks without -S. */
const CHUNK_SHARE = 1 / 2;
/** Bytes of one merge, and the number of merges in memory for each thread: in progress, waiting and being written. */
const RANGE_BYTES = { least: 64 * KiB, most: 4 * MiB } as const;
const MERGES_PER_THREAD = 5;

export function hybridPlan(basis: Basis, adapter: FoundAdapter, reasons: string[]): GpuPlan {
  return planIn(roomOnHost(basis), basis, adapter, reasons);
}

function roomOnHost(basis: Basis): Room {
  const { job, memory: planned, input } = basis;
  const isBounded = job.resources.memoryBytes !== null;
  // Merges have their own threads.
  const threadBytes = 2 * THREAD_BYTES + keyTaskBytes(basis);
  const workers = hostThreads(basis, threadBytes);
  // The device keeps no runs, and nothing is uploaded: merges take the place of upload buffers.
  const runBytes = isBounded ? Math.floor(planned / 4) : planned;
  const mergeBytes = uploadBytesIn(requestedMemory(basis));
  const forChunks = isBounded
    ? planned - runBytes - mergeBytes - Math.max(0, workers - 1) * threadBytes
    : planned * CHUNK_SHARE;
  return {
    textBytes: GPU_CHUNK_BYTES.most,
    // One large chunk needs no merge.
    usualBytes: GPU_CHUNK_BYTES.most,
    chunkBytes: chunkBytesIn(forChunks, (isKeyed(job.ordering) ? 1 + keyedGrowth(job, input) : 1) + LISTS),
    rangeBytes: Math.max(
      RANGE_BYTES.least,
      Math.min(RANGE_BYTES.most, Math.floor(mergeBytes / (MERGES_PER_THREAD * workers))),
    ),
    deviceKeys: false,
    workers,
    runs: (chunkBytes) => ({
      residentBytes: runBytes,
      hostBytes: 0,
      // Windows lie in the memory of chunks, beside runs.
      windows: windowsOf(job, runBytes + HOST_CHUNKS * chunkBytes, chunkBytes),
      names: inHostMemory(runBytes),
    }),
  };
}
