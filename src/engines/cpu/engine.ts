/**
 * The CPU engine: the contract of src/contract/engine.ts with worker threads over shared memory (crew-engine.ts). A
 * task sorts a chunk in place, or distributes it into buckets. Each thread works in its own memory (kernels.ts), since
 * a kernel addresses only 4 GiB; copying costs 0.04 ns a byte each way. A run is sorted text (src/runs/text-run.ts), so
 * merges read runs sequentially. Sorting only an index and gathering the text at the end would save a copy, but merges
 * would read at random (15 to 65 ns a record).
 */

import type { Engine } from '../../contract/engine.js';
import { type Crew, startedLater } from '../../system/threads/crew.js';
import { Counting } from './counting/counting.js';
import { countingEngine } from './counting/engine.js';
import { type CrewEngine, crewEngine } from './crew-engine.js';
import { type CpuEngineOptions, threadsOf } from './options.js';
import { type RecordShape, shapeOf } from './shape.js';
import type { Result, Task } from './task.js';
import { type EngineThreads, startWorkers } from './worker.js';

/** Starts the workers, without waiting for them, and returns the engine. */
export async function createCpuEngine(options: CpuEngineOptions): Promise<Engine> {
  const { ordering, recorder, splitters = null, limit = null, verify = false, stored = null } = options;
  return createThreadEngine(options, (threads, shape) =>
    startWorkers(threads, shape, { ordering, presence: recorder.presence, splitters, limit, verify, stored }),
  );
}

/** An engine that also sorts groups of stored records (`options.stored`). */
export async function createGroupEngine(options: CpuEngineOptions): Promise<CrewEngine> {
  const { ordering, recorder, stored = null } = options;
  const shape = shapeOf(ordering);
  const work = { ordering, presence: recorder.presence, splitters: null, limit: null, verify: false, stored };
  return crewEngine(options, shape, startWorkers(threadsOf(options), shape, work));
}

/**
 * An engine that merges runs in the memory of another one. Its threads start with the first merge that needs them: a
 * single run needs none.
 */
export function createMergeEngine(options: CpuEngineOptions): Engine {
  const { ordering, limit = null } = options;
  return createThreadEngine(options, (threads, shape) =>
    startedLater(() =>
      startWorkers(threads, shape, {
        ...{ ordering, presence: null, splitters: null, limit, verify: false, stored: null },
      }),
    ),
  );
}

/**
 * An engine whose tasks are executed by the threads that `start` starts. If records are counted, these start later: few
 * records may be left to sort.
 */
export function createThreadEngine(
  options: CpuEngineOptions,
  start: (threads: EngineThreads, shape: RecordShape) => Crew<Task, Result[]>,
): Engine {
  const shape = shapeOf(options.ordering);
  const threads = threadsOf(options);
  if (options.counting == null) return crewEngine(options, shape, start(threads, shape));
  const counting = new Counting(threads, shape, options.counting, options.chunkBytes);
  const sorting = startedLater(() => start(counting.sorters, shape));
  return countingEngine(crewEngine(options, shape, sorting), counting, options.recorder);
}
