/** The kernel benchmark without a device: targets and tables of invented figures, and the choice of problems. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ALGORITHMS } from './kernels/algorithms.mjs';
// @ts-expect-error
import { keyCases, mergeCases, pairBytes, segmentCases, specOf } from './kernels/cases.mjs';
// @ts-expect-error
import { rateOf } from './kernels/figures.mjs';
// @ts-expect-error
import { PEERS, peersOf } from './kernels/peers.mjs';
// @ts-expect-error
import { merged, problemsOf, sizesOf } from './kernels/problems.mjs';
// @ts-expect-error
import { algorithmTable, report } from './kernels/report.mjs';
// @ts-expect-error
import { TARGETS, targetLine } from './kernels/targets.mjs';
import { failed, leftOut, rateRow as row } from './support.js';

const target = (part: string) =>
  TARGETS.find((one: { case: string; algorithms: string[] | null }) => `${one.algorithms} ${one.case}`.includes(part));
const verdict = (part: string, ...rows: object[]): string => targetLine(target(part), rows);

it('compares rates of keys with their targets', () => {
  const name = 'u64 pairs uniform';
  const text = '- target: radix-sort on u64 pairs uniform at 2^27: at least 8.50 G/s: ';
  expect(verdict(name, row('radix-sort', name, 27, 8500))).toBe(`${text}8.50 G/s, met`);
  expect(verdict(name, row('radix-sort', name, 27, 5500))).toBe(`${text}5.50 G/s, not met by 3.00 G/s`);
  // The target is not about another algorithm, another size or a failed run.
  expect(
    verdict(name, row('merge-sort', name, 27, 9000), row('radix-sort', name, 26, 9000), failed('radix-sort', name, 27)),
  ).toBe(`${text}not measured`);
});

it('compares the best algorithm on strings with its target, and a target that must be exceeded', () => {
  const rows = [
    row('string-merge', 'strings random', 25, 1200),
    row('msd-radix', 'strings random', 25, 3100),
    leftOut('radix-refine', 'strings random', 25),
  ];
  expect(verdict('strings random', ...rows)).toBe(
    '- target: the best algorithm on strings random at 2^25: at least 3,000 M/s: 3,100 M/s (msd-radix), met',
  );
  expect(verdict('strings random', rows[0])).toContain('1,200 M/s (string-merge), not met by 1,800 M/s');
  expect(verdict('strings distinct', row('string-merge', 'strings distinct', 25, 901))).toContain(
    'more than 901 M/s: 901 M/s, not met',
  );
  expect(verdict('strings distinct', row('string-merge', 'strings distinct', 25, 902))).toContain('met');
});

it('compares a ratio of two algorithms at the largest size of both', () => {
  const name = 'u32 pairs near256';
  const rows = [
    row('locality-sort', name, 24, 9000),
    row('locality-sort', name, 27, 12000),
    row('merge-sort', name, 24, 4000),
    failed('merge-sort', name, 27),
  ];
  expect(verdict(name, ...rows)).toBe(
    '- target: locality-sort on u32 pairs near256: at least 3 x merge-sort: 2.25 x at 2^24, not met by 0.750 x',
  );
  expect(verdict(name, ...rows, row('merge-sort', name, 27, 4000))).toContain('3.00 x at 2^27, met');
  expect(verdict(name, rows[0])).toContain('not measured');
});

it('compares the time of the passes with that of copies', () => {
  const name = 'u32 pairs zero';
  // At 4,000 GB/s, a copy moves 250,000 M pairs of 8 bytes a second. The sort took as long as two copies (8.39 us),
  // and its passes were busy half of that time.
  expect(verdict('quicksort u32 pairs zero', row('quicksort', name, 20, 125_000))).toBe(
    '- target: quicksort on u32 pairs zero: at most as long as 2 copies of the input: as long as 1.000 at 2^20, met',
  );
  expect(verdict('quicksort u32 pairs zero', row('quicksort', name, 20, 50_000))).toContain(
    'as long as 2.50 at 2^20, not met by 0.500',
  );
  expect(verdict('quicksort u32 pairs zero', row('quicksort', name, 20, 100, { copyRate: null }))).toContain(
    'not measured',
  );
});

it('names existing cases in targets and peers', () => {
  const named = [
    ...keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform', 'near256', 'zero']),
    ...segmentCases(['u32 pairs'], [32, 1024, 32768]),
    ...ALGORITHMS.flatMap((algorithm: { cases: object[] }) => algorithm.cases),
  ].map(({ name }: { name: string }) => name);
  for (const one of [...TARGETS, ...PEERS]) expect(named).toContain(one.case);
  expect(mergeCases(['u64 pairs'])).toMatchObject([
    { name: 'u64 pairs two runs', distribution: 'runs' },
    { name: 'u64 pairs unequal runs', distribution: 'unequalRuns' },
  ]);
  expect(specOf('u64 pairs')).toEqual({ type: 'u64', values: true });
  expect(pairBytes({ spec: specOf('u64 pairs') })).toBe(12);
  expect(() => specOf('u8 pairs')).toThrow('not a spec');
});

it('shows rates, failures, problems left out and peers in a table', () => {
  const algorithm = { name: 'radix-sort', kind: 'keys', title: 'LSD radix sort' };
  const rows = [
    row('radix-sort', 'u32 pairs uniform', 26, 20000),
    row('radix-sort', 'u32 pairs uniform', 27, 40000, { spanMs: null, busyMs: null, wallMs: 2 ** 27 / 5000e3 }),
    failed('radix-sort', 'u32 keys uniform', 24),
    leftOut('radix-sort', 'u32 keys uniform', 30),
    leftOut('radix-sort', 'u32 pairs uniform', 30),
    row('merge-sort', 'u32 keys uniform', 20, 1),
  ];
  expect(algorithmTable(algorithm, rows)).toBe(`### LSD radix sort (\`radix-sort\`)

| case | n | G keys/s | busy | wall ms | GB/s | of copy | launches in passes | peers |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| u32 pairs uniform | 2^26 | 20.0 | 40.0 | 6.71 | 240 | 6 % | 5 in 3 | CUB radix sort 36.0 (2^27), gridwise OneSweep 2.10 |
| u32 pairs uniform | 2^27 | 5.00 by wall clock |  | 26.8 | 60.0 | 2 % | 5 in 3 | CUB radix sort 36.0, gridwise OneSweep 7.20 |
| u32 keys uniform | 2^24 | failed: wrong: 1 of 2 / |  |  |  |  |  | gridwise OneSweep 3.24 |

- left out (too large): u32 keys uniform 2^30, u32 pairs uniform 2^30
`);
  expect(algorithmTable({ ...algorithm, name: 'other' }, rows)).toBeNull();
  const text = report([row('string-merge', 'strings urls', 25, 81.5, { n: 2 ** 25 - 8 })], TARGETS);
  expect(text).toContain(
    'Some <CPU>, 16 cores, 128 GB; adapter H200; linux; Node v20; sort 9.4; 2026-11-22; a device copy moves 4000 GB/s',
  );
  expect(text).toContain('| strings urls | 33,554,424 | 81.5 |');
  expect(text).toContain(
    'CUB merge sort of 8-byte prefixes 74.0 (2^26), CUB radix sort with refinement 2,384 (2^26) |',
  );
  expect(text).toContain(
    '- target: the best algorithm on strings urls at 2^25: at least 1,000 M/s: 81.5 M/s (string-merge), not met by 919 M/s',
  );
});

it('shows peers of the same case, of the nearest size', () => {
  expect(
    peersOf('radix-sort', 'u32 keys uniform', 25).map(
      ({ peer, size }: { peer: string; size: number }) => `${peer} ${size}`,
    ),
  ).toEqual(['gridwise OneSweep 24']);
  expect(peersOf('merge-sort', 'u32 keys uniform', 28)).toHaveLength(2);
  expect(peersOf('radix-sort', 'u32 keys uniform', 21)).toEqual([]);
});

it('groups problems by algorithm, those of strings by input', () => {
  expect(sizesOf('24,20')).toEqual([20, 24]);
  expect(sizesOf('20..23')).toEqual([20, 21, 22, 23]);
  for (const bad of ['', '20,x', '24..20', '0']) expect(() => sizesOf(bad), bad).toThrow('bad sizes');
  const groups = problemsOf([20, 21], ['string-merge'], ['urls', 'equal']);
  const together = problemsOf([20], ['string-merge', 'radix-refine'], ['urls']);
  expect(together).toEqual([
    ['string-merge', 'radix-refine'].map((algorithm) => ({ algorithm, case: 'strings urls', size: 20 })),
  ]);
  const apart = problemsOf([20, 21], ['radix-sort', 'radix-refine', 'locality-sort'], ['uniform', 'urls']);
  expect(apart.map((group: object[]) => group.length)).toEqual([8, 8, 2]);
  expect(groups).toEqual([
    ['urls', 'equal'].flatMap((input) =>
      [20, 21].map((size) => ({ algorithm: 'string-merge', case: `strings ${input}`, size })),
    ),
  ]);
  expect(() => problemsOf([20], ['no-sort'], null)).toThrow('unknown algorithms: no-sort');
});

it('replaces old figures by new ones of the same problem', () => {
  const old = [row('string-merge', 'strings random', 20, 1), row('string-merge', 'strings random', 21, 1)];
  const rows = merged(old, [row('string-merge', 'strings words', 20, 3), row('string-merge', 'strings random', 20, 2)]);
  expect(rows.map((one: { id: string }) => [one.id, Math.round(rateOf(one))])).toEqual([
    ['string-merge, strings random, 2^20', 2],
    ['string-merge, strings random, 2^21', 1],
    ['string-merge, strings words, 2^20', 3],
  ]);
});

it('shows the hybrid of the MSD radix sort in a table of its own', () => {
  const name = 'strings urls';
  const seen = { tied: 1_000_000, sentBytes: 4_000_000, readBackBytes: 3e9 };
  const device = (size: number) => row('msd-radix', name, size, 100, { wallMs: 10, textBytes: 62_000_000 });
  const rows = [
    device(20),
    row('msd-radix-hybrid', name, 20, 100, { wallMs: 100, textBytes: 62_000_000, seen }),
    device(21),
    failed('msd-radix-hybrid', name, 21),
    device(28),
  ];
  const text: string = report(rows, []);
  expect(text).toContain(
    '| strings urls | 2^20 | 62.0 MB | 1,000,000 | 10.0 ms, 105 M/s | 100 ms, 10.5 M/s | 4.00 MB | 3.00 GB |',
  );
  expect(text).toContain('| strings urls | 2^21 | 62.0 MB |  | 10.0 ms, 210 M/s | failed |  |  |');
  expect(text).not.toContain('(`msd-radix-hybrid`)');
  expect(text.match(/strings urls/g)).toHaveLength(5);
  expect(report([rows[0]], [])).not.toContain('hybrid');
  expect(
    problemsOf([20, 28], ['msd-radix', 'msd-radix-hybrid'], ['urls'])[0].map(
      (one: { algorithm: string; size: number }) => `${one.algorithm} ${one.size}`,
    ),
  ).toEqual(['msd-radix 20', 'msd-radix-hybrid 20', 'msd-radix 28']);
});

it('shows what a wide first digit of the MSD radix sort gains', () => {
  const name = 'strings dna100';
  const rows = [row('msd-radix', name, 20, 1000), row('msd-radix-narrow', name, 20, 500)];
  expect(report(rows, [])).toMatch(/\| strings dna100 \| 2\^20 \| 1\.05 ms \| 2\.10 ms \|/);
  expect(report([rows[0]], [])).not.toContain('first digit');
});

it('opens the runner of every algorithm', () => {
  // In a process of its own: the runners import modules of dist/ by names that they put together.
  const script = `import { ALGORITHMS } from ${JSON.stringify(new URL('kernels/algorithms.mjs', import.meta.url).href)};
    for (const { name, open } of ALGORITHMS) {
      try { await (await open()).end?.(); } catch (error) { console.log(name + ': ' + error.message); }
    }
    process.exit();`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe('');
});
