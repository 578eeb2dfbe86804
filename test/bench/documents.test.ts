/** The figures and plots that documents show are those of the committed measurements and of the cluster model. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { clusterTables, withTables } from '../../tools/bench/cluster-model.mjs';
// @ts-expect-error
import { documentBases, plotsOf, readRows, rowsText } from '../../tools/bench/documents.mjs';
// @ts-expect-error
import { ALGORITHMS } from '../../tools/bench/kernels/algorithms.mjs';
// @ts-expect-error
import { algorithmTable } from '../../tools/bench/kernels/report.mjs';
// @ts-expect-error
import { EXPERIMENTS, partsOf, rendered } from '../../tools/bench/papers/documents.mjs';
// @ts-expect-error
import { MOST_HEIGHT } from '../../tools/bench/plots/svg.mjs';
import { read } from '../docs/documents.js';

const DOCS = join(import.meta.dirname, '../../docs');

it('draws the committed plots from the committed figures, none taller than a screen (npm run bench -- --plots)', () => {
  const plots: Record<string, string> = Object.assign(
    {},
    ...documentBases().map((base: string) => plotsOf(base, readRows(`${base}.json`))),
  );
  const drawn = readdirSync(join(DOCS, 'plots')).filter((name) => name.endsWith('.svg'));
  expect(drawn.map((name) => join(DOCS, 'plots', name)).sort()).toEqual(Object.keys(plots).sort());
  for (const [path, svg] of Object.entries(plots)) {
    expect(readFileSync(path, 'utf8') === svg, path).toBe(true);
    const [, height] = /viewBox="0 0 760 (\d+)"/.exec(svg)!;
    expect(Number(height), path).toBeLessThanOrEqual(MOST_HEIGHT);
  }
});

it('writes the committed figures with one row a line', () => {
  for (const base of documentBases()) {
    const text = readFileSync(`${base}.json`, 'utf8');
    expect(text === rowsText(JSON.parse(text).rows), base).toBe(true);
  }
});

it('docs/cluster.md shows the tables of the cluster model', () => {
  const [text, tables] = [read('docs/cluster.md'), clusterTables()];
  for (const name of Object.keys(tables)) expect(text).toContain(`<!-- model: ${name} -->`);
  expect(withTables(text, tables)).toBe(text);
});

it('docs/papers.md has a part for each experiment, rendered from docs/papers.json', () => {
  const document = read('docs/papers.md');
  expect(partsOf(document).toSorted()).toEqual(EXPERIMENTS.map(({ key }: { key: string }) => key).toSorted());
  expect(rendered(document, readRows(join(DOCS, 'papers.json')))).toBe(document);
});

it('docs/kernels.md shows rows of the committed figures', () => {
  const rows = readRows(join(DOCS, 'plots/h200-kernels.json'));
  const printed: string[] = ALGORITHMS.flatMap((one: object) => algorithmTable(one, rows)?.split('\n') ?? []);
  const shown = read('docs/kernels.md')
    .split('\n')
    .filter((line) => /^\| (u32|u64|strings) /.test(line) && line.split('|').length > 9);
  expect(shown.length).toBeGreaterThan(100);
  for (const line of shown) expect(printed).toContain(line);
});
