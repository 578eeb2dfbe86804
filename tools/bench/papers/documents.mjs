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
  const { machine } = own[0];
  const runs = [...new Set(own.map((row) => row.runs))].sort().join(' or ');
  const failures = own.filter(({ error }) => error !== undefined).map(({ id, error }) => `* ${id}: failed: ${error}\n`);
  const source = `Measured on ${machineLine(machine)}; medians of ${runs}.\n`;
  return `${experiment.table(own)}\n${failures.length > 0 ? `${failures.join('')}\n` : ''}${source}`;
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
