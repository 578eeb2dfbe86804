/** Files that are part of gpusort itself: compiled kernels and shaders. */
import { fileURLToPath } from 'node:url';
import { fileSystem } from './file-system.js';
import { systemError } from './report/errors.js';

/** All of such a file. Throws `cannot-read`: the program is then not installed as a whole. */
export function readInstalled(file: URL): Buffer {
  try {
    return fileSystem.readFileSync(file);
  } catch (error) {
    throw systemError('cannot-read', 'cannot read a file of gpusort itself', fileURLToPath(file), error, 'Install gpusort again.');
  }
}
