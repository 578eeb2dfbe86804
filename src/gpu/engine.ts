/**
 * The GPU engine with the project's own sort: what the rest of the program is given.
 */
import type { Engine } from '../engine.js';
import type { Gpu } from './device.js';
import { assembleGpuEngine, type GpuEngineOptions } from './engine-core.js';
import { loadOrder, orderRecords } from './order.js';

export type { GpuEngineOptions } from './engine-core.js';

/** An engine on `gpu`, which stays the caller's to close after the engine. Compiles what a first chunk needs. */
export function createGpuEngine(gpu: Gpu, options: GpuEngineOptions): Promise<Engine> {
  return assembleGpuEngine(gpu, options, { load: loadOrder, order: orderRecords });
}
