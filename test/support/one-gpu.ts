/**
 * One GPU for all jobs of a test file, whose kernels are compiled once: a software GPU takes seconds for those of a single job. The file says
 *
 *     vi.mock(import('../../src/gpu/device/device.js'), async (original) => withOneGpu(await original()));
 *
 * and calls `closeGpu` after its tests.
 */
import { expect } from 'vitest';
import type { Gpu } from '../../src/gpu/device/device.js';
import { Kernels } from '../../src/gpu/kernels.js';

type DeviceModule = typeof import('../../src/gpu/device/device.js');

let shared: Promise<Gpu> | undefined;

/** The module of the device, whose `openGpu` opens a device once; engines do not close it. */
export function withOneGpu(device: DeviceModule): DeviceModule {
  return { ...device, openGpu: async (adapter) => ({ ...asNew(await (shared ??= device.openGpu(adapter))), close: () => {} }) };
}

/** Keeps compiled kernels alive. */
const loaded: Kernels[] = [];

/**
 * A GPU as it is when it has just been opened, on the device of `gpu`: a kernel that a job uses has to be loaded by that job. Dawn itself finds the
 * pipelines that the device has already.
 */
export function asNew(gpu: Gpu): Gpu {
  const kernels = new Kernels(gpu.device);
  loaded.push(kernels);
  return { ...gpu, kernels, taken: { bytes: 0 }, traffic: { sentBytes: 0, readBackBytes: 0 }, timer: null };
}

/** Closes the device, if a job opened it. Validation errors surface here even where results happen to be right. */
export async function closeGpu(): Promise<void> {
  const gpu = await shared;
  await gpu?.noteErrors();
  const reason = gpu?.lostReason();
  gpu?.close();
  expect(reason).toBeUndefined();
}
