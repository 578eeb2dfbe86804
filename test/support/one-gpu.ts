/**
 * One GPU for all jobs of a process, whose kernels are compiled once: a software GPU takes a fifth of a second for each,
 * and a job has dozens. A test file says
 *
 *     vi.mock(import('../../src/gpu/device/device.js'), async (original) => {
 *       const { withOneGpu } = await import('../support/one-gpu.js');
 *       return withOneGpu(await original());
 *     });
 *
 * and calls `closeGpu` after its tests. Tests of the engine's parts have useGpu (test/gpu/helpers.ts) instead.
 */
import { expect } from 'vitest';
import type { Gpu } from '../../src/gpu/device/device.js';
import { Kernels } from '../../src/gpu/kernels.js';

type DeviceModule = typeof import('../../src/gpu/device/device.js');

let shared: Promise<Gpu> | undefined;

/** The module of the device, whose `openGpu` opens a device once; engines do not close it. */
export function withOneGpu(device: DeviceModule): DeviceModule {
  const open = (adapter: GPUAdapter): Promise<Gpu> => shared ??= device.openGpu(adapter).then(keepingPipelines);
  return { ...device, openGpu: async (adapter) => ({ ...asNew(await open(adapter)), close: () => {} }) };
}

/** The same GPU, whose device compiles nothing twice. Dawn compiles a pipeline with an automatic layout anew each time. */
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

/** A GPU as it is just after it is opened, on the device of `gpu`: each job must load the kernels that it uses. */
export function asNew(gpu: Gpu): Gpu {
  const traffic = { sentBytes: 0, readBackBytes: 0 };
  return { ...gpu, kernels: new Kernels(gpu.device), taken: { bytes: 0 }, traffic, timer: null };
}

/** Closes the device, if a job opened it. Validation errors surface here even where results happen to be right. */
export async function closeGpu(): Promise<void> {
  const gpu = await shared;
  await gpu?.noteErrors();
  const reason = gpu?.lostReason();
  gpu?.close();
  expect(reason).toBeUndefined();
}
