/** Splits of entries: every size near small tiles, buckets of every class, keys of every kind. */
import { it } from 'vitest';
import { describeGpu } from '../../../../setup/gpu.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { ALL_ENDS, checkSplit, KEYS, SMALL } from './splits.js';

const SIZES = Array.from({ length: 129 }, (_, i) => i + 1);

describeGpu('splits of entries', () => {
  const gpu = useGpu();

  it('sort every size from 1 to one more than two small tiles', async () => {
    const sizes = sampled(SIZES, {
      count: 60,
      seed: 1,
      always: (n) => n < 4 || (n + 2) % 64 < 4,
      values: (n) => [n >> 3],
    });
    for (const n of sizes) await checkSplit(gpu(), SMALL, n % 2 === 0 ? 'random' : '16 values', n);
  });

  it.each(Object.keys(KEYS))('sort keys: %s', async (name) => {
    // Sizes just above and far above a middle bucket (128 entries): buckets of every class occur.
    for (const n of [130, 700, 5000]) await checkSplit(gpu(), SMALL, name, n);
  });

  it.each(Object.entries(ALL_ENDS))('find ties: %s', async (_, ends) => {
    for (const name of ['all equal', 'equal and ended', 'ended or not', 'one large, many small'])
      for (const n of [50, 130, 3000]) await checkSplit(gpu(), SMALL, name, n, { ends });
  });
});
