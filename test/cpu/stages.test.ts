/**
 * The stages of the CPU engine one by one, each against a plain reference.
 */
import { describe, expect, it } from 'vitest';
import { createBufferPool } from '../../src/cpu/buffers.js';
import { gatherRecords, INDEX_STEP, textOf } from '../../src/cpu/gather.js';
import { commonPrefix, compareWindows, sharedBytes, takePrefixes } from '../../src/cpu/prefix.js';
import { chooseWidth, radixSort } from '../../src/cpu/radix.js';
import { createWorkspace, DROPPED, orderRecords } from '../../src/cpu/refine.js';
import { shapeOf, SLACK } from '../../src/cpu/shape.js';
import { insertionSort, mergeSort } from '../../src/cpu/small.js';
import { sortText, TILE_BYTES } from '../../src/cpu/tile.js';
import { tokenizeFixed, tokenizeLines } from '../../src/cpu/tokenize.js';
import type { Ordering } from '../../src/job.js';
import { byFixed, byLines, DISTRIBUTIONS, fixedRecords, joined, randomOf, sortedRecords } from './support.js';

const SIZES = [0, 1, 2, 3, 20, 21, 41, 300, 1023, 1024, 2500];

/** A text with rubbish (delimiters) after its end. */
function paddedText(bytes: Uint8Array) {
  const buffer = new SharedArrayBuffer(Math.ceil((bytes.length + SLACK) / 4) * 4);
  new Uint8Array(buffer).fill(10).set(bytes);
  return textOf(buffer);
}

describe('tokenize', () => {
  it('finds the same ends as a byte loop, whatever the alignment, the limit and what follows', () => {
    const random = randomOf(1);
    for (let round = 0; round < 400; round++) {
      const mean = [1, 3, 10, 60][round % 4];
      const delimiter = round % 3 === 0 ? 0 : 10;
      const bytes = Uint8Array.from({ length: 1 + Math.floor(random() * 300) },
        () => random() < 1 / mean ? delimiter : [delimiter ^ 1, delimiter ^ 0x80, 1, 255, 97][Math.floor(random() * 5)]);
      bytes[bytes.length - 1] = delimiter;
      const { words, bytes: all } = paddedText(bytes);
      all.fill(delimiter, bytes.length);
      const expected: number[] = [];
      bytes.forEach((byte, i) => { if (byte === delimiter) expected.push(i + 1); });
      const firstRecord = Math.floor(random() * expected.length);
      const from = firstRecord === 0 ? 0 : expected[firstRecord - 1];
      const most = round % 2 === 0 ? 1000 : 1 + Math.floor(random() * 5);
      const ends = new Uint32Array(1100).fill(77);
      const count = tokenizeLines(words, from, bytes.length, delimiter, ends, 2, most);
      expect(Array.from(ends.subarray(2, 2 + count))).toEqual(expected.slice(firstRecord, firstRecord + most));
      expect([ends[1], ends[2 + count]]).toEqual([77, 77]);
    }
  });

  it('cuts fixed records', () => {
    const ends = new Uint32Array(10);
    expect(tokenizeFixed(14, 49, 7, ends, 1, 100)).toBe(5);
    expect(Array.from(ends.subarray(0, 7))).toEqual([0, 21, 28, 35, 42, 49, 0]);
    expect(tokenizeFixed(14, 49, 7, ends, 0, 2)).toBe(2);
    expect(tokenizeFixed(14, 14, 7, ends, 0, 2)).toBe(0);
  });
});

describe('prefix', () => {
  it('reads big-endian prefixes padded with zeros at any depth, and says whether they rise', () => {
    const records = ['', 'a', 'abcdefg', 'abcdefgh', 'abcdefghi', '\xff\xfe\xfd\xfc\xfb'].map((text) => Buffer.from(text, 'latin1'));
    const { view } = paddedText(joined(byLines(), records));
    const starts = new Uint32Array(records.length + 1);
    records.forEach((record, i) => { starts[i + 1] = starts[i] + record.length + 1; });
    const order = Uint32Array.from(records, (_, i) => i);
    const hi = new Uint32Array(records.length);
    const lo = new Uint32Array(records.length);
    for (const flip of [0, -1]) for (let depth = 0; depth < 9; depth++) {
      const fit = records.map((_, i) => i).filter((i) => records[i].length >= depth);
      fit.forEach((r, i) => { order[i] = r; });
      const rising = takePrefixes(view, starts, order, 0, fit.length, 0, -1, depth, flip, hi, lo);
      const expected = fit.map((r) => {
        const padded = Buffer.alloc(8);
        records[r].copy(padded, 0, depth, depth + 8);
        return padded.readBigUInt64BE() ^ (flip === 0 ? 0n : 2n ** 64n - 1n);
      });
      expect(fit.map((_, i) => (BigInt(hi[i]) << 32n) | BigInt(lo[i]))).toEqual(expected);
      expect(rising).toBe(expected.every((value, i) => i === 0 || expected[i - 1] <= value));
    }
  });

  it('finds common prefixes and compares windows as Buffer.compare does', () => {
    const random = randomOf(2);
    for (let round = 0; round < 300; round++) {
      const make = (): Buffer => Buffer.from(Array.from({ length: Math.floor(random() * 14) }, () => random() < 0.9 ? 120 : 200));
      const [a, b, c] = [make(), make(), make()];
      const { view } = paddedText(Buffer.concat([a, Buffer.from('\n'), b, Buffer.from('\n'), c, Buffer.from('\n')]));
      const starts = Uint32Array.of(0, a.length + 1, a.length + b.length + 2, a.length + b.length + c.length + 3);
      const same = (x: Buffer, y: Buffer): number => {
        let i = 0;
        while (i < x.length && i < y.length && x[i] === y[i]) i++;
        return i;
      };
      expect(sharedBytes(view, 0, view, starts[1], Math.min(a.length, b.length))).toBe(same(a, b));
      expect(commonPrefix(view, starts, Uint32Array.of(0, 1, 2), 0, 3, 0, -1, 0)).toBe(Math.min(same(a, b), same(a, c)));
      expect(Math.sign(compareWindows(view, 0, a.length, view, starts[1], starts[1] + b.length))).toBe(Buffer.compare(a, b));
    }
  });
});

