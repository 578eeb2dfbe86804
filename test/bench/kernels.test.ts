/** The kernel benchmark without a device: marks, tables and plots of invented figures, and the choice of problems. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ALGORITHMS } from './kernels/algorithms.mjs';
// @ts-expect-error
import { keyCases, mergeCases, pairBytes, segmentCases, specOf } from './kernels/cases.mjs';
// @ts-expect-error
import { MARKS } from './kernels/marks.mjs';
// @ts-expect-error
import { PEERS, peersOf } from './kernels/peers.mjs';
// @ts-expect-error
import { ratePlot } from './kernels/plots.mjs';
// @ts-expect-error
import { merged, problemsOf, sizesOf } from './kernels/problems.mjs';
// @ts-expect-error
import { algorithmTable, judge, markLine, rateOf, report } from './kernels/report.mjs';

const MACHINE = {
  cpu: 'Some <CPU>',
  cores: 16,
  memoryGB: 128,
  adapter: 'H200',
  system: 'linux',
  node: 'v20',
  sort: 'sort 9.4',
  date: '2026-11-22',
};

/** Figures of a problem that ran at `rate` million elements a second; its passes were busy half of the time. */
function row(algorithm: string, name: string, size: number, rate: number, more: object = {}) {
  const n = 2 ** size;
  const spanMs = n / rate / 1e3;
  return {
    id: `${algorithm}, ${name}, 2^${size}`,
    algorithm,
    case: name,
    size,
    n,
    textBytes: 0,
    spanMs,
    busyMs: spanMs / 2,
    wallMs: 2 * spanMs,
    bytes: 12 * n,
    inputBytes: 8 * n,
    passes: 3,
    launches: { a: 4, b: 1 },
    sweeps: null,
    copyRate: 4000,
    machine: MACHINE,
    ...more,
  };
}
const failed = (algorithm: string, name: string, size: number) => ({
  algorithm,
  case: name,
  size,
  error: 'wrong: 1 of 2 |',
  copyRate: 4000,
  machine: MACHINE,
});
const unfit = (algorithm: string, name: string, size: number) => ({
  algorithm,
  case: name,
  size,
  leftOut: 'too large',
  copyRate: 4000,
  machine: MACHINE,
});

const mark = (part: string) =>
  MARKS.find((one: { case: string; algorithms: string[] | null }) => `${one.algorithms} ${one.case}`.includes(part));
const verdict = (part: string, ...rows: object[]): string => markLine(judge(mark(part), rows));

it('judges rates of keys', () => {
  const name = 'u64 pairs uniform';
  const text = '- bar: radix-sort on u64 pairs uniform at 2^27: at least 6.00 G/s: ';
  expect(verdict(name, row('radix-sort', name, 27, 6000))).toBe(`${text}6.00 G/s, met`);
  expect(verdict(name, row('radix-sort', name, 27, 5500))).toBe(`${text}5.50 G/s, missed by 0.500 G/s`);
  // The mark is not about another algorithm, another size or a failed run.
  expect(
    verdict(name, row('merge-sort', name, 27, 9000), row('radix-sort', name, 26, 9000), failed('radix-sort', name, 27)),
  ).toBe(`${text}not measured`);
});

it('judges the best algorithm on strings, and what must be more than a rate', () => {
  const rows = [
    row('string-merge', 'strings random', 25, 1200),
    row('msd-radix', 'strings random', 25, 3100),
    unfit('radix-refine', 'strings random', 25),
  ];
  expect(verdict('strings random', ...rows)).toBe(
    '- bar: the best algorithm on strings random at 2^25: at least 3,000 M/s: 3,100 M/s (msd-radix), met',
  );
  expect(verdict('strings random', rows[0])).toContain('1,200 M/s (string-merge), missed by 1,800 M/s');
  expect(verdict('strings distinct', row('string-merge', 'strings distinct', 25, 901))).toContain(
    'more than 901 M/s: 901 M/s, missed',
  );
  expect(verdict('strings distinct', row('string-merge', 'strings distinct', 25, 902))).toContain('met');
});

it('judges ratios at the largest size that both have', () => {
  const name = 'u32 pairs near256';
  const rows = [
    row('locality-sort', name, 24, 9000),
    row('locality-sort', name, 27, 12000),
    row('merge-sort', name, 24, 4000),
    failed('merge-sort', name, 27),
  ];
  expect(verdict(name, ...rows)).toBe(
    '- bar: locality-sort on u32 pairs near256: at least 3 x merge-sort: 2.25 x at 2^24, missed by 0.750 x',
  );
  expect(verdict(name, ...rows, row('merge-sort', name, 27, 4000))).toContain('3.00 x at 2^27, met');
  expect(verdict(name, rows[0])).toContain('not measured');
});

