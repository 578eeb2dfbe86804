/**
 * Merging more text than fits in memory: complete, in order and stable; each byte is read once, in large pieces. Of
 * texts that are out of order, what is merged before that shows is what a merge of the next records writes.
 */
import { describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/cpu/engine.js';
import { type Engine, OutOfOrder, type Slice } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { combine, type Step } from '../../src/runs/combine.js';
import {
  comeFirst,
  type Front,
  FrontInWindows,
  frontInMemory,
  type OrderedText,
  storedText,
} from '../../src/runs/front.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { wholeRun } from '../../src/runs/partition.js';
import { rounds } from '../../src/runs/rounds.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { WindowMemory } from '../../src/runs/window-memory.js';
import { collector, runOf, silent, smallEngine } from '../support/jobs.js';
import { random } from '../support/random.js';
import { join, LINES, sortedRecords, split } from '../support/records.js';
import { NIGHTLY } from '../support/tier.js';

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

/** Texts of each ordering that are merged out of order. */
const TEXTS = NIGHTLY ? 100_000 : 700;
/** Records of two bytes, of which the first is the key: equal keys differ in the second. */
const BY_FIRST: Ordering = {
  format: { kind: 'fixed', size: 2 },
  key: { kind: 'bytes', offset: 0, length: 1 },
  reverse: false,
  unique: false,
  lastResort: false,
};

/**
 * Takes the smallest of the next records, the first of equal ones, and under `unique` drops those equal to the last.
 */
function inTurn(texts: readonly (readonly Uint8Array[])[], ordering: Ordering): Uint8Array[] {
  const left = texts.map((records) => [...records]);
  const taken: Uint8Array[] = [];
  for (;;) {
    const heads = left.filter((records) => records.length > 0);
    if (heads.length === 0) return taken;
    const least = heads.reduce((a, b) => (compareRecords(ordering, b[0], a[0]) < 0 ? b : a));
    const record = least.shift()!;
    const last = taken.at(-1);
    if (!ordering.unique || last === undefined || compareRecords(ordering, last, record) !== 0) taken.push(record);
  }
}

/** Records in order but for a few of them: any may be swapped, moved, or begin a second ordered part. */
function disordered(ordering: Ordering, draw: () => Buffer): Uint8Array[] {
  const records = sortedRecords(Array.from({ length: pick(30) }, draw), { ...ordering, unique: pick(3) === 0 });
  if (records.length === 0 || pick(3) === 0) return records;
  const [a, b] = [pick(records.length), pick(records.length)];
  switch (pick(3)) {
    case 0:
      [records[a], records[b]] = [records[b], records[a]];
      return records;
    case 1:
      records.splice(b, 0, ...records.splice(a, 1 + pick(3)));
      return records;
    default:
      return [...records.slice(a), ...records.slice(0, a)];
  }
}

function textOf(bytes: Uint8Array): OrderedText {
  let at = 0;
  return {
    read: async (target) => {
      const part = bytes.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    close: () => {},
  };
}

describe.each([
  ['plain', LINES],
  ['reverse', ORDERINGS.reverse],
  ['unique', ORDERINGS.unique],
  ['reverse unique', ORDERINGS['reverse unique']],
  ['by first byte', BY_FIRST],
  ['by first byte, unique', { ...BY_FIRST, unique: true }],
  ['by first byte, reverse', { ...BY_FIRST, reverse: true }],
] as const)('texts out of order, %s', (_, ordering) => {
  it.each([4, 12, 40])('are merged up to there, in ranges of %i bytes', async (rangeBytes) => {
    const engine = await createCpuEngine({
      ordering,
      chunkBytes: rangeBytes,
      rangeBytes,
      workers: 0,
      residentBytes: null,
      recorder: silent,
      unchecked: true,
    });
    let mergedBytes = 0;
    for (let number = 0; number < TEXTS / 3; number++) {
      const keys = 2 + pick(9);
      const isFixed = ordering.format.kind === 'fixed';
      const draw = (): Buffer => Buffer.from(`${pick(keys)}${isFixed || pick(2) === 0 ? pick(3) : ''}`);
      const texts = Array.from({ length: 1 + pick(4) }, () => disordered(ordering, draw));
      const memory = new WindowMemory(engine.shared!, 64, [4, 8, 20][pick(3)]);
      const fronts = texts.map((records) => new FrontInWindows(textOf(join(records, ordering)), ordering, memory));
      const out = collector();
      const unwritten: Step[] = [];
      const checked: Engine = {
        ...engine,
        merge: async (slices, __, form) => {
          if (!comeFirst(slices, fronts, ordering)) throw new OutOfOrder('a range has to wait');
          return engine.merge(slices, 0, form);
        },
      };
      const left: Uint8Array[][] = [];
      try {
        await combine(checked, rounds(engine, fronts, [], ordering, true), ordering, out.write, null, { unwritten });
      } catch (error) {
        if (!(error instanceof OutOfOrder)) throw error;
        // Texts that are in order are merged to the end.
        const isInOrder = (record: Uint8Array, i: number, records: readonly Uint8Array[]): boolean =>
          i === 0 || compareRecords(ordering, records[i - 1], record) <= 0;
        expect(texts.every((records) => records.every(isInOrder))).toBe(false);
        const slices = unwritten.flatMap((step) => (step.kind === 'range' ? step.range.slices : []));
        for (const front of fronts) {
          const pieces: Uint8Array[] = [];
          for await (const piece of front.unmerged(slices)) pieces.push(Uint8Array.from(piece));
          left.push(split(Buffer.concat(pieces), ordering));
        }
      }
      mergedBytes += out.bytes().length;
      const all = Buffer.concat([out.bytes(), join(inTurn(left, ordering), ordering)]);
      expect(all.toString(), `${number}: ${texts.map((records) => records.join(' ')).join(' | ')}`).toBe(
        join(inTurn(texts, ordering), ordering).toString(),
      );
    }
    expect(mergedBytes).toBeGreaterThan(0);
    await engine.close();
  });
});
