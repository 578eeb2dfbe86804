/** The planner counts equal records if a sample shows few distinct ones, and only where that changes no byte. */
import { describe, expect, it } from 'vitest';
import type { Ordering } from '../../src/job/ordering.js';
import { mayCount, repeatsIn } from '../../src/plan/counting.js';
import type { RepeatFacts } from '../../src/plan/facts.js';
import { makePlan } from '../../src/plan/make-plan.js';
import type { CpuPlan } from '../../src/plan/plan.js';
import { type JobSettings, job } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { byFixed, byLines } from '../support/orderings.js';
import { randomBelow } from '../support/random.js';

const MIB = 2 ** 20;
const collated = byLines({ key: { kind: 'collated', locale: 'de' } as unknown as Ordering['key'] });

describe('may count', () => {
  const cases: readonly [string, JobSettings, number | null, boolean][] = [
    ['lines', {}, 16 * MIB, true],
    ['lines of unknown size', {}, null, true],
    ['fewer lines', {}, 16 * MIB - 1, false],
    ['collated lines', { ordering: collated }, MIB, true],
    ['fewer collated lines', { ordering: collated }, MIB - 1, false],
    ['lines under -u', { ordering: byLines({ unique: true, lastResort: false }) }, null, true],
    ['numbers', { ordering: byNumber() }, null, true],
    ['numbers under -s', { ordering: byNumber({ lastResort: false }) }, null, false],
    ['records', { ordering: byFixed(20, null) }, null, false],
    ['segments', { ordering: byLines({ segments: { kind: 'blank' } as never }) }, null, false],
    ['CSV', { framing: { kind: 'csv', separator: 44 } as never }, null, false],
    ['genomics data', { genomics: { format: 'bed' } as never }, null, false],
    ['--top', { limit: { end: 'first', count: 5 } }, null, false],
    ['--verify', { verify: true }, null, false],
    ['--algorithm', { algorithm: 'radix' }, null, false],
    ['--engine gpu', { engine: 'gpu' }, null, false],
    ['--engine cpu', { engine: 'cpu' }, null, true],
  ];
  it.each(cases)('%s', (_, settings, bytes, expected) => {
    expect(mayCount(job(settings), bytes)).toBe(expected);
  });
});

describe('the number of distinct records, from a sample of 2,000,', () => {
  const FILE = { bytes: 12e6, sampledPart: 'whole' } as const;
  const below = randomBelow(5);
  const sampleOf = (place: () => readonly string[]): Buffer[][] =>
    Array.from({ length: 250 }, () => place().map((text) => Buffer.from(text)));
  const drawn = (kinds: number) => sampleOf(() => Array.from({ length: 8 }, () => `record ${below(kinds)}`));

  it.each([1, 100, 3000, 50_000])('is about right if all are as frequent: %d', (kinds) => {
    const { distinct, sampled, recordBytes, records } = repeatsIn(drawn(kinds), FILE)!;
    expect(sampled).toBe(2000);
    expect(records).toBeCloseTo(12e6 / recordBytes);
    expect(distinct / kinds).toBeGreaterThan(0.6);
    expect(distinct / kinds).toBeLessThan(1.7);
  });

  it('is that of all records if neighbors alone are equal, as in an input in order', () => {
    let next = 0;
    const inOrder = sampleOf(() => Array(8).fill(`record ${next++}`));
    expect(repeatsIn(inOrder, FILE)!.distinct).toBeGreaterThan(10_000);
  });

  it('is that of all records if too few are met twice to estimate it', () => {
    let next = 0;
    const kinds = sampleOf(() => [...Array(8).keys()].map((i) => (i < 7 ? `record ${below(5)}` : `record ${next++}`)));
    const { distinct, records } = repeatsIn(kinds, FILE)!;
    expect(distinct).toBe(records);
  });

  it('is unknown without a sample', () => {
    expect(repeatsIn([], FILE)).toBe(null);
  });

  it.each([
    ['unknown', null, 64 * MIB],
    ['known', 12e9, 64 * MIB],
    ['small', 12e6, 12e6],
  ])('is judged by the beginning if the sample shows no more: size %s', (_, bytes, shown) => {
    const { records, recordBytes } = repeatsIn(drawn(100), { bytes, sampledPart: 'beginning' })!;
    expect(records).toBeCloseTo(shown / recordBytes);
  });
});

describe('counts', () => {
  const machine = (processors: number, gib = 16) => ({
    processors,
    mostWorkers: Infinity,
    availableBytes: gib * 2 ** 30,
    allowedBytes: Infinity,
  });
  const plan = (repeats: Partial<RepeatFacts>, processors = 2, settings: JobSettings = {}) => {
    const facts = { sampled: 2000, records: 10e6, distinct: 100, recordBytes: 100, ...repeats };
    return makePlan(job(settings), machine(processors), { bytes: 1e9, repeats: facts }, null) as CpuPlan;
  };
  it.each([
    ['few distinct records', {}, 2, true],
    ['records that each thread meets 16 times', { distinct: 312_500, recordBytes: 20 }, 2, true],
    ['no records that each thread meets more rarely', { distinct: 312_501, recordBytes: 20 }, 2, false],
    ['no such records if there are more threads', { distinct: 312_500, recordBytes: 20 }, 3, false],
    ['records that each of many threads meets 10 times', { distinct: 125_000, recordBytes: 20 }, 8, true],
    ['no records that each of many threads meets more rarely', { distinct: 125_001, recordBytes: 20 }, 8, false],
    ['no records whose text would hardly fit', { distinct: 312_500, recordBytes: 110 }, 2, false],
    [
      'no records for which there are too few entries',
      { records: 1e12, distinct: 2 ** 19 + 1, recordBytes: 8 },
      2,
      false,
    ],
  ] as const)('%s', (_, repeats, processors, expected) => {
    const { counting, reasons, engine } = plan(repeats, processors);
    expect(engine).toBe('cpu');
    expect(counting !== null).toBe(expected);
    expect(reasons.some((reason) => reason.startsWith('equal records are counted'))).toBe(expected);
  });

  it('with tables for four times the expected records and their text, in an eighth of the memory', () => {
    expect(plan({}).counting).toEqual({ entries: 2 ** 15, bytes: 2 * 8192 * 100 });
    expect(plan({ distinct: 100_000, recordBytes: 50 }).counting).toEqual({ entries: 2 ** 20, bytes: 40e6 });
    expect(plan({ distinct: 300_000, recordBytes: 90 }).counting).toEqual({ entries: 2 ** 21, bytes: 64 * MIB });
    const small = plan({ distinct: 10_000 }, 2, { memoryBytes: 64 * MIB }).counting;
    expect(small).toEqual({ entries: 2 ** 16, bytes: 2 * MIB });
  });

  it('in tables that together fit in the memory of kernels, however many threads there are', () => {
    for (const threads of [33, 64, 1024]) {
      const { entries, bytes } = plan({ records: 1e12, distinct: 500, recordBytes: 1000 }, threads, {
        parallel: threads,
        memoryBytes: 2 ** 42,
      }).counting!;
      expect(entries * threads).toBeLessThanOrEqual(2 ** 25);
      expect(bytes * threads).toBeLessThanOrEqual(2 ** 30);
    }
  });

  it('without a GPU, which it does not ask for', () => {
    expect(plan({}).reasons).toContain('engine cpu: counting equal records needs no GPU');
  });
});