it('judges how often the input was gone through, by what the algorithm tells or by the time of copies', () => {
  const name = 'u32 pairs zero';
  expect(verdict('quicksort', row('quicksort', name, 20, 100, { sweeps: 2 }))).toContain('at most 2 times: 2, met');
  expect(verdict('quicksort', row('quicksort', name, 20, 100, { sweeps: 5 }))).toContain(
    'at most 2 times: 5, missed by 3',
  );
  // At 4,000 GB/s, a copy moves 250,000 M pairs of 8 bytes a second. The sort took as long as two copies (8.39 us),
  // and its passes were busy half of that time.
  expect(verdict('quicksort', row('quicksort', name, 20, 125_000))).toContain(
    'at most 2 times: as long as 1.000 copies at 2^20, met',
  );
  expect(verdict('quicksort', row('quicksort', name, 20, 50_000))).toContain(
    'as long as 2.50 copies at 2^20, missed by 0.500',
  );
  expect(verdict('quicksort', row('quicksort', name, 20, 100, { copyRate: null }))).toContain('not measured');
});

it('has a mark and peers for cases that are named as cases are', () => {
  const named = [
    ...keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform', 'near256', 'zero']),
    ...segmentCases(['u32 pairs'], [32, 1024, 32768]),
    ...ALGORITHMS.flatMap((algorithm: { cases: object[] }) => algorithm.cases),
  ].map(({ name }: { name: string }) => name);
  for (const one of [...MARKS, ...PEERS]) expect(named).toContain(one.case);
  expect(mergeCases(['u64 pairs'])[0]).toMatchObject({ name: 'u64 pairs two runs', distribution: 'runs' });
  expect(specOf('f32 pairs descending')).toEqual({ type: 'f32', values: true, descending: true });
  expect(pairBytes({ spec: specOf('u64 pairs') })).toBe(12);
  expect(() => specOf('u8 pairs')).toThrow('not a spec');
});

it('tells a table of rates, failures, what was left out, and peers', () => {
  const algorithm = { name: 'radix-sort', kind: 'keys', title: 'LSD radix sort' };
  const rows = [
    row('radix-sort', 'u32 pairs uniform', 26, 20000),
    row('radix-sort', 'u32 pairs uniform', 27, 40000, { spanMs: null, busyMs: null, wallMs: 2 ** 27 / 5000e3 }),
    failed('radix-sort', 'u32 keys uniform', 24),
    unfit('radix-sort', 'u32 keys uniform', 30),
    unfit('radix-sort', 'u32 pairs uniform', 30),
    row('merge-sort', 'u32 keys uniform', 20, 1),
  ];
  expect(algorithmTable(algorithm, rows)).toBe(`### LSD radix sort (\`radix-sort\`)

| case | n | G keys/s | busy | wall ms | GB/s | of copy | launches in passes | peers |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| u32 pairs uniform | 2^26 | 20.0 | 40.0 | 6.71 | 240 | 6 % | 5 in 3 | CUB radix 36.0 (2^27), gridwise onesweep 2.10 |
| u32 pairs uniform | 2^27 | 5.00 by wall clock |  | 26.8 | 60.0 | 2 % | 5 in 3 | CUB radix 36.0, gridwise onesweep 7.20 |
| u32 keys uniform | 2^24 | failed: wrong: 1 of 2 / |  |  |  |  |  | gridwise onesweep 3.24 |

- left out (too large): u32 keys uniform 2^30, u32 pairs uniform 2^30
`);
  expect(algorithmTable({ ...algorithm, name: 'other' }, rows)).toBeNull();
  const text = report([row('string-merge', 'strings urls', 25, 81.5, { n: 2 ** 25 - 8 })], MARKS);
  expect(text).toContain(
    'Some <CPU>, 16 cores, 128 GB; adapter H200; linux; Node v20; sort 9.4; 2026-11-22; a device copy moves 4000 GB/s',
  );
  expect(text).toContain('| strings urls | 33,554,424 | 81.5 |');
  expect(text).toContain('CUB merge of 8-byte prefixes 74.0 (2^26), CUB radix and refinement 2,384 (2^26) |');
  expect(text).toContain(
    '- bar: the best algorithm on strings urls at 2^25: at least 800 M/s: 81.5 M/s (string-merge), missed by 719 M/s',
  );
});

