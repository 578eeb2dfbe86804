/** Figures of kernels as Markdown, for the terminal and for docs/kernels.md. Measures nothing. */
import { machineLine, table } from '../report.mjs';
import { ALGORITHMS } from './algorithms.mjs';
import { count, figure, peersBeside, rateOf, shown, timeOf } from './figures.mjs';
import { PROVENANCE, peersOf, SOURCE } from './peers.mjs';
import { digitTable, remainderTable } from './remainder.mjs';
import { targetLine } from './targets.mjs';
import { variantTable } from './variants.mjs';

const cell = (text) => text.replaceAll('\n', ' ').replaceAll('|', '/');

/**
 * The peers of a row: first those of the same run, with gpusort's rate as a part of theirs, then the others, with their
 * sizes if these differ from the row's.
 */
function peerCell(row) {
  const beside = row.peers ?? [];
  const others = peersOf(row.algorithm, row.case, row.size).filter(({ peer }) =>
    beside.every((one) => one.peer !== peer),
  );
  return [
    ...beside.map(({ peer, rate, error }) =>
      error === undefined
        ? `${peer} ${shown(row.case, rate)} (ratio ${(rateOf(row) / rate).toFixed(2)})`
        : `${peer} failed: ${cell(error)}`,
    ),
    ...others.map(
      ({ peer, size, rate }) => `${peer} ${shown(row.case, rate)}${size === row.size ? '' : ` (2^${size})`}`,
    ),
  ].join(', ');
}

function line(row) {
  const sizes = [row.case, `2^${row.size}`];
  if (row.error !== undefined)
    return [...sizes, `failed: ${cell(row.error)}`, '', '', '', '', '', row.machine.date, peerCell(row)];
  const moved = row.bytes / timeOf(row) / 1e6;
  const launches = Object.values(row.launches).reduce((sum, count) => sum + count, 0);
  return [
    row.case,
    count(row),
    `${shown(row.case, rateOf(row))}${row.spanMs === null ? ' by wall clock' : ''}`,
    row.busyMs === null ? '' : shown(row.case, row.n / row.busyMs / 1e3),
    figure(row.wallMs),
    figure(moved),
    row.copyRate === null ? '' : `${((100 * moved) / row.copyRate).toFixed(0)} %`,
    `${launches} in ${row.passes}`,
    row.machine.date,
    peerCell(row),
  ];
}

/** How to read the tables. */
const LEGEND =
  "Rates are medians by the device's clock, from the begin of the first pass to the end of the last. busy: the same " +
  "for the sum of the passes' own times. wall ms: by the host's clock, until the host knows that the device is done. " +
  'GB/s: the bytes that the algorithm moves at least, by its formula, in that time. of copy: GB/s by that of a device ' +
  'copy. Inputs are restored before each run; results are checked on the device. peers: a ratio is our rate over that ' +
  'of a peer that sorted the same input on the same card right afterwards; rates without a ratio are of other runs.';

/** The problems that were left out, one line for each reason. */
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
    ['case', 'n', unit, 'busy', 'wall ms', 'GB/s', 'of copy', 'launches in passes', 'date', 'peers'],
    ...own.filter((row) => row.leftOut === undefined).map(line),
  )}\n${leftOutLines(own)
    .map((text) => `\n${text}`)
    .join('')}`;
}

/** Where the peers' rates are from, as a table. */
export function peerTable() {
  return table(
    ['tool', 'version', 'machine', 'date', 'rates'],
    ...PROVENANCE.map(({ tool, version, machine, date, runs }) => [tool, version, machine, date, runs]),
  );
}

/** The sources of the figures and of the peers' rates. */
function sources(rows) {
  const machines = new Set(
    rows.map(
      ({ machine, copyRate }) =>
        `${machineLine(machine)}${copyRate === null ? '' : `; a device copy moves ${figure(copyRate)} GB/s`}`,
    ),
  );
  const beside = rows.flatMap((row) =>
    peersBeside(row).map(
      ({ peer, version, machine, date }) =>
        `peers in the same run: ${peer.split(' ')[0]} ${version}, ${machine}, ${date}: medians by events of the device`,
    ),
  );
  return [...machines, ...new Set(beside), SOURCE].map((text) => `- ${text}`).join('\n');
}

/** The tables of variants, but for those of msd-radix, which remainder.mjs makes. */
const variantsOf = (rows) =>
  ALGORITHMS.filter(({ beside }) => beside !== undefined && beside !== 'msd-radix').map((variant) =>
    variantTable(variant, rows),
  );

/**
 * The whole report: a table for each algorithm, then the targets.
 * @param {readonly import('./figures.mjs').Row[]} rows
 * @param {readonly import('./targets.mjs').Target[]} targets
 */
export function report(rows, targets) {
  return [
    sources(rows),
    '',
    LEGEND,
    '',
    ...ALGORITHMS.filter(({ beside }) => beside === undefined)
      .map((algorithm) => algorithmTable(algorithm, rows))
      .filter((text) => text !== null),
    ...[remainderTable(rows), digitTable(rows), ...variantsOf(rows)].filter((text) => text !== null),
    ...targets.map((target) => targetLine(target, rows)),
    '',
  ].join('\n');
}
