/** Figures of kernels as Markdown, for the terminal and for docs/kernels.md. Measures nothing. */
import { machineLine, seconds, table } from '../report.mjs';
import { ALGORITHMS } from './algorithms.mjs';
import { peersOf, SOURCE } from './peers.mjs';
import { remainderTable } from './remainder.mjs';

/**
 * Figures of a problem. Times are medians in milliseconds.
 * @typedef {object} Row
 * @property {string} id
 * @property {string} algorithm
 * @property {string} case
 * @property {number} size the requested power of two
 * @property {string} [leftOut] why it was not run; if present, figures are missing
 * @property {string} [error] how it failed; if present, figures are missing
 * @property {number} n elements; fewer than 2^size if their text would not fit
 * @property {number | null} spanMs from the beginning of the first pass to the end of the last; null: the device has no
 *   timestamps
 * @property {number | null} busyMs the sum of all passes' times
 * @property {number} wallMs by the host's clock, until the host knows that the device is done
 * @property {number} bytes moved at least, by the algorithm's formula
 * @property {number} inputBytes bytes of what is sorted
 * @property {number} passes
 * @property {Readonly<Record<string, number>>} launches of each kernel
 * @property {any} seen what the runner's `look` returned, or null
 * @property {number | null} sweeps the number of passes through the input, if the algorithm counts them
 * @property {number | null} copyRate of a device copy, GB/s
 * @property {object} machine
 */

const measured = (row) => row.error === undefined && row.leftOut === undefined;
/** A number with three digits. */
const figure = (value) => (value > 0 && value < 0.1 ? value.toPrecision(3) : seconds(value));
/** The milliseconds that the rate is computed from: by the device's clock if it has one. */
const timeOf = (row) => row.spanMs ?? row.wallMs;
/** Millions of elements a second. */
export const rateOf = (row) => row.n / timeOf(row) / 1e3;
const isStrings = (name) => name.startsWith('strings ');
/** Millions of strings, or billions of keys, a second. */
const shown = (name, rate) =>
  !isStrings(name) ? figure(rate / 1e3) : rate < 1000 ? figure(rate) : Math.round(rate).toLocaleString('en');
const unitOf = (name) => (isStrings(name) ? 'M/s' : 'G/s');
const cell = (text) => text.replaceAll('\n', ' ').replaceAll('|', '/');

/** The best of the rows that a mark is about, at their largest size; null: none was measured. */
function bestOf(mark, rows, algorithms) {
  const about = rows.filter(
    (row) =>
      measured(row) &&
      row.case === mark.case &&
      (mark.size === null || row.size === mark.size) &&
      (algorithms === null || algorithms.includes(row.algorithm)),
  );
  const largest = Math.max(...about.map((row) => row.size));
  return about.filter((row) => row.size === largest).sort((a, b) => rateOf(b) - rateOf(a))[0] ?? null;
}

/** What the mark of a ratio compares: rows of both algorithms at the largest size that both have. */
function pairOf(mark, rows) {
  for (const size of [...new Set(rows.map((row) => row.size))].sort((a, b) => b - a)) {
    const pair = [mark.algorithms, [mark.over]].map((algorithms) =>
      bestOf({ ...mark, size: mark.size ?? size }, rows, algorithms),
    );
    if (!pair.includes(null)) return pair;
  }
  return [null, null];
}

/**
 * Judges a mark of marks.mjs by figures.
 * @param {import('./marks.mjs').Mark} mark
 * @param {readonly Row[]} rows
 * @returns {{ text: string, value: string, met: boolean | null, missing: string }} null: not measured
 */
export function judge(mark, rows) {
  const whose = mark.algorithms === null ? 'the best algorithm' : mark.algorithms.join(' or ');
  const on = `${whose} on ${mark.case}${mark.size === null ? '' : ` at 2^${mark.size}`}`;
  const unmeasured = (text) => ({ text, value: '', met: null, missing: '' });
  if (mark.most !== undefined) {
    const text = `${on}: through the input at most ${mark.most} times`;
    const row = bestOf(mark, rows, mark.algorithms);
    if (row === null || (row.sweeps === null && row.copyRate === null)) return unmeasured(text);
    if (row.sweeps !== null)
      return { text, value: `${row.sweeps}`, met: row.sweeps <= mark.most, missing: `${row.sweeps - mark.most}` };
    // If the algorithm does not count sweeps, the time of its passes decides, without waits for the host: one sweep
    // should take no longer than one copy.
    const copies = (row.busyMs ?? timeOf(row)) / ((2 * row.inputBytes) / row.copyRate / 1e6);
    return {
      text,
      value: `as long as ${figure(copies)} copies at 2^${row.size}`,
      met: copies <= mark.most,
      missing: figure(copies - mark.most),
    };
  }
  if (mark.over !== undefined) {
    const text = `${on}: at least ${mark.least} x ${mark.over}`;
    const [own, other] = pairOf(mark, rows);
    if (own === null) return unmeasured(text);
    const ratio = rateOf(own) / rateOf(other);
    return {
      text,
      value: `${figure(ratio)} x at 2^${own.size}`,
      met: ratio >= mark.least,
      missing: `${figure(mark.least - ratio)} x`,
    };
  }
  const text = `${on}: ${mark.more ? 'more than' : 'at least'} ${shown(mark.case, mark.least)} ${unitOf(mark.case)}`;
  const row = bestOf(mark, rows, mark.algorithms);
  if (row === null) return unmeasured(text);
  const rate = rateOf(row);
  return {
    text,
    value: `${shown(mark.case, rate)} ${unitOf(mark.case)}${mark.algorithms === null ? ` (${row.algorithm})` : ''}`,
    met: mark.more ? rate > mark.least : rate >= mark.least,
    missing: `${shown(mark.case, mark.least - rate)} ${unitOf(mark.case)}`,
  };
}

