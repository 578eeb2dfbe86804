/** Runs of sized records, wherever they lie in memory, against plain lists of records. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Position } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords, orderedBytes } from '../../src/keys/compare.js';
import { property } from '../support/property.js';
import { random } from '../support/random.js';
import { bySizedKeys, keyedSized, sized, sizedRun } from '../support/sized.js';

/** Bytes between two entries of the index of a run. */
const PAGE = 1024;

interface Model {
  readonly run: ReturnType<typeof sizedRun>;
  readonly records: readonly Buffer[];
  /** The place of each record, and of the end. */
  readonly places: readonly Position[];
  /** The bytes of each record without its key. */
  readonly plain: readonly number[];
}

/** A run of records with these lengths, with keys of at most `keys` values. */
function modelOf(lengths: readonly number[], keys: number, begin: number, ordering = bySizedKeys()): Model {
  const next = random(lengths.length + keys);
  const drawn = lengths.map((length, i) => {
    const plain = sized(Buffer.alloc(length, i));
    return { plain: plain.length, record: keyedSized(Buffer.from(`${Math.floor(next() * keys)}`), plain) };
  });
  drawn.sort((a, b) => compareRecords(ordering, a.record, b.record));
  const records = drawn.map(({ record }) => record);
  const places: Position[] = [{ byte: begin }];
  for (const { length } of records) places.push({ byte: places.at(-1)!.byte + length });
  return { run: sizedRun(records, begin, ordering), records, places, plain: drawn.map(({ plain }) => plain) };
}

function expectParts({ run, records, places, plain }: Model): void {
  const ends = places.length - 1;
  // In two orders, because a run remembers the last place.
  for (const backwards of [false, true])
    for (let k = 0; k <= ends; k++) {
      const from = backwards ? ends - k : k;
      for (const to of new Set([from, Math.min(from + 1, ends), Math.floor((from + ends) / 2), ends])) {
        const [a, b] = [places[from], places[to]];
        const sum = plain.slice(from, to).reduce((total, bytes) => total + bytes, 0);
        expect([run.plainBytes(a, b), run.count(a, b)]).toEqual([sum, to - from]);
        if (to === from) continue;
        const { first, last } = run.ends(a, b);
        expect(records[from].equals(first) && records[to - 1].equals(last)).toBe(true);
      }
    }
}

async function expectSamples({ run, records, places }: Model, ordering: Ordering, most: number): Promise<void> {
  const bytes = places.map(({ byte }) => byte);
  for (const from of [0, Math.floor(records.length / 3)]) {
    for (const phase of [0, 0.5, 0.99]) {
      const found = await run.sample(places[from], run.end, most, phase);
      const numbers = found.map(({ at }) => bytes.indexOf(at.byte));
      const least = records.length - from === 1 ? from : from + 1;
      // Each lies after the one before it, and none is the first of several records.
      expect(numbers.every((number, i) => number > (numbers[i - 1] ?? least - 1))).toBe(true);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThanOrEqual(most);
      for (const [i, { head, bytes: length }] of found.entries()) {
        expect(length).toBe(records[numbers[i]].length);
        expect(Buffer.compare(head, orderedBytes(ordering, records[numbers[i]], 64))).toBe(0);
      }
    }
  }
}

async function expectCuts({ run, records, places }: Model, ordering: Ordering): Promise<void> {
  const targets = [keyedSized(Buffer.from('0'), sized(Buffer.alloc(9))), ...records.filter((_, i) => i % 3 === 0)];
  targets.push(keyedSized(Buffer.from('5'), sized(Buffer.alloc(0))), keyedSized(Buffer.from('~'), sized(Buffer.of(1))));
  targets.sort((a, b) => compareRecords(ordering, a, b));
  const from = Math.floor(records.length / 4);
  const bounds = await run.cut(places[from], run.end, targets);
  for (const [i, target] of targets.entries()) {
    const before = (most: number): Position =>
      places[from + records.slice(from).filter((record) => compareRecords(ordering, record, target) <= most).length];
    expect(bounds[i]).toEqual({ lower: before(-1), upper: before(0) });
  }
}

property(
  'finds the same records as a list',
  [
    fc.array(fc.oneof(fc.nat(60), fc.nat(700), fc.constantFrom(0, PAGE - 13, PAGE, 5000)), {
      ...{ minLength: 1, maxLength: 60 },
    }),
    fc.constantFrom(1, 3, 1000),
    fc.constantFrom(0, 4, 64, 1021),
    fc.boolean(),
    fc.boolean(),
  ],
  async (lengths, keys, begin, reverse, lastResort) => {
    const ordering = bySizedKeys({ reverse, lastResort });
    const model = modelOf(lengths, keys, begin, ordering);
    expectParts(model);
    await expectSamples(model, ordering, 7);
    await expectCuts(model, ordering);
    for (const [i, record] of model.records.entries())
      expect(record.equals(await model.run.record(model.places[i]))).toBe(true);
  },
  { runs: 150 },
);

it.each([
  ['that ends where a page begins', [PAGE - 13, PAGE - 13, PAGE - 13]],
  ['that ends a byte before a page', [PAGE - 13, PAGE - 14]],
  ['that ends a byte after a page', [PAGE - 13, PAGE - 12]],
  ['of one record of many pages', [10 * PAGE]],
  ['whose first pages have no beginnings', [3 * PAGE, 0, 0, 5 * PAGE]],
])('finds the records of a text %s', async (_, lengths) => {
  for (const begin of [0, 100]) {
    const model = modelOf(lengths, 1, begin);
    expectParts(model);
    await expectSamples(model, bySizedKeys(), 100);
  }
});

it('may be empty', async () => {
  const run = sizedRun([], 8);
  expect([run.plainBytes(run.begin, run.end), run.count(run.begin, run.end)]).toEqual([0, 0]);
  expect(await run.sample(run.begin, run.end, 5)).toEqual([]);
  const target = keyedSized(Buffer.from('a'), sized(Buffer.alloc(3)));
  expect(await run.cut(run.begin, run.end, [target])).toEqual([{ lower: { byte: 8 }, upper: { byte: 8 } }]);
});

it('knows whether all of its records have one key', () => {
  const one = modelOf([5, 9, 2000, 0], 1, 12).run;
  expect(one.isOneKey(one.begin)).toBe(true);
  const two = modelOf([5, 9, 2000, 0], 100, 12).run;
  expect(two.isOneKey(two.begin)).toBe(false);
});
