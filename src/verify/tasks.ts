/** The task of a thread that checks output: the report of a part in shared memory or in the output file. */
import { fileSystem } from '../file-system.js';
import type { Ordering } from '../job.js';
import { type CheckerModules, createPartChecker, type Form, type PartReport } from './part-checker.js';

export interface VerifyRole {
  readonly ordering: Ordering;
  readonly modules: CheckerModules;
  readonly form: Form;
}

/** Whole records: the first `bytes` bytes of a text, or those from `position` on in an open file. */
export type VerifyTask =
  | { readonly text: SharedArrayBuffer; readonly bytes: number }
  | { readonly fd: number; readonly position: number; readonly bytes: number };

/** The file could not be read: an errno name, or '' if it ended early. */
export interface Unreadable {
  readonly unreadable: string;
}

/** The role `verify` of src/worker.ts. */
export function openVerifyWorker({
  ordering,
  modules,
  form,
}: VerifyRole): (task: VerifyTask) => PartReport | Unreadable {
  const checker = createPartChecker(ordering, modules, form);
  let buffer = Buffer.alloc(0);
  return (task) => {
    if ('text' in task) return checker.check(new Uint8Array(task.text, 0, task.bytes));
    if (buffer.length < task.bytes) buffer = Buffer.allocUnsafe(task.bytes);
    const part = buffer.subarray(0, task.bytes);
    return readPart(task.fd, part, task.position) ?? checker.check(part);
  };
}

/** Fills `part` from the file. Returns the error, or null. */
function readPart(fd: number, part: Uint8Array, position: number): Unreadable | null {
  for (let done = 0; done < part.length; ) {
    try {
      const count = fileSystem.readSync(fd, part.subarray(done), position + done);
      if (count === 0) return { unreadable: '' };
      done += count;
    } catch (error) {
      const { code = 'EIO' } = error as NodeJS.ErrnoException;
      if (code !== 'EINTR' && code !== 'EAGAIN') return { unreadable: code };
    }
  }
  return null;
}
