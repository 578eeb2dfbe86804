/**
 * Imports WebGPU for Node. The program runs from V8's code cache (bin/load.cjs), and cached code cannot import modules.
 * So the import has a file of its own.
 */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type * as webgpu from 'webgpu';
import { installed } from '../../installed.js';
import { GpusortError } from '../../report/errors.js';

/** Loads the package on demand. Rejects if its library cannot be loaded. */
export function importWebGpu(): Promise<typeof webgpu> {
  return (
    createRequire(import.meta.url)(fileURLToPath(installed('bin/webgpu.cjs'))) as () => Promise<typeof webgpu>
  )().catch((error: unknown) => {
    throw packageError(error);
  });
}

/** A missing package needs other advice than a missing driver. Other errors are left as they are. */
function packageError(error: unknown): unknown {
  const problem = (reason: string, hint: string): GpusortError =>
    new GpusortError('no-adapter', `no GPU can be used: ${reason}`, { cause: error, hint });
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ERR_MODULE_NOT_FOUND':
      return problem(
        'the webgpu package is not installed',
        'Install gpusort again with its dependencies, or use --engine cpu.',
      );
    case 'MODULE_NOT_FOUND':
      return problem(
        `the webgpu package has no library for ${process.platform} on ${process.arch}`,
        'Use --engine cpu.',
      );
    default:
      return error;
  }
}
