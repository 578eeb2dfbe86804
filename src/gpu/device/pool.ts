/**
 * Scratch buffers kept for the next chunk: large allocations cost milliseconds and a zeroing pass each. Work on one queue runs
 * in the order of submission, so a buffer may be given back as soon as the work that uses it is submitted.
 */
import { GpusortError } from '../../report/errors.js';
import { allocate } from './dispatch.js';
import type { Gpu } from './device.js';

export class BufferPool {
  private readonly gpu: Gpu;
  private readonly free: GPUBuffer[] = [];
  /** How many times as large as asked an idle buffer may be: a larger one would starve others, and waste memory where it is kept. */
  private slack = 1.25;

  constructor(gpu: Gpu) { this.gpu = gpu; }

  /** From now on nothing is kept for long: much larger buffers will do, but a few words shall not take what a text needs. */
  loosen(): void { this.slack = 8; }

  /**
   * A storage buffer (also copy source and destination) of at least `bytes`, contents undefined. Throws `out-of-device-memory`
   * when there is none even after the idle ones are given back.
   */
  async take(bytes: number, label: string): Promise<GPUBuffer> {
    const idle = this.takeIdle(bytes);
    if (idle !== undefined) return idle;
    const size = roundedSize(bytes, this.gpu.maxBindingBytes);
    try {
      return await allocate(this.gpu, size, label);
    } catch (error) {
      if (!isOutOfMemory(error) || this.free.length === 0) throw error;
      this.destroyIdle();
      await this.gpu.device.queue.onSubmittedWorkDone();
      return allocate(this.gpu, size, label);
    }
  }

  /** Adds idle buffers of these sizes; false where memory does not allow it. What is idle stays. */
  async grow(sizes: readonly number[], label: string): Promise<boolean> {
    try {
      for (const bytes of sizes) this.free.push(await allocate(this.gpu, bytes, label));
      return true;
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      return false;
    }
  }

  /** Gives buffers back; what is submitted may still use them. */
  give(...buffers: GPUBuffer[]): void { this.free.push(...buffers); }

  /** Gives the idle buffers back to the device. */
  destroyIdle(): void {
    while (this.destroyOne() > 0) { /* the next */ }
  }

  /** Gives one idle buffer back and returns its bytes, 0 if there is none. */
  destroyOne(): number {
    const buffer = this.free.pop();
    buffer?.destroy();
    return buffer?.size ?? 0;
  }

  private takeIdle(bytes: number): GPUBuffer | undefined {
    let best = -1;
    this.free.forEach((buffer, i) => {
      if (buffer.size >= bytes && buffer.size <= this.slack * bytes + 4096 && (best < 0 || buffer.size < this.free[best]!.size)) best = i;
    });
    return best < 0 ? undefined : this.free.splice(best, 1)[0]!;
  }
}

/** The buffers that one piece of work holds, given back together whatever happens to it. */
export class Scratch {
  private readonly pool: BufferPool;
  private readonly held = new Set<GPUBuffer>();

  constructor(pool: BufferPool) { this.pool = pool; }

  async take(bytes: number, label: string): Promise<GPUBuffer> {
    return this.add(await this.pool.take(bytes, label));
  }

  /** Takes charge of a buffer that is to go to the pool. */
  add(buffer: GPUBuffer): GPUBuffer {
    this.held.add(buffer);
    return buffer;
  }

  /** Leaves a buffer to the caller. */
  keep(buffer: GPUBuffer): GPUBuffer {
    this.held.delete(buffer);
    return buffer;
  }

  /** Gives one buffer back early. */
  drop(buffer: GPUBuffer): void {
    if (this.held.delete(buffer)) this.pool.give(buffer);
  }

  end(): void {
    this.pool.give(...this.held);
    this.held.clear();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof GpusortError && error.code === 'out-of-device-memory';
}

/** Sizes a little apart share buffers: rounded up by at most a 32nd, where the binding limit allows it. */
function roundedSize(bytes: number, limit: number): number {
  const step = 2 ** Math.max(8, Math.floor(Math.log2(Math.max(bytes, 1))) - 5);
  return Math.max(bytes, Math.min(Math.ceil(bytes / step) * step, limit));
}
