/**
 * docs/papers.md and the figures in it. The document is written by hand, except for what stands between the lines
 * `<!-- results N-NAME -->` and `<!-- end -->`: those parts are rendered from docs/papers.json.
 */
import { machineLine } from '../report.mjs';
import { PAPER_FOUR } from './paper-four.mjs';
import { PAPER_ONE } from './paper-one.mjs';
import { PAPER_THREE } from './paper-three.mjs';
import { PAPER_TWO } from './paper-two.mjs';
import { PAPER_ZERO } from './paper-zero.mjs';

export const PAPERS = [PAPER_ZERO, PAPER_ONE, PAPER_TWO, PAPER_THREE, PAPER_FOUR];

/** The experiments with their names in documents, for example `3-distributions`. */
export const EXPERIMENTS = PAPERS.flatMap(({ number, experiments }) =>
  experiments.map((experiment) => ({ ...experiment, paper: number, key: `${number}-${experiment.name}` })),
);

const PART = /(<!-- results (\S+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The contents of a part: its tables, and the source of its figures. */
function partText(key, rows) {
  const own = rows.filter((row) => row.experiment === key);
  if (own.length === 0) return 'Not measured yet.\n';
  const experiment = EXPERIMENTS.find((one) => one.key === key);
  const sources = [...new Set(own.map((row) => machineLine(row.machine)))];
  // Figures of two days or machines do not belong into one table.
  if (sources.length > 1) throw new Error(`${key}: rows of different measurements: ${sources.join(' | ')}`);
  const runs = [...new Set(own.map((row) => row.runs))].filter((count) => count > 0).sort();
  const source = `Measured on ${sources[0]}${runs.length > 0 ? `; medians of ${runs.join(' or ')}` : ''}.\n`;
  const notes = notesOf(own);
  return `${experiment.table(own)}\n${notes === '' ? '' : `${notes}\n`}${source}`;
}

/** Why figures are missing: what failed, and the reasons for which problems and programs were left out. */
export function notesOf(rows) {
  const failures = rows
    .filter(({ error }) => error !== undefined)
    .map(({ id, error }) => `* ${id}: failed: ${error}\n`);
  const all = rows.flatMap((row) => [row, ...Object.values(row.ways ?? {})]);
  const reasons = [...new Set(all.map(({ leftOut }) => leftOut).filter((reason) => reason !== undefined))];
  return `${failures.join('')}${reasons.length > 0 ? `Left out: ${reasons.join('; ')}.\n` : ''}`;
}

/** The keys of the parts of a document, in their order. */
export const partsOf = (document) => [...document.matchAll(PART)].map(([, , key]) => key);

/**
 * The document with its parts rendered from figures.
 * @param {string} document
 * @param {readonly object[]} rows
 */
export const rendered = (document, rows) =>
  document.replace(PART, (_, begin, key, end) => `${begin}\n${partText(key, rows)}\n${end}`);
