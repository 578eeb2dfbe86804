/**
 * The GPU engine with one of the project's own sorts, as the rest of the program uses it.
 */

import type { GpuAlgorithm } from '../../../job/algorithm-table.js';
import type { Engine } from '../../contract.js';
import type { Gpu } from '../device/device.js';
import { sortStage } from './algorithms.js';
import { assembleGpuEngine, type GpuEngineOptions } from './engine-core.js';

export type { GpuEngineOptions } from './engine-core.js';

/** An engine that sorts chunks by `algorithm` on `gpu`. Closing the engine closes `gpu`. */
export function createGpuEngine(gpu: Gpu, algorithm: GpuAlgorithm, options: GpuEngineOptions): Engine {
  const engine = assembleGpuEngine(gpu, options, sortStage(algorithm, options.ordering));
  return {
    ...engine,
    close: async () => {
      await engine.close();
      gpu.close();
    },
  };
}
