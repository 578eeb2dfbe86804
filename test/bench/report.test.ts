/** The choice of rows, and tables of invented figures. */
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { growthTable, rowTable } from './report.mjs';
// @ts-expect-error
import { chooseRows } from './rows.mjs';
import { figures, GROWTH } from './support.js';

it('keeps gpusort in a row, whatever peers are chosen', () => {
  expect(chooseRows('l1', 'cp')[0].programs).toEqual(['gpusort', 'gpusort > file', 'cp']);
  expect(chooseRows('l3', 'pipe')[0].programs).toEqual([
    'gpusort',
    'gpusort > file',
    'cat to a pipe',
    'gpusort to a pipe',
  ]);
  expect(chooseRows('p16', 'gnu')[0].programs).toEqual(['gnu shell', 'gpusort', 'gpusort plain']);
  expect(() => chooseRows('l1,zz')).toThrow('unknown rows: zz');
});

it('shows medians, ranges, rates and ratios in a table', () => {
  const table = rowTable({
    ...figures('l5', { gpusort: 2, cp: 1, duckdb: null }),
    scale: 0.5,
    options: ['--engine', 'cpu'],
  });
  expect(table).toContain('### l5: 5 GB in order x 0.5 with --engine cpu (5000000000 bytes');
  expect(table).toContain('| gpusort (GPU) | 2.00 | 2.00 to 2.50 (2) | 2500 MB/s | 1.00 | same |');
  expect(table).toContain('| cp | 1.00 | 1.00 to 1.50 (2) | 5000 MB/s | 0.50 | same |');
  expect(table).toContain('| DuckDB | failed: status 2: a / b |');
});

it('shows every size in the table of growth', () => {
  expect(growthTable(GROWTH)).toContain(`| input | gpusort (GPU) | gpusort (GPU) --gpu-memory 4G | cp |
| --- | --- | --- | --- |
| 1 GB of 100-byte lines | 0.900 s, 1111 MB/s | 1.00 s, 1000 MB/s | 0.250 s, 4000 MB/s |
| 5 GB of 100-byte lines | 2.50 s, 2000 MB/s | 2.60 s, 1923 MB/s |  |
`);
});
