/**
 * One GPU for all jobs of a test file, whose kernels are compiled once: a software GPU takes seconds for those of a single job. The file says
 *
 *     vi.mock(import('../../src/gpu/device/device.js'), async (original) => withOneGpu(await original()));
 *
 * and calls `closeGpu` after its tests.
 */
import { expect } from 'vitest';
import type { Gpu } from '../../src/gpu/device/device.js';

type DeviceModule = typeof import('../../src/gpu/device/device.js');

let shared: Promise<Gpu> | undefined;

/** The module of the device, whose `openGpu` opens a device once; engines do not close it. */
export function withOneGpu(device: DeviceModule): DeviceModule {
  return { ...device, openGpu: async (adapter) => ({ ...await (shared ??= device.openGpu(adapter)), close: () => {} }) };
}

/** Closes the device, if a job opened it. Validation errors surface here even where results happen to be right. */
export async function closeGpu(): Promise<void> {
  const gpu = await shared;
  await gpu?.noteErrors();
  const reason = gpu?.lostReason();
  gpu?.close();
  expect(reason).toBeUndefined();
}
