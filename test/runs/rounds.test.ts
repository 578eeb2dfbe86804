/**
 * Merging in windows: each byte is read once, in large pieces. If texts are out of order, the text merged before that
 * is detected equals that of a merge record by record. combined.test.ts merges texts in order.
 */
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import { type Engine, OutOfOrder } from '../../src/contract/engine.js';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords } from '../../src/keys/compare.js';
import { combine, type Step } from '../../src/runs/combine.js';
import { comeFirst, type Front, FrontInWindows } from '../../src/runs/front.js';
import { rounds } from '../../src/runs/rounds.js';
import { WindowMemory } from '../../src/runs/window-memory.js';
import { type ByteSource, sequential } from '../../src/system/byte-source.js';
import { seedFor } from '../support/distributions.js';
import { collector, silent, smallEngine } from '../support/jobs.js';
import { byFixed, LINE_ORDERINGS, type NamedOrdering, sizeOf } from '../support/orderings.js';
import { property } from '../support/property.js';
import { join, LINES, sortedRecords, split } from '../support/records.js';

/** A text in memory. `reads`: the sizes of the reads from it. */
function textOf(bytes: Uint8Array, reads: number[] = []): ByteSource {
  const readAt = async (byte: number, target: Uint8Array): Promise<void> => {
    target.set(bytes.subarray(byte, byte + target.length));
    reads.push(target.length);
  };
  return sequential({ readAt }, 0, bytes.length, () => {});
}

async function merged(fronts: readonly Front[]): Promise<string> {
  const engine = await smallEngine(LINES, 2048);
  const out = collector();
  await combine(rounds(engine, fronts, [], LINES), { engine, ordering: LINES, write: out.write, unneeded: null });
  await engine.close();
  return out.bytes().toString();
}

/** Counts the buffers that are in use. */
function countingPool() {
  const pool = {
    taken: 0,
    take: (bytes: number) => {
      pool.taken++;
      return new SharedArrayBuffer(bytes);
    },
    give: () => {
      pool.taken--;
    },
  };
  return pool;
}

it('reads each byte of a text once, in large parts, only after the merge begins', async () => {
  const memory = new WindowMemory(countingPool(), 2048, 300);
  const texts = [0, 1, 2, 3].map((k) => {
    const lines = Array.from({ length: 200 }, (_, i) => String(k * 150 + i).padStart(6, '0'));
    const reads: number[] = [];
    return {
      lines,
      reads,
      front: new FrontInWindows(textOf(Buffer.from(`${lines.join('\n')}\n`), reads), LINES, memory),
    };
  });
  expect(texts.flatMap(({ reads }) => reads)).toEqual([]);
  const sorted = texts.flatMap(({ lines }) => lines).sort();
  expect(await merged(texts.map(({ front }) => front))).toBe(`${sorted.join('\n')}\n`);
  for (const { reads } of texts) {
    expect(reads.reduce((sum, count) => sum + count, 0)).toBe(1400);
    expect(Math.min(...reads.slice(0, -1))).toBeGreaterThanOrEqual(200);
  }
});

it('reads a text whose records come next in larger windows, and overlapping texts in equal ones', async () => {
  const readsOf = async (step: number, apart: number): Promise<number[][]> => {
    const pool = countingPool();
    const memory = new WindowMemory(pool, 2800, 280);
    const texts = [0, 1, 2, 3].map((k) => ({
      reads: [] as number[],
      lines: Array.from({ length: 1000 }, (_, i) => `${String(k * apart + i * step).padStart(6, '0')}\n`),
    }));
    const fronts = texts.map(
      ({ lines, reads }) => new FrontInWindows(textOf(Buffer.from(lines.join('')), reads), LINES, memory),
    );
    const sorted = texts.flatMap(({ lines }) => lines).sort();
    expect(await merged(fronts)).toBe(sorted.join(''));
    memory.close();
    expect(pool.taken).toBe(0);
    return texts.map(({ reads }) => reads);
  };
  // One text after another: windows double up to the size of a block.
  for (const reads of await readsOf(1, 1000)) expect(reads).toEqual([280, 560, 1120, 2240, 2800]);
  for (const reads of await readsOf(4, 1)) expect(Math.max(...reads)).toBeLessThanOrEqual(280);
});

