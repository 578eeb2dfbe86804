/**
 * Which adapters are asked for, by what is known of their drivers.
 * @own-process because it mocks modules
 */
import { expect, it, vi } from 'vitest';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import type { DriverAnswer } from '../../../../src/engines/gpu/device/drivers.js';

const { state } = vi.hoisted(() => ({ state: { answers: [] as DriverAnswer[], asked: 0 } }));
vi.mock(import('../../../../src/engines/gpu/device/drivers.js'), async (original) => ({
  ...(await original()),
  installedDrivers: () => Promise.resolve(state.answers),
}));
vi.mock(import('../../../../src/engines/gpu/device/vulkan.js'), async (original) => ({
  ...(await original()),
  vulkanProblem: () => null,
}));
vi.mock(import('../../../../src/engines/gpu/device/webgpu.js'), async (original) => ({
  ...(await original()),
  checkWebGpu: () => {},
  importWebGpu: () =>
    Promise.resolve({
      create: () => ({
        requestAdapter: async () => {
          state.asked++;
          return 'adapter';
        },
      }),
      // The package's types know no part of it.
    } as never),
}));

const software: DriverAnswer = {
  manifest: 'lvp_icd.json',
  offers: 'software',
  devices: ['llvmpipe'],
  reason: null,
  adapters: [],
};
const hardware: DriverAnswer = {
  manifest: 'card_icd.json',
  offers: 'hardware',
  devices: ['card'],
  reason: null,
  adapters: [],
};

it('drivers of software are not loaded if only hardware would be used', async () => {
  state.answers = [software];
  await expect(requestAdapter({ onlyHardware: true })).rejects.toThrow('llvmpipe is a software GPU');
  expect(state.asked).toBe(0);
  expect(await requestAdapter()).toBe('adapter');
  expect(state.asked).toBe(1);
});

it('hardware is used beside software', async () => {
  vi.resetModules();
  state.answers = [software, hardware];
  const { requestAdapter: request } = await import('../../../../src/engines/gpu/device/adapters.js');
  expect(await request({ onlyHardware: true })).toBe('adapter');
});

it('no driver that can be used: the reason and the remedy', async () => {
  vi.resetModules();
  state.answers = [{ ...software, offers: 'nothing', reason: 'it is too old' }];
  const { requestAdapter: request } = await import('../../../../src/engines/gpu/device/adapters.js');
  await expect(request()).rejects.toMatchObject({
    code: 'no-adapter',
    message: 'no GPU was found: WebGPU refuses llvmpipe of the Vulkan driver lvp: it is too old',
    hint: 'Update the Vulkan driver, or use --engine cpu.',
  });
});
