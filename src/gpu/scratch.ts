/**
 * The buffers one operation borrows from the pool, so that all of them go back whatever happens.
 */
import type { Binding } from './dispatch.js';
import type { BufferPool } from './pool.js';

export class Scratch {
  private readonly pool: BufferPool;
  private readonly held = new Set<GPUBuffer>();

  constructor(pool: BufferPool) { this.pool = pool; }

  async take(bytes: number, label: string): Promise<GPUBuffer> {
    const buffer = await this.pool.take(bytes, label);
    this.held.add(buffer);
    return buffer;
  }

  /** Buffers go back early; work already submitted may still use them, since the queue keeps its order. */
  give(...buffers: GPUBuffer[]): void {
    for (const buffer of buffers) if (this.held.delete(buffer)) this.pool.give(buffer);
  }

  /** Lets the caller keep a buffer: it has to give it to the pool itself. */
  keep(buffer: GPUBuffer): GPUBuffer {
    this.held.delete(buffer);
    return buffer;
  }

  giveAll(): void { this.give(...this.held); }
}

/** The first `bytes` of a buffer: one from the pool can be larger than a binding may be. */
export function part(buffer: GPUBuffer, bytes: number): Binding {
  return { buffer, offset: 0, size: Math.max(16, Math.ceil(bytes / 4) * 4) };
}
