/**
 * The choice among the GPU sorts. A table of round constants fixes it for known samples. The committed table is
 * complete.
 */
import { describe, expect, it } from 'vitest';
import { algorithmsOn } from '../../src/job/algorithm-table.js';
import { COST_TERMS, type CostTable, estimates } from '../../src/plan/costs.js';
import { COST_TABLE } from '../../src/plan/costs-table.js';
import { makePlan } from '../../src/plan/make-plan.js';
import { sampleMatters } from '../../src/run/decide.js';
import { job } from '../support/jobs.js';
import { eitherPlan, sampleFor } from './samples.js';

/**
 * Merge sort has a small cost for each pass and a large one for ties. Radix-refine and locality sort have costs for
 * their start, for the survey of the text and for refinement rounds.
 */
const TABLE: CostTable = {
  machine: 'a test',
  date: '2026-11-21',
  constants: {
    'string-merge': { start: 0.1, records: 0.2, recordPasses: 0.1, textScattered: 1, rounds: 0.5, roundPasses: 0.2 },
    'radix-refine': { start: 0.6, records: 0.5, rounds: 0.5, tied: 0.6 },
    locality: { start: 0.6, textBytes: 0.001, records: 0.35, levels: 0.02, recordMerges: 0.1, rounds: 0.5, tied: 0.6 },
  },
};
/** The algorithms the committed table has constants for; the planner never chooses another on its own. */
const CALIBRATED = algorithmsOn('gpu', 'lines').filter((algorithm) => COST_TABLE.constants[algorithm] !== undefined);

