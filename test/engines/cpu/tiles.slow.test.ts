/** Texts that fill several tiles of 4 MiB, which take seconds to make and to compare. */
import { describe, expect, it } from 'vitest';
import { TILE_BYTES } from '../../../src/engines/cpu/tiles.js';
import { DISTRIBUTIONS } from '../../support/distributions.js';
import { KEYED_ORDERINGS, numberLines, sortedNumbers } from '../../support/keyed.js';
import { byFixed, byLines, recordsFor } from '../../support/orderings.js';
import { random } from '../../support/random.js';
import { join } from '../../support/records.js';
import { engineFor, sampleSorted } from './sample-sort.js';
import { expectText, kernelsFor, repeatedRecords, sortInPlace } from './support.js';

describe('a text of several tiles', () => {
  it.each([
    ['sixteen', byLines()],
    ['sixteen', byLines({ unique: true, lastResort: false })],
    ['urls', byLines()],
    ['zero', byFixed(64, [0, 8], { lastResort: false })],
    ['uniform', byFixed(64, [0, 8], { reverse: true })],
  ] as const)('is sorted as one, and equal records keep input order: %s', (name, ordering) => {
    const some = recordsFor(ordering, DISTRIBUTIONS[name](6000, random(9)));
    const { text, sorted } = repeatedRecords(some, 2.5 * TILE_BYTES, ordering);
    expectText(sortInPlace(kernelsFor(ordering), ordering, text), text, sorted, ordering);
  });
});

it('writes keyed lines of several tiles without their keys', async () => {
  const [, ordering] = KEYED_ORDERINGS[2];
  const sample = [Buffer.from('-1000')];
  const engine = await engineFor(ordering, sample, { chunkBytes: TILE_BYTES });
  expect(engine.mergeBytes).toBeGreaterThan(2 * TILE_BYTES);
  await engine.close();
  const lines = numberLines(700_000, 6);
  const sorted = await sampleSorted(
    ordering,
    lines.map((line) => Buffer.from(line)),
    sample,
    { chunkBytes: TILE_BYTES },
  );
  expect(sorted.equals(join(sortedNumbers(lines, ordering).map((line) => Buffer.from(line))))).toBe(true);
});
