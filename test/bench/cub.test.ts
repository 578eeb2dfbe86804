/** CUB beside the kernel benchmark: which sorts run, what they get, and where ratios are shown. */
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ALGORITHMS } from '../../tools/bench/kernels/algorithms.mjs';
// @ts-expect-error
import { cubSorts } from '../../tools/bench/kernels/cub.mjs';
// @ts-expect-error
import { ratePlots } from '../../tools/bench/kernels/plots.mjs';
// @ts-expect-error
import { algorithmTable, report } from '../../tools/bench/kernels/report.mjs';
// @ts-expect-error
import { targetLine } from '../../tools/bench/kernels/targets.mjs';

interface Algorithm {
  readonly name: string;
  readonly cases: readonly { readonly name: string }[];
}
const algorithmOf = (name: string): Algorithm => (ALGORITHMS as Algorithm[]).find((one) => one.name === name)!;
const sortsOf = (name: string, about: string): string[] => {
  const algorithm = algorithmOf(name);
  const one = algorithm.cases.find((each) => each.name === about);
  return cubSorts(algorithm, one).map(({ sort }: { sort: string }) => sort);
};

it('runs the sorts of CUB that belong to an algorithm', () => {
  expect(sortsOf('radix-sort', 'u32 pairs uniform')).toEqual(['radix']);
  expect(sortsOf('quicksort', 'u64 keys uniform')).toEqual(['merge-sort']);
  expect(sortsOf('segmented-sort', 'u32 pairs segments of 1024')).toEqual(['segmented']);
  expect(sortsOf('merge-path-wide', 'u64 pairs unequal runs')).toEqual(['merge']);
  expect(sortsOf('msd-radix', 'strings urls')).toEqual(['refine']);
  // Variants are compared with their algorithm only, and cub.cu has no floats.
  expect(sortsOf('merge-sort-windows', 'u32 keys uniform')).toEqual([]);
  expect(sortsOf('string-merge-paper', 'strings urls')).toEqual([]);
  expect(sortsOf('radix-sort', 'f32 keys uniform')).toEqual([]);
});

describe('a ratio', () => {
  const base = {
    ...{ id: 'radix-sort, u32 keys uniform, 2^27', algorithm: 'radix-sort', case: 'u32 keys uniform', size: 27 },
    ...{ n: 2 ** 27, spans: [4, 4, 4], spanMs: 4, busyMs: 4, wallMs: 5, bytes: 1, inputBytes: 1, passes: 1 },
    ...{ launches: {}, seen: null, copyRate: 3000, machine: { date: '2026-11-30' } },
  };
  const beside = {
    ...{ peer: 'CUB radix sort', times: [3, 3, 3], rate: 44_739, version: '3.0.1', date: '2026-11-30' },
    machine: 'NVIDIA H200, driver 580, CUDA 13.0',
  };
  const table = (row: object): string => algorithmTable(algorithmOf('radix-sort'), [row]);
  const target = { algorithms: ['radix-sort'], case: base.case, size: 27, least: 0.8, peer: 'CUB radix sort' };

  it('is shown only to a peer of the same run, which takes the place of its committed rate', () => {
    expect(table(base)).toContain('| CUB radix sort 42.2, gridwise OneSweep 3.29 |');
    expect(table({ ...base, peers: [beside] })).toContain(
      '| CUB radix sort 44.7 (ratio 0.75), gridwise OneSweep 3.29 |',
    );
    expect(table({ ...base, peers: [{ peer: beside.peer, error: 'out of\nmemory' }] })).toContain(
      '| CUB radix sort failed: out of memory, gridwise OneSweep 3.29 |',
    );
  });

  it('is judged only in the same run', () => {
    expect(targetLine(target, [base])).toMatch(/: not measured$/);
    expect(targetLine(target, [{ ...base, peers: [beside] }])).toMatch(
      /: at least 0\.8 x CUB radix sort in the same run: 0\.750 x, not met by 0\.0500 x$/,
    );
    expect(targetLine({ ...target, least: 0.7 }, [{ ...base, peers: [beside] }])).toMatch(/0\.750 x, met$/);
  });

  it('names its card, driver, versions and date', () => {
    expect(report([{ ...base, peers: [beside] }], [])).toContain(
      '- peers in the same run: CUB 3.0.1, NVIDIA H200, driver 580, CUDA 13.0, 2026-11-30',
    );
    expect(report([{ ...base, peers: [{ peer: beside.peer, error: 'no memory' }] }], [])).not.toContain(
      'peers in the same',
    );
  });

  it('has the rate of the same run in plots', () => {
    const smaller = { ...base, size: 26, n: 2 ** 26 };
    const [before, after] = [smaller, { ...smaller, peers: [beside] }].map((row) => ratePlots([row]).uniform as string);
    expect(before).toContain('CUB radix sort, 2^27: 42.2');
    expect(after).toContain('CUB radix sort, 2^26: 44.7');
    expect(after).not.toContain('CUB radix sort, 2^27');
  });
});
