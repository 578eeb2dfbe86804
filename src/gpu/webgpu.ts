/**
 * Imports WebGPU for Node. The program runs from V8's code cache (bin/load.cjs), and cached code cannot import modules.
 * So the import has a file of its own.
 */
import { createRequire } from 'node:module';
import type * as webgpu from 'webgpu';

/** Loads the package on demand. Rejects if its library cannot be loaded. */
export function importWebGpu(): Promise<typeof webgpu> {
  return (createRequire(import.meta.url)('../../bin/webgpu.cjs') as () => Promise<typeof webgpu>)();
}
