/**
 * Checks batches of the output in the calling thread, or in threads of their own. Threads read the batches back from
 * the output file or, if there is none, get copies.
 */
import type { RecordForm } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { isCollated } from '../keys/collation/collation.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { isKeyed } from '../keys/keyed.js';
import { GpusortError, systemText } from '../system/errors.js';
import { quiet } from '../system/promises.js';
import { inOneStep } from '../system/resumable.js';
import { createSharedMemory } from '../system/threads/buffers.js';
import { createCrew } from '../system/threads/crew.js';
import { type BatchChecker, type BatchReport, type CheckerModules, createBatchChecker } from './batch-checker.js';
import { compileVerifyKernels } from './kernels.js';
import { openVerifyWorker, type Unreadable, type VerifyRole, type VerifyTask } from './tasks.js';

/** Maximum bytes of copies that wait or are being checked. A larger batch waits for all others. */
const MOST_WAITING = 96 << 20;
/** Minimum size of a buffer: most batches fit into it. */
const LEAST_BUFFER = 4 << 20;

function readable(report: BatchReport | Unreadable): BatchReport {
  if (!('unreadable' in report)) return report;
  const { unreadable } = report;
  const reason =
    unreadable === '' ? 'it was truncated' : systemText(Object.assign(new Error(unreadable), { code: unreadable }));
  throw new GpusortError('read-failed', `read failed: the output, for verification: ${reason}`);
}

/** Checks batches concurrently. */
export interface Checkers {
  /**
   * Resolves when the batch's memory is free again, to the promise of its report. Batches are taken in the order of the
   * calls. `at`: the offset of the batch in the output, valid once `written` is fulfilled. `written`: null if it cannot
   * be read back there.
   */
  take(
    batch: Uint8Array,
    at: number,
    written: Promise<void> | null,
  ): Promise<{ readonly report: Promise<BatchReport> }>;
  /** Checks a batch in the calling thread. */
  local(batch: Uint8Array): BatchReport;
  close(): Promise<void>;
}

/** The modules that checkers need for this ordering. */
export function checkerModules({ key, ...rest }: Ordering): CheckerModules {
  const needsKeys = isKeyed({ key, ...rest }) || isCollated({ key, ...rest }) || rest.encoding !== undefined;
  return { verify: compileVerifyKernels(), keys: needsKeys ? compileKeyKernels() : null };
}

/**
 * Checkers for records of `form` in `threads` threads; 0: in the calling thread. `file`: a descriptor that reads the
 * output; null: there is none.
 */
export function startCheckers(ordering: Ordering, threads: number, form: RecordForm, file: number | null): Checkers {
  const modules = checkerModules(ordering);
  if (threads > 0) return threadCheckers({ ordering, modules, form }, threads, file);
  const checker = createBatchChecker(ordering, modules, form);
  return {
    local: (record) => checker.check(record),
    take: async (batch) => ({ report: Promise.resolve(checker.check(batch)) }),
    close: async () => undefined,
  };
}

function threadCheckers(data: VerifyRole, threads: number, file: number | null): Checkers {
  let perform: ReturnType<typeof openVerifyWorker> | undefined;
  const crew = createCrew<VerifyTask, BatchReport | Unreadable>({
    workers: threads,
    role: { name: 'verify', data },
    helps: false,
    perform: inOneStep((task) => (perform ??= openVerifyWorker(data))(task)),
    explain: (error) => error,
  });
  const pool = createSharedMemory(Math.ceil(MOST_WAITING / LEAST_BUFFER));
  let own: BatchChecker | undefined;
  let waiting = 0;
  let wake: (() => void) | null = null;
  const check = async (text: SharedArrayBuffer, bytes: number): Promise<BatchReport> => {
    try {
      return readable(await crew.perform({ text, bytes }));
    } finally {
      pool.give(text);
      waiting -= bytes;
      wake?.();
    }
  };
  /** Copies wait for room one after another. */
  let turn: Promise<unknown> = Promise.resolve();
  const copy = async (batch: Uint8Array): Promise<{ readonly report: Promise<BatchReport> }> => {
    while (waiting > 0 && waiting + batch.length > MOST_WAITING)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    waiting += batch.length;
    const text = pool.take(Math.max(LEAST_BUFFER, batch.length));
    new Uint8Array(text).set(batch);
    const report = check(text, batch.length);
    // Handled by the caller that joins the reports.
    quiet(report);
    return { report };
  };
  return {
    local: (batch) => (own ??= createBatchChecker(data.ordering, data.modules, data.form)).check(batch),
    take: async (batch, position, written) => {
      if (file !== null && written !== null) {
        const { length: bytes } = batch;
        const report = written.then(() => crew.perform({ fd: file, position, bytes })).then(readable);
        // Handled by the caller that joins the reports.
        quiet(report);
        return { report };
      }
      const taken = turn.then(() => copy(batch));
      turn = taken;
      return taken;
    },
    close: () => crew.close(),
  };
}
