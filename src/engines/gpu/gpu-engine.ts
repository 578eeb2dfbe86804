/** The GPU engine for each algorithm, as the rest of the program opens it. */

import type { Engine } from '../../contract/engine.js';
import { type GpuAlgorithm, HYBRID_ALGORITHM, type Tuning } from '../../job/algorithm-table.js';
import type { Gpu } from './device/device.js';
import { assembleGpuEngine } from './engine/engine-core.js';
import type { GpuEngineOptions } from './engine/options.js';
import { sortStage } from './engine/sorts.js';

/** An engine that sorts chunks by `algorithm`, with its tunings, on `gpu`. Closing the engine closes `gpu`. */
export async function createGpuEngine(
  gpu: Gpu,
  algorithm: GpuAlgorithm,
  { tunings = [], ...options }: GpuEngineOptions & { readonly tunings?: readonly Tuning[] },
): Promise<Engine> {
  // The hybrid shares no chunks, runs or merges with the others: it is an engine of its own, which they do not load.
  const engine =
    algorithm === HYBRID_ALGORITHM
      ? (await import('./hybrid/engine.js')).createHybridEngine(gpu, options, tunings)
      : assembleGpuEngine(gpu, options, sortStage(algorithm, options.ordering, tunings));
  return {
    ...engine,
    close: async () => {
      await engine.close();
      gpu.close();
    },
  };
}
