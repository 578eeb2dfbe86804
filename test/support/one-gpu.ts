/**
 * One GPU for all jobs of a process, so that each kernel is compiled once. A software GPU takes a fifth of a second to
 * compile a kernel, and a job uses dozens. A test file contains
 *
 *     vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
 *       const { withOneGpu } = await import('../support/one-gpu.js');
 *       return withOneGpu(await original());
 *     });
 *
 * and calls `closeGpu` after its tests. Tests of the engine's parts use useGpu (test/engines/gpu/helpers.ts) instead.
 */
import { expect } from 'vitest';
import type { Gpu } from '../../src/engines/gpu/device/device.js';
import { Pipelines } from '../../src/engines/gpu/device/pipelines.js';

type DeviceModule = typeof import('../../src/engines/gpu/device/device.js');

let shared: Promise<Gpu> | undefined;

/** The device module with an `openGpu` that opens a device only once and whose `close` does nothing. */
export function withOneGpu(device: DeviceModule): DeviceModule {
  const open = (adapter: GPUAdapter): Promise<Gpu> => (shared ??= device.openGpu(adapter).then(keepingPipelines));
  return { ...device, openGpu: async (adapter) => ({ ...asNew(await open(adapter)), close: () => {} }) };
}

/** Makes the GPU's device compile each pipeline once. Dawn recompiles pipelines with an automatic layout each time. */
export function keepingPipelines(gpu: Gpu): Gpu {
  const { device } = gpu;
  const codes = new WeakMap<GPUShaderModule, string>();
  const pipelines = new Map<string, Promise<GPUComputePipeline>>();
  const createModule = device.createShaderModule.bind(device);
  const createPipeline = device.createComputePipelineAsync.bind(device);
  device.createShaderModule = (descriptor) => {
    const module = createModule(descriptor);
    codes.set(module, descriptor.code);
    return module;
  };
  device.createComputePipelineAsync = (descriptor) => {
    const { module, entryPoint, constants } = descriptor.compute;
    const id = JSON.stringify([codes.get(module), entryPoint, constants]);
    const pipeline = pipelines.get(id) ?? createPipeline(descriptor);
    pipelines.set(id, pipeline);
    pipeline.catch(() => pipelines.delete(id));
    return pipeline;
  };
  return gpu;
}

/** A GPU in its initial state on the device of `gpu`. Each job must still load the kernels that it uses. */
export function asNew(gpu: Gpu): Gpu {
  return {
    ...gpu,
    pipelines: new Pipelines(gpu.device, gpu.uniforms),
    taken: { bytes: 0 },
    traffic: { sentBytes: 0, readBackBytes: 0 },
    dispatched: new Set(),
    timer: null,
  };
}

/** Closes the device if a job opened it. Reports validation errors even if all results happened to be right. */
export async function closeGpu(): Promise<void> {
  const gpu = await shared;
  await gpu?.noteErrors();
  const reason = gpu?.lostReason();
  gpu?.close();
  expect(reason).toBeUndefined();
}
