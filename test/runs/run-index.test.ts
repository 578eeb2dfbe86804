/** The sparse index of a stored run: samples are evenly spread records; cuts equal a linear scan's. */
import { expect, it } from 'vitest';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { IndexBuilder } from '../../src/runs/run-index.js';
import { sampleHead } from '../../src/runs/sample-head.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { BlobRun } from '../../src/runs/stored-run.js';
import { random, randomBelow } from '../support/random.js';
import { join, LINES, positionsOf } from '../support/records.js';

const FIXED: Ordering = {
  format: { kind: 'fixed', size: 40 },
  key: { kind: 'bytes', offset: 2, length: 5 },
  reverse: false,
  unique: false,
  lastResort: true,
};
const next = random(5);
const below = randomBelow(5);
/** Records that share up to a hundred bytes with their neighbours; a few are very long, and many are equal. */
const line = (): Buffer =>
  Buffer.from(`${'p'.repeat(below(3) * 50)}${below(300)}${'x'.repeat(next() < 0.001 ? 200_000 : below(60))}`);
const fixed = (): Buffer => Buffer.from(Array.from({ length: 40 }, () => 97 + below(4)));

function build(text: Buffer, ordering: Ordering): IndexBuilder {
  const builder = new IndexBuilder(ordering);
  for (let at = 0; at < text.length; ) {
    const block = text.subarray(at, at + 1 + below(300_000));
    builder.add(block);
    at += block.length;
  }
  return builder;
}

it.each<readonly [string, Ordering, () => Buffer]>([
  ['lines', LINES, line],
  ['reversed', { ...LINES, reverse: true }, line],
  ['fixed', FIXED, fixed],
])('cuts like a linear scan: %s', async (_, ordering, draw) => {
  const records = Array.from({ length: 40_000 }, draw).sort((a, b) => compareRecords(ordering, a, b));
  const text = join(records, ordering);
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const writer = store.create(text.length);
  await writer.write(text);
  const run = new BlobRun(await writer.finish(), ordering, build(text, ordering).finish());
  const starts = positionsOf(records, ordering).map(({ byte }) => byte);
  const place = (i: number) => ({ index: starts[i], byte: starts[i] });
  const probes = [
    ...Array.from({ length: 60 }, draw),
    ...Array.from({ length: 60 }, () => records[below(records.length)]),
    records[0],
    records.at(-1)!,
  ].sort((a, b) => compareRecords(ordering, a, b));
  // Records are in order. So a scan of a part ends where a scan of all records does, or at an end of the part.
  const first = (found: (record: Buffer) => boolean): number => {
    const i = records.findIndex(found);
    return i < 0 ? records.length : i;
  };
  const scanned = probes.map(
    (probe) =>
      [
        first((record) => compareRecords(ordering, record, probe) >= 0),
        first((record) => compareRecords(ordering, record, probe) > 0),
      ] as const,
  );
  for (const [from, to] of [
    [0, 40_000],
    [1234, 30_000],
    [20_000, 20_100],
    [20_000, 20_001],
    [5, 5],
  ] as const) {
    const bounds = await run.cut(place(from), place(to), probes);
    scanned.forEach(([lower, upper], p) => {
      const within = (i: number): number => Math.max(from, Math.min(to, i));
      expect(bounds[p]).toEqual({ lower: place(within(lower)), upper: place(within(upper)) });
    });
    if (from === to) continue;
    for (const count of [1, 7, 20, 1000]) {
      const samples = await run.sample(place(from), place(to), count);
      expect(samples.length).toBeLessThanOrEqual(count);
      let last = from === to - 1 ? from - 1 : from;
      for (const { at, head, bytes } of samples) {
        const i = starts.indexOf(at.byte);
        expect(i).toBeGreaterThan(last);
        expect(i).toBeLessThan(to);
        expect(bytes).toBe(records[i].length);
        expect(Buffer.from(head).equals(sampleHead(ordering, records[i]))).toBe(true);
        last = i;
      }
      // Evenly spread: no gap is much larger than an equal share, as far as the index resolves.
      if (to - from > 20_000 && count === 7) {
        const places = [starts[from], ...samples.map(({ at }) => at.byte), starts[to]];
        for (let i = 1; i < places.length; i++)
          expect(places[i] - places[i - 1]).toBeLessThan((starts[to] - starts[from]) / 2 + 500_000);
      }
    }
  }
  store.close();
});

it('keeps a bounded number of samples for a long run', () => {
  const text = Buffer.alloc(64 << 20, 'abcdefghijklmnopqrstuvwxyzabcdefghijklm\n');
  const index = build(text, LINES).finish();
  const all = index.spread(0, text.length, Infinity);
  expect(all.length).toBeGreaterThanOrEqual(128);
  expect(all.length).toBeLessThan(256);
  for (const { at, bytes } of all) expect({ at: at.byte % 40, bytes }).toEqual({ at: 0, bytes: 39 });
  expect(index.spread(0, text.length, 10)).toHaveLength(10);
});
