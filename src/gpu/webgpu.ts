/** Where WebGPU for Node comes from. The program's code is kept from its build (bin/load.cjs), and V8 lets such code import nothing: a file of its own does. */
import { createRequire } from 'node:module';
import type * as webgpu from 'webgpu';

/** The package, loaded when it is asked for. Rejects where its library cannot be loaded. */
export function importWebGpu(): Promise<typeof webgpu> {
  return (createRequire(import.meta.url)('../../bin/webgpu.cjs') as () => Promise<typeof webgpu>)();
}
