/** Random cases and binary records on the GPU engine, in one process on one device. */
import { afterAll, describe, vi } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { closeGpu } from '../support/one-gpu.js';
import { binaryCasesOnGpu, randomCasesOnGpu } from './on-gpu.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

describeGpu('the GPU engine', () => {
  afterAll(closeGpu);
  describe('random cases', randomCasesOnGpu);
  describe('binary records', binaryCasesOnGpu);
});
