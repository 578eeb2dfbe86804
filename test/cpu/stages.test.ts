/** Each stage of the CPU engine against a plain reference. The kernels come from the build, so build first. */
import { describe, expect, it } from 'vitest';
import type { CpuKernels } from '../../src/cpu/kernels.js';
import {
  compileKernels,
  copyIn,
  INDEX_STEP,
  ITEM_BYTES,
  layOut,
  openKernels,
  RANGE_BYTES,
  SLACK,
} from '../../src/cpu/kernels.js';
import { mergeTexts } from '../../src/cpu/merge-texts.js';
import { shapeOf } from '../../src/cpu/shape.js';
import { TILE_BYTES } from '../../src/cpu/tiles.js';
import type { Ordering } from '../../src/job.js';
import { finish } from '../../src/steps.js';
import { random } from '../support/random.js';
import { join, sortedRecords } from '../support/records.js';
import { byFixed, byLines, DISTRIBUTIONS, fixedRecords, repeatedRecords, sortInPlace } from './support.js';

/** Sizes on both sides of those at which the sort changes its method. */
const SIZES = [0, 1, 2, 3, 8, 9, 24, 25, 300, 2500];

const module = compileKernels();
const kernelsFor = (ordering: Ordering): CpuKernels => openKernels(module, shapeOf(ordering));

/** The place of each of `records` in their text. */
function placesOf(ordering: Ordering, records: readonly Buffer[]): number[] {
  const delimiter = ordering.format.kind === 'lines' ? 1 : 0;
  let end = 0;
  return records.map((record) => (end += record.length + delimiter) - record.length - delimiter);
}

const indexOf = (ordering: Ordering, records: readonly Buffer[]): Uint32Array =>
  Uint32Array.from(placesOf(ordering, records).filter((_, i) => i % INDEX_STEP === 0));

/** The items in memory: begin and end of each record. */
function itemsAt({ memory }: CpuKernels, items: number, count: number): [number, number][] {
  const words = new Uint32Array(memory.buffer, items, (count * ITEM_BYTES) / 4);
  return Array.from({ length: count }, (_, i) => [words[4 * i + 2], words[4 * i + 3]]);
}

describe('tokenize', () => {
  it('finds the same lines as a byte loop at every alignment and limit', () => {
    const next = random(1);
    for (let round = 0; round < 400; round++) {
      const mean = [1, 3, 10, 60][round % 4];
      const delimiter = [10, 0, 255][round % 3];
      const kernels = kernelsFor(byLines({ format: { kind: 'lines', delimiter } }));
      const bytes = Uint8Array.from({ length: 1 + Math.floor(next() * 300) }, () =>
        next() < 1 / mean ? delimiter : [delimiter ^ 1, delimiter ^ 0x80, 1, 254, 97][Math.floor(next() * 5)],
      );
      bytes[bytes.length - 1] = delimiter;
      const most = round % 2 === 0 ? 1000 : 1 + Math.floor(next() * 5);
      const [text, items] = layOut(kernels, [bytes.length + 16 + SLACK, 1000 * ITEM_BYTES]);
      const begin = text + (round % 16);
      copyIn(kernels, new Uint8Array(bytes.length + 16 + SLACK).fill(delimiter), text);
      copyIn(kernels, bytes, begin);
      const ends: number[] = [];
      bytes.forEach((byte, i) => {
        if (byte === delimiter) ends.push(begin + i + 1);
      });
      const first = Math.floor(next() * ends.length);
      const from = first === 0 ? begin : ends[first - 1];
      const count = kernels.readRecords(from, begin + bytes.length, items, most);
      const expected = ends.slice(first, first + most);
      expect(itemsAt(kernels, items, count)).toEqual(expected.map((end, i) => [i === 0 ? from : expected[i - 1], end]));
      expect(kernels.textEnd(items, count)).toBe(expected.at(-1));
      expect(kernels.lineEndAt(from)).toBe(expected[0]);
    }
  });

  it('cuts fixed records', () => {
    const kernels = kernelsFor(byFixed(7, null));
    const [items] = layOut(kernels, [10 * ITEM_BYTES]);
    expect(kernels.readRecords(14, 49, items, 100)).toBe(5);
    expect(itemsAt(kernels, items, 5)).toEqual([
      [14, 21],
      [21, 28],
      [28, 35],
      [35, 42],
      [42, 49],
    ]);
    expect(kernels.readRecords(14, 49, items, 2)).toBe(2);
    expect(kernels.readRecords(14, 14, items, 2)).toBe(0);
  });
});