describe('estimates', () => {
  it.each([
    ['few records', 'random100', 2 ** 14, 'string-merge'],
    ['random lines', 'random100', 2 ** 21, 'radix-refine'],
    ['short lines', 'random11', 2 ** 24, 'radix-refine'],
    ['DNA, in which 8 bytes carry little information', 'dna150', 2 ** 21, 'radix-refine'],
    ['URLs', 'urls', 2 ** 22, 'radix-refine'],
    ['words', 'words', 2 ** 24, 'radix-refine'],
    ['few equal lines', 'equal100', 2 ** 14, 'string-merge'],
    ['many equal lines, which are in order', 'equal100', 2 ** 21, 'locality'],
    ['a log in order', 'sorted100', 2 ** 22, 'locality'],
    ['a log with lines a few places late', 'nearlog', 2 ** 21, 'locality'],
    ['few lines of it', 'nearlog', 2 ** 14, 'string-merge'],
    ['a log in reverse order', 'reversed100', 2 ** 22, 'radix-refine'],
  ] as const)('choose the expected sort for %s', (_, shape, records, algorithm) => {
    expect(estimates({ sample: sampleFor(shape), records }, TABLE)[0].algorithm).toBe(algorithm);
  });

  it('are sums of amounts times constants, the least first', () => {
    const found = estimates(
      { sample: sampleFor('equal100'), records: 1e6 },
      {
        ...TABLE,
        constants: {
          'string-merge': { start: 3, records: 2 },
          'radix-refine': { start: 1, records: 1, unknown: 9 },
        },
      },
    );
    expect(found).toEqual([
      { algorithm: 'radix-refine', milliseconds: 2 },
      { algorithm: 'string-merge', milliseconds: 5 },
    ]);
  });

  it('leave out algorithms without measured constants', () => {
    const found = estimates(
      { sample: sampleFor('urls'), records: 1e6 },
      { ...TABLE, constants: { 'radix-refine': { start: 1 } } },
    );
    expect(found).toEqual([{ algorithm: 'radix-refine', milliseconds: 1 }]);
  });

  it.each(['random100', 'dna150', 'urls', 'words', 'sorted100'])('grow with the records of %s', (shape) => {
    const sample = sampleFor(shape);
    for (const algorithm of Object.keys(TABLE.constants)) {
      const times = [2 ** 12, 2 ** 16, 2 ** 20, 2 ** 24].map(
        (records) => estimates({ sample, records }, TABLE).find((e) => e.algorithm === algorithm)!.milliseconds,
      );
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });
});

describe('the committed table', () => {
  it('has constants for each term of the algorithms that it knows', () => {
    for (const algorithm of CALIBRATED) {
      const constants = COST_TABLE.constants[algorithm]!;
      const terms = COST_TERMS[algorithm]!({ sample: sampleFor('urls', 256), records: 1e6 });
      expect(Object.keys(constants).sort()).toEqual(Object.keys(terms).sort());
      for (const value of Object.values(constants)) expect(value).toBeGreaterThanOrEqual(0);
      for (const amount of Object.values(terms)) expect(amount).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('the plan', () => {
  const MACHINE = { processors: 4, mostWorkers: Infinity, availableBytes: 16 * 2 ** 30, allowedBytes: Infinity };
  const H200 = { found: true, name: 'H200', software: false, maxBindingBytes: 2 ** 31 - 4 } as const;
  const input = { bytes: 4e9, sampledPart: 'whole', sample: sampleFor('dna150') } as const;

  it('takes the lowest estimate for a full chunk, and lists all', () => {
    const plan = eitherPlan(makePlan(job(), MACHINE, input, H200));
    const expected = estimates(
      { sample: input.sample, records: Math.round(2 ** 28 / 151), total: Math.round(4e9 / 151) },
      COST_TABLE,
    );
    expect(plan.estimates).toEqual(expected);
    // Where the lowest estimates differ by less than its kernels take to compile, the default stays.
    expect(plan.algorithm).toBe('string-merge');
    for (const { algorithm } of expected)
      expect(plan.reasons.join('\n')).toMatch(new RegExp(`${algorithm} [0-9.]+ m?s`));
    expect(plan.reasons.join('\n')).toMatch(/sample of 2,048 records: 151.0 bytes each, 4 different bytes/);
  });
  it('takes tunings as they were requested, with and without a sample', () => {
    const request = { algorithm: 'string-merge', tunings: ['prefix-4', 'ties-in-merges'] } as const;
    for (const facts of [input, { ...input, sample: null }]) {
      const plan = eitherPlan(makePlan(job(request), MACHINE, facts, H200));
      expect(plan).toMatchObject({ engine: 'gpu', ...request });
      const name = 'algorithm string-merge:prefix-4,ties-in-merges: as requested';
      expect(plan.reasons).toContainEqual(expect.stringContaining(name));
    }
  });

  it('takes the requested algorithm, and lists the estimates', () => {
    for (const algorithm of algorithmsOn('gpu', 'lines')) {
      const plan = eitherPlan(makePlan(job({ algorithm }), MACHINE, input, H200));
      expect(plan).toMatchObject({ engine: 'gpu', algorithm });
      expect(plan.estimates.length).toBe(CALIBRATED.length);
      expect(plan.reasons).toContainEqual(expect.stringContaining(`algorithm ${algorithm}: as requested`));
      expect(plan).toMatchObject({ tunings: [] });
    }
  });
  it('counts the records of a chunk by its size and its bounds', () => {
    const small = eitherPlan(makePlan(job({ chunkBytes: 2 ** 20 }), MACHINE, input, H200));
    expect(small.estimates).toEqual(
      estimates({ sample: input.sample, records: Math.round(2 ** 20 / 151), total: Math.round(4e9 / 151) }, COST_TABLE),
    );
    const few = eitherPlan(makePlan(job({ engine: 'gpu' }), MACHINE, { ...input, bytes: 151_000 }, H200));
    expect(few.estimates).toEqual(estimates({ sample: input.sample, records: 1000 }, COST_TABLE));
  });
  it('takes another sort only if it saves more than its kernels take to compile', () => {
    const random = { sampledPart: 'whole', sample: sampleFor('random100') } as const;
    const [first, ...others] = estimates(
      { sample: random.sample, records: Math.round(2 ** 28 / 100), total: 1e9 },
      COST_TABLE,
    );
    expect(first!.algorithm).not.toBe('string-merge');
    const saved = others.find(({ algorithm }) => algorithm === 'string-merge')!.milliseconds - first!.milliseconds;
    const chunks = Math.floor(40 / saved);
    const plan = (bytes: number | null): string =>
      makePlan(job({ chunkBytes: 2 ** 28 }), MACHINE, { ...random, bytes }, H200).reasons.join('\n');
    expect(plan((chunks - 1) * 2 ** 28)).toMatch(
      `algorithm string-merge: compiling the kernels of a faster one would take longer`,
    );
    expect(plan((chunks + 2) * 2 ** 28)).toMatch(`algorithm ${first!.algorithm}: the lowest estimate`);
    expect(plan(1e9)).toMatch('algorithm string-merge: 954 MiB is too little for another algorithm to pay off');
  });
  it('needs a sample if it decides, or if --explain shows it', () => {
    const segments = { ...job().ordering, segments: { kind: 'blank' } } as const;
    expect([
      sampleMatters(job(), { bytes: 4e9 }),
      sampleMatters(job(), { bytes: null }),
      sampleMatters(job({ algorithm: 'msd-radix', explain: 'text' }), { bytes: 5 }),
    ]).toEqual([true, true, true]);
    expect([
      sampleMatters(job(), { bytes: 1e9 }),
      sampleMatters(job({ algorithm: 'msd-radix' }), { bytes: 4e9 }),
      sampleMatters(job({ explain: 'text', ordering: segments }), { bytes: 4e9 }),
    ]).toEqual([false, false, false]);
  });
  it('compares nothing without a sample, nor on the CPU', () => {
    expect(makePlan(job(), MACHINE, { bytes: 4e9 }, H200)).toMatchObject({ algorithm: 'string-merge', estimates: [] });
    const onCpu = makePlan(job({ engine: 'cpu' }), MACHINE, input, null);
    expect(onCpu).toMatchObject({ algorithm: 'radix' });
    expect(onCpu).not.toHaveProperty('estimates');
  });
});
