/**
 * Every tuning of every algorithm (src/job/algorithm-table.ts): sorts of small chunks that are merged give the bytes of
 * the plain models, and each word reaches the step that it names.
 *
 * @long because its sorts share compiled kernels
 */
import { beforeAll, expect, it } from 'vitest';
import { parseArguments } from '../../../../src/cli/request.js';
import type { Run } from '../../../../src/contract/engine.js';
import type { KernelConstants } from '../../../../src/engines/gpu/device/compose.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import type { Pipelines } from '../../../../src/engines/gpu/device/pipelines.js';
import { sortStage } from '../../../../src/engines/gpu/engine/sorts.js';
import { orderParameters } from '../../../../src/engines/gpu/engine/tunings.js';
import { DEEP_TIE_BYTES } from '../../../../src/engines/gpu/thresholds.js';
import {
  algorithmsOn,
  type GpuAlgorithm,
  type Tuning,
  tuningRow,
  tuningsOf,
} from '../../../../src/job/algorithm-table.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { makePlan } from '../../../../src/plan/make-plan.js';
import { createRecorder } from '../../../../src/report/recorder.js';
import type { TieStatistics } from '../../../../src/report/ties.js';
import { openEngine } from '../../../../src/run/open-engine.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { SURROUNDINGS } from '../../../cli/arguments.js';
import { describeGpu } from '../../../setup/gpu.js';
import { keptRun, silent } from '../../../support/jobs.js';
import { random, randomBelow } from '../../../support/random.js';
import { join, LINES, sortedRecords, split } from '../../../support/records.js';
import { sampled } from '../../../support/tier.js';
import { engineBy, engineOn, mergedText, orderText } from '../engines.js';
import { useGpu } from '../helpers.js';
import { DISTRIBUTIONS } from '../strings/strings.js';
import { checkTyped, part } from './fixed-keys/typed.js';

type Case = readonly [GpuAlgorithm, readonly Tuning[]];

/** Each tuning alone, and all pairs that are compatible. */
const CASES: readonly Case[] = algorithmsOn('gpu').flatMap((algorithm): Case[] => {
  const words = tuningsOf(algorithm);
  const step = (word: Tuning): string => tuningRow(algorithm, word).step ?? word;
  const pairs = words.flatMap((one, i) => words.slice(i + 1).map((other) => [one, other]));
  const compatible = pairs.filter(([one, other]) => step(one) !== step(other));
  return [...words.map((word) => [word]), ...compatible].map((tunings) => [algorithm, tunings]);
});
const sorts =
  (kind: 'lines' | 'shortKeys') =>
  ([algorithm, tunings]: Case): boolean =>
    tunings.every((word) => tuningRow(algorithm, word).kinds?.includes(kind) ?? true);
/** Each tuning is drawn; only longer runs combine them. */
const draw = (cases: readonly Case[]): readonly Case[] =>
  sampled(cases, { count: cases.length, seed: 1, values: ([, tunings]) => tunings });
/** The sorts whose short keys have kernels of their own. The others sort them as they sort lines. */
const OF_KEYS: readonly GpuAlgorithm[] = ['merge', 'radix', 'locality'];

describeGpu('sorts with tunings', () => {
  const gpu = useGpu();
  beforeAll(() => {
    expect(CASES.length).toBeGreaterThan(15);
  });

  async function sorted([algorithm, tunings]: Case, parts: readonly (readonly Uint8Array[])[]): Promise<string> {
    const engine = await engineBy(gpu(), algorithm, { keyThreads: 2, tunings });
    const runs: Run[] = [];
    for (const records of parts)
      for (const one of await orderText(engine, join(records))) runs.push(await keptRun(one, LINES));
    const text = await mergedText(engine, runs.map(wholeRun));
    for (const run of runs) run.release();
    await engine.close();
    return join(split(text)).toString('latin1');
  }

  it.each(draw(CASES.filter(sorts('lines'))))('%s:%s sorts lines', async (...one) => {
    const parts = [
      DISTRIBUTIONS.URLs(1500, random(1)),
      DISTRIBUTIONS['16 values'](1100, random(2)),
      DISTRIBUTIONS['two letters, 0 to 600'](60, random(3)),
    ];
    expect(await sorted(one, parts)).toBe(join(sortedRecords(parts.flat())).toString('latin1'));
  });

  const ofKeys = CASES.filter(([algorithm]) => OF_KEYS.includes(algorithm)).filter(sorts('shortKeys'));
  it.each(draw(ofKeys))('%s:%s sorts records with short keys', (algorithm, tunings) =>
    checkTyped(
      gpu(),
      algorithm,
      { size: 8, parts: [part(4, 'i32', true)], lastResort: false },
      { records: 5300, chunkRecords: 2100, tunings },
      randomBelow(1),
    ),
  );

  it('sort dozens of tiny chunks', () =>
    checkTyped(
      gpu(),
      'merge',
      { size: 4, parts: [part(0, 'u32')] },
      { records: 400, chunkRecords: 7, tunings: ['search-wide', 'merge-windows'] },
      randomBelow(2),
    ));
});

