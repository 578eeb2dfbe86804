/**
 * How much device memory runs may keep. Decides only; it holds no buffer.
 */
import type { BufferPool } from '../device/pool.js';

export class Residency {
  private readonly pool: BufferPool;
  /** Most bytes that runs may hold; null: what the device has. */
  private readonly limit: number | null;
  private used = 0;

  constructor(pool: BufferPool, limit: number | null) {
    this.pool = pool;
    this.limit = limit;
  }

  /**
   * Whether buffers that now are scratch may be kept. WebGPU does not tell how much memory there is: others of their sizes must
   * be had in their place, so that the next chunk finds as much scratch as this one did.
   */
  async admit(buffers: readonly GPUBuffer[]): Promise<boolean> {
    const bytes = sizeOf(buffers);
    if (this.limit !== null && this.used + bytes > this.limit) return false;
    this.used += bytes;
    if (await this.pool.grow(buffers.map((b) => b.size), 'sorted text')) return true;
    this.used -= bytes;
    return false;
  }

  /** Gives the memory of a run back to the device: others of its size are in the pool. What is submitted may still use it. */
  release(buffers: readonly GPUBuffer[]): void {
    this.used -= sizeOf(buffers);
    for (const buffer of buffers) buffer.destroy();
  }
}

function sizeOf(buffers: readonly GPUBuffer[]): number {
  return buffers.reduce((sum, buffer) => sum + buffer.size, 0);
}
