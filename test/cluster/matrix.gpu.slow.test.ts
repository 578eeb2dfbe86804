/** Shares and ranges on the GPU engine, against one machine on the same engine and against GNU sort's order. */
import { afterAll, describe, it, vi } from 'vitest';
import { describeGpu } from '../setup/gpu.js';
import { closeGpu } from '../support/one-gpu.js';
import { randomBelow } from '../support/random.js';
import { expectSame } from './both.js';

vi.mock(import('../../src/engines/gpu/device/device.js'), async (original) => {
  const { withOneGpu } = await import('../support/one-gpu.js');
  return withOneGpu(await original());
});

function lines(seed: number, count: number): string {
  const below = randomBelow(seed);
  const line = (): string => `${['a', 'bb', 'ccc'][below(3)]} ${below(50)} ${below(1e6)}\n`;
  return Array.from({ length: count }, line).join('');
}

describeGpu('tasks on the GPU engine', () => {
  afterAll(closeGpu);
  describe('as on one machine', () => {
    it.each([[[]], [['-s', '-k2,2n']], [['-u', '-k1,1', '-r']]])('%j', async (words) => {
      const files = { a: lines(1, 3000), b: lines(2, 900) };
      const all = ['--engine', 'gpu', '--chunk-size', '16K', ...words, 'a', 'b'];
      await expectSame(all, files, { shares: 3, ranges: 3 });
    });
  });
});
