/**
 * Shared memory handed out and taken back. Fresh memory costs a page fault for every 4 KiB when it is first touched, so buffers
 * are used again; it costs nothing before it is touched, so a chunk may be large and its input small.
 */
import type { SharedMemory } from '../engine.js';

export type BufferPool = SharedMemory;

/** A pool that keeps at most `most` buffers that nobody uses. */
export function createBufferPool(most: number): BufferPool {
  /** Smallest first. */
  const free: SharedArrayBuffer[] = [];
  return {
    take(bytes) {
      const fit = free.findIndex((buffer) => buffer.byteLength >= bytes);
      // A far larger one is left for those that need it, and not kept from them by a run that stays.
      if (fit >= 0 && free[fit].byteLength <= 2 * bytes) return free.splice(fit, 1)[0];
      return new SharedArrayBuffer(bytes);
    },
    give(buffer) {
      const at = free.findIndex((other) => other.byteLength >= buffer.byteLength);
      free.splice(at < 0 ? free.length : at, 0, buffer);
      if (free.length > most) free.shift();
    },
  };
}
