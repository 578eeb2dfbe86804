/** Radix-refine with a locality sort of all records first (--algorithm locality): near order, and far from it. */
import { it } from 'vitest';
import { localitySort } from '../../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random } from '../../../../support/random.js';
import { sampled } from '../../../../support/tier.js';
import { useGpu } from '../../helpers.js';
import { checkStringSort, REVERSE, testStringSort, UNIQUE } from '../string-sorts.js';
import { refineBy } from './sorts.js';

const plain = refineBy({ firstSort: localitySort() });
const small = refineBy({ firstSort: localitySort({ tile: 64 }), radixGroup: 2, radixCount: 0 });

/** Lines of a log, each up to `late` places from its sorted position. Some repeat. */
function log(n: number, late: number): Uint8Array[] {
  const next = random(late + 1);
  return Array.from({ length: n }, (_, i) =>
    Buffer.from(
      `2026-11-21 ${String(1e6 + i - (i % 3) + Math.floor(next() * late)).padStart(9, '0')} took ${i % 5} ms`,
    ),
  );
}

describeGpu('radix-refine after a locality sort', () => {
  const gpu = useGpu();
  testStringSort(gpu, 'radix-refine after a locality sort', plain, small);

  it.each(sampled([0, 30, 500, 20_000], { count: 4, seed: 1, values: (late) => [late > 100] }))(
    'sorts a log with lines %i places late',
    async (late) => {
      await checkStringSort(gpu(), plain, log(7001, late));
      for (const ordering of sampled([REVERSE, UNIQUE], { count: 2, seed: late }))
        await checkStringSort(gpu(), small, log(1500, late), ordering);
    },
  );
});
