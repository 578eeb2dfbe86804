/**
 * Finds and imports WebGPU for Node, an optional package. The program runs from V8's code cache (bin/load.cjs), and
 * cached code cannot import modules. So the import has a file of its own.
 */
import { createRequire } from 'node:module';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as webgpu from 'webgpu';
import { quoteName } from '../../../report/names.js';
import { GpusortError } from '../../../system/errors.js';
import { fileSystem } from '../../../system/file-system.js';
import { installed, versionWanted } from '../../../system/installed.js';
import { isLinux } from '../../../system/platform.js';

const require = createRequire(import.meta.url);

/** The package's manifest; null if the package is not installed. Loads nothing. */
export function webgpuManifest(): string | null {
  try {
    return require.resolve('webgpu/package.json');
  } catch {
    return null;
  }
}

/** Throws GpusortError `no-adapter` if the package is missing or has no library for this platform. Loads nothing. */
export function checkWebGpu(): void {
  const manifest = webgpuManifest();
  if (manifest === null)
    throw problem('the webgpu package is not installed', `${installAdvice()}, or use --engine cpu.`);
  if (!hasLibrary(join(dirname(manifest), 'dist'))) throw noLibrary();
}

/**
 * How to install the package beside this program, which lies in `directory`: one command for npm's global packages, a
 * project, or npx's cache. Archives and other systems' packages contain it, unless they are incomplete.
 */
export function installAdvice(directory = dirname(fileURLToPath(installed('package.json')))): string {
  const wanted = `webgpu@${versionWanted('webgpu')}`;
  const [modules, project] = [dirname(directory), dirname(dirname(directory))];
  if (basename(modules) !== 'node_modules') return 'Install gpusort again';
  if (directory.split(sep).includes('_npx')) return `Run npx --package gpusort --package ${wanted} gpusort`;
  if (!fileSystem.existsSync(join(project, 'package.json'))) return `Run npm install --global ${wanted}`;
  return `Run npm install --prefix ${quoteName(Buffer.from(project))} ${wanted}`;
}

/** Loads the package. Throws GpusortError `no-adapter` if its library is missing or does not load. */
export async function importWebGpu(): Promise<typeof webgpu> {
  const load = require(fileURLToPath(installed('bin/webgpu.cjs'))) as () => Promise<typeof webgpu>;
  try {
    return await load();
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case 'MODULE_NOT_FOUND':
        throw noLibrary(error);
      case 'ERR_DLOPEN_FAILED':
        throw problem(
          `the library of the webgpu package does not load: ${(error as Error).message.split('\n')[0]}`,
          isLinux()
            ? 'It needs glibc 2.34 or later (Alpine Linux has none) and libstdc++ of GCC 12 or later. ' +
                'Or use --engine cpu.'
            : 'Install gpusort again, or use --engine cpu.',
          error,
        );
      default:
        throw error;
    }
  }
}

/** Whether a directory such as `linux-x64` or `darwin-universal` is there; true if that cannot be found out. */
function hasLibrary(directory: string): boolean {
  try {
    const names = fileSystem.readdirSync(directory).map(String);
    return [process.arch, 'universal'].some((build) => names.includes(`${process.platform}-${build}`));
  } catch {
    return true;
  }
}

function noLibrary(cause?: unknown): GpusortError {
  return problem(
    `the webgpu package has no library for ${process.platform} on ${process.arch}`,
    'Use --engine cpu.',
    cause,
  );
}

function problem(reason: string, hint: string, cause?: unknown): GpusortError {
  return new GpusortError('no-adapter', `no GPU can be used: ${reason}`, { cause, hint });
}