describe('sorts of prefixes', () => {
  type Arrays = [Uint32Array, Uint32Array, Uint32Array];
  const room = (n: number): Arrays => [new Uint32Array(n), new Uint32Array(n), new Uint32Array(n)];
  const patterns: Record<string, (random: () => number, i: number) => [number, number]> = {
    uniform: (random) => [random() * 2 ** 32, random() * 2 ** 32],
    low: (random) => [7, random() * 2 ** 32],
    few: (random) => [Math.floor(random() * 3) << 8, Math.floor(random() * 3) * 0x70000000],
    equal: () => [9, 9],
    falling: (_, i) => [5000 - i, i],
  };
  const inputOf = (name: string, n: number): Arrays => {
    const random = randomOf(n + 3);
    const pairs = Array.from({ length: n }, (_, i) => patterns[name](random, i));
    return [Uint32Array.from(pairs, ([h]) => h), Uint32Array.from(pairs, ([, l]) => l), Uint32Array.from(pairs, (_, i) => i)];
  };
  /** Sorts [3, n - 2) and looks at all. */
  function check(name: string, n: number, width: number, sort: (a: Arrays, b: Arrays, from: number, to: number) => void): void {
    const [hi, lo, order] = inputOf(name, n);
    const from = Math.min(3, n);
    const to = Math.max(from, n - 2);
    const mask = (2n ** 64n - 1n) ^ (2n ** BigInt((8 - width) * 8) - 1n);
    const key = (r: number): bigint => ((BigInt(hi[r]) << 32n) | BigInt(lo[r])) & mask;
    const middle = Array.from(order.subarray(from, to)).sort((a, b) => key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a - b);
    const arrays: Arrays = [hi.slice(), lo.slice(), order.slice()];
    sort(arrays, room(n), from, to);
    const expected = Uint32Array.of(...order.subarray(0, from), ...middle, ...order.subarray(to));
    const wrong = (i: number): boolean => arrays[2][i] !== expected[i] || arrays[0][i] !== hi[expected[i]]
      || (width > 4 && arrays[1][i] !== lo[expected[i]]);
    expect(expected.findIndex((_, i) => wrong(i)), `${name} ${n} ${width}`).toBe(-1);
  }
  for (const name of Object.keys(patterns)) {
    it(`are stable and right: ${name}`, () => {
      for (const n of SIZES) {
        if (n <= 300) check(name, n, 8, ([h, l, o], _, from, to) => insertionSort(h, l, o, from, to));
        check(name, n, 8, ([h, l, o], [h2, l2, o2], from, to) => mergeSort(h, l, o, h2, l2, o2, from, to));
        for (let width = 1; width <= 8; width++) {
          check(name, n, width, ([h, l, o], [h2, l2, o2], from, to) => radixSort(h, l, o, h2, l2, o2, from, to, width));
        }
      }
    });
  }
  it('choose as many leading bytes as tell the records apart', () => {
    const n = 2000;
    const [hi, lo] = inputOf('uniform', n);
    expect(chooseWidth(hi, lo, 0, n)).toBeLessThan(4);
    const [same] = inputOf('equal', n);
    expect(chooseWidth(same, lo, 0, n)).toBeGreaterThan(4);
    expect(chooseWidth(same, same, 0, n)).toBe(8);
  });
});

