/** Figures of a problem, and how they are written. */
import { median } from '../measure.mjs';
import { seconds } from '../report.mjs';

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
 * @property {readonly number[]} spans `spanMs` of each run
 * @property {number | null} spanMs from the beginning of the first pass to the end of the last; null: the device has no
 *   timestamps
 * @property {number | null} busyMs the sum of all passes' times
 * @property {number} wallMs by the host's clock, until the host knows that the device is done
 * @property {number} bytes moved at least, by the algorithm's formula
 * @property {number} inputBytes bytes of what is sorted
 * @property {number} passes
 * @property {Readonly<Record<string, number>>} launches of each kernel
 * @property {any} seen what the runner's `look` returned, or null
 * @property {number | null} copyRate of a device copy, GB/s
 * @property {readonly import('./cub.mjs').PeerFigures[]} [peers] that ran right after it, on the same input and card
 * @property {object} machine
 */

/**
 * A row made of the measurements of a process.
 * @returns {Row}
 */
export function rowOf(problem, figures, machine, copyRate) {
  const row = { id: `${problem.algorithm}, ${problem.case}, 2^${problem.size}`, ...problem };
  const about = { machine, copyRate };
  if (figures.error !== undefined || figures.leftOut !== undefined) return { ...row, ...figures, ...about };
  const { walls, spans, busy, ...rest } = figures;
  const middle = (times) => (times.length === 0 ? null : median(times));
  return { ...row, ...rest, spans, spanMs: middle(spans), busyMs: middle(busy), wallMs: median(walls), ...about };
}

/** Whether a row has figures: not if it is undefined, failed or was left out. */
export const isMeasured = (row) => row !== undefined && row.error === undefined && row.leftOut === undefined;
/** The peers of a row that did not fail. */
export const peersBeside = (row) => (row.peers ?? []).filter(({ error }) => error === undefined);
/** A number with three digits. */
export const figure = (value) => (value > 0 && value < 0.1 ? value.toPrecision(3) : seconds(value));
/** The milliseconds that the rate is computed from: by the device's clock if it has one. */
export const timeOf = (row) => row.spanMs ?? row.wallMs;
/** Millions of elements a second. */
export const rateOf = (row) => row.n / timeOf(row) / 1e3;
const isStrings = (name) => name.startsWith('strings ');
/** A rate in the unit of a case: millions of strings, or billions of keys, a second. */
export const shown = (name, rate) =>
  !isStrings(name) ? figure(rate / 1e3) : rate < 1000 ? figure(rate) : Math.round(rate).toLocaleString('en');
export const unitOf = (name) => (isStrings(name) ? 'M/s' : 'G/s');
/** The number of elements of a row. */
export const count = (row) => (row.n === 2 ** row.size ? `2^${row.size}` : row.n.toLocaleString('en'));
