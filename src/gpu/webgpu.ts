/** Where WebGPU for Node comes from. The program's code is kept from its build (bin/load.cjs), and V8 lets such code import nothing: a file of its own does. */
import { createRequire } from 'node:module';
import type * as webgpu from 'webgpu';
import { GpusortError } from '../report/errors.js';

/** The package, loaded when it is asked for. Rejects where its library cannot be loaded. */
export function importWebGpu(): Promise<typeof webgpu> {
  return (createRequire(import.meta.url)('../../bin/webgpu.cjs') as () => Promise<typeof webgpu>)()
    .catch((error: unknown) => { throw packageError(error); });
}

/** A missing package needs other advice than a missing driver. Other errors are left as they are. */
function packageError(error: unknown): unknown {
  const problem = (reason: string, hint: string): GpusortError => new GpusortError('no-adapter', `no GPU can be used: ${reason}`, { cause: error, hint });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ERR_MODULE_NOT_FOUND': return problem('the webgpu package is not installed', 'Install gpusort again with its dependencies, or use --engine cpu.');
    case 'MODULE_NOT_FOUND': return problem(`the webgpu package has no library for ${process.platform} on ${process.arch}`, 'Use --engine cpu.');
    default: return error;
  }
}
