/** Many more blocks than in inflate-cases.slow.test.ts: the device accepts or refuses mutated data as zlib does. */
import { constants, deflateRawSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { loadInflate } from '../../../../src/engines/gpu/bgzf/inflate.js';
import { describeGpu } from '../../../setup/gpu.js';
import { someText } from '../../../support/deflate-streams.js';
import { randomBelow } from '../../../support/random.js';
import { useGpu } from '../helpers.js';
import { checkInflated, seededBlocks } from './inflate-checks.js';
import { streams } from './streams.js';

const PER_LAUNCH = 1000;
const LAUNCHES = Math.ceil(streams({ daily: 8000, nightly: 100_000 }) / PER_LAUNCH);
const FIRST_SEED = 1000;

const gpu = useGpu();

describeGpu('inflating on the device', () => {
  beforeAll(() => loadInflate(gpu()));

  it('inflates more blocks than there are workgroups', async () => {
    const below = randomBelow(5);
    const blocks = Array.from({ length: 17_000 }, (_, i) => {
      const text = someText(below, below(60));
      const strategy = below(2) === 0 ? constants.Z_FIXED : constants.Z_HUFFMAN_ONLY;
      return { name: `block ${i}`, data: deflateRawSync(text, { strategy }), textBytes: text.length };
    });
    expect(await checkInflated(gpu(), blocks)).toBe(blocks.length);
  });

  it(
    'inflates or refuses many damaged blocks as zlib does',
    async () => {
      let accepted = 0;
      for (let launch = 0; launch < LAUNCHES; launch++)
        accepted += await checkInflated(gpu(), seededBlocks(FIRST_SEED + launch * PER_LAUNCH, PER_LAUNCH), launch % 4);
      expect(accepted).toBeGreaterThan(LAUNCHES * PER_LAUNCH);
    },
    6 * 3600_000,
  );
});
