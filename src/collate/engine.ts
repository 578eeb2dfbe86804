/**
 * The engine for records that are collated: the CPU engine's chunks, runs and threads, where tasks are done by comparing lines. ICU's collation gives no sort keys (in
 * this runtime), so neither the kernels nor a GPU have anything to sort by.
 */
import { createThreadEngine, type CpuEngineOptions } from '../cpu/engine.js';
import type { Engine } from '../engine.js';
import { startCollators } from './worker.js';

/** Starts the threads (without waiting for them) and returns the engine. */
export async function createCollateEngine(options: CpuEngineOptions): Promise<Engine> {
  return createThreadEngine(options, (workers, helps) => startCollators(workers, helps, options.ordering, options.limit ?? null, options.verify ?? false));
}
