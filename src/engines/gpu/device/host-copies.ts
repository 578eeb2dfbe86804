/**
 * Copies large data between buffers and the caller's memory, which may be shared memory. Knows nothing of its contents.
 */

import { quiet } from '../../../system/promises.js';
import { type Gpu, MAP_READ, USAGE } from './device.js';
import { allocate, mapBuffer, send } from './dispatch.js';

/** Bytes of each of two alternating buffers: one is copied out while the other is filled. */
const PIECE_BYTES = 16 << 20;

/** Fills `target` with bytes of `source` from `offset` on (a multiple of 4), when all submitted work is done. */
export async function readInto(gpu: Gpu, source: GPUBuffer, offset: number, target: Uint8Array): Promise<void> {
  const total = target.length;
  if (total === 0) return;
  const size = Math.min(PIECE_BYTES, Math.ceil(total / 4) * 4);
  const pieces = Math.ceil(total / size);
  const buffers: GPUBuffer[] = [];
  const begin = (piece: number): Promise<void> => {
    const buffer = buffers[piece % 2];
    const bytes = Math.ceil(Math.min(size, total - piece * size) / 4) * 4;
    const encoder = gpu.device.createCommandEncoder({ label: 'read into memory' });
    encoder.copyBufferToBuffer(source, offset + piece * size, buffer, 0, bytes);
    gpu.device.queue.submit([encoder.finish()]);
    const mapped = mapBuffer(gpu, buffer, MAP_READ, 0, bytes);
    // Awaited below, or ignored after an earlier failure.
    quiet(mapped);
    return mapped;
  };
  try {
    for (let i = 0; i < Math.min(2, pieces); i++)
      buffers.push(await allocate(gpu, size, 'read into memory', { usage: USAGE.MAP_READ | USAGE.COPY_DST }));
    const under = buffers.map((_, piece) => begin(piece));
    for (let piece = 0; piece < pieces; piece++) {
      await under[piece % 2];
      const buffer = buffers[piece % 2];
      const at = piece * size;
      const length = Math.min(size, total - at);
      target.set(new Uint8Array(buffer.getMappedRange(0, Math.ceil(length / 4) * 4), 0, length), at);
      buffer.unmap();
      if (piece + 2 < pieces) under[piece % 2] = begin(piece + 2);
    }
    gpu.traffic.readBackBytes += total;
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

/** Bytes sent at once, few enough for the queue's own ring of staging memory. */
const SENT_BYTES = 4 << 20;
/** Sends after which the host waits, so that staging memory does not pile up. */
const SENDS_AHEAD = 32;

/**
 * Writes `data` (a multiple of 4 bytes) to the start of `target`. Copies the data first, because the queue rejects
 * shared memory.
 */
export async function sendFrom(gpu: Gpu, target: GPUBuffer, data: Uint8Array): Promise<void> {
  const copy = new Uint8Array(Math.min(SENT_BYTES, data.length));
  for (let at = 0, sends = 1; at < data.length; at += SENT_BYTES, sends++) {
    const part = data.subarray(at, at + SENT_BYTES);
    copy.set(part);
    send(gpu, target, at, copy.subarray(0, part.length));
    if (sends % SENDS_AHEAD === 0) await gpu.device.queue.onSubmittedWorkDone();
  }
}

/** The bytes of an array, not a copy. */
export function asBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