describe('shared bytes', () => {
  it('are counted like by a byte loop, up to a limit', () => {
    const kernels = kernelsFor(byLines());
    const next = random(2);
    const [a, b] = layOut(kernels, [40, 40]);
    for (let round = 0; round < 300; round++) {
      const make = (): Buffer => Buffer.from(Array.from({ length: 40 }, () => (next() < 0.95 ? 120 : 200)));
      const [x, y] = [make(), make()];
      copyIn(kernels, x, a);
      copyIn(kernels, y, b);
      const most = Math.floor(next() * 40);
      let same = 0;
      while (same < most && x[same] === y[same]) same++;
      expect(kernels.sharedBytes(a, b, most)).toBe(same);
    }
  });
});

/** The orderings that sort each distribution: a name, what makes the records, the ordering. */
const CASES: [string, (records: Buffer[]) => Buffer[], Ordering][] = [
  ['lines', (records) => records, byLines()],
  ['lines, reverse', (records) => records, byLines({ reverse: true })],
  ['lines, unique', (records) => records, byLines({ unique: true, lastResort: false })],
  ['lines, reverse and unique', (records) => records, byLines({ reverse: true, unique: true, lastResort: false })],
  ['whole fixed records', (records) => fixedRecords(records, 13, false), byFixed(13, null)],
  ['fixed records by key', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9])],
  [
    'fixed records by key, reverse',
    (records) => fixedRecords(records, 20, true),
    byFixed(20, [2, 9], { reverse: true }),
  ],
  [
    'fixed records by key, stable',
    (records) => fixedRecords(records, 20, true),
    byFixed(20, [2, 9], { lastResort: false }),
  ],
  [
    'fixed records by key, stable and reverse',
    (records) => fixedRecords(records, 20, true),
    byFixed(20, [2, 9], { lastResort: false, reverse: true }),
  ],
  [
    'fixed records by key, unique',
    (records) => fixedRecords(records, 20, true),
    byFixed(20, [2, 9], { lastResort: false, unique: true }),
  ],
];

describe('the sort of a tile', () => {
  for (const [caseName, prepare, ordering] of CASES) {
    it(`sorts every distribution at every size: ${caseName}`, () => {
      const kernels = kernelsFor(ordering);
      for (const [name, make] of Object.entries(DISTRIBUTIONS))
        for (const size of SIZES.slice(1)) {
          const records = prepare(make(size, random(size + 5)));
          const text = join(records, ordering);
          const [source, items, room, ranges] = layOut(kernels, [
            text.length,
            size * ITEM_BYTES,
            size * ITEM_BYTES,
            (size * ITEM_BYTES) / 2 + RANGE_BYTES,
          ]);
          copyIn(kernels, text, source);
          expect(kernels.readRecords(source, source + text.length, items, size)).toBe(size);
          const shared = kernels.order(items, size, room - items, ranges);
          const kept = itemsAt(kernels, items, size)
            .filter(([begin, end]) => begin < end)
            .map(([begin]) => begin);
          const numberAt = new Map(placesOf(ordering, records).map((at, i) => [source + at, i]));
          const numbers = kept.map((begin) => numberAt.get(begin)!);
          expect(
            join(
              numbers.map((r) => records[r]),
              ordering,
            ).equals(join(sortedRecords(records, ordering), ordering)),
            `${name} ${size}`,
          ).toBe(true);
          // Places in the input tell equal records apart.
          const unstable = numbers.findIndex(
            (r, i) => i > 0 && records[r].equals(records[numbers[i - 1]]) && r < numbers[i - 1],
          );
          expect(unstable, `${name} ${size}`).toBe(-1);
          if (name === 'urls' && size > 100 && ordering.format.kind === 'lines')
            expect(shared).toBe('https://www.example.org/articles/'.length);
        }
    });
  }
});

