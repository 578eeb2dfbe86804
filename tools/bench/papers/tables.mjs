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

/** Millions of elements a second, without a unit. */
export function rateCell(row) {
  if (!isMeasured(row)) return gap(row);
  const rate = row.n / timeOf(row) / 1e3;
  return rate < 1000 ? seconds(rate) : Math.round(rate).toLocaleString('en');
}

/** The ratio of the rates of two rows, for example 2.5. */
export const ratioCell = (above, below) =>
  isMeasured(above) && isMeasured(below)
    ? seconds(above.n / timeOf(above) / (below.n / timeOf(below)))
    : gap(isMeasured(above) ? below : above);

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
