/**
 * The figures in docs/plots: JSON files with one row a line, of whole sorts (run.mjs) or of kernels (kernels.mjs), and
 * the plots made from them. Measures nothing.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from './commands.mjs';
import { ratePlots } from './kernels/plots.mjs';
import { barPlot } from './plots/bars.mjs';
import { growthPlot } from './plots/growth.mjs';

const FOLDER = join(root, 'docs/plots');

/** The rows of a JSON file. */
export const readRows = (path) => JSON.parse(readFileSync(path, 'utf8')).rows;

/** The rows of earlier runs in a JSON file; none if there is no such file. */
export const earlierRows = (path) => (existsSync(path) ? readRows(path) : []);

/** The text of a JSON file: one row a line. */
export const rowsText = (rows) => `{"rows": [\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;

/** The path without its ending of the figures that --docs names: in docs/plots, unless `name` is a path. */
export const baseOf = (name) => resolve(FOLDER, name);

/**
 * Writes figures as JSON.
 * @param {string} path
 * @param {readonly object[]} rows
 */
export function writeRows(path, rows) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, rowsText(rows));
}

/** The rows of the plot of growth. */
export const isGrowth = (row) => row.group === 'n';

/**
 * The plots of figures: SVG text by path.
 * @param {string} base the path of the JSON file, without its ending
 * @param {readonly object[]} rows
 * @returns {Record<string, string>}
 */
export function plotsOf(base, rows) {
  const kernels = rows.filter((row) => row.algorithm !== undefined);
  const sorts = rows.filter((row) => row.algorithm === undefined);
  const [growth, bars] = [sorts.filter(isGrowth), sorts.filter((row) => !isGrowth(row))];
  return {
    ...(bars.length > 0 && { [`${base}.svg`]: barPlot(bars) }),
    ...(growth.length > 0 && { [`${base}-growth.svg`]: growthPlot(growth) }),
    ...Object.fromEntries(Object.entries(ratePlots(kernels)).map(([family, svg]) => [`${base}-${family}.svg`, svg])),
  };
}

/** Writes the plots of figures; returns their paths. */
export function writePlots(base, rows) {
  const plots = plotsOf(base, rows);
  for (const [path, svg] of Object.entries(plots)) writeFileSync(path, svg);
  return Object.keys(plots);
}

/** The paths, without their ending, of all figures in docs/plots. */
export const documentBases = () =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(FOLDER, name.slice(0, -'.json'.length)));