it('returns the memory of all windows, including those of long records', async () => {
  const pool = countingPool();
  const memory = new WindowMemory(pool, 64, 64);
  const text = `${'a'.repeat(500)}\n${'b\n'.repeat(300)}`;
  expect(await merged([new FrontInWindows(textOf(Buffer.from(text)), LINES, memory)])).toBe(text);
  memory.close();
  expect(pool.taken).toBe(0);
});

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

/** The ways to bring records out of order: two swapped, some moved, or the text begun in its middle. */
type Disorder = (records: Buffer[], a: number, b: number, count: number) => Buffer[];
const DISORDERS: Readonly<Record<string, Disorder>> = {
  none: (records) => records,
  swap: (records, a, b) => records.with(a, records[b]).with(b, records[a]),
  move: (records, a, b, count) => {
    records.splice(b, 0, ...records.splice(a, count));
    return records;
  },
  rotate: (records, a) => [...records.slice(a), ...records.slice(0, a)],
};

const place = fc.nat(29);
/** A text for an ordering, most often out of order. Records begin with one of a few keys. */
const disordered = fc
  .record({
    records: fc.array(fc.tuple(fc.nat(9), fc.constantFrom('', '0', '1', '2')), { maxLength: 29 }),
    isSet: fc.boolean(),
    disorder: fc.constantFrom(...Object.keys(DISORDERS)),
    places: fc.tuple(place, place, fc.integer({ min: 1, max: 3 })),
  })
  .map(({ records, isSet, disorder, places: [a, b, count] }) => ({
    records,
    in: (ordering: Ordering, keys: number): Buffer[] => {
      const made = records.map(([key, tie]) =>
        Buffer.from(`${key % keys}${sizeOf(ordering) > 0 && tie === '' ? '0' : tie}`),
      );
      const sorted = sortedRecords(made, { ...ordering, unique: isSet });
      const { length } = sorted;
      return length === 0 ? sorted : DISORDERS[disorder](sorted, a % length, b % length, count);
    },
  }));

/** Records of two bytes, of which the first is the key: equal keys differ in the second. */
const byFirst = (more: Partial<Ordering> = {}): Ordering => byFixed(2, [0, 1], { lastResort: false, ...more });
const OUT_OF_ORDER: readonly NamedOrdering[] = [
  ...LINE_ORDERINGS,
  ['by the first byte, -s', byFirst()],
  ['by the first byte, -u', byFirst({ unique: true })],
  ['by the first byte, -rs', byFirst({ reverse: true })],
];

describe.each(OUT_OF_ORDER)('texts out of order, %s', (by, ordering) => {
  const engines = new Map<number, Engine>();
  let mergedBytes = 0;
  afterAll(async () => {
    for (const engine of engines.values()) await engine.close();
    expect(mergedBytes).toBeGreaterThan(0);
  });
  async function engineOf(rangeBytes: number): Promise<Engine> {
    const known = engines.get(rangeBytes);
    if (known !== undefined) return known;
    const options = { chunkBytes: rangeBytes, rangeBytes, workers: 0, residentBytes: null, recorder: silent };
    const engine = await createCpuEngine({ ordering, ...options, mayBeUnsorted: true });
    engines.set(rangeBytes, engine);
    return engine;
  }

  property(
    'merges texts up to the first record out of order',
    [
      fc.array(disordered, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 10 }),
      fc.constantFrom(4, 12, 40),
      fc.constantFrom(4, 8, 20),
    ],
    async (drawn, keys, rangeBytes, windowBytes) => {
      const engine = await engineOf(rangeBytes);
      const texts = drawn.map((text) => text.in(ordering, keys));
      const memory = new WindowMemory(engine.shared!, 64, windowBytes);
      const fronts = texts.map((records) => new FrontInWindows(textOf(join(records, ordering)), ordering, memory));
      const out = collector();
      const unwritten: Step[] = [];
      const checked = decorated(engine, {
        merge: async (slices, _prefix, ...rest) => {
          if (!comeFirst(slices, fronts, ordering)) throw new OutOfOrder('a range has to wait');
          return engine.merge(slices, 0, ...rest);
        },
      });
      const left: Uint8Array[][] = [];
      try {
        await combine(
          rounds(engine, fronts, [], ordering, { keepsRepeats: true }),
          { engine: checked, ordering, write: out.write, unneeded: null },
          { unwritten },
        );
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
      expect(all.toString(), texts.map((records) => records.join(' ')).join(' | ')).toBe(
        join(inTurn(texts, ordering), ordering).toString(),
      );
    },
    { runs: 500, seed: seedFor(by) },
  );
});
