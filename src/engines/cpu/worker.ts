/** A worker thread of the CPU engine: executes tasks with the kernels and the ordering that it is given. */

import { INPUT_AT } from '../../codecs/inflate.js';
import type { Limit } from '../../job/job.js';
import type { Ordering } from '../../job/ordering.js';
import { compileKeyKernels, KeyMaker } from '../../keys/key-maker.js';
import type { Splitters } from '../../keys/splitters.js';
import type { Presence } from '../../report/recorder.js';
import { explainMemory } from '../../system/errors.js';
import { newMemory } from '../../system/memory.js';
import { finish, type Resumable } from '../../system/resumable.js';
import { type Crew, createCrew } from '../../system/threads/crew.js';
import { compileVerifyKernels, openVerifyKernels } from '../../verify/kernels.js';
import { placeSplitters } from './distribute.js';
import { placeRecordEncoding } from './encode-text.js';
import { openGroupTools, type StoredRecords } from './group.js';
import { compileKernels, openKernels } from './kernels.js';
import type { RecordShape } from './shape.js';
import { placeSmall } from './sort-small.js';
import { performTask, type Result, type Task, type Tools } from './task.js';

interface WorkerData {
  readonly module: WebAssembly.Module;
  readonly shape: RecordShape;
  readonly ordering: Ordering;
  /** Makes keys; null if records have none. */
  readonly keyModule: WebAssembly.Module | null;
  readonly presence: Presence | null;
  /** Splitters to distribute by; null: chunks are sorted. */
  readonly splitters: Splitters | null;
  readonly limit: Limit | null;
  /** Hashes chunks; null: no verification. */
  readonly verifyModule: WebAssembly.Module | null;
  /** The stored records of groups; null: there are only chunks of text. */
  readonly stored: StoredRecords | null;
}

function openTools({
  module,
  shape,
  ordering,
  keyModule,
  presence,
  splitters,
  limit,
  verifyModule,
  stored,
}: WorkerData): Tools {
  const memory = newMemory();
  const keys = keyModule === null ? null : new KeyMaker(ordering, { module: keyModule, memory, from: stored === null ? 0 : INPUT_AT, presence });
  const opened = openKernels(module, shape, memory, keys?.free);
  const encoding = ordering.encoding === undefined ? opened : placeRecordEncoding(opened, ordering.encoding);
  const free = shape.small === null ? encoding : placeSmall(encoding, shape.small);
  const { kernels, splitters: placed } = splitters
    ? placeSplitters(free, shape, splitters)
    : { kernels: free, splitters: null };
  const verify = verifyModule && openVerifyKernels(verifyModule, ordering.format, memory);
  const groups = stored && openGroupTools(stored, kernels);
  return { kernels, shape, keys, splitters: placed, limit, verify, groups };
}

/** The role `cpu` of src/run/worker.ts. */
export function openCpuWorker(data: WorkerData): (task: Task) => Result[] {
  const tools = openTools(data);
  return (task) => finish(performTask(tools, task));
}

/** How many threads to start, and whether the calling thread executes tasks too. */
export interface EngineThreads {
  readonly workers: number;
  readonly helps: boolean;
}

/**
 * The work of the threads. `presence`: see KeyMaker. `limit`: other records may be dropped. `verify`: chunks are
 * hashed.
 */
interface ThreadWork extends Pick<WorkerData, 'ordering' | 'presence' | 'splitters' | 'limit' | 'stored'> {
  readonly verify: boolean;
}

/** Starts threads. `shape` is the ordering flattened. */
export function startWorkers(
  { workers, helps }: EngineThreads,
  shape: RecordShape,
  { ordering, presence, splitters, limit, verify, stored }: ThreadWork,
): Crew<Task, Result[]> {
  const data: WorkerData = {
    module: compileKernels(),
    shape,
    ordering,
    keyModule: shape.keyed ? compileKeyKernels() : null,
    presence,
    splitters,
    limit,
    verifyModule: verify ? compileVerifyKernels() : null,
    stored,
  };
  /** The calling thread's own tools. */
  let tools: Tools | undefined;
  const perform = (task: Task): Resumable<Result[]> => performTask((tools ??= openTools(data)), task);
  return createCrew({ workers, role: { name: 'cpu', data }, helps, perform, explain: (error) => explainMemory(error) });
}
