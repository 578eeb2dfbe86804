/** Who checks parts of the output: the calling thread, or threads of their own that are given copies. */
import type { Ordering } from '../job.js';
import { isCollated } from '../keys/collation/collation.js';
import { isKeyed } from '../keys/keyed.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { createBufferPool } from '../threads/buffers.js';
import { createCrew } from '../threads/crew.js';
import { compileVerifyKernels } from './kernels.js';
import {
  createPartChecker,
  type CheckerModules,
  type Form,
  type PartChecker,
  type PartReport,
} from './part-checker.js';
import type { VerifyRole, VerifyTask } from './tasks.js';

/** Bytes that wait for threads, or are checked, at most; a larger part waits for all others. */
const MOST_WAITING = 96 << 20;
/** Buffers of a size that most parts fit into. */
const LEAST_BUFFER = 4 << 20;

/** Checks parts side by side. */
export interface Checkers {
  /**
   * Resolves when the part's memory is free again, to the report that will come. Parts are taken in the order of the
   * calls.
   */
  take(part: Uint8Array): Promise<{ readonly report: Promise<PartReport> }>;
  /** Checks a part in the calling thread. */
  local(part: Uint8Array): PartReport;
  close(): Promise<void>;
}

function checkerModules({ key, ...rest }: Ordering): CheckerModules {
  const needsKeys = isKeyed({ key, ...rest }) || isCollated({ key, ...rest });
  return { verify: compileVerifyKernels(), keys: needsKeys ? compileKeyKernels() : null };
}

/** Checkers of records of `form` in `threads` threads; 0: the calling one checks. */
export function startCheckers(ordering: Ordering, threads: number, form: Form): Checkers {
  const modules = checkerModules(ordering);
  if (threads > 0) return threadCheckers({ ordering, modules, form }, threads);
  const checker = createPartChecker(ordering, modules, form);
  return {
    local: (record) => checker.check(record),
    take: async (part) => ({ report: Promise.resolve(checker.check(part)) }),
    close: async () => undefined,
  };
}

function threadCheckers(data: VerifyRole, threads: number): Checkers {
  const crew = createCrew<VerifyTask, PartReport>({
    workers: threads,
    role: { name: 'verify', data },
    helps: false,
    perform: null,
    explain: (error) => error,
  });
  const pool = createBufferPool(Math.ceil(MOST_WAITING / LEAST_BUFFER));
  let own: PartChecker | undefined;
  let waiting = 0;
  let wake: (() => void) | null = null;
  const check = async (text: SharedArrayBuffer, bytes: number): Promise<PartReport> => {
    try {
      return await crew.perform({ text, bytes });
    } finally {
      pool.give(text);
      waiting -= bytes;
      wake?.();
    }
  };
  /** Copies wait for room one after another. */
  let turn: Promise<unknown> = Promise.resolve();
  const copy = async (part: Uint8Array): Promise<{ readonly report: Promise<PartReport> }> => {
    while (waiting > 0 && waiting + part.length > MOST_WAITING)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    waiting += part.length;
    const text = pool.take(Math.max(LEAST_BUFFER, part.length));
    new Uint8Array(text).set(part);
    const report = check(text, part.length);
    report.catch(() => {
      /* met by who joins the reports */
    });
    return { report };
  };
  return {
    local: (part) => (own ??= createPartChecker(data.ordering, data.modules, data.form)).check(part),
    take: (part) => {
      const taken = turn.then(() => copy(part));
      turn = taken;
      return taken;
    },
    close: () => crew.close(),
  };
}
