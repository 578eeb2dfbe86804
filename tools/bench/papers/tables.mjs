/** Shared by the tables of the experiments. Measures nothing. */
import { isMeasured, timeOf } from '../kernels/figures.mjs';
import { seconds, table } from '../report.mjs';

/** The text of a cell without a figure. */
export function gap(row) {
  if (row === undefined) return 'not measured';
  return row.leftOut !== undefined ? 'left out' : 'failed';
}

/** The row of a problem. */
export const rowOf = (rows, algorithm, name, size) =>
  rows.find((row) => row.algorithm === algorithm && row.case === name && row.size === size);

function shownRate(rate) {
  return rate < 1000 ? seconds(rate) : Math.round(rate).toLocaleString('en');
}

/** Millions of elements a second, without a unit. */
export const rateCell = (row) => (isMeasured(row) ? shownRate(row.n / timeOf(row) / 1e3) : gap(row));

/** What the numbers in parentheses are, for titles of tables with `bothRatesCell` or `bothRatiosCell`. */
export const BUSY = 'In parentheses: if only the time counts in which the device was busy, without waits for the host.';

/** The same, and in parentheses the rate by the time in which the device was busy: `3,966 (8,984)`. */
export const bothRatesCell = (row) =>
  isMeasured(row) && row.busyMs ? `${rateCell(row)} (${shownRate(row.n / row.busyMs / 1e3)})` : rateCell(row);

/** The ratio of the rates of two rows, for example 2.5. */
export const ratioCell = (above, below) =>
  isMeasured(above) && isMeasured(below)
    ? seconds(above.n / timeOf(above) / (below.n / timeOf(below)))
    : gap(isMeasured(above) ? below : above);

/** The same, and in parentheses the ratio by the times in which the device was busy. */
export const bothRatiosCell = (above, below) =>
  isMeasured(above) && isMeasured(below) && above.busyMs && below.busyMs
    ? `${ratioCell(above, below)} (${seconds(above.n / above.busyMs / (below.n / below.busyMs))})`
    : ratioCell(above, below);

/** Milliseconds. */
export const timeCell = (row) => (isMeasured(row) ? seconds(timeOf(row)) : gap(row));

export const percent = (share) => `${(100 * share).toFixed(1)} %`;

/** A number of elements: a power of two, or all its digits. */
export const countCell = (n) =>
  Number.isInteger(Math.log2(n)) && n > 999 ? `2^${Math.log2(n)}` : Math.round(n).toLocaleString('en');

/** The sizes of rows, ascending. */
export const sizesOf = (rows) => [...new Set(rows.map((row) => row.size))].sort((a, b) => a - b);

/** Bytes with three digits. */
export function bytesCell(bytes) {
  if (bytes === undefined) return '';
  const [unit, scale] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  return `${seconds(bytes / scale)} ${unit}`;
}

/** A table below a line that says what it shows. */
export const titled = (title, head, lines) => `${title}\n\n${table(head, ...lines)}\n`;
