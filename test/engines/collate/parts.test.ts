/** The parts of a collated sort: sorts of line numbers, chunks, merges, limits. Intervals only save comparisons. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeCollated } from '../../../src/engines/collate/merge.js';
import { mergeSortNumbers, orderText, sortLines } from '../../../src/engines/collate/order.js';
import { Collation } from '../../../src/keys/collation/collation.js';
import { compareIntervals } from '../../../src/keys/collation/primary-weights.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { split } from '../../support/records.js';
import { sampled } from '../../support/tier.js';
import { decoded, join, orderingOf, referenceSort, textLines } from './support.js';

/** The numbers below `count`, those of [from, to) sorted by `rank`. */
function sortedNumbers(count: number, from: number, to: number, rank: (i: number) => number): number[] {
  const all = Array.from({ length: count }, (_, i) => i);
  const middle = all.slice(from, to).sort((a, b) => rank(a) - rank(b) || a - b);
  return [...all.slice(0, from), ...middle, ...all.slice(to)];
}

describe('merge sort', () => {
  property(
    'is stable and stays inside its bounds',
    [fc.oneof(fc.nat(17), fc.integer({ min: 60, max: 1000 })), fc.constantFrom(1, 3, 1000), fc.nat()],
    (count, distinct, seed) => {
      const below = randomBelow(seed);
      const keys = Array.from({ length: count + 20 }, () => below(distinct));
      const list = Uint32Array.from(keys.keys());
      mergeSortNumbers(list, new Uint32Array(count + 20), 10, count + 10, (a, b) => keys[a] - keys[b]);
      expect([...list]).toEqual(sortedNumbers(count + 20, 10, count + 10, (i) => keys[i]));
    },
    { runs: 60 },
  );

  it('compares neighbors once if the input is in order', () => {
    let comparisons = 0;
    const list = Uint32Array.from({ length: 1024 }, (_, i) => i);
    mergeSortNumbers(list, new Uint32Array(1024), 0, 1024, (a, b) => {
      comparisons++;
      return a - b;
    });
    expect(comparisons).toBe(1023);
  });
});

property(
  'a sort by intervals gives the order of the comparisons alone',
  [
    fc.constantFrom(10, 2000, 3000, 5000),
    fc.constantFrom(3, 5, 1000, 2 ** 22, 1e9),
    fc.constantFrom(0, 10, 50, 100),
    fc.nat(),
  ],
  (count, distinct, wide, seed) => {
    const below = randomBelow(seed);
    // Numbers in place of strings, many of them equal, with intervals around `wide` percent of them.
    const values = Array.from({ length: count }, () => below(distinct) * Math.floor(2 ** 52 / distinct));
    const intervals = { firsts: new Float64Array(count), more: new Float64Array(3 * count) };
    for (const [i, value] of values.entries()) {
      const low = below(100) < wide ? Math.max(0, value - below(2 ** 30)) : value;
      const high = low === value ? value : value + 1 + below(2 ** 30);
      intervals.firsts[i] = low === high ? low : -1 - low;
      intervals.more[3 * i] = high;
    }
    // The order that decides if the intervals do not; it is the order of the values.
    const rank = (i: number): number => values[i] * 2 + Number(values[i] % 3 !== 0);
    const compare = (a: number, b: number): number => compareIntervals(intervals, a, intervals, b) || rank(a) - rank(b);
    const list = Uint32Array.from({ length: count }, (_, i) => i);
    sortLines(list, new Uint32Array(count), 3, count - 2, intervals, compare);
    expect([...list]).toEqual(sortedNumbers(count, 3, count - 2, rank));
  },
  { runs: 20 },
);

/** Sorts each text in place, then merges them. Checks the number of lines. */
function sortedByParts(collation: Collation, texts: readonly Buffer[], weighingBytes?: number): Buffer {
  const parts = texts.map((text) => {
    const copy = Buffer.from(text);
    return copy.subarray(0, orderText(collation, copy, null, weighingBytes).bytes);
  });
  const target = Buffer.alloc(parts.reduce((sum, { length }) => sum + length, 0));
  const outcome = mergeCollated(collation, parts, target, null, weighingBytes);
  const result = target.subarray(0, outcome.bytes);
  expect(outcome.records).toBe(split(result).length);
  return result;
}

const OPTIONS = ['sv -r', 'de', 'hu -u', 'de -t, -k2', 'de -f', 'de -k1,1n -k1'];
it.each(sampled(OPTIONS, { count: 6, seed: 1, values: (options) => [/^\w+( -r)?$/.test(options) && options] }))(
  'chunks and merges by intervals have the order of the collator alone: --locale %s',
  (options) => {
    const collation = new Collation(orderingOf('--locale', ...options.split(' ')));
    const lines = textLines(21, 900).map((line, i, all) => Buffer.concat([line, Buffer.from(','), all[(i * 7) % 900]]));
    const texts = [0, 300, 301].map((from, i, all) => Buffer.from(join(lines.slice(from, all[i + 1]))));
    const [alone, weighed] = [Infinity, 0].map((bytes) => sortedByParts(collation, texts, bytes).toString('latin1'));
    expect(weighed).toBe(alone);
    if (options === 'de')
      expect(alone).toBe(join(referenceSort(lines, { locale: 'de', keys: [(line) => line] })).toString('latin1'));
  },
);

it('merges texts that begin or end with lines larger than a block, equal ones in input order', () => {
  const long = (first: string, last: string): string => `${first}${'x'.repeat(200_000)}${last}\n`;
  const texts = [`${long('a', '1')}${long('c', '1')}`, `b 2\n${long('c', '2')}d 2\n`, `${long('c', '3')}`];
  const buffers = texts.map((text) => Buffer.from(text));
  const target = Buffer.alloc(texts.join('').length);
  // Without a last resort, and with keys that are equal.
  const collation = new Collation(orderingOf('--locale=de', '-s', '-k1.1,1.100'));
  mergeCollated(collation, buffers, target);
  const merged = [long('a', '1'), 'b 2\n', long('c', '1'), long('c', '2'), long('c', '3'), 'd 2\n'].join('');
  expect(target.toString() === merged).toBe(true);
});

it('drops lines beyond a limit from chunks and merges', () => {
  const collation = new Collation(orderingOf('--locale=de', '-u'));
  const ordered = (end: 'first' | 'last'): string => {
    const copy = Buffer.from('b\nä\na\nb\nA\nc\na\n');
    return copy.toString('utf8', 0, orderText(collation, copy, { end, count: 2 }).bytes);
  };
  expect([ordered('first'), ordered('last')]).toEqual(['a\nA\n', 'b\nc\n']);
  const merged = (end: 'first' | 'last'): number =>
    mergeCollated(collation, [Buffer.from('a\nb\n'), Buffer.from('a\nc\n')], Buffer.alloc(8), { end, count: 2 })
      .records;
  expect([merged('first'), merged('last')]).toEqual([2, 3]);
});

it('decodes well-formed and ill-formed bytes in the reference', () => {
  expect(decoded(Buffer.from('c3a4', 'hex'))).toBe('ä');
  expect(decoded(Buffer.from('ffc3a4e2', 'hex'))).toBe('\udcffä\udce2');
});
