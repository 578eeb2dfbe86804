/** A stored run finds its records by their delimiters: samples and cuts against a linear scan. */
import { expect, it } from 'vitest';
import { SAMPLE_BYTES } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { orderedBytes } from '../../src/keys/ordered-bytes.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { BlobRun } from '../../src/runs/stored-run.js';
import { random } from '../support/random.js';
import { join, LINES, positionsOf } from '../support/records.js';

const FIXED: Ordering = {
  format: { kind: 'fixed', size: 5 },
  key: { kind: 'bytes', offset: 1, length: 2 },
  reverse: false,
  unique: false,
  lastResort: false,
};

async function stored(
  text: Buffer,
  ordering: Ordering,
  memory: number,
): Promise<{ run: BlobRun; store: TemporaryStore }> {
  const store = new TemporaryStore([Buffer.from('/tmp')]);
  store.allowMemory(memory);
  const writer = store.create(text.length);
  for (let at = 0; at < text.length; at += 1000) await writer.write(text.subarray(at, at + 1000));
  return { run: new BlobRun(await writer.finish(), ordering), store };
}

for (const memory of [0, 1e9]) {
  for (const [name, ordering] of Object.entries({
    lines: LINES,
    reversed: { ...LINES, reverse: true },
    fixed: FIXED,
  })) {
    it(`cuts ${name} ${memory === 0 ? 'in a file' : 'in memory'} like a linear scan`, async () => {
      const next = random(3);
      const draw = (): Buffer =>
        ordering.format.kind === 'fixed'
          ? Buffer.from(Array.from({ length: 5 }, () => 97 + Math.floor(next() * 3)))
          : Buffer.from('ab'[Math.floor(next() * 2)].repeat(next() < 0.02 ? 70_000 : Math.floor(next() * 9)));
      const records = Array.from({ length: 300 }, draw).sort((a, b) => compareRecords(ordering, a, b));
      const { run, store } = await stored(join(records, ordering), ordering, memory);
      const starts = positionsOf(records, ordering).map(({ byte }) => byte);
      const probes = [...Array.from({ length: 20 }, draw), records[0], records.at(-1)!].sort((a, b) =>
        compareRecords(ordering, a, b),
      );
      for (const [from, to] of [
        [0, 300],
        [17, 250],
        [40, 41],
        [40, 40],
      ] as const) {
        const place = (i: number) => ({ index: starts[i], byte: starts[i] });
        const bounds = await run.cut(place(from), place(to), probes);
        probes.forEach((probe, p) => {
          const within = records.slice(from, to);
          const lower = within.findIndex((r) => compareRecords(ordering, r, probe) >= 0);
          const upper = within.findIndex((r) => compareRecords(ordering, r, probe) > 0);
          expect(bounds[p]).toEqual({
            lower: place(lower < 0 ? to : from + lower),
            upper: place(upper < 0 ? to : from + upper),
          });
        });
        if (from === to) continue;
        const samples = await run.sample(place(from), place(to), 10);
        expect(samples.length).toBeGreaterThan(0);
        for (const sample of samples) {
          const i = starts.indexOf(sample.at.index);
          expect(i).toBeGreaterThanOrEqual(to - from === 1 ? from : from + 1);
          expect(i).toBeLessThan(to);
          expect(Buffer.from(await run.record(sample.at)).equals(records[i])).toBe(true);
          expect(sample.bytes).toBe(records[i].length);
          expect(Buffer.from(sample.head).equals(orderedBytes(ordering, records[i], SAMPLE_BYTES))).toBe(true);
        }
      }
      store.close();
    });
  }
}

it('answers concurrent questions like sequential ones', async () => {
  const next = random(9);
  const records = Array.from({ length: 2000 }, (_, i) =>
    Buffer.from(`${String(i).padStart(5, '0')}${'x'.repeat(next() < 0.02 ? 50_000 : Math.floor(next() * 200))}`),
  );
  const text = join(records);
  const { run, store } = await stored(text, LINES, 0);
  const begin = { index: 0, byte: 0 };
  const place = (i: number) => {
    const byte = text.indexOf(records[i]);
    return { index: byte, byte };
  };
  const questions = Array.from({ length: 30 }, (_, i) => [
    () => run.cut(begin, run.end, [records[i * 20], records[1999 - i]]),
    () => run.sample(place(i), run.end, 20),
    () => run.record(place(i * 60)),
  ]).flat();
  const apart: unknown[] = [];
  for (const ask of questions) apart.push(structuredClone(await ask()));
  expect(await Promise.all(questions.map((ask) => ask()))).toEqual(apart);
  store.close();
});
