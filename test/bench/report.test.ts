/** Bars, tables and plots of invented figures. */
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { barPlot, growthPlot } from './plots.mjs';
// @ts-expect-error
import { barLine, growthTable, judge, rowTable } from './report.mjs';
// @ts-expect-error
import { chooseRows, ROWS } from './rows.mjs';

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

/** The figures of a row in which each program took the given seconds; null: it failed. */
function figures(id: string, medians: Record<string, number | null>) {
  const row = ROWS.find((one: { id: string }) => one.id === id);
  const commands = Object.entries(medians).map(([name, median]) => ({
    name,
    median,
    seconds: median === null ? [] : [median, median + 0.5],
    output: 'same',
    error: median === null ? 'status 2: a | b' : null,
  }));
  return {
    ...row,
    scale: 1,
    options: [],
    lines: row.bytes / 100,
    machine: MACHINE,
    commands,
    bars: row.bars.map((bar: unknown) => judge(bar, commands)),
  };
}
const verdicts = (id: string, medians: Record<string, number | null>): string[] =>
  figures(id, medians).bars.map(barLine);

it('judges the bars of a row by its medians', () => {
  expect(
    verdicts('l1', {
      gnu: 48,
      gpusort: 3.77,
      'gpusort > file': 3.78,
      cp: 2.9,
      duckdb: 7,
      'cat to a pipe': 4,
      'gpusort to a pipe': 5.2,
    }),
  ).toEqual([
    '- bar: gpusort at most 1.3 x cp = 3.77 s: 3.77 s, met',
    '- bar: gpusort > file at most 1.3 x cp = 3.77 s: 3.78 s, missed by 0.010 s',
    '- bar: gpusort at most gnu / 8 = 6.00 s: 3.77 s, met',
    '- bar: gpusort at most duckdb / 2 = 3.50 s: 3.77 s, missed by 0.270 s',
    '- bar: gpusort to a pipe at most cat to a pipe + 1.2 s = 5.20 s: 5.20 s, met',
  ]);
  expect(verdicts('l5', { gpusort: 2.7, 'gpusort > file': 2.5, cp: 1.4 })).toEqual([
    '- bar: gpusort at most cp + 1.2 s = 2.60 s: 2.70 s, missed by 0.100 s',
    '- bar: gpusort > file at most cp + 1.2 s = 2.60 s: 2.50 s, met',
  ]);
  expect(verdicts('l8', { gnu: 0.39, gpusort: 0.25 })[0]).toBe(
    '- bar: gpusort at most gnu / 1.5 = 0.260 s: 0.250 s, met',
  );
});

it('judges nothing that was not measured', () => {
  expect(verdicts('l7', { gpusort: 5, cp: null })).toEqual([
    '- bar: gpusort at most 1.3 x cp: not measured',
    '- bar: gpusort > file at most 1.3 x cp: not measured',
  ]);
});

it('has a program for each end of each bar', () => {
  for (const row of ROWS)
    for (const bar of row.bars) expect(row.programs, row.id).toEqual(expect.arrayContaining([bar.program, bar.peer]));
});

it('keeps gpusort whatever peers are chosen', () => {
  expect(chooseRows('l1', 'cp')[0].programs).toEqual(['gpusort', 'gpusort > file', 'cp']);
  expect(chooseRows('l3', 'pipe')[0].programs).toEqual([
    'gpusort',
    'gpusort > file',
    'cat to a pipe',
    'gpusort to a pipe',
  ]);
  expect(() => chooseRows('l1,zz')).toThrow('unknown rows: zz');
});

it('tells medians, spread, rate and ratio in a table', () => {
  const table = rowTable({
    ...figures('l5', { gpusort: 2, cp: 1, duckdb: null }),
    scale: 0.5,
    options: ['--engine', 'cpu'],
  });
  expect(table).toContain('### l5: 5 GB in order x 0.5 with --engine cpu (5000000000 bytes');
  expect(table).toContain('| gpusort | 2.00 | 2.00 to 2.50 (2) | 2500 MB/s | 1.00 | same |');
  expect(table).toContain('| cp | 1.00 | 1.00 to 1.50 (2) | 5000 MB/s | 0.50 | same |');
  expect(table).toContain('| duckdb | failed: status 2: a / b |');
});

const GROWTH = [
  [1, 0.9],
  [5, 2.5],
  [20, 10],
].map(([gigabytes, median]) =>
  figures(`n${gigabytes}`, {
    gpusort: median!,
    'gpusort --gpu-memory 4G': median! + 0.1,
    cp: gigabytes === 5 ? null : gigabytes! / 4,
  }),
);

it('has every size in the table of growth', () => {
  expect(growthTable(GROWTH)).toContain(`| input | gpusort | gpusort --gpu-memory 4G | cp |
| --- | --- | --- | --- |
| 1 GB of 100-byte lines | 0.900 s, 1111 MB/s | 1.00 s, 1000 MB/s | 0.250 s, 4000 MB/s |
| 5 GB of 100-byte lines | 2.50 s, 2000 MB/s | 2.60 s, 1923 MB/s |  |
`);
});

it('draws every point of growth, at its size and time', () => {
  const plot: string = growthPlot(GROWTH);
  const points = [...plot.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)" r="4"><title>(.+)<\/title>/g)].map(
    ([, x, y, title]) => ({ x: Number(x), y: Number(y), title }),
  );
  expect(points.map(({ title }) => title).sort()).toEqual([
    'cp, 1 GB: 0.250 s',
    'cp, 20 GB: 5.00 s',
    'gpusort --gpu-memory 4G, 1 GB: 1.00 s',
    'gpusort --gpu-memory 4G, 20 GB: 10.1 s',
    'gpusort --gpu-memory 4G, 5 GB: 2.60 s',
    'gpusort, 1 GB: 0.900 s',
    'gpusort, 20 GB: 10.0 s',
    'gpusort, 5 GB: 2.50 s',
  ]);
  const at = (title: string) => points.find((point) => point.title === title)!;
  // Both axes are linear.
  expect((at('gpusort, 5 GB: 2.50 s').x - 56) * 4).toBeCloseTo(at('gpusort, 20 GB: 10.0 s').x - 56, 0);
  expect((360 - at('gpusort, 5 GB: 2.50 s').y) * 4).toBeCloseTo(360 - at('gpusort, 20 GB: 10.0 s').y, 0);
  // The labels of lines that end close together do not overlap.
  const labels = [...plot.matchAll(/<text x="[\d.]+" y="([\d.]+)">(?:gpusort|cp)/g)]
    .map(([, y]) => Number(y))
    .sort((a, b) => a - b);
  expect(labels).toHaveLength(3);
  for (let i = 1; i < labels.length; i++) expect(labels[i] - labels[i - 1]).toBeGreaterThanOrEqual(15.9);
});

it('draws a bar for each program that ran, as long as its time', () => {
  const plot: string = barPlot([figures('l5', { gpusort: 2, 'gpusort > file': 4, cp: 1, duckdb: null })]);
  const widths = [...plot.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
  expect(widths.map((width) => Number((width / widths[1]).toFixed(2)))).toEqual([0.5, 1, 0.25]);
  expect(plot).toContain('Some &lt;CPU>');
  expect(plot).not.toContain('duckdb');
});
