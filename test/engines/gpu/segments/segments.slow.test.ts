/**
 * Segments whose ends the host finds, segments of fixed records and large groups. Slow, because a software GPU compiles
 * most kernels for each.
 */
import { expect, it } from 'vitest';
import { DevicePool } from '../../../../src/engines/gpu/device/pool.js';
import { loadSegmentSort, segmentSort } from '../../../../src/engines/gpu/segments/segment-sort.js';
import { REFINE_TUNING } from '../../../../src/engines/gpu/strings/radix-refine/rounds.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { LINES, sortedRecords } from '../../../support/records.js';
import { expected, FIRST_FIELD, text } from '../../../support/segments.js';
import { destroyRecords, readWords, uploadRecords, useGpu } from '../helpers.js';
import { expectWritten } from './expect-written.js';

describeGpu('segments', () => {
  const gpu = useGpu();

  it('are distinguished by the host if a kernel would have to read too far', async () => {
    const far = (length: number, name: string): string => `${'_'.repeat(length)} ${name} ${'-'.repeat(9)}`;
    const below = randomBelow(4);
    const lines = Array.from({ length: 40 }, (_, i) => far(below(3) === 0 ? 70_000 : 3, `${i >> 3}`) + below(9));
    const place = { field: 1, byte: 0, skipBlanks: false };
    const ordering: Ordering = {
      ...LINES,
      segments: { kind: 'fields', span: { begin: place, end: place, separator: Buffer.from(' ') } },
    };
    const result = expected(text(lines), (line) => line.split(' ')[1], ordering);
    await expectWritten(gpu(), text(lines), ordering, [4 << 20, null], result);
  });

  it('are found by bytes of fixed records', async () => {
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
    const result = expected(records, (record) => record[2], ordering);
    await expectWritten(gpu(), records, ordering, [5 * 400, null], result);
  });

  it('of large groups are sorted by radix sort, with the group number in the keys', async () => {
    const ordering: Ordering = { ...LINES, segments: FIRST_FIELD };
    const below = randomBelow(8);
    const records = Array.from({ length: 4000 }, (_, i) =>
      Buffer.from(`${i < 1000 ? 'b' : i < 3000 ? 'a' : 'c'} ${'same '.repeat(below(4))}${below(500)}`),
    );
    const pool = new DevicePool(gpu());
    const uploaded = uploadRecords(gpu(), records, ordering);
    await loadSegmentSort(gpu(), ordering);
    const tuning = { ...REFINE_TUNING, radixGroup: 2, radixCount: 0 };
    const { order, count } = await segmentSort(gpu(), pool, uploaded, ordering, { commonPrefix: 0, tuning });
    const found = [...(await readWords(gpu(), order, count))].map((i) => records[i]);
    pool.give(order);
    pool.destroyIdle();
    destroyRecords(uploaded);
    const parts = [records.slice(0, 1000), records.slice(1000, 3000), records.slice(3000)];
    expect(Buffer.concat(found).equals(Buffer.concat(parts.flatMap((part) => sortedRecords(part))))).toBe(true);
  });
});
