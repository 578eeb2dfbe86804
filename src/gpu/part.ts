/**
 * Windows of buffers for bindings.
 */
import type { Binding } from './dispatch.js';

/** The first `bytes` of a buffer: one from the pool can be larger than a binding may be. */
export function part(buffer: GPUBuffer, bytes: number): Binding {
  return { buffer, offset: 0, size: Math.max(16, Math.ceil(bytes / 4) * 4) };
}
