/**
 * Scratch buffers kept for the next chunk: large allocations cost milliseconds and a zeroing pass each.
 */
import { GpusortError } from '../report/errors.js';
import { allocate } from './dispatch.js';
import type { Gpu } from './device.js';

export class BufferPool {
  private readonly gpu: Gpu;
  private readonly free: GPUBuffer[] = [];

  constructor(gpu: Gpu) { this.gpu = gpu; }

  /**
   * A storage buffer (also copy source and destination) of at least `bytes`, contents undefined. Throws `out-of-device-memory`
   * when there is none even after the idle ones are given back.
   */
  async take(bytes: number, label: string): Promise<GPUBuffer> {
    let best = -1;
    this.free.forEach((buffer, i) => {
      // A buffer more than twice too large would starve others.
      if (buffer.size >= bytes && buffer.size <= 2 * bytes + 65536 && (best < 0 || buffer.size < this.free[best]!.size)) best = i;
    });
    if (best >= 0) return this.free.splice(best, 1)[0]!;
    try {
      return await allocate(this.gpu, bytes, label);
    } catch (error) {
      if (!(error instanceof GpusortError) || error.code !== 'out-of-device-memory' || this.free.length === 0) throw error;
      this.destroyIdle();
      await this.gpu.device.queue.onSubmittedWorkDone();
      return allocate(this.gpu, bytes, label);
    }
  }

  give(...buffers: GPUBuffer[]): void { this.free.push(...buffers); }

  /** Gives the idle buffers back to the device. */
  destroyIdle(): void {
    for (const buffer of this.free) buffer.destroy();
    this.free.length = 0;
  }
}
