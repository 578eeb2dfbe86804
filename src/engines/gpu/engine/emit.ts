/**
 * Text on its way from the device: a ring of mapped read-back buffers. Blocks are copied and mapped while earlier ones
 * are written. Knows nothing of records.
 */

import type { BlockWriter } from '../../../contract/engine.js';
import type { Recorder } from '../../../report/recorder.js';
import { GpusortError } from '../../../system/errors.js';
import { quiet } from '../../../system/promises.js';
import { type Gpu, MAP_READ, USAGE } from '../device/device.js';
import { allocate, checkDevice, mapBuffer } from '../device/dispatch.js';

/**
 * Maximum number of read-back buffers, and maximum bytes of each: two being written, two being copied, two between.
 * They are few and small so that a block is still in a CPU cache when it is copied to the output. In-memory files take
 * 3.0 to 3.3 GB/s this way, and 2.8 to 3.1 GB/s from 12 buffers of 8 MiB (H200 machine).
 */
const TEXT_BUFFERS = 6;
const MOST_BLOCK_BYTES = 4 << 20;
/**
 * The same number for compressed text: enough that all copies of a range of 128 MiB are submitted before the device
 * begins to compress the next one, which they would have to wait for. On an H200, 20 M reads from BGZF to BGZF take
 * 4.04 s with 12 or more buffers, 4.4 with 6; 10 M alignments by coordinate 1.90 and 2.01 (medians of 3, 30 November
 * 2026).
 */
export const COMPRESSED_BUFFERS = 12;
/** A block is at most this fraction of a chunk, so that the ring is small when memory is short. */
const BLOCKS_PER_CHUNK = 4;
/** Minimum bytes of a buffer, so that the next small text can reuse it. */
const LEAST_BYTES = 64 << 10;

/** Bytes of a block for chunks of `chunkBytes`. */
export function readBlockBytes(chunkBytes: number): number {
  return Math.min(MOST_BLOCK_BYTES, Math.max(LEAST_BYTES, Math.ceil(chunkBytes / BLOCKS_PER_CHUNK / 4) * 4));
}

interface ReadBackBlock {
  readonly buffer: GPUBuffer;
  readonly bytes: Uint8Array;
}

/** Reads text back in blocks; one for each engine. Texts are read in the order of the calls. */
export class ReadRing {
  private readonly gpu: Gpu;
  private readonly recorder: Recorder;
  private readonly blockBytes: number;
  private readonly most: number;
  private readonly free: GPUBuffer[] = [];
  private readonly all = new Set<GPUBuffer>();
  private readonly waiters: { resolve(): void; reject(error: unknown): void }[] = [];
  private inUse = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private closed = false;

  /** `most`: the number of buffers. */
  constructor(gpu: Gpu, recorder: Recorder, blockBytes: number, most = TEXT_BUFFERS) {
    this.gpu = gpu;
    this.recorder = recorder;
    this.blockBytes = blockBytes;
    this.most = most;
  }

  /** Passes `length` bytes of `text` from byte `offset` on to `write`, in blocks and in order. */
  async emit(text: GPUBuffer, offset: number, length: number, write: BlockWriter): Promise<void> {
    // A text requests buffers only after all earlier texts have theirs; else it could hold buffers that they wait for.
    let passTurn = (): void => {};
    const previous = this.turn;
    this.turn = new Promise<void>((resolve) => {
      passTurn = resolve;
    });
    const ahead: Promise<ReadBackBlock>[] = [];
    const writes: Promise<void>[] = [];
    let failed = false;
    try {
      await previous;
      const end = offset + length;
      let at = offset;
      while ((at < end || ahead.length > 0) && !failed) {
        while (at < end && ahead.length < this.most) {
          // Copies begin at a word; the view of the first block omits the bytes before `offset`.
          const from = Math.floor(at / 4) * 4;
          const to = Math.min(end, from + this.blockBytes);
          const block = this.fetch(text, from, at, to);
          // Awaited below, or ignored after an earlier failure.
          quiet(block);
          ahead.push(block);
          at = to;
        }
        const { buffer, bytes } = await ahead[0];
        ahead.shift();
        const written = write(bytes).finally(() => {
          this.giveBack(buffer);
        });
        written.catch(() => {
          failed = true;
        });
        writes.push(written);
      }
    } finally {
      passTurn();
      for (const block of await Promise.allSettled(ahead))
        if (block.status === 'fulfilled') this.giveBack(block.value.buffer);
      // Memory must not be freed while it is being written.
      await Promise.allSettled(writes);
    }
    await Promise.all(writes);
  }

  /** Frees the memory. */
  close(): void {
    this.closed = true;
    for (const waiter of this.waiters.splice(0))
      waiter.reject(new GpusortError('device-lost', 'the GPU engine was closed'));
    for (const buffer of this.all) buffer.destroy();
  }

  private async fetch(text: GPUBuffer, from: number, at: number, to: number): Promise<ReadBackBlock> {
    const size = Math.ceil((to - from) / 4) * 4;
    const buffer = await this.acquire(size);
    try {
      const start = performance.now();
      const encoder = this.gpu.device.createCommandEncoder({ label: 'read-back' });
      encoder.copyBufferToBuffer(text, from, buffer, 0, size);
      this.gpu.device.queue.submit([encoder.finish()]);
      await mapBuffer(this.gpu, buffer, MAP_READ, 0, size);
      this.gpu.traffic.readBackBytes += to - at;
      this.recorder.span('read-back', start, to - at);
      return { buffer, bytes: new Uint8Array(buffer.getMappedRange(0, size), at - from, to - at) };
    } catch (error) {
      this.discard(buffer);
      throw error;
    }
  }

  private async acquire(size: number): Promise<GPUBuffer> {
    if (this.inUse >= this.most)
      await new Promise<void>((resolve, reject) => {
        this.waiters.push({ resolve, reject });
      });
    else this.inUse++;
    try {
      checkDevice(this.gpu);
      const fit = this.free.findIndex((buffer) => buffer.size >= size);
      if (fit >= 0) return this.free.splice(fit, 1)[0];
      // A free buffer that is too small makes room for a larger one.
      const small = this.free.pop();
      if (small !== undefined) {
        this.all.delete(small);
        small.destroy();
      }
      const bytes = Math.min(this.blockBytes, Math.max(size, LEAST_BYTES));
      const buffer = await allocate(this.gpu, bytes, 'read-back', { usage: USAGE.MAP_READ | USAGE.COPY_DST });
      this.all.add(buffer);
      return buffer;
    } catch (error) {
      this.passOn();
      throw error;
    }
  }

  private giveBack(buffer: GPUBuffer): void {
    if (this.closed) return;
    buffer.unmap();
    this.free.push(buffer);
    this.passOn();
  }

  private discard(buffer: GPUBuffer): void {
    this.all.delete(buffer);
    buffer.destroy();
    this.passOn();
  }

  /** Hands this buffer's place in the ring to the next waiter. */
  private passOn(): void {
    const waiter = this.waiters.shift();
    if (waiter !== undefined) waiter.resolve();
    else this.inUse--;
  }
}
