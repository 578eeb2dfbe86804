/** What a thread that checks output is asked: the report of a part that lies in shared memory. */
import type { Ordering } from '../job.js';
import { createPartChecker, type CheckerModules, type Form, type PartReport } from './part-checker.js';

export interface VerifyRole {
  readonly ordering: Ordering;
  readonly modules: CheckerModules;
  readonly form: Form;
}

/** Whole records: the first `bytes` bytes of a text. */
export interface VerifyTask {
  readonly text: SharedArrayBuffer;
  readonly bytes: number;
}

/** The role `verify` of src/worker.ts. */
export function openVerifyWorker({ ordering, modules, form }: VerifyRole): (task: VerifyTask) => PartReport {
  const checker = createPartChecker(ordering, modules, form);
  return ({ text, bytes }) => checker.check(new Uint8Array(text, 0, bytes));
}
