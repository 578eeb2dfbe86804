/**
 * Keeps scratch buffers for the next chunk, because a large allocation costs milliseconds and a zeroing pass. A queue
 * runs work in the order of submission, so a buffer may be returned as soon as the work that uses it is submitted.
 */
import { GpusortError } from '../../../system/errors.js';
import type { Gpu } from './device.js';
import { allocate } from './dispatch.js';

export class DevicePool {
  readonly gpu: Gpu;
  /** Idle buffers, in the order in which they were returned. */
  private readonly free: GPUBuffer[] = [];
  /** Bytes that are taken now, and their maximum so far. */
  private taken = 0;
  private mostTaken = 0;
  /**
   * Maximum size of a reused buffer, relative to the request. A larger one would starve other requests, and waste
   * memory if it is kept.
   */
  private slack = 1.25;
  private readonly isForRecordings: boolean;

  /**
   * `isForRecordings`: the buffers are used by work that may be submitted at any time, so none is freed before
   * `destroyIdle`. Their sizes are powers of two: growing requests then leave behind at most as many bytes as the
   * largest takes.
   */
  constructor(gpu: Gpu, { isForRecordings = false }: { readonly isForRecordings?: boolean } = {}) {
    this.gpu = gpu;
    this.isForRecordings = isForRecordings;
    if (isForRecordings) this.slack = 2;
  }

  /**
   * Accepts much larger buffers from now on, because nothing is kept for long any more. There is still a limit, so that
   * a few words do not take a buffer that a text needs.
   */
  loosen(): void {
    this.slack = 8;
  }

  /**
   * A storage buffer (also copy source and destination, and for indirect dispatches) of at least `bytes`; its contents
   * are undefined. Throws `out-of-device-memory` if memory is short even after all idle buffers are freed.
   */
  async take(bytes: number, label: string): Promise<GPUBuffer> {
    const buffer = this.takeIdle(bytes) ?? (await this.make(bytes, label));
    this.taken += buffer.size;
    this.mostTaken = Math.max(this.mostTaken, this.taken);
    return buffer;
  }

  private async make(bytes: number, label: string): Promise<GPUBuffer> {
    const size = roundedSize(bytes, this.gpu.maxBindingBytes, this.isForRecordings ? 0 : 5);
    try {
      return await allocate(this.gpu, size, label);
    } catch (error) {
      if (!isOutOfMemory(error) || this.free.length === 0 || this.isForRecordings) throw error;
      this.destroyIdle();
      await this.gpu.device.queue.onSubmittedWorkDone();
      return allocate(this.gpu, size, label);
    }
  }

  /** Adds idle buffers of these sizes; false if there is not enough memory. Keeps the existing idle buffers. */
  async grow(sizes: readonly number[], label: string): Promise<boolean> {
    try {
      for (const bytes of sizes) this.free.push(await allocate(this.gpu, bytes, label));
      return true;
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      return false;
    }
  }

  /** Returns buffers to the pool. Submitted work may still use them. */
  give(...buffers: GPUBuffer[]): void {
    this.free.push(...buffers);
    for (const { size } of buffers) this.taken -= size;
  }

  /** Frees all idle buffers. */
  destroyIdle(): void {
    while (this.destroyOne() > 0) {
      /* free the next */
    }
  }

  /**
   * Frees the buffers that have been idle longest, until idle buffers have at most twice the bytes that were ever taken
   * at once. Otherwise requests that grow little by little would each leave buffers behind. For pools that get back
   * only what they lent.
   */
  trim(): void {
    let idle = this.free.reduce((sum, { size }) => sum + size, 0);
    while (idle > 2 * this.mostTaken) {
      const buffer = this.free.shift()!;
      idle -= buffer.size;
      buffer.destroy();
    }
  }

  /** Frees one idle buffer; returns its bytes, or 0 if there is none. */
  destroyOne(): number {
    const buffer = this.free.pop();
    buffer?.destroy();
    return buffer?.size ?? 0;
  }

  private takeIdle(bytes: number): GPUBuffer | undefined {
    let best = -1;
    this.free.forEach((buffer, i) => {
      if (
        buffer.size >= bytes &&
        buffer.size <= this.slack * bytes + 4096 &&
        (best < 0 || buffer.size < this.free[best].size)
      )
        best = i;
    });
    return best < 0 ? undefined : this.free.splice(best, 1)[0];
  }
}

/**
 * The device of one piece of work, and the buffers that it holds. They are returned together, whether it succeeds or
 * fails.
 */
export class Scratch {
  readonly gpu: Gpu;
  private readonly pool: DevicePool;
  private readonly held = new Set<GPUBuffer>();

  /** `gpu`: the pool's device, or the same one with another timer. */
  constructor(pool: DevicePool, gpu = pool.gpu) {
    this.gpu = gpu;
    this.pool = pool;
  }

  async take(bytes: number, label: string): Promise<GPUBuffer> {
    return this.add(await this.pool.take(bytes, label));
  }

  /** Takes ownership of a buffer. */
  add(buffer: GPUBuffer): GPUBuffer {
    this.held.add(buffer);
    return buffer;
  }

  /** Passes ownership of a buffer to the caller. */
  keep(buffer: GPUBuffer): GPUBuffer {
    this.held.delete(buffer);
    return buffer;
  }

  /** Returns one buffer to the pool early. */
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

/**
 * Rounds up to a number with `bits` + 1 significant bits, with 5 by at most a 32nd, if the binding limit allows it, so
 * that similar sizes can share buffers.
 */
function roundedSize(bytes: number, limit: number, bits: number): number {
  const step = 2 ** Math.max(8, Math.floor(Math.log2(Math.max(bytes, 1))) - bits);
  return Math.max(bytes, Math.min(Math.ceil(bytes / step) * step, limit));
}