/** All the orderings each distribution is sorted by: the records they are of, and the ordering. */
const CASES: [string, (records: Buffer[]) => Buffer[], Ordering][] = [
  ['lines', (records) => records, byLines()],
  ['lines, reverse', (records) => records, byLines({ reverse: true })],
  ['lines, unique', (records) => records, byLines({ unique: true, lastResort: false })],
  ['lines, reverse and unique', (records) => records, byLines({ reverse: true, unique: true, lastResort: false })],
  ['whole fixed records', (records) => fixedRecords(records, 13, false), byFixed(13, null)],
  ['fixed records by key', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9])],
  ['fixed records by key, reverse', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9], { reverse: true })],
  ['fixed records by key, stable', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9], { lastResort: false })],
  ['fixed records by key, stable and reverse', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9], { lastResort: false, reverse: true })],
  ['fixed records by key, unique', (records) => fixedRecords(records, 20, true), byFixed(20, [2, 9], { lastResort: false, unique: true })],
];

describe('order and gather', () => {
  for (const [caseName, prepare, ordering] of CASES) {
    it(`${caseName}: every distribution at every size`, () => {
      for (const [name, make] of Object.entries(DISTRIBUTIONS)) for (const size of SIZES) {
        const records = prepare(make(size, randomOf(size + 5)));
        const source = paddedText(joined(ordering, records));
        const work = createWorkspace(Math.max(1, size));
        records.reduce((at, record, i) => work.starts[i + 1] = at + record.length + (ordering.format.kind === 'lines' ? 1 : 0), 0);
        const shared = orderRecords(source.view, work, size, shapeOf(ordering));
        const expected = sortedRecords(ordering, records);
        const kept = Array.from(work.order.subarray(0, size)).filter((r) => r !== DROPPED);
        const text = joined(ordering, expected);
        expect(joined(ordering, kept.map((r) => records[r])).equals(text), `${name} ${size}`).toBe(true);
        // Equal records are told apart by their places in the input.
        const unstable = kept.findIndex((r, i) => i > 0 && records[r].equals(records[kept[i - 1]]) && r < kept[i - 1]);
        expect(unstable, `${name} ${size}`).toBe(-1);
        if (name === 'urls' && size > 100 && ordering.format.kind === 'lines') expect(shared).toBe('https://www.example.org/articles/'.length);

        const target = textOf(new ArrayBuffer(source.bytes.length + 20));
        const index: number[] = [];
        const { records: count, end } = gatherRecords(source, work.starts, work.order, size, target, 4, index);
        expect(count).toBe(expected.length);
        expect(Buffer.from(target.bytes.subarray(4, end)).equals(text), `${name} ${size}`).toBe(true);
        const steps: number[] = [];
        expected.reduce((at, record, i) => {
          if (i % INDEX_STEP === 0) steps.push(at);
          return at + record.length + (ordering.format.kind === 'lines' ? 1 : 0);
        }, 0);
        expect(index).toEqual(steps);
      }
    });
  }
});

describe('tiles', () => {
  it('are merged into one order with its index; equal records stay in the order of the input', () => {
    for (const [name, ordering] of [['sixteen', byLines()], ['sixteen', byLines({ unique: true, lastResort: false })], ['urls', byLines()],
      ['zero', byFixed(64, [0, 8], { lastResort: false })], ['uniform', byFixed(64, [0, 8], { reverse: true })]] as const) {
      const size = ordering.format.kind === 'fixed' ? ordering.format.size : 0;
      const few = DISTRIBUTIONS[name](6000, randomOf(9));
      const some = size > 0 ? fixedRecords(few, size, true) : few;
      const records: Buffer[] = [];
      for (let bytes = 0; bytes < 2.5 * TILE_BYTES;) for (const record of some) bytes += records.push(record) && record.length + 1;
      const text = joined(ordering, records);
      const target = textOf(new SharedArrayBuffer(Math.ceil((text.length + SLACK) / 4) * 4));
      const outcome = sortText(paddedText(text), text.length, target, shapeOf(ordering));
      const expected = sortedRecords(ordering, records);
      expect(outcome.records).toBe(expected.length);
      expect(Buffer.from(target.bytes.subarray(0, outcome.bytes)).equals(joined(ordering, expected)), name).toBe(true);
      const step = Math.floor(outcome.index.length / 2);
      expect(outcome.index[step]).toBe(joined(ordering, expected.slice(0, step * INDEX_STEP)).length);
    }
  });

  it('hold a record larger than a tile', () => {
    const huge = Buffer.alloc(2 * TILE_BYTES, 'h');
    const records = [Buffer.from('z'), huge, Buffer.from('a'), Buffer.from('hh'), huge, Buffer.from('b')];
    const text = joined(byLines(), records);
    const target = textOf(new SharedArrayBuffer(Math.ceil((text.length + SLACK) / 4) * 4));
    const outcome = sortText(paddedText(text), text.length, target, shapeOf(byLines()));
    expect(Buffer.from(target.bytes.subarray(0, outcome.bytes)).equals(joined(byLines(), sortedRecords(byLines(), records)))).toBe(true);
  });
});

describe('buffer pool', () => {
  it('uses buffers again, but not far larger ones', () => {
    const pool = createBufferPool(2);
    const large = pool.take(1000);
    const small = pool.take(100);
    pool.give(small);
    pool.give(large);
    expect(pool.take(90)).toBe(small);
    expect(pool.take(90)).not.toBe(large);
    expect(pool.take(900)).toBe(large);
  });
});
