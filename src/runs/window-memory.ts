/** Shared memory for windows. Blocks from an engine's pool are each divided into as many windows as fit. */
import type { SharedMemory } from '../system/threads/buffers.js';

/** Bytes [begin, begin + bytes) of a shared buffer. */
export interface WindowPlace {
  readonly buffer: SharedArrayBuffer;
  readonly begin: number;
  readonly bytes: number;
}

export const NO_PLACE: WindowPlace = { buffer: new SharedArrayBuffer(0), begin: 0, bytes: 0 };

/** Bytes [from, to) of a place. */
export function placeBytes({ buffer, begin }: WindowPlace, from: number, to: number): Buffer {
  return Buffer.from(buffer, begin + from, to - from);
}

export class WindowMemory {
  readonly windowBytes: number;
  readonly blockBytes: number;
  private readonly pool: SharedMemory;
  private readonly blocks: SharedArrayBuffer[] = [];
  private readonly free: WindowPlace[] = [];

  /**
   * Windows of about `windowBytes` bytes. They share blocks of `pool`, of `blockBytes` or, if that is larger, of one
   * window.
   */
  constructor(pool: SharedMemory, blockBytes: number, windowBytes: number) {
    this.pool = pool;
    this.blockBytes = Math.max(blockBytes, windowBytes);
    this.windowBytes = Math.floor(this.blockBytes / Math.ceil(this.blockBytes / windowBytes));
  }

  /** A window, or a larger place of `bytes` bytes. */
  take(bytes: number): WindowPlace {
    if (bytes > this.windowBytes) return { buffer: this.pool.take(bytes), begin: 0, bytes };
    if (this.free.length === 0) {
      const buffer = this.pool.take(this.blockBytes);
      this.blocks.push(buffer);
      for (let begin = 0; begin + bytes <= this.blockBytes; begin += bytes) this.free.push({ buffer, begin, bytes });
    }
    return this.free.pop()!;
  }

  give(place: WindowPlace): void {
    if (place.bytes > this.windowBytes) this.pool.give(place.buffer);
    else if (place.bytes > 0) this.free.push(place);
  }

  /** Returns all blocks to the pool. No window may be in use. */
  close(): void {
    for (const block of this.blocks.splice(0)) this.pool.give(block);
  }
}
