/**
 * Windows of buffers, for bindings.
 */

/** A window of a buffer, in bytes. */
export interface BufferPart {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** The first `bytes` of a buffer. A buffer from the pool can be larger than a binding may be. */
export function part(buffer: GPUBuffer, bytes: number): BufferPart {
  return { buffer, offset: 0, size: Math.max(16, Math.ceil(bytes / 4) * 4) };
}
