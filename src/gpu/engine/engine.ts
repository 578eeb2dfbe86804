/**
 * The GPU engine with one of the project's own sorts: what the rest of the program is given.
 */
import type { Engine } from '../../engine.js';
import type { GpuAlgorithm } from '../../job.js';
import { SORT_STAGES } from './algorithms.js';
import type { Gpu } from '../device/device.js';
import { assembleGpuEngine, type GpuEngineOptions } from './engine-core.js';

export type { GpuEngineOptions } from './engine-core.js';

/** An engine on `gpu`, which is closed with it, that sorts chunks by `algorithm`. */
export function createGpuEngine(gpu: Gpu, algorithm: GpuAlgorithm, options: GpuEngineOptions): Engine {
  const engine = assembleGpuEngine(gpu, options, SORT_STAGES[algorithm]);
  return {
    ...engine,
    close: async () => {
      await engine.close();
      gpu.close();
    },
  };
}
