/**
 * The GPU engine with the project's own sort: what the rest of the program is given.
 */
import type { Engine } from '../engine.js';
import type { Gpu } from './device.js';
import { assembleGpuEngine, type GpuEngineOptions } from './engine-core.js';
import { loadOrder, orderRecords } from './order.js';
import type { OrderStage } from './stages.js';

export type { GpuEngineOptions } from './engine-core.js';

/** The sort that the engine is given. */
const PROJECT_SORT: OrderStage = { load: loadOrder, order: orderRecords };

/** An engine on `gpu`, which is closed with it. */
export function createGpuEngine(gpu: Gpu, options: GpuEngineOptions): Engine {
  const engine = assembleGpuEngine(gpu, options, PROJECT_SORT);
  return {
    ...engine,
    close: async () => {
      await engine.close();
      gpu.close();
    },
  };
}