describeGpu('tunings', () => {
  const gpu = useGpu();
  const NUMBERS: Ordering = { ...LINES, format: { kind: 'fixed', size: 4 }, key: { kind: 'record' } };

  /** A device with 48 KiB of workgroup memory that only notes, in `names`, the kernels and constants it is to load. */
  function watched(names: string[]): Gpu {
    const pipelines: Pipelines = Object.assign(Object.create(gpu().pipelines), {
      load: async (name: string, { consts, variants }: KernelConstants = {}) => {
        names.push(`${name} ${JSON.stringify({ ...consts, ...variants })}`);
      },
    });
    return { ...gpu(), workgroupBytes: 49152, pipelines, close: () => {} };
  }

  async function loaded(algorithm: GpuAlgorithm, tunings: readonly Tuning[], ordering: Ordering): Promise<string[]> {
    const names: string[] = [];
    const engine = await engineBy(watched(names), algorithm, { ordering, tunings });
    await engine.close();
    return names;
  }

  it('of a job reach its engine', async () => {
    const request = parseArguments(['--array=u32', '--algorithm=merge:search-parts'], SURROUNDINGS);
    if (request.action !== 'sort') throw new Error(request.action);
    const machine = { processors: 1, mostWorkers: 1, availableBytes: 2 ** 30, allowedBytes: Infinity };
    const adapter = { found: true, name: 'a GPU', software: false, maxBindingBytes: 2 ** 27 } as const;
    const plan = makePlan(request.job, machine, { bytes: 1000, sample: null }, adapter);
    const names: string[] = [];
    const engine = await openEngine(plan, request.job.ordering, silent, { takeGpu: async () => watched(names) });
    await engine.close();
    expect(names).toContainEqual(expect.stringMatching(/^keys\/merge-path\/search-parts /));
  });

  it.each<readonly [GpuAlgorithm, Tuning, Ordering, RegExp]>([
    ['merge', 'search-wide', NUMBERS, /^keys\/merge-path\/search-wide /],
    ['merge', 'search-parts', NUMBERS, /^keys\/merge-path\/search-parts /],
    ['merge', 'merge-windows', NUMBERS, /^keys\/merge-path\/merge-windows /],
    ['merge', 'moving-windows', NUMBERS, /^keys\/merge-path\/moving-windows /],
    ['string-merge', 'moving-windows', LINES, /^strings\/string-merge\/moving-windows /],
    ['merge', 'stable-network', NUMBERS, /^keys\/merge-sort\/block-sort .*"NETWORK":"stable"/],
    ['locality', 'counted-jobs', NUMBERS, /^keys\/segmented-sort\/merge-jobs .*"SHARING":"counted"/],
    ['locality', 'counted-jobs', LINES, /^keys\/segmented-sort\/merge-jobs .*"SHARING":"counted"/],
    ['radix', 'one-sweep', NUMBERS, /^keys\/radix-sort\/scatter-\S+ .*"SWEEPS":1/],
    ['radix', 'two-sweeps', LINES, /^keys\/radix-sort\/scatter-\S+ .*"SWEEPS":2/],
    ['radix-refine', 'no-subgroups', LINES, /^keys\/radix-sort\/scatter-portable /],
    ['msd-radix', 'wide-digits', LINES, /^strings\/msd-radix\/move .*"DIGIT_BITS":12/],
    ['msd-radix-hybrid', 'wide-digits', LINES, /^strings\/msd-radix\/move .*"DIGIT_BITS":12/],
  ])('%s:%s loads its kernel', async (algorithm, tuning, ordering, kernel) => {
    expect(await loaded(algorithm, [tuning], ordering)).toContainEqual(expect.stringMatching(kernel));
  });

  it.each(['msd-radix', 'msd-radix-hybrid'] as const)('%s:narrow-digits has digits of 8 bits alone', async (name) => {
    const digits = (await loaded(name, ['narrow-digits'], LINES)).filter((kernel) =>
      /^strings\/msd-radix\/(move|count) /.test(kernel),
    );
    expect(digits).not.toEqual([]);
    for (const kernel of digits) expect(kernel).toContain('"DIGIT_BITS":8');
  });

  async function ties(tunings: readonly Tuning[], records: number): Promise<TieStatistics> {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const engine = engineOn(gpu(), { recorder, chunkBytes: 4 << 20 }, sortStage('string-merge', LINES, tunings));
    const lines = Array.from({ length: records }, (_, i) => Buffer.from(`key ${i % 3} is ${i % 7}`));
    for (const one of await orderText(engine, join(lines))) one.release();
    await engine.close();
    return recorder.tieStatistics!;
  }

  it('string-merge:prefix-4 compares 4 bytes before the text', async () => {
    expect(await ties([], 100)).toMatchObject({ keyBytes: 8 });
    expect(await ties(['prefix-4'], 100)).toMatchObject({ keyBytes: 4 });
  });

  // A sort of so many strings that it leaves ties to refinement takes minutes on a software GPU.
  // tie-statistics.slow.test.ts shows what the parameter does.
  it('string-merge:ties-in-merges sets the bytes that merges compare', () => {
    expect(orderParameters(['ties-in-merges'])).toEqual({ tieBytes: DEEP_TIE_BYTES });
  });
});
