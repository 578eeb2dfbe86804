/**
 * Types of what a dispatch passes to a kernel by name: parts of buffers (bindings) and words (immediates).
 */

/** The part of a buffer that a kernel sees, in bytes. The offset is a multiple of 256. */
export interface BufferBinding {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/** A whole buffer, or a part of one. */
export type Binding = GPUBuffer | BufferBinding;

/** Bindings by the names that the kernel's WGSL declares. */
export type Bindings = Readonly<Record<string, Binding>>;

/** The words of a kernel's `var<immediate>`, by the names of its struct's fields. */
export type Immediates = Readonly<Record<string, number>>;

/** Bytes of the smallest binding, unless the buffer is smaller: an element of every type in our kernels. */
const LEAST_BYTES = 16;

/** Binds the first `bytes` of a buffer. A buffer from the pool can be larger than a binding may be. */
export function bind(buffer: GPUBuffer, bytes: number): BufferBinding {
  const size = bytes < LEAST_BYTES ? Math.min(LEAST_BYTES, buffer.size) : Math.ceil(bytes / 4) * 4;
  return { buffer, offset: 0, size };
}