/** A judged mark in one line. */
export function markLine({ text, value, met, missing }) {
  if (met === null) return `- bar: ${text}: not measured`;
  return `- bar: ${text}: ${value}, ${met ? 'met' : `missed by ${missing}`}`;
}

/** The peers of a row, with their sizes if these differ from the row's. */
function peerCell(row) {
  return peersOf(row.algorithm, row.case, row.size)
    .map(({ peer, size, rate }) => `${peer} ${shown(row.case, rate)}${size === row.size ? '' : ` (2^${size})`}`)
    .join(', ');
}

function line(row) {
  const sizes = [row.case, `2^${row.size}`];
  if (row.error !== undefined) return [...sizes, `failed: ${cell(row.error)}`, '', '', '', '', '', peerCell(row)];
  const moved = row.bytes / timeOf(row) / 1e6;
  const launches = Object.values(row.launches).reduce((sum, count) => sum + count, 0);
  return [
    row.case,
    row.n === 2 ** row.size ? sizes[1] : row.n.toLocaleString('en'),
    `${shown(row.case, rateOf(row))}${row.spanMs === null ? ' by wall clock' : ''}`,
    row.busyMs === null ? '' : shown(row.case, row.n / row.busyMs / 1e3),
    figure(row.wallMs),
    figure(moved),
    row.copyRate === null ? '' : `${((100 * moved) / row.copyRate).toFixed(0)} %`,
    `${launches} in ${row.passes}`,
    peerCell(row),
  ];
}

/** How to read the tables. */
export const LEGEND =
  "Rates are from the begin of the first pass to the end of the last (busy: the passes' own times alone), by the device's clock, medians; " +
  "wall ms by the host's, until it knows that all is done. GB/s is what the algorithm's formula says it moves at least, its share that of a device copy. " +
  'Inputs are restored before each run, results checked on the device.';

/** What was left out and why, one line for each reason. */
function leftOutLines(rows) {
  const reasons = new Map();
  for (const row of rows)
    if (row.leftOut !== undefined)
      reasons.set(row.leftOut, [...(reasons.get(row.leftOut) ?? []), `${row.case} 2^${row.size}`]);
  return [...reasons].map(([reason, names]) => `- left out (${cell(reason)}): ${names.join(', ')}\n`);
}

/** The figures of one algorithm as a table, or null if there are none. */
export function algorithmTable(algorithm, rows) {
  const own = rows.filter((row) => row.algorithm === algorithm.name);
  if (own.length === 0) return null;
  const unit = algorithm.kind === 'strings' ? 'M strings/s' : 'G keys/s';
  return `### ${algorithm.title} (\`${algorithm.name}\`)\n\n${table(
    ['case', 'n', unit, 'busy', 'wall ms', 'GB/s', 'of copy', 'launches in passes', 'peers'],
    ...own.filter((row) => row.leftOut === undefined).map(line),
  )}\n${leftOutLines(own)
    .map((text) => `\n${text}`)
    .join('')}`;
}

/** The sources of the figures and of the peers' rates. */
export function sources(rows) {
  const machines = new Set(
    rows.map(
      ({ machine, copyRate }) =>
        `${machineLine(machine)}${copyRate === null ? '' : `; a device copy moves ${figure(copyRate)} GB/s`}`,
    ),
  );
  return [...machines, SOURCE.text].map((text) => `- ${text}`).join('\n');
}

/** The whole report: a table for each algorithm, then the marks. */
export function report(rows, marks) {
  return [
    sources(rows),
    '',
    LEGEND,
    '',
    ...ALGORITHMS.filter(({ beside }) => beside === undefined)
      .map((algorithm) => algorithmTable(algorithm, rows))
      .filter((text) => text !== null),
    ...[remainderTable(rows)].filter((text) => text !== null),
    ...marks.map((mark) => markLine(judge(mark, rows))),
    '',
  ].join('\n');
}
