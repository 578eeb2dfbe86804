/** Ranges are complete, in order, stable and within the limit, whatever the keys. Resident and stored runs combine. */
import { describe, expect, it } from 'vitest';
import type { Position, Run } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { combine, steps } from '../../src/runs/combine.js';
import { type LargeRecord, sortLarge } from '../../src/runs/large.js';
import { partition, wholeRun } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { collector, runOf, smallEngine } from '../support/jobs.js';
import { random } from '../support/random.js';
import { join, LINES, sortedRecords } from '../support/records.js';

const next = random(7);
const pick = (n: number): number => Math.floor(next() * n);
const DISTRIBUTIONS: Record<string, () => string> = {
  uniform: () =>
    next()
      .toString(36)
      .slice(2, 2 + pick(12)),
  'few distinct': () => 'abcd'[pick(4)].repeat(1 + pick(2)),
  'all equal': () => 'same',
  'long equal': () => 'e'.repeat(300),
  'prefixes of each other': () => 'p'.repeat(pick(80)),
  urls: () => `https://example.org/a/long/common/prefix/${pick(50)}/${pick(1000)}`,
  nul: () => 'a\0'.repeat(pick(3)) + '\0'.repeat(pick(3)),
};
const ORDERINGS: Record<string, Ordering> = {
  plain: LINES,
  reverse: { ...LINES, reverse: true },
  unique: { ...LINES, unique: true, lastResort: false },
  'reverse unique': { ...LINES, unique: true, lastResort: false, reverse: true },
};

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
          while (bytes < 1500) {
            const r = Buffer.from(draw(), 'latin1');
            records.push(r);
            bytes += r.length + 1;
          }
          all.push(...records);
          const run = await runOf(engine, join(records));
          if (k % 2 === 0) runs.push(run);
          else {
            const [sorted] = await engine.merge([wholeRun(run)], 0);
            runs.push(await storeRun(store, sorted!, ordering));
          }
        }
        // Byte places of resident runs may be estimates, so a range of those may exceed its limit a little.
        for await (const range of partition(runs.map(wholeRun), ordering, { wanted: 1024, most: 1024 })) {
          const bytes = range.slices.reduce((sum, s) => sum + s.to.byte - s.from.byte, 0);
          expect(bytes).toBeLessThanOrEqual(1024);
        }
        const out = collector();
        await combine(engine, steps(engine, runs.map(wholeRun), [], ordering), ordering, out.write, runs);
        expect(out.bytes().equals(join(sortedRecords(all, ordering)))).toBe(true);
        store.close();
        await engine.close();
      });
    }

    it('places records larger than a chunk', async () => {
      const engine = await smallEngine(ordering, 600);
      const large = [3000, 700, 700, 601].map((n, i) => Buffer.from((i === 3 ? 'c' : 'b').repeat(n)));
      const small = ['a', 'b', 'b'.repeat(599), 'b'.repeat(50), 'c', 'bc', ''].map((s) => Buffer.from(s));
      const runs = [
        await runOf(engine, join(small.slice(0, 2))),
        await runOf(engine, join(small.slice(2, 3))),
        await runOf(engine, join(small.slice(3))),
      ];
      const asLarge = (bytes: Buffer): LargeRecord => ({
        bytes: bytes.length,
        readAt: async (byte, target) => {
          target.set(bytes.subarray(byte, byte + target.length));
        },
      });
      const out = collector();
      await combine(
        engine,
        steps(engine, runs.map(wholeRun), await sortLarge(large.map(asLarge), ordering), ordering),
        ordering,
        out.write,
        runs,
      );
      expect(out.bytes().toString('latin1')).toBe(
        join(sortedRecords([...small, ...large], ordering)).toString('latin1'),
      );
      await engine.close();
    });
  });
}

describe('records of many megabytes', () => {
  const LONGEST = Buffer.alloc(40 << 20, 'x');

  /**
   * A run of records that are prefixes of one another; none of them is stored. `held` receives the total bytes of the
   * records that a call of `cut` is given, if they are more than two.
   */
  function longRun(lengths: readonly number[], held: (bytes: number) => void): Run {
    const places: Position[] = [{ index: 0, byte: 0 }];
    for (const length of lengths) places.push({ index: places.length, byte: places.at(-1)!.byte + length + 1 });
    const firstOf = (from: Position, to: Position, least: number): Position =>
      places[Math.min(to.index, Math.max(from.index, lengths.findIndex((length) => length >= least) >>> 0))];
    return {
      kind: 'stored',
      end: places.at(-1)!,
      sample: async (from, to) =>
        places
          .slice(to.index - from.index > 1 ? from.index + 1 : from.index, to.index)
          .map((at) => ({ at, head: LONGEST.subarray(0, 64), bytes: lengths[at.index] })),
      record: async (at) => LONGEST.subarray(0, lengths[at.index]),
      cut: async (from, to, records) => {
        if (records.length > 2) held(records.reduce((sum, record) => sum + record.length, 0));
        return records.map(({ length }) => ({
          lower: firstOf(from, to, length),
          upper: firstOf(from, to, length + 1),
        }));
      },
      release: () => {},
    };
  }

  it.each([
    [
      'in long runs',
      Array.from({ length: 8 }, () =>
        Array.from({ length: 12 }, () => (20 << 20) + pick(20 << 20)).sort((a, b) => a - b),
      ),
    ],
    ['one per run', Array.from({ length: 12 }, () => [(20 << 20) + pick(20 << 20)])],
    ['equal, one per run', Array.from({ length: 12 }, () => [40 << 20])],
    [
      'among short records',
      Array.from({ length: 8 }, (_, i) => [
        ...Array.from({ length: 2000 }, (_, j) => j),
        (30 << 20) + i,
        (39 << 20) + i,
      ]),
    ],
  ])('are cut by a few splitters at a time: %s', async (_, lengths) => {
    let most = 0;
    const runs = lengths.map((each) =>
      longRun(each, (bytes) => {
        most = Math.max(most, bytes);
      }),
    );
    const size = { wanted: 60 << 20, most: 80 << 20 };
    const last = runs.map(() => 0);
    let longest = 0;
    for await (const { slices } of partition(runs.map(wholeRun), LINES, size)) {
      expect(slices.reduce((sum, s) => sum + s.to.byte - s.from.byte, 0)).toBeLessThanOrEqual(size.most);
      const within = slices.flatMap(({ run, from, to }) => {
        const i = runs.indexOf(run);
        expect(from.index).toBe(last[i]);
        last[i] = to.index;
        return lengths[i].slice(from.index, to.index);
      });
      expect(Math.min(...within)).toBeGreaterThanOrEqual(longest);
      longest = Math.max(...within);
    }
    expect(last).toEqual(lengths.map((each) => each.length));
    expect(most).toBeLessThanOrEqual(64 << 20);
  });
});
