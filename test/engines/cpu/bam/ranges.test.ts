/** Ranges of the output: together they have every record once, in order, in whole blocks and of similar sizes. */
import { expect, it } from 'vitest';
import { BLOCK_TEXT } from '../../../../src/codecs/bgzf.js';
import { CoordinateKeys } from '../../../../src/engines/cpu/bam/keys.js';
import { type BamRun, outputRanges, slicesIn } from '../../../../src/engines/cpu/bam/ranges.js';
import { randomBelow } from '../../../support/random.js';

interface Drawn {
  readonly key: number;
  readonly bytes: number;
}

/** A run, and its keys as numbers. */
interface DrawnRun extends BamRun {
  readonly numbers: Float64Array;
}

/** Runs whose records lie one after another in one text. */
function runsOf(drawn: readonly (readonly Drawn[])[]): DrawnRun[] {
  let at = 0;
  return drawn.map((records) => {
    let end = 0;
    const ends = Uint32Array.from(records, ({ bytes }) => (end += bytes));
    const numbers = Float64Array.from(records, ({ key }) => key);
    const run = { text: 0, at, keys: new CoordinateKeys(numbers), numbers, ends };
    at += end;
    return run;
  });
}

/** Where each record lies, in the order of keys and then of the input. */
function placesInOrder(
  runs: readonly DrawnRun[],
): { readonly key: number; readonly at: number; readonly end: number }[] {
  const places = runs.flatMap(({ at, numbers, ends }) =>
    [...numbers].map((key, i) => ({ key, at: at + (i === 0 ? 0 : ends[i - 1]), end: at + ends[i] })),
  );
  return places.sort((a, b) => a.key - b.key || a.at - b.at);
}

function check(drawn: readonly (readonly Drawn[])[], rangeBytes: number, before: number): number[] {
  const runs = runsOf(drawn);
  const places = placesInOrder(runs);
  const total = places.reduce((sum, { at, end }) => sum + end - at, 0);
  const ranges = [...outputRanges(runs, rangeBytes, before)];
  let done = 0;
  for (const [i, { slices, bytes, begin, end }] of ranges.entries()) {
    const parts = slicesIn(slices);
    const inSlices = places.filter(({ at }) => parts.some(({ from, to }) => at >= from && at < to));
    expect(inSlices.reduce((sum, place) => sum + place.end - place.at, 0)).toBe(bytes);
    // The slices are a part of the whole order, and begin where the bytes before them end.
    const first = places.findIndex(({ at }) => at === inSlices[0].at);
    expect(inSlices).toEqual(places.slice(first, first + inSlices.length));
    const start = places.slice(0, first).reduce((sum, place) => sum + place.end - place.at, 0);
    if (i > 0) expect(start + begin).toBe(done);
    if (i > 0 || begin < end) expect((before + start + begin) % BLOCK_TEXT === 0 || start + begin === total).toBe(true);
    done = start + end;
    expect((before + done) % BLOCK_TEXT === 0 || done === total).toBe(true);
    expect(end).toBeLessThanOrEqual(bytes);
  }
  expect(done).toBe(total);
  return ranges.map(({ begin, end }) => end - begin);
}

const draw = (seed: number, runs: number, records: number, keys: number, most: number): Drawn[][] => {
  const below = randomBelow(seed);
  return Array.from({ length: runs }, () =>
    Array.from({ length: records }, () => ({ key: below(keys), bytes: 36 + below(most) })).sort(
      (a, b) => a.key - b.key,
    ),
  );
};

it.each([
  ['many keys', draw(1, 9, 400, 1e9, 300)],
  ['few keys', draw(2, 9, 400, 3, 300)],
  ['one key', draw(3, 5, 600, 1, 100)],
  ['long records', draw(4, 4, 60, 1000, 90_000)],
  ['one run', draw(5, 1, 3000, 1e6, 200)],
  ['one record', draw(6, 1, 1, 1, 10)],
  ['runs of one record', draw(7, 300, 1, 50, 3000)],
])('covers runs with %s', (_, drawn) => {
  for (const before of [0, 1, 40_000, BLOCK_TEXT - 1])
    for (const rangeBytes of [1, 30_000, 200_000, 1e9]) check(drawn, rangeBytes, before);
});

it('makes no range of more than a few long records', () => {
  const long = draw(9, 40, 1, 1000, 90_000).concat(draw(10, 10, 3, 1000, 90_000));
  expect(Math.max(...check(long, 100_000, 0))).toBeLessThan(400_000);
});

it('makes ranges of similar sizes from runs that resemble each other', () => {
  const sizes = check(draw(8, 60, 1500, 1e9, 400), 1e6, 0).slice(0, -1);
  expect(sizes.length).toBeGreaterThan(15);
  expect(Math.max(...sizes)).toBeLessThan(1.35e6);
  expect(Math.min(...sizes)).toBeGreaterThan(0.65e6);
});
