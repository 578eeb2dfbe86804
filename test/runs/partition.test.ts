/** Ranges: nothing lost, in order, stable, within the limit, whatever the keys; combine over resident and stored runs. */
import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { combine } from '../../src/runs/combine.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { partition, wholeRuns } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { collector, LINES, random, runOf, smallEngine, textOf } from '../support/jobs.js';

const next = random(7);
const pick = (n: number): number => Math.floor(next() * n);
const DISTRIBUTIONS: Record<string, () => string> = {
  uniform: () => next().toString(36).slice(2, 2 + pick(12)),
  'few distinct': () => 'abcd'[pick(4)]!.repeat(1 + pick(2)),
  'all equal': () => 'same',
  'long equal': () => 'e'.repeat(300),
  'prefixes of each other': () => 'p'.repeat(pick(80)),
  urls: () => `https://example.org/a/long/common/prefix/${pick(50)}/${pick(1000)}`,
  nul: () => 'a\0'.repeat(pick(3)) + '\0'.repeat(pick(3)),
};
const ORDERINGS: Record<string, Ordering> = {
  plain: LINES, reverse: { ...LINES, reverse: true }, unique: { ...LINES, unique: true, lastResort: false },
  'reverse unique': { ...LINES, unique: true, lastResort: false, reverse: true },
};

function expected(ordering: Ordering, records: readonly Buffer[]): Buffer {
  const sorted = records.map((r, i) => ({ r, i })).sort((a, b) => compareRecords(ordering, a.r, b.r) || a.i - b.i).map(({ r }) => r);
  return textOf(ordering.unique ? sorted.filter((r, i) => i === 0 || compareRecords(ordering, sorted[i - 1]!, r) !== 0) : sorted);
}

for (const [orderingName, ordering] of Object.entries(ORDERINGS)) {
  describe(orderingName, () => {
    for (const [name, draw] of Object.entries(DISTRIBUTIONS)) {
      it(`combines runs of ${name}, resident and stored`, async () => {
        const chunkBytes = 2048;
        const engine = await smallEngine(ordering, chunkBytes);
        const store = new TemporaryStore([Buffer.from('/tmp')]);
        store.allowMemory(4096);
        const all: Buffer[] = [];
        const runs: Run[] = [];
        for (let k = 0; k < 12; k++) {
          const records: Buffer[] = [];
          let bytes = 0;
          while (bytes < 1500) { const r = Buffer.from(draw(), 'latin1'); records.push(r); bytes += r.length + 1; }
          all.push(...records);
          const run = await runOf(engine, textOf(records));
          if (k % 2 === 0) runs.push(run);
          else {
            const [sorted] = await engine.merge(wholeRuns([run]), 0);
            runs.push(await storeRun(store, sorted!, ordering));
          }
        }
        // Byte places of resident runs may be estimates, so a range may pass its limit a little.
        for await (const range of partition(wholeRuns(runs), ordering, { wanted: 1024, most: 1024 })) {
          const bytes = range.slices.reduce((sum, s) => sum + s.to.byte - s.from.byte, 0);
          expect(bytes).toBeLessThanOrEqual(1024);
        }
        const out = collector();
        await combine(engine, runs, [], ordering, out.write);
        expect(out.bytes().equals(expected(ordering, all))).toBe(true);
        store.close();
        await engine.close();
      });
    }

    it('puts records larger than a chunk in their places', async () => {
      const engine = await smallEngine(ordering, 600);
      const large = [3000, 700, 700, 601].map((n, i) => Buffer.from((i === 3 ? 'c' : 'b').repeat(n)));
      const small = ['a', 'b', 'b'.repeat(599), 'b'.repeat(50), 'c', 'bc', ''].map((s) => Buffer.from(s));
      const runs = [await runOf(engine, textOf(small.slice(0, 2))), await runOf(engine, textOf(small.slice(2, 3))), await runOf(engine, textOf(small.slice(3)))];
      const asLarge = (bytes: Buffer): LargeRecord => ({
        bytes: bytes.length, readAt: async (byte, target) => { target.set(bytes.subarray(byte, byte + target.length)); },
      });
      const out = collector();
      await combine(engine, runs, large.map(asLarge), ordering, out.write);
      expect(out.bytes().toString('latin1')).toBe(expected(ordering, [...small, ...large]).toString('latin1'));
      await engine.close();
    });
  });
}
