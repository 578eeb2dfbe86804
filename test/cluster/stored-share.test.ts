/** Stored runs: their cuts and their long records against a linear scan of all records. */
import { readFileSync } from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RunWriter } from '../../src/cluster/run-writer.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords } from '../../src/keys/compare.js';
import { textWithoutKey } from '../../src/keys/keyed.js';
import type { Splitter } from '../../src/runs/splitters.js';
import { freshDirectory } from '../battery/runner.js';
import { digestOf } from '../support/digests.js';
import { either, joined, maybe, pick, repeated, several, weighted } from '../support/draws.js';
import { silent } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { LINES, positionsOf, sortedRecords } from '../support/records.js';
import { keyedRun, STABLE, storedShares } from './stored-shares.js';

const COLLATED: Ordering = {
  ...LINES,
  key: { kind: 'collated', locale: 'sv', parts: byNumberBytes(), seed: null },
};

function byNumberBytes(): Extract<Ordering['key'], { parts: unknown }>['parts'] {
  const { key } = byNumber();
  return 'parts' in key ? key.parts.map((part) => ({ ...part, order: 'bytes' as const })) : [];
}

const ORDERINGS: Readonly<Record<string, Ordering>> = {
  lines: LINES,
  'lines, reversed': { ...LINES, reverse: true },
  'keyed lines': byNumber(),
  'keyed lines of which only keys count': STABLE,
  'keyed lines with unique keys': byNumber({ lastResort: false, unique: true }),
  'a collation': COLLATED,
};

const below = (n: number): Arbitrary<string> => fc.nat(n - 1).map(String);
/** Keys: few, many, one that half of the records have, a single one, and some that are longer than heads. */
const KEYS = [
  pick(['a', 'ab', 'b', 'c']),
  below(10000),
  maybe(50, below(10000), 'k'),
  fc.constant('k'),
  joined('p'.repeat(150), below(30)),
];
const TEXT = joined(weighted([9, repeated('x', 0, 20)], [1, repeated('x', 0, 300)]), maybe(50, below(99), ''));
/** Runs of pairs of a key and text. */
const RUNS = either(...KEYS.map((key) => several(1, 6, several(0, 80, fc.tuple(key, TEXT)))));

/** The number of records of run `share` that come before a splitter. */
function countBefore(
  run: readonly Uint8Array[],
  share: number,
  to: Splitter,
  whole: boolean,
  ordering: Ordering,
): number {
  const { length } = run.filter((record, i) => {
    const sign = compareRecords(ordering, record, to.record);
    if (sign !== 0 || whole) return sign < 0;
    const place = positionsOf(run, ordering)[i].byte;
    return share < to.runNumber || (share === to.runNumber && place < to.at.byte);
  });
  return length;
}

describe.each(Object.entries(ORDERINGS))('%s', (_, ordering) => {
  property(
    'are cut before the records that a linear scan finds',
    [RUNS, several(1, 20, fc.nat())],
    async (drawn, cuts) => {
      const runs = drawn.map((records) => keyedRun(ordering, records));
      const { shares } = await storedShares(runs, ordering);
      const whole = ordering.unique;
      const splitters = runs.flatMap((run, runNumber) => {
        const places = positionsOf(run, ordering);
        return run.map((record, i): Splitter => ({ runNumber, at: places[i], record }));
      });
      for (const cut of cuts.slice(0, splitters.length)) {
        const splitter = splitters[cut % splitters.length];
        for (const [other, run] of runs.entries()) {
          const count = countBefore(run, other, splitter, whole, ordering);
          const records = run.slice(0, count).map((record) => textWithoutKey(ordering, record));
          expect(await shares[other].cut(splitter, whole)).toEqual({
            byte: positionsOf(run, ordering)[count].byte,
            before: digestOf(records, ordering.format),
          });
        }
      }
    },
    { runs: 30 },
  );
});

describe('long records between two cuts', () => {
  const LONG = 1 << 17;
  it.each([
    ...[64, LONG].flatMap((mark) => [0, 10, 64, 299, 1000].map((most) => ({ mark, most, lengths: [5, 70, 400] }))),
    // Checkpoints list records of this length.
    { mark: LONG, most: LONG, lengths: [70, LONG - 1, LONG, LONG + 1, 2 * LONG] },
    { mark: LONG, most: LONG + 1, lengths: [LONG, LONG + 1, LONG + 2] },
  ])('are found, with a checkpoint every $mark bytes, if over $most bytes', async ({ mark, most, lengths }) => {
    const below = randomBelow(most);
    const some = Array.from({ length: 200 }, () => {
      const length = lengths[below(lengths.length)];
      return Buffer.alloc(length < LONG - 1 ? below(length) : length, 'y');
    });
    // The last record is short.
    const records = sortedRecords([...some, Buffer.from('z')]);
    const { shares } = await storedShares([records], LINES, mark);
    const places = positionsOf(records);
    // A long record begins at the second cut.
    const [from, to] = [20, Math.max(180, records.length - 3)];
    const { slices, large } = await shares[0].slices(places[from].byte, places[to].byte, {
      most,
      slicesBefore: 0,
      checked: true,
    });
    const long = records.slice(from, to).filter(({ length }) => length > most);
    expect(large.map(({ bytes }) => bytes)).toEqual(long.map(({ length }) => length));
    const sliced = slices.reduce((sum, slice) => sum + slice.to.byte - slice.from.byte, 0);
    expect(sliced + long.reduce((sum, { length }) => sum + length + 1, 0)).toBe(places[to].byte - places[from].byte);
  });
});

it('a run that is rewritten from its beginning after a GPU failure has each record once', async () => {
  const directory = freshDirectory('run');
  const place = { run: Buffer.from(`${directory}/run`), index: Buffer.from(`${directory}/index`), share: 0 };
  const records = ['a', 'b', 'c', 'd'].map((letter) => Buffer.from(`${letter}\n`));
  const writer = await RunWriter.open(place, { ordering: LINES, form: 'run', threads: 0 }, silent);
  for (const record of records.slice(0, 2)) await writer.write(record);
  writer.restart();
  await writer.write(Buffer.concat(records.slice(0, 3)));
  await writer.write(records[3]);
  const digest = digestOf(
    records.map((record) => record.subarray(0, -1)),
    LINES.format,
  );
  await writer.finish(digest, { isAll: true });
  expect(readFileSync(place.run, 'latin1')).toBe('a\nb\nc\nd\n');
});
