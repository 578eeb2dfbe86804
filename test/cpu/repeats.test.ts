/** Repeated records: only distinct ones are sorted, and the result is that of a stable sort. */
import { describe, expect, it } from 'vitest';
import { type CpuKernels, compileKernels, INDEX_STEP, openKernels } from '../../src/cpu/kernels.js';
import { mergeTexts } from '../../src/cpu/merge-texts.js';
import { shapeOf } from '../../src/cpu/shape.js';
import type { Ordering } from '../../src/job.js';
import { finish } from '../../src/steps.js';
import { randomBelow } from '../support/random.js';
import { join, positionsOf, sortedRecords } from '../support/records.js';
import { byFixed, byLines, sortInPlace } from './support.js';

const module = compileKernels();
/** The flag: equal keys mean equal records, or one record of each key is enough. */
const ORDERINGS: readonly (readonly [string, Ordering, boolean])[] = [
  ['lines', byLines(), true],
  ['lines, -z', byLines({ format: { kind: 'lines', delimiter: 0 } }), true],
  ['lines, -r', byLines({ reverse: true }), true],
  ['lines, -u', byLines({ unique: true, lastResort: false }), true],
  ['lines, -ru', byLines({ reverse: true, unique: true, lastResort: false }), true],
  ['records', byFixed(12, null), true],
  ['records by a key', byFixed(12, [2, 4]), true],
  ['records by a key, -s', byFixed(12, [2, 4], { lastResort: false }), false],
  ['records by a key, -u', byFixed(12, [2, 4], { lastResort: false, unique: true }), true],
];

/** `count` records of `kinds` kinds, some with a common beginning; lines have 0 to 40 bytes. */
function repeated({ format }: Ordering, count: number, kinds: number, seed: number): Buffer[] {
  const below = randomBelow(seed);
  const list = Array.from({ length: kinds }, (_, kind) => {
    const text = `${'same'.repeat(below(3))}${'x'.repeat(below(4))}${kind}`.padEnd(below(40), 'y');
    return Buffer.from(
      format.kind === 'fixed' ? `${below(40)}${text}`.padEnd(12).slice(0, 12) : kind === 0 ? '' : text,
    );
  });
  return Array.from({ length: count }, () => list[Math.min(below(kinds), below(kinds))]);
}

/** The kernels, with a count of the calls of `gatherRepeats`. */
function watched(ordering: Ordering): { kernels: CpuKernels; calls: { gatherRepeats: number } } {
  const kernels = openKernels(module, shapeOf(ordering));
  const calls = { gatherRepeats: 0 };
  return {
    kernels: {
      ...kernels,
      gatherRepeats: (...args) => {
        calls.gatherRepeats++;
        kernels.gatherRepeats(...args);
      },
    },
    calls,
  };
}

function expectSorted(kernels: CpuKernels, ordering: Ordering, records: readonly Buffer[]): void {
  const text = join(records, ordering);
  const sorted = sortedRecords(records, ordering);
  const expected = join(sorted, ordering);
  const index = Uint32Array.from(
    positionsOf(sorted, ordering)
      .slice(0, sorted.length)
      .filter((_, i) => i % INDEX_STEP === 0),
    ({ byte }) => byte,
  );
  expect(sortInPlace(kernels, shapeOf(ordering), text)).toEqual({
    bytes: expected.length,
    records: sorted.length,
    index,
  });
  expect(text.subarray(0, expected.length).equals(expected)).toBe(true);
}

describe.each(ORDERINGS)('%s', (_, ordering, folds) => {
  it.each([20, 30, 700])('sorts each of %i distinct records once', (kinds) => {
    const { kernels, calls } = watched(ordering);
    expectSorted(kernels, ordering, repeated(ordering, 20_000, kinds, kinds));
    expect(calls.gatherRepeats > 0).toBe(folds);
  });
  it('sorts all records if most are distinct', () => {
    const { kernels, calls } = watched(ordering);
    expectSorted(kernels, ordering, repeated(ordering, 20_000, 40_000, 7));
    expect(calls.gatherRepeats).toBe(0);
  });
  it.each([30_000, 60_000])('sorts all of %i records if half of them are distinct and fill the table', (count) => {
    const { kernels, calls } = watched(ordering);
    const records = repeated(ordering, count, 20, 8).map((record, i) =>
      i % 2 === 0 ? record : Buffer.from(String((i * 7919) % 1e6).padEnd(12)),
    );
    expectSorted(kernels, ordering, records);
    expect(calls.gatherRepeats).toBe(0);
  });
});

describe('merging texts of repeated records', () => {
  it.each(ORDERINGS)('gives the result of a stable sort: %s', (_, ordering) => {
    const kernels = openKernels(module, shapeOf(ordering));
    for (const [kinds, count] of [
      [1, 1],
      [1, 40],
      [2, 5000],
      [3, 17],
      [40, 9000],
    ] as const) {
      const texts = [1, 2, 3].map((seed) => sortedRecords(repeated(ordering, count, kinds, seed), ordering));
      const expected = sortedRecords(texts.flat(), ordering);
      const target = new Uint8Array(join(texts.flat(), ordering).length + 16);
      const outcome = finish(
        mergeTexts(
          kernels,
          shapeOf(ordering),
          texts.map((text) => join(text, ordering)),
          0,
          target,
          false,
        ),
      );
      expect(Buffer.from(target.subarray(0, outcome.bytes)).equals(join(expected, ordering))).toBe(true);
      expect(outcome.index).toEqual(
        Uint32Array.from(
          positionsOf(expected, ordering)
            .slice(0, expected.length)
            .filter((_, i) => i % INDEX_STEP === 0),
          ({ byte }) => byte,
        ),
      );
    }
  });
});
