/**
 * Decides how much device memory runs may keep. Holds no buffer.
 */
import type { DevicePool } from '../device/pool.js';

export class Residency {
  private readonly pool: DevicePool;
  /** Maximum bytes that runs may hold; null: as much as the device has. */
  private readonly limit: number | null;
  private used = 0;

  constructor(pool: DevicePool, limit: number | null) {
    this.pool = pool;
    this.limit = limit;
  }

  /**
   * Whether scratch buffers may be kept for a run. WebGPU does not report free memory, so buffers of the same sizes are
   * allocated to replace them. The next chunk then finds as much scratch as this one did.
   */
  async admit(buffers: readonly GPUBuffer[]): Promise<boolean> {
    const bytes = sizeOf(buffers);
    if (this.limit !== null && this.used + bytes > this.limit) return false;
    this.used += bytes;
    if (
      await this.pool.grow(
        buffers.map((b) => b.size),
        'sorted text',
      )
    )
      return true;
    this.used -= bytes;
    return false;
  }

  /**
   * Frees the memory of a run; the pool has replacements of the same sizes. Submitted work may still use the buffers.
   */
  release(buffers: readonly GPUBuffer[]): void {
    this.used -= sizeOf(buffers);
    for (const buffer of buffers) buffer.destroy();
  }
}

function sizeOf(buffers: readonly GPUBuffer[]): number {
  return buffers.reduce((sum, buffer) => sum + buffer.size, 0);
}
