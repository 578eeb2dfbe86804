/** The task of a thread that checks output: the report of a batch in shared memory or in the output file. */
import type { RecordForm } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { fileSystem } from '../system/file-system.js';
import { type BatchReport, type CheckerModules, createBatchChecker } from './batch-checker.js';

export interface VerifyRole {
  readonly ordering: Ordering;
  readonly modules: CheckerModules;
  readonly form: RecordForm;
}

/** Whole records: the first `bytes` bytes of a text, or those from `position` on in an open file. */
export type VerifyTask =
  | { readonly text: SharedArrayBuffer; readonly bytes: number }
  | { readonly fd: number; readonly position: number; readonly bytes: number };

/** The report that the file could not be read: an errno name, or '' if the file ended early. */
export interface Unreadable {
  readonly unreadable: string;
}

/** The role `verify` of src/run/worker.ts. */
export function openVerifyWorker({
  ordering,
  modules,
  form,
}: VerifyRole): (task: VerifyTask) => BatchReport | Unreadable {
  const checker = createBatchChecker(ordering, modules, form);
  let buffer = Buffer.alloc(0);
  return (task) => {
    if ('text' in task) return checker.check(new Uint8Array(task.text, 0, task.bytes));
    if (buffer.length < task.bytes) buffer = Buffer.allocUnsafe(task.bytes);
    const batch = buffer.subarray(0, task.bytes);
    return readBatch(task.fd, batch, task.position) ?? checker.check(batch);
  };
}

/** Fills `batch` from the file. Returns the error, or null. */
function readBatch(fd: number, batch: Uint8Array, position: number): Unreadable | null {
  for (let done = 0; done < batch.length; ) {
    try {
      const count = fileSystem.readSync(fd, batch.subarray(done), position + done);
      if (count === 0) return { unreadable: '' };
      done += count;
    } catch (error) {
      const { code = 'EIO' } = error as NodeJS.ErrnoException;
      if (code !== 'EINTR' && code !== 'EAGAIN') return { unreadable: code };
    }
  }
  return null;
}
