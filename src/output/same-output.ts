/** Refuses outputs that are one file: each would replace the other. */

import { GpusortError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { paths } from '../system/platform.js';
import type { NewTarget } from './target.js';

/** A new file, or an open descriptor. */
type Output = Pick<NewTarget, 'kind' | 'path' | 'label'> | { readonly fd: number; readonly label: string };

/** The outputs of a job that are open so far. */
export class OpenOutputs {
  private readonly labels = new Map<string, string>();

  /** Adds an output. Throws `cannot-write` if it is the same file or pipe as an earlier one. */
  add(output: Output): void {
    const identity = identityOf(output);
    if (identity === null) return;
    const other = this.labels.get(identity);
    if (other !== undefined)
      throw new GpusortError('cannot-write', `${other} and ${output.label} are the same output`, {
        hint: 'Give each output a file of its own.',
      });
    this.labels.set(identity, output.label);
  }
}

/** null: a device, such as /dev/null or a terminal, which several outputs may share; or the system cannot say. */
function identityOf(output: Output): string | null {
  try {
    if (!('fd' in output)) {
      const directory = fileSystem.realpathSync(directoryOf(output.path)).toString('latin1');
      return paths().join(directory, paths().basename(output.path.toString('latin1')));
    }
    const stat = fileSystem.fstatSync(output.fd);
    return stat.isCharacterDevice() ? null : `${stat.dev}:${stat.ino}`;
  } catch {
    return null;
  }
}
