/** Files that are part of gpusort itself: compiled kernels and shaders. */
import { fileURLToPath } from 'node:url';
import { fileSystem } from './file-system.js';
import { systemError } from './report/errors.js';

/** The whole file. Throws `cannot-read`: the installation is then incomplete. */
export function readInstalled(file: URL): Buffer {
  try {
    return fileSystem.readFileSync(file);
  } catch (error) {
    throw systemError(
      'cannot-read',
      'cannot read a file of gpusort itself',
      fileURLToPath(file),
      error,
      'Install gpusort again.',
    );
  }
}
