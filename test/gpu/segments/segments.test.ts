/**
 * Segments sorted on the device across chunks, against sorting each segment separately. By day a sample of the
 * orderings with the kinds of segments.
 */
import { expect, it } from 'vitest';
import type { Engine } from '../../../src/engine.js';
import { DevicePool } from '../../../src/gpu/device/pool.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import { loadSegmentSort, segmentSort } from '../../../src/gpu/segments/segment-sort.js';
import { REFINE_TUNING } from '../../../src/gpu/strings/radix-refine/rounds.js';
import type { Ordering } from '../../../src/job.js';
import { describeGpu } from '../../setup/gpu.js';
import { silent } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { LINES, sortedRecords } from '../../support/records.js';
import { expected, FIRST_FIELD, KINDS, ORDERS, text, written } from '../../support/segments.js';
import { NIGHTLY, sampled } from '../../support/tier.js';
import { destroyRecords, readWords, uploadRecords, useGpu } from '../helpers.js';

const SEGMENTED = sampled(
  ORDERS.flatMap((order) => KINDS.map((kind) => ({ order, kind }))),
  { count: 5, seed: 1, values: ({ order, kind }) => [ORDERS.indexOf(order), KINDS.indexOf(kind)] },
);

describeGpu('segments', () => {
  const gpu = useGpu();
  const engineFor = (ordering: Ordering, chunkBytes: number, mostRecords: number | null = null): Engine =>
    assembleGpuEngine(
      gpu(),
      {
        ordering,
        chunkBytes,
        pieceBytes: chunkBytes,
        rangeBytes: chunkBytes,
        mostRecords,
        residentBytes: null,
        recorder: silent,
      },
      SORT_STAGES.segmented,
    );

  it.each([...(NIGHTLY ? [[200, null] as const] : []), [200, 7], [1 << 16, null]] as const)(
    'chunks of %d bytes, sorted %j records at once',
    async (chunkBytes, mostRecords) => {
      for (const {
        order,
        kind: [segments, make, nameOf],
      } of SEGMENTED) {
        const ordering: Ordering = { ...order, segments };
        const engine = engineFor(ordering, chunkBytes, mostRecords);
        for (const [seed, count] of chunkBytes === 200
          ? ([[mostRecords ?? 1, 75]] as const)
          : ([
              [3, 1],
              [4, 257],
              [5, 3000],
            ] as const)) {
          const records = make(seed, count);
          expect((await written(engine, records, ordering, false)).toString(), `seed ${seed}`).toBe(
            expected(records, nameOf, ordering).toString(),
          );
        }
        await engine.close();
      }
    },
  );

  it('distinguished by the host if a kernel would have to read too far', async () => {
    const far = (length: number, name: string): string => `${'_'.repeat(length)} ${name} ${'-'.repeat(9)}`;
    const below = randomBelow(4);
    const lines = Array.from({ length: 40 }, (_, i) => far(below(3) === 0 ? 70_000 : 3, `${i >> 3}`) + below(9));
    const ordering: Ordering = {
      ...LINES,
      segments: {
        kind: 'fields',
        span: {
          begin: { field: 1, byte: 0, skipBlanks: false },
          end: { field: 1, byte: 0, skipBlanks: false },
          separator: Buffer.from(' '),
        },
      },
    };
    const engine = engineFor(ordering, 4 << 20);
    const result = await written(engine, text(lines), ordering, false);
    await engine.close();
    expect(result.equals(expected(text(lines), (line) => line.split(' ')[1], ordering))).toBe(true);
  });

  it('of fixed records, by bytes of theirs', async () => {
    const below = randomBelow(6);
    let part = 7;
    const records = Array.from({ length: 1500 }, () => {
      if (below(20) === 0) part = below(256);
      return Buffer.from([below(256), below(3), part, 10, below(2)]);
    });
    const ordering: Ordering = {
      ...LINES,
      format: { kind: 'fixed', size: 5 },
      key: { kind: 'bytes', offset: 0, length: 2 },
      segments: { kind: 'bytes', offset: 2, length: 2 },
    };
    const engine = engineFor(ordering, 5 * 400);
    const segments: Buffer[][] = [];
    for (const [i, record] of records.entries()) {
      if (i === 0 || record[2] !== records[i - 1][2]) segments.push([]);
      segments.at(-1)!.push(record);
    }
    const result = await written(engine, records, ordering, false);
    await engine.close();
    expect(result.equals(Buffer.concat(segments.flatMap((segment) => sortedRecords(segment, ordering))))).toBe(true);
  });

  it('sorts large groups by radix sort, with the group number in the keys', async () => {
    const ordering: Ordering = { ...LINES, segments: FIRST_FIELD };
    const below = randomBelow(8);
    const records = Array.from({ length: 4000 }, (_, i) =>
      Buffer.from(`${i < 1000 ? 'b' : i < 3000 ? 'a' : 'c'} ${'same '.repeat(below(4))}${below(500)}`),
    );
    const pool = new DevicePool(gpu());
    const uploaded = uploadRecords(gpu(), records, ordering);
    await loadSegmentSort(gpu(), ordering);
    const { order, count } = await segmentSort(gpu(), pool, uploaded, ordering, 0, {
      ...REFINE_TUNING,
      radixGroup: 2,
      radixCount: 0,
    });
    const found = [...(await readWords(gpu(), order, count))].map((i) => records[i]);
    pool.give(order);
    pool.destroyIdle();
    destroyRecords(uploaded);
    expect(
      Buffer.concat(found).equals(
        Buffer.concat(
          [records.slice(0, 1000), records.slice(1000, 3000), records.slice(3000)].flatMap((part) =>
            sortedRecords(part, LINES),
          ),
        ),
      ),
    ).toBe(true);
  });
});