it('shows peers of the same case, of the nearest size', () => {
  expect(
    peersOf('radix-sort', 'u32 keys uniform', 25).map(
      ({ peer, size }: { peer: string; size: number }) => `${peer} ${size}`,
    ),
  ).toEqual(['gridwise onesweep 24']);
  expect(peersOf('merge-sort', 'u32 keys uniform', 28)).toHaveLength(2);
  expect(peersOf('radix-sort', 'u32 keys uniform', 21)).toEqual([]);
});

it('asks for problems by algorithm, strings by input', () => {
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

it('puts new figures into the places of old ones', () => {
  const old = [row('string-merge', 'strings random', 20, 1), row('string-merge', 'strings random', 21, 1)];
  const rows = merged(old, [row('string-merge', 'strings words', 20, 3), row('string-merge', 'strings random', 20, 2)]);
  expect(rows.map((one: { id: string }) => [one.id, Math.round(rateOf(one))])).toEqual([
    ['string-merge, strings random, 2^20', 2],
    ['string-merge, strings random, 2^21', 1],
    ['string-merge, strings words, 2^20', 3],
  ]);
});

it('tells the ways of the MSD radix sort in a table of their own', () => {
  const name = 'strings urls';
  const way = (algorithm: string, wallMs: number, sentBytes: number) =>
    row(algorithm, name, 20, 100, {
      wallMs,
      textBytes: 62_000_000,
      seen: { tied: 1_000_000, sentBytes, readBackBytes: 3e9 },
    });
  const rows = [
    row('msd-radix', name, 20, 100, { wallMs: 10, textBytes: 62_000_000 }),
    way('msd-radix-host', 100, 4_000_000),
    failed('msd-radix-prefixes', name, 20),
    row('msd-radix', name, 28, 100),
  ];
  const text: string = report(rows, []);
  expect(text).toContain(
    '| strings urls | 2^20 | 62.0 MB | 1,000,000 | 10.0 ms, 105 M/s | 100 ms, 10.5 M/s | 4.00 MB sent, 3.00 GB read back | failed |  |',
  );
  expect(text).not.toContain('(`msd-radix-host`)');
  expect(text.match(/strings urls/g)).toHaveLength(3);
  expect(report([rows[0]], [])).not.toContain('leaves');
  const plot: string = ratePlot(rows);
  expect(plot).toContain('>msd-radix, ');
  expect(plot).not.toContain('msd-radix-host');
  expect(
    problemsOf([20, 28], ['msd-radix', 'msd-radix-host'], ['urls'])[0].map(
      (one: { algorithm: string; size: number }) => `${one.algorithm} ${one.size}`,
    ),
  ).toEqual(['msd-radix 20', 'msd-radix-host 20', 'msd-radix 28']);
});

it('draws every rate and the peers of what was measured', () => {
  const name = 'u32 pairs uniform';
  const rows = [
    row('radix-sort', name, 20, 2000),
    row('radix-sort', name, 28, 10000),
    row('other-sort', name, 28, 5000),
    failed('radix-sort', name, 27),
  ];
  const plot: string = ratePlot(rows);
  const points = [...plot.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="3.5"><title>(.+?)<\/title>/g)].map(
    ([, x, y, title]) => ({ x: Number(x), y: Number(y), title: title! }),
  );
  expect(points.map(({ title }) => title).sort()).toEqual([
    'CUB radix, 2^27: 36.0 G keys/s',
    'gridwise onesweep, 2^24: 3.27 G keys/s',
    'gridwise onesweep, 2^26: 2.10 G keys/s',
    'gridwise onesweep, 2^27: 7.20 G keys/s',
    'other-sort, 2^28: 5.00 G keys/s',
    'radix-sort, 2^20: 2.00 G keys/s',
    'radix-sort, 2^28: 10.0 G keys/s',
  ]);
  const at = (title: string) => points.find((point) => point.title.startsWith(title))!;
  // Both axes are linear; sizes are powers of two.
  expect((at('gridwise onesweep, 2^24').x - at('radix-sort, 2^20').x) * 2).toBeCloseTo(
    at('radix-sort, 2^28').x - at('radix-sort, 2^20').x,
    0,
  );
  const zero = at('other-sort').y * 2 - at('radix-sort, 2^28').y;
  expect((zero - at('radix-sort, 2^20').y) * 5).toBeCloseTo(zero - at('radix-sort, 2^28').y, 0);
  const labels = [...plot.matchAll(/<text x="[\d.]+" y="([\d.]+)" class="\w+ named">/g)]
    .map(([, y]) => Number(y))
    .sort((a, b) => a - b);
  expect(labels).toHaveLength(4);
  for (let i = 1; i < labels.length; i++) expect(labels[i] - labels[i - 1]).toBeGreaterThanOrEqual(14.9);
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
