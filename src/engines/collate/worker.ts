/** A thread that collates: it performs the tasks of the CPU engine (src/engines/cpu/task.ts) by comparing lines. */

import type { Limit } from '../../job/job.js';
import type { Ordering, SortKey } from '../../job/ordering.js';
import { Collation } from '../../keys/collation/collation.js';
import { isPlainPart } from '../../keys/fields.js';
import { compileKeyKernels, KeyMaker } from '../../keys/key-maker.js';
import type { Presence } from '../../report/recorder.js';
import { explainMemory } from '../../system/errors.js';
import { asBuffer } from '../../system/memory.js';
import { inOneStep } from '../../system/resumable.js';
import { type Crew, createCrew } from '../../system/threads/crew.js';
import { compileVerifyKernels } from '../../verify/kernels.js';
import { Summer } from '../../verify/summer.js';
import type { CpuEngineOptions } from '../cpu/options.js';
import { type RecordShape, shapeOf } from '../cpu/shape.js';
import { type Result, type Task, wholeRecords } from '../cpu/task.js';
import type { EngineThreads } from '../cpu/worker.js';
import { mergeCollated } from './merge.js';
import { orderText } from './order.js';

interface CollateWorkerData {
  readonly ordering: Ordering;
  /** The kernels for rows of parts with another ordering, and for finding parts in CSV and JSON; null: not needed. */
  readonly keyModule: WebAssembly.Module | null;
  /** See KeyMaker. */
  readonly presence: Presence | null;
  /** The records of the whole input to keep; null: all. */
  readonly limit: Limit | null;
  /** The kernels that hash chunks; null: no verification. */
  readonly verifyModule: WebAssembly.Module | null;
}

/** The remedy if a thread runs out of memory. */
const MEMORY_HINT = 'Use a smaller --chunk-size: comparing lines takes several times the memory of their text.';

/** The role `collate` of src/run/worker.ts. */
export function openCollateWorker({
  ordering,
  keyModule,
  presence,
  limit,
  verifyModule,
}: CollateWorkerData): (task: Task) => Result[] {
  const collation = new Collation(ordering, { module: keyModule ?? undefined, presence });
  const counter = presence && counterOf(ordering, presence, keyModule);
  const shape = shapeOf(ordering);
  const summer = verifyModule && new Summer(ordering.format, verifyModule);
  return (task) => [performTask({ collation, counter, shape, limit, summer }, task)];
}

/** Counts lines that are not JSON; null: values are not looked for in JSON. */
function counterOf(ordering: Ordering, { invalid }: Presence, module: WebAssembly.Module | null): KeyMaker | null {
  const { key } = ordering;
  if (key.kind !== 'collated' || key.parts[0].path === undefined || module === null) return null;
  const first: Ordering = { ...ordering, key: { kind: 'normalized', parts: [key.parts[0]], seed: key.seed } };
  return new KeyMaker(first, { module, presence: { parts: new Int32Array(0), invalid } });
}

interface Collator {
  readonly collation: Collation;
  readonly counter: KeyMaker | null;
  readonly shape: RecordShape;
  readonly limit: Limit | null;
  readonly summer: Summer | null;
}

function performTask({ collation, counter, shape, limit, summer }: Collator, task: Task): Result {
  if (task.kind === 'order') {
    const text = asBuffer(wholeRecords(shape, task.text, 0, task.bytes));
    counter?.make(text, () => {});
    const input = summer && { input: summer.digest(text) };
    return { outcome: orderText(collation, text, limit), buffer: task.text, ...input };
  }
  const texts = task.slices.map(({ buffer, from, to }) => asBuffer(wholeRecords(shape, buffer, from, to)));
  return { outcome: mergeCollated(collation, texts, Buffer.from(task.target), limit), buffer: task.target };
}

/**
 * Starts `workers` threads that collate by `ordering` and drop the records that `limit` excludes. `verify`: they hash
 * chunks. `helps`: the calling thread performs tasks too.
 */
export function startCollators(
  { workers, helps }: EngineThreads,
  { ordering, recorder, limit = null, verify = false }: CpuEngineOptions,
): Crew<Task, Result[]> {
  const data: CollateWorkerData = {
    ordering,
    keyModule: needsKernels(ordering.key) ? compileKeyKernels() : null,
    presence: recorder.presence,
    limit,
    verifyModule: verify ? compileVerifyKernels() : null,
  };
  let perform: ((task: Task) => Result[]) | undefined;
  return createCrew({
    workers,
    role: { name: 'collate', data },
    helps,
    perform: inOneStep((task: Task): Result[] => (perform ??= openCollateWorker(data))(task)),
    explain: (error) => explainMemory(error, 'memory exhausted', MEMORY_HINT),
  });
}

function needsKernels(key: SortKey): boolean {
  return key.kind === 'collated' && key.parts.some((part) => part.order !== 'bytes' || !isPlainPart(part));
}
