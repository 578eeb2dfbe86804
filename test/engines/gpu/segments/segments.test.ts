/** Segments sorted on the device across chunks, against sorting each segment separately. */
import { it } from 'vitest';
import type { Ordering } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { expected, KINDS, ORDERS } from '../../../support/segments.js';
import { sampled } from '../../../support/tier.js';
import { useGpu } from '../helpers.js';
import { expectWritten } from './expect-written.js';

/** Bytes of a chunk, records sorted at once, and inputs as (seed, records). */
const SIZES = [
  [200, null, [[1, 75]]],
  [200, 7, [[7, 75]]],
  [
    1 << 16,
    null,
    [
      [3, 1],
      [4, 257],
      [5, 3000],
    ],
  ],
] as const;

const KIND_NAMES = ['blank lines', 'their first field', 'a later field'];
const ORDER_NAMES = ['lines', 'lines in reverse', 'unique lines'];
/** A software GPU must compile most kernels again for the reversed order. */
const CELLS = sampled(
  KIND_NAMES.flatMap((parted, k) =>
    ORDER_NAMES.flatMap((what, o) => SIZES.map((sizes) => ({ parted, kind: KINDS[k], what, order: ORDERS[o], sizes }))),
  ),
  {
    count: 15,
    seed: 10,
    values: ({ parted, what, sizes: [chunkBytes, mostRecords] }) => [
      parted,
      chunkBytes,
      mostRecords,
      what === 'unique lines',
    ],
  },
);

describeGpu('segments', () => {
  const gpu = useGpu();

  it.each(CELLS)(
    'of $what, separated by $parted, are sorted in chunks of $sizes.0 bytes, $sizes.1 records at once',
    async ({ kind: [segments, make, nameOf], order, sizes: [chunkBytes, mostRecords, inputs] }) => {
      const ordering: Ordering = { ...order, segments };
      for (const [seed, count] of inputs) {
        const records = make(seed, count);
        const result = expected(records, nameOf, ordering);
        await expectWritten(gpu(), records, ordering, [chunkBytes, mostRecords], result, `seed ${seed}`);
      }
    },
  );
});
