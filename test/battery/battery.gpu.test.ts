/**
 * The battery on the GPU engine, with the software GPU of the run. What is run is decided in matrix.ts.
 */
import { afterAll, vi } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { closeGpu, withOneGpu } from '../support/one-gpu.js';
import { battery } from './matrix.js';

vi.mock(import('../../src/gpu/device/device.js'), async (original) => withOneGpu(await original()));

describeGpu('battery, gpu', () => {
  afterAll(closeGpu);
  battery('gpu');
});
