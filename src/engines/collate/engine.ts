/**
 * The engine for collated records: the chunks, runs and threads of the CPU engine, with tasks that compare lines. The
 * runtime's ICU offers no sort keys, so there is nothing that kernels or a GPU could sort by.
 */

import type { Engine } from '../../contract/engine.js';
import { createThreadEngine } from '../cpu/engine.js';
import type { CpuEngineOptions } from '../cpu/options.js';
import { startCollators } from './worker.js';

/** Starts the threads without waiting for them. */
export async function createCollateEngine(options: CpuEngineOptions): Promise<Engine> {
  return createThreadEngine(options, (threads) => startCollators(threads, options));
}
