/** Merging more text than fits in memory: complete, in order and stable; each byte is read once, in large pieces. */
import { describe, expect, it } from 'vitest';
import type { Engine, Slice } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { combine } from '../../src/runs/combine.js';
import { type Front, FrontInWindows, frontInMemory, type OrderedText, storedText } from '../../src/runs/front.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { wholeRun } from '../../src/runs/partition.js';
import { rounds } from '../../src/runs/rounds.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { WindowMemory } from '../../src/runs/window-memory.js';
import { collector, runOf, smallEngine } from '../support/jobs.js';
import { random } from '../support/random.js';
import { join, LINES, sortedRecords } from '../support/records.js';

const next = random(11);
const pick = (n: number): number => Math.floor(next() * n);
const DISTRIBUTIONS: Record<string, () => string> = {
  uniform: () =>
    next()
      .toString(36)
      .slice(2, 2 + pick(12)),
  'few distinct': () => 'abcd'[pick(4)].repeat(1 + pick(2)),
  'all equal': () => 'same',
  'longer than a window': () => 'e'.repeat(pick(500)),
  'prefixes of each other': () => 'p'.repeat(pick(80)),
  nul: () => 'a\0'.repeat(pick(3)) + '\0'.repeat(pick(3)),
};
const ORDERINGS: Record<string, Ordering> = {
  plain: LINES,
  reverse: { ...LINES, reverse: true },
  unique: { ...LINES, unique: true, lastResort: false },
  'reverse unique': { ...LINES, unique: true, lastResort: false, reverse: true },
};
const SMALLEST_WINDOW = 48;

/** A stored slice as a front, and the sizes of the reads from it. */
function watched(slice: Slice, ordering: Ordering, memory: WindowMemory): { front: Front; reads: number[] } {
  const reads: number[] = [];
  const text = storedText(slice, () => undefined);
  const watchedText: OrderedText = {
    read: async (target) => {
      const count = await text.read(target);
      reads.push(count);
      return count;
    },
    close: text.close,
  };
  return { front: new FrontInWindows(watchedText, ordering, memory), reads };
}

async function merged(
  engine: Engine,
  fronts: readonly Front[],
  large: readonly LargeRecord[],
  ordering: Ordering,
): Promise<Buffer> {
  const out = collector();
  await combine(engine, rounds(engine, fronts, large, ordering), ordering, out.write, null);
  return out.bytes();
}

for (const [orderingName, ordering] of Object.entries(ORDERINGS)) {
  describe(orderingName, () => {
    for (const [name, draw] of Object.entries(DISTRIBUTIONS)) {
      it.each([SMALLEST_WINDOW, 400, 10_000])(`merges runs of ${name} in windows of %i bytes`, async (windowBytes) => {
        const engine = await smallEngine(ordering, 2048);
        const store = new TemporaryStore([Buffer.from('/tmp')]);
        store.allowMemory(1 << 20);
        const memory = new WindowMemory(engine.shared!, 2048, windowBytes);
        const all: Buffer[] = [];
        const fronts: Front[] = [];
        for (let k = 0; k < 9; k++) {
          const records: Buffer[] = [];
          for (let bytes = 0; bytes < 1500; ) {
            const record = Buffer.from(draw(), 'latin1');
            records.push(record);
            bytes += record.length + 1;
          }
          all.push(...records);
          const run = await runOf(engine, join(records));
          if (k % 3 === 2) {
            fronts.push(frontInMemory(wholeRun(run)));
            continue;
          }
          const stored = await storeRun(store, (await engine.merge([wholeRun(run)], 0))[0], ordering);
          const { front, reads } = watched(wholeRun(stored), ordering, memory);
          fronts.push(front);
          expect(reads).toEqual([]);
        }
        expect((await merged(engine, fronts, [], ordering)).equals(join(sortedRecords(all, ordering)))).toBe(true);
        store.close();
        await engine.close();
      });
    }

    it('places records larger than a chunk', async () => {
      const engine = await smallEngine(ordering, 600);
      const store = new TemporaryStore([Buffer.from('/tmp')]);
      store.allowMemory(1 << 20);
      const memory = new WindowMemory(engine.shared!, 600, SMALLEST_WINDOW);
      const bytes = [3000, 700, 700, 601].map((n, i) => Buffer.from((i === 3 ? 'c' : 'b').repeat(n)));
      const small = ['a', 'b', 'b'.repeat(599), 'b'.repeat(50), 'c', 'bc', '', 'd'.repeat(99)].map((s) =>
        Buffer.from(s),
      );
      const fronts: Front[] = [];
      for (const part of [small.slice(0, 2), small.slice(2, 3), small.slice(3)]) {
        const run = await runOf(engine, join(part));
        const stored = await storeRun(store, (await engine.merge([wholeRun(run)], 0))[0], ordering);
        fronts.push(watched(wholeRun(stored), ordering, memory).front);
      }
      const large = bytes.map(
        (record): LargeRecord => ({
          bytes: record.length,
          readAt: async (byte, target) => {
            target.set(record.subarray(byte, byte + target.length));
          },
        }),
      );
      expect((await merged(engine, fronts, large, ordering)).toString('latin1')).toBe(
        join(sortedRecords([...small, ...bytes], ordering)).toString('latin1'),
      );
      store.close();
      await engine.close();
    });
  });
}

it('reads each byte once, at least two thirds of a window at a time', async () => {
  const engine = await smallEngine(LINES, 2048);
  const store = new TemporaryStore([Buffer.from('/tmp')]);
  store.allowMemory(1 << 20);
  const memory = new WindowMemory(engine.shared!, 2048, 300);
  const fronts: { front: Front; reads: number[] }[] = [];
  const texts: string[] = [];
  for (let k = 0; k < 4; k++) {
    const lines = Array.from({ length: 200 }, (_, i) => String(k * 150 + i).padStart(6, '0'));
    texts.push(...lines);
    const run = await runOf(engine, Buffer.from(`${lines.join('\n')}\n`));
    fronts.push(
      watched(wholeRun(await storeRun(store, (await engine.merge([wholeRun(run)], 0))[0], LINES)), LINES, memory),
    );
  }
  const out = await merged(
    engine,
    fronts.map(({ front }) => front),
    [],
    LINES,
  );
  expect(out.toString()).toBe(`${texts.sort().join('\n')}\n`);
  for (const { reads } of fronts) {
    expect(reads.reduce((sum, count) => sum + count, 0)).toBe(1400);
    expect(Math.min(...reads.slice(0, -1))).toBeGreaterThanOrEqual(200);
  }
  store.close();
  await engine.close();
});

it('returns all windows', async () => {
  const engine = await smallEngine(LINES, 2048);
  let taken = 0;
  const pool = {
    take: (bytes: number) => {
      taken++;
      return new SharedArrayBuffer(bytes);
    },
    give: () => {
      taken--;
    },
  };
  const memory = new WindowMemory(pool, 64, 64);
  const store = new TemporaryStore([Buffer.from('/tmp')]);
  store.allowMemory(1 << 20);
  const run = await runOf(engine, Buffer.from(`${'a'.repeat(500)}\n${'b\n'.repeat(300)}`));
  const stored = await storeRun(store, (await engine.merge([wholeRun(run)], 0))[0], LINES);
  await merged(
    engine,
    [
      new FrontInWindows(
        storedText(wholeRun(stored), () => undefined),
        LINES,
        memory,
      ),
    ],
    [],
    LINES,
  );
  memory.close();
  expect(taken).toBe(0);
  store.close();
  await engine.close();
});
