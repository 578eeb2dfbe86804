/** Cuts, records and samples of a resident run against linear scans on the host, under every ordering. */
import { beforeAll, expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { DevicePool } from '../../../../src/engines/gpu/device/pool.js';
import { DeviceRun, loadDeviceRun } from '../../../../src/engines/gpu/engine/device-run.js';
import { Questions } from '../../../../src/engines/gpu/engine/questions.js';
import { type DevicePosition, placeBefore } from '../../../../src/engines/gpu/records/records.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { compareRecords } from '../../../../src/keys/compare.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { LINES, positionsOf, sortedRecords } from '../../../support/records.js';
import { randomRecords, uploadRecords, useGpu } from '../helpers.js';

const FIXED: Ordering = { ...LINES, format: { kind: 'fixed', size: 12 }, key: { kind: 'bytes', offset: 3, length: 6 } };
const ORDERINGS: Readonly<Record<string, Ordering>> = {
  lines: LINES,
  'lines in reverse': { ...LINES, reverse: true },
  'fixed records by key, then all bytes': FIXED,
  'fixed records by key alone': { ...FIXED, lastResort: false },
  'fixed records by key in reverse': { ...FIXED, reverse: true },
};

const useTestGpu = useGpu();

describeGpu('runs in device memory', () => {
  let gpu: Gpu;
  const next = randomBelow(3);
  beforeAll(() => {
    gpu = useTestGpu();
  });

  async function runOf(
    unsorted: readonly Uint8Array[],
    ordering: Ordering,
  ): Promise<{ run: DeviceRun; records: Uint8Array[]; at: DevicePosition[] }> {
    await loadDeviceRun(gpu, ordering);
    const records = sortedRecords(unsorted, ordering);
    return {
      run: new DeviceRun(
        new Questions(gpu, new DevicePool(gpu)),
        ordering,
        uploadRecords(gpu, records, ordering),
        () => {},
      ),
      records,
      at: positionsOf(records, ordering).map(({ byte }, index) => placeBefore(index, byte)),
    };
  }

  for (const [name, ordering] of Object.entries(ORDERINGS)) {
    it(`is cut as by a linear scan: ${name}`, async () => {
      const fixed = ordering.format.kind === 'fixed';
      const make = (n: number): Buffer[] => randomRecords(n, () => (fixed ? 12 : next(7)), next, 2);
      const { run, records, at } = await runOf(make(1500), ordering);
      const asked = sortedRecords([...make(40), records[0], records[1499]], ordering);
      for (const [from, to] of [
        [0, 1500],
        [317, 900],
        [5, 6],
        [700, 700],
      ] as const) {
        const bounds = await run.cut(at[from], at[to], asked);
        const inside = records.slice(from, to);
        bounds.forEach((bound, i) => {
          const before = inside.filter((r) => compareRecords(ordering, r, asked[i]) < 0).length;
          const notAfter = inside.filter((r) => compareRecords(ordering, r, asked[i]) <= 0).length;
          expect(bound).toEqual({ lower: at[from + before], upper: at[from + notAfter] });
        });
      }
      expect(Buffer.from(await run.record(at[12])).equals(records[12])).toBe(true);
      expect(Buffer.from(await run.record(at[1499])).equals(records[1499])).toBe(true);
    });
  }

  it('distinguishes long records by their ends, and by NULs', async () => {
    const long = Buffer.alloc(70_000, 'x');
    const variants = [-1, 255, 256, 257, 1023, 40_001, 69_999].map((i) => {
      const b = Buffer.from(long);
      if (i >= 0) b[i] = 121;
      return b;
    });
    const texts = [
      ...variants,
      ...variants,
      long.subarray(1),
      Buffer.from('a'),
      Buffer.from('a\0'),
      Buffer.from('a\0\0\0\0'),
      Buffer.from('a\0b'),
    ];
    const { run, records, at } = await runOf(texts, LINES);
    const asked = sortedRecords(texts, LINES);
    const bounds = await run.cut(at[0], run.end, asked);
    bounds.forEach((bound, i) => {
      expect(bound.lower.index).toBe(records.filter((r) => compareRecords(LINES, r, asked[i]) < 0).length);
      expect(bound.upper.index).toBe(records.filter((r) => compareRecords(LINES, r, asked[i]) <= 0).length);
    });
    // Longer than the first read: a second one is needed.
    for (const i of [5, records.length - 1]) expect(Buffer.from(await run.record(at[i])).equals(records[i])).toBe(true);
  });

  it('compares records of 5 MB within the time limit', async () => {
    const long = Buffer.alloc(5_000_000, 'y');
    const { run } = await runOf([long, long, Buffer.from('a')], LINES);
    const [bound] = await run.cut(run.begin, run.end, [long]);
    expect([bound!.lower.index, bound!.upper.index]).toEqual([1, 3]);
  });

  it('samples evenly by bytes', async () => {
    for (const ordering of [LINES, FIXED]) {
      const fixed = ordering.format.kind === 'fixed';
      const { run, records, at } = await runOf(
        randomRecords(3000, () => (fixed ? 12 : next(200)), next),
        ordering,
      );
      const key = (r: Uint8Array): Buffer =>
        (fixed ? Buffer.concat([r.subarray(3, 9), r]) : Buffer.from(r)).subarray(0, 64);
      for (const [from, to, count] of [
        [0, 3000, 100],
        [10, 20, 50],
        [7, 8, 3],
        [9, 9, 2],
        [100, 2900, 1],
      ] as const) {
        const samples = await run.sample(at[from], at[to], count);
        const step = (at[to].byte - at[from].byte) / count;
        if (from === to) expect(samples).toEqual([]);
        else expect(samples.length).toBeGreaterThan(0);
        samples.forEach((sample, i) => {
          expect(sample.at).toEqual(at[sample.at.index]);
          expect(sample.bytes).toBe(records[sample.at.index].length);
          expect(Buffer.from(sample.head).equals(key(records[sample.at.index]))).toBe(true);
          if (i > 0) expect(sample.at.index).toBeGreaterThan(samples[i - 1].at.index);
          if (to - from > 1) expect(sample.at.index).toBeGreaterThan(from);
          expect(sample.at.index).toBeLessThan(to);
          if (to - from > 1000) expect(Math.abs(sample.at.byte - (at[from].byte + (i + 0.5) * step))).toBeLessThan(201);
        });
      }
    }
  });
});
