/** The choice of the sort of fixed keys by their order, and the estimates that it relies on. */
import { describe, expect, it } from 'vitest';
import { keyForm } from '../../src/engines/gpu/engine/fixed-keys/form.js';
import { sampleStatistics } from '../../src/input/engine-sample.js';
import { NEIGHBORS, sampleParts } from '../../src/input/sample.js';
import type { Ordering } from '../../src/job/ordering.js';
import { fixedKeyEstimates } from '../../src/plan/costs.js';
import type { SampledPart } from '../../src/plan/facts.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { type SampleStatistics, statisticsOf } from '../../src/plan/statistics.js';
import { recordFinder } from '../../src/records/record-finder.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { blocksOf } from '../../tools/bench/generate.mjs';
import { job } from '../support/jobs.js';
import { random } from '../support/random.js';
import { LINES } from '../support/records.js';

const MACHINE = { processors: 4, mostWorkers: Infinity, availableBytes: 16 * 2 ** 30, allowedBytes: Infinity };
const H200 = { found: true, name: 'H200', software: false, maxBindingBytes: 2 ** 31 - 4 } as const;
/** Enough that near places are much closer than the sample's windows. */
const BYTES = 4 << 20;

/** Numbers, or numbers with a value of 4 bytes. */
const ordering = (size: number, keyBytes: number): Ordering => ({
  ...LINES,
  format: { kind: 'fixed', size },
  key: { kind: 'bytes', offset: 0, length: keyBytes },
  lastResort: false,
});
const NUMBERS = ordering(8, 8);

const textOf = (kind: string, bytes = BYTES): Buffer =>
  Buffer.concat(
    Array.from(blocksOf(kind, { bytes, seed: 3 }) as { block: Buffer }[], ({ block }) => Buffer.from(block)),
  );
const sampleOf = (text: Uint8Array, of: Ordering): SampleStatistics =>
  statisticsOf(sampleParts([text], recordFinder(of.format), NEIGHBORS), of)!;

/** A sorted table to which numbers in no order were appended, a hundredth of all. */
const appended = (): Buffer => Buffer.concat([textOf('u64be-sorted', 0.99 * BYTES), textOf('u64be', 0.01 * BYTES)]);

/** Bytes of an input that is large enough to be looked at. */
const LARGE = 2 ** 32;
/** The sample of a text of BYTES as that of one of `bytes`, whose records are as many places off. */
const asOf = (sample: SampleStatistics, bytes: number | null): SampleStatistics => ({
  ...sample,
  displaced: { ...sample.displaced, displacement: (sample.displaced.displacement * BYTES) / (bytes ?? BYTES) },
});

describe('the plan for fixed keys', () => {
  const choose = (text: Uint8Array, bytes: number | null, sampledPart: SampledPart = 'whole'): string =>
    makePlan(
      job({ ordering: NUMBERS, engine: 'gpu', chunkBytes: BYTES }),
      MACHINE,
      { bytes, sampledPart, sample: asOf(sampleOf(text, NUMBERS), bytes) },
      H200,
    ).reasons.join('\n');

  it.each([
    ['in order', 'u64be-sorted', 'locality'],
    ['near their order', 'u64be-near256', 'locality'],
    ['in reverse order', 'u64be-reversed', 'radix'],
    ['in no order', 'u64be', 'radix'],
  ])('chooses the sort for numbers %s', (_, kind, algorithm) => {
    expect(choose(textOf(kind), LARGE)).toMatch(`algorithm ${algorithm}: the lowest estimate; `);
  });
  it('sees numbers that were appended to others in order', () => {
    expect(choose(appended(), LARGE)).toMatch('algorithm radix: the lowest estimate; ');
  });
  it.each([
    ['a pipe', null],
    ['a file that is read sequentially', LARGE],
  ])('does not rely on the order of the beginning of %s', (_, bytes) => {
    expect(choose(textOf('u64be-near256'), bytes, 'beginning')).toMatch(
      'algorithm radix: the lowest estimate apart from locality, because the rest of the input may be in another order; ',
    );
    expect(choose(textOf('u64be'), bytes, 'beginning')).toMatch('algorithm radix: the lowest estimate; ');
  });
});

/** Milliseconds on an H200 (docs/plots/h200-kernels.json) for 2^27 keys. */
describe('estimates for 2^27 keys', () => {
  const KEYS = 2 ** 27;
  const estimate = (of: Ordering, kind: string, algorithm: string): number =>
    fixedKeyEstimates({ sample: sampleOf(textOf(kind), of), records: KEYS }, keyForm(of)!).find(
      (one) => one.algorithm === algorithm,
    )!.milliseconds;

  it.each([
    ['u32 keys', ordering(4, 4), 'u32be', 'radix', 4.19],
    ['u32 pairs', ordering(8, 4), 'u32be+u32', 'radix', 4.84],
    ['u64 keys', NUMBERS, 'u64be', 'radix', 9.26],
    ['u32 keys', ordering(4, 4), 'u32be', 'merge', 9.03],
    ['u32 pairs', ordering(8, 4), 'u32be+u32', 'merge', 17.8],
    ['u64 keys', NUMBERS, 'u64be', 'merge', 17.7],
    ['u32 keys', ordering(4, 4), 'u32be', 'locality', 16.0],
    ['u32 pairs', ordering(8, 4), 'u32be+u32', 'locality', 34.8],
    ['u64 keys', NUMBERS, 'u64be', 'locality', 29.5],
    ['u32 keys', ordering(4, 4), 'u32be', 'quicksort', 14.9],
  ] as const)('of %s in no order agree with the benchmark', (_, of, kind, algorithm, measured) => {
    expect(estimate(of, kind, algorithm) / measured).toBeGreaterThan(0.85);
    expect(estimate(of, kind, algorithm) / measured).toBeLessThan(1.15);
  });
});

describe('estimates for 2^27 pairs near their order', () => {
  const PAIRS = ordering(8, 4);
  const KEYS = 2 ** 27;
  /** Windows of pairs, each less than `most` places from its place. */
  const windows = (most: number): Uint8Array[][] => {
    const next = random(most);
    return Array.from({ length: 32 }, (_, w) =>
      Array.from({ length: 32 }, (_pair, i) => {
        const pair = Buffer.alloc(8);
        // A key for every 16th number.
        pair.writeUInt32BE(16 * (Math.floor((w * KEYS) / 33) + i + Math.floor(next() * most)));
        return pair;
      }),
    );
  };

  // The benchmark also submits the levels that an engine leaves out if nothing is left to merge: 1.4 ms.
  it.each([
    [16, 4.5 - 1.4],
    [256, 4.76 - 1.4],
    [4096, 8.69],
  ])('agree with the benchmark of locality for less than %i places', (most, measured) => {
    const sample = statisticsOf(windows(most), PAIRS)!;
    const found = fixedKeyEstimates({ sample, records: KEYS }, keyForm(PAIRS)!).find(
      ({ algorithm }) => algorithm === 'locality',
    )!.milliseconds;
    expect(found / measured).toBeGreaterThan(0.85);
    expect(found / measured).toBeLessThan(1.3);
  });
});

it('a thread and the calling thread find the same statistics', async () => {
  const ahead = sampleParts([textOf('log64')], recordFinder(LINES.format), NEIGHBORS);
  const found = await Promise.all([0, 1].map((workers) => sampleStatistics({ ahead, files: [] }, LINES, workers)));
  expect(found[0]).toEqual(statisticsOf(ahead, LINES));
  expect(found[1]).toEqual(found[0]);
});