describe('a text', () => {
  for (const [caseName, prepare, ordering] of CASES) {
    it(`is sorted, or merged from three, with its index: ${caseName}`, () => {
      const kernels = kernelsFor(ordering);
      const shape = shapeOf(ordering);
      for (const [name, make] of Object.entries(DISTRIBUTIONS))
        for (const size of SIZES) {
          const records = prepare(make(size, random(size + 6)));
          const expected = sortedRecords(records, ordering);
          const text = join(expected, ordering);
          const whole = join(records, ordering);
          const sorted = sortInPlace(kernels, shape, whole);
          const third = Math.floor(size / 3);
          const parts = [records.slice(0, third), [], records.slice(third)].map((part) =>
            join(sortedRecords(part, ordering), ordering),
          );
          const [target, other] = [Buffer.alloc(whole.length), Buffer.alloc(whole.length)];
          const merged = finish(mergeTexts(kernels, shape, parts, 0, target, false));
          const halved = finish(mergeTexts(kernels, shape, parts, 0, other, false, null, 0));
          for (const [outcome, bytes] of [
            [sorted, whole],
            [merged, target],
            [halved, other],
          ] as const) {
            expect({ ...outcome, natural: undefined }, `${name} ${size}`).toEqual({
              bytes: text.length,
              records: expected.length,
              index: indexOf(ordering, expected),
            });
            expect(bytes.subarray(0, text.length).equals(text), `${name} ${size}`).toBe(true);
          }
        }
    });
  }

  it('of several tiles is sorted as one, and equal records keep input order', () => {
    for (const [name, ordering] of [
      ['sixteen', byLines()],
      ['sixteen', byLines({ unique: true, lastResort: false })],
      ['urls', byLines()],
      ['zero', byFixed(64, [0, 8], { lastResort: false })],
      ['uniform', byFixed(64, [0, 8], { reverse: true })],
    ] as const) {
      const size = ordering.format.kind === 'fixed' ? ordering.format.size : 0;
      const few = DISTRIBUTIONS[name](6000, random(9));
      const some = size > 0 ? fixedRecords(few, size, true) : few;
      const { text, sorted: expected } = repeatedRecords(some, 2.5 * TILE_BYTES, ordering);
      const outcome = sortInPlace(kernelsFor(ordering), shapeOf(ordering), text);
      expect(outcome.records).toBe(expected.length);
      expect(text.subarray(0, outcome.bytes).equals(join(expected, ordering)), name).toBe(true);
      expect(outcome.index).toEqual(indexOf(ordering, expected));
    }
  });

  it('of empty lines, more than a tile holds, is sorted', () => {
    const text = Buffer.alloc(1 << 20, '\n');
    text[0] = 97;
    const outcome = sortInPlace(kernelsFor(byLines()), shapeOf(byLines()), text);
    expect(outcome.records).toBe((1 << 20) - 1);
    expect(text.subarray(-3).toString()).toBe('\na\n');
  });

  it('may contain records larger than a tile', () => {
    const huge = Buffer.alloc(2 * TILE_BYTES, 'h');
    const records = [Buffer.from('z'), huge, Buffer.from('a'), Buffer.from('hh'), huge, Buffer.from('b')];
    const text = join(records);
    sortInPlace(kernelsFor(byLines()), shapeOf(byLines()), text);
    expect(text.equals(join(sortedRecords(records)))).toBe(true);
  });
});
