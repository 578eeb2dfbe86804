/**
 * A pool of shared memory. New memory costs a page fault per 4 KiB when it is first touched, so buffers are reused.
 * Untouched memory costs nothing, so a chunk may be large although its input is small.
 */

/**
 * The binary logarithm of the number of buffer sizes between a size and its double: buffers are at most an eighth
 * larger than needed.
 */
const SIZE_BITS = 3;

export interface SharedMemory {
  /** A buffer of at least `bytes` bytes with undefined content. */
  take(bytes: number): SharedArrayBuffer;
  give(buffer: SharedArrayBuffer): void;
}

/** Rounds sizes up, so that requests of nearly equal sizes can use the same buffers. */
function roundUp(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(bytes)) - SIZE_BITS);
  return Math.ceil(bytes / step) * step;
}

/** A pool that retains at most `most` unused buffers. */
export function createSharedMemory(most: number): SharedMemory {
  /** Smallest first. */
  const free: SharedArrayBuffer[] = [];
  return {
    take(bytes) {
      const size = roundUp(bytes);
      const fit = free.findIndex((buffer) => buffer.byteLength >= bytes);
      // Do not use a much larger buffer: a run might keep it for a long time, while others need it.
      if (fit >= 0 && free[fit].byteLength <= 2 * size) return free.splice(fit, 1)[0];
      return new SharedArrayBuffer(size);
    },
    give(buffer) {
      const at = free.findIndex((other) => other.byteLength >= buffer.byteLength);
      free.splice(at < 0 ? free.length : at, 0, buffer);
      if (free.length > most) free.shift();
    },
  };
}
