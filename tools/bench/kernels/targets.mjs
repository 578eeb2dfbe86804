/** Target rates of the sorts on an H200, in millions of keys or strings a second, and whether figures meet them. */
import { figure, isMeasured, peersBeside, rateOf, shown, timeOf, unitOf } from './figures.mjs';

/**
 * A target has either `least` or `most`.
 * @typedef {object} Target
 * @property {readonly string[] | null} algorithms the best of these counts; null: of all that sort the case
 * @property {string} case
 * @property {number | null} size null: the largest measured
 * @property {number} [least] a rate; with `over`, a factor
 * @property {boolean} [more] the rate must be above `least`
 * @property {string} [over] `least` times this algorithm's rate on the same case, at the largest size measured for both
 * @property {string} [peer] `least` times the rate of this peer in the same run
 * @property {number} [most] how many device copies of the input may take as long as the passes of the sort
 */

const rate = (algorithm, name, least, size = 27) => ({
  algorithms: algorithm === null ? null : [algorithm],
  case: name,
  size,
  least,
});

const ratio = (algorithm, name, peer, least, size) => ({ ...rate(algorithm, name, least, size), peer });

/** @type {readonly Target[]} */
export const TARGETS = [
  rate('radix-sort', 'u64 pairs uniform', 8500),
  rate('radix-sort', 'u32 pairs uniform', 24000),
  rate('merge-sort', 'u32 keys uniform', 13000),
  rate('merge-sort', 'u32 pairs uniform', 5000),
  rate('segmented-sort', 'u32 pairs segments of 1024', 25000),
  rate('quicksort', 'u32 keys uniform', 8000),
  rate(null, 'strings random', 3000, 25),
  rate(null, 'strings words', 3600, 25),
  rate(null, 'strings urls', 1000, 25),
  rate(null, 'strings dna100', 1500, 25),
  rate(null, 'strings equal', 2000, 25),
  { ...rate('string-merge', 'strings distinct', 901, 25), more: true },
  { algorithms: ['locality-sort'], case: 'u32 pairs near256', size: null, least: 3, over: 'merge-sort' },
  { algorithms: ['quicksort'], case: 'u32 pairs zero', size: null, most: 2 },
  ratio('radix-sort', 'u32 keys uniform', 'CUB radix sort', 0.8),
  ratio('radix-sort', 'u32 pairs uniform', 'CUB radix sort', 0.92),
  ratio('radix-sort', 'u64 pairs uniform', 'CUB radix sort', 0.97),
  ratio('merge-sort', 'u32 keys uniform', 'CUB merge sort', 0.85),
  ratio('merge-sort', 'u32 pairs uniform', 'CUB merge sort', 0.85),
  ratio(null, 'strings random', 'CUB radix sort with refinement', 0.75, 25),
  ratio(null, 'strings words', 'CUB radix sort with refinement', 0.85, 25),
  ratio(null, 'strings urls', 'CUB radix sort with refinement', 0.6, 25),
  ratio(null, 'strings dna100', 'CUB radix sort with refinement', 1.5, 25),
];

/** The best of the rows that a target is about, at their largest size; null: none was measured. */
function bestOf(target, rows, algorithms = target.algorithms) {
  const about = rows
    .filter(isMeasured)
    .filter(
      (row) =>
        row.case === target.case &&
        (target.size === null || row.size === target.size) &&
        (algorithms === null || algorithms.includes(row.algorithm)),
    );
  const largest = Math.max(...about.map((row) => row.size));
  return about.filter((row) => row.size === largest).sort((a, b) => rateOf(b) - rateOf(a))[0] ?? null;
}

/** The rows that a target with a ratio compares: those of both algorithms at the largest size that both have. */
function pairOf(target, rows) {
  for (const size of [...new Set(rows.map((row) => row.size))].sort((a, b) => b - a)) {
    const pair = [target.algorithms, [target.over]].map((algorithms) => bestOf({ ...target, size }, rows, algorithms));
    if (!pair.includes(null)) return pair;
  }
  return null;
}

/**
 * Compares the time of the passes, without waits for the host, with that of copies of the input.
 * @returns {{ wanted: string, value: string | null, missing: string | null }} `value` null: not measured; `missing`
 *   null: met
 */
function judgeCopies(target, rows) {
  const wanted = `at most as long as ${target.most} copies of the input`;
  const row = bestOf(target, rows);
  if (row === null || row.copyRate === null) return { wanted, value: null };
  const copies = (row.busyMs ?? timeOf(row)) / ((2 * row.inputBytes) / row.copyRate / 1e6);
  return {
    wanted,
    value: `as long as ${figure(copies)} at 2^${row.size}`,
    missing: copies <= target.most ? null : figure(copies - target.most),
  };
}

/** The same for a ratio of rates. */
function judgeRatio(target, rows) {
  const wanted = `at least ${target.least} x ${target.over}`;
  const pair = pairOf(target, rows);
  if (pair === null) return { wanted, value: null };
  const ratio = rateOf(pair[0]) / rateOf(pair[1]);
  return {
    wanted,
    value: `${figure(ratio)} x at 2^${pair[0].size}`,
    missing: ratio >= target.least ? null : `${figure(target.least - ratio)} x`,
  };
}

/** The same for a ratio to a peer. */
function judgePeer(target, rows) {
  const wanted = `at least ${target.least} x ${target.peer} in the same run`;
  const row = bestOf(target, rows);
  const peer = row === null ? undefined : peersBeside(row).find((one) => one.peer === target.peer);
  if (peer === undefined) return { wanted, value: null };
  const ratio = rateOf(row) / peer.rate;
  return {
    wanted,
    value: `${figure(ratio)} x${target.algorithms === null ? ` (${row.algorithm})` : ''}`,
    missing: ratio >= target.least ? null : `${figure(target.least - ratio)} x`,
  };
}

/** The same for a rate. */
function judgeRate(target, rows) {
  const [name, unit] = [target.case, unitOf(target.case)];
  const wanted = `${target.more ? 'more than' : 'at least'} ${shown(name, target.least)} ${unit}`;
  const row = bestOf(target, rows);
  if (row === null) return { wanted, value: null };
  const met = target.more ? rateOf(row) > target.least : rateOf(row) >= target.least;
  return {
    wanted,
    value: `${shown(name, rateOf(row))} ${unit}${target.algorithms === null ? ` (${row.algorithm})` : ''}`,
    missing: met ? null : `${shown(name, target.least - rateOf(row))} ${unit}`,
  };
}

/** The function that judges a target. */
function judgeOf(target) {
  if (target.most !== undefined) return judgeCopies;
  if (target.over !== undefined) return judgeRatio;
  return target.peer === undefined ? judgeRate : judgePeer;
}

/**
 * A target and whether figures meet it, in one line.
 * @param {Target} target
 * @param {readonly import('./figures.mjs').Row[]} rows
 */
export function targetLine(target, rows) {
  const { wanted, value, missing } = judgeOf(target)(target, rows);
  const whose = target.algorithms === null ? 'the best algorithm' : target.algorithms.join(' or ');
  const verdict = value === null ? 'not measured' : `${value}, ${missing === null ? 'met' : `not met by ${missing}`}`;
  const size = target.size === null ? '' : ` at 2^${target.size}`;
  return `- target: ${whose} on ${target.case}${size}: ${wanted}: ${verdict}`;
}
