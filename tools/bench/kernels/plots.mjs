/** Rates by size as plots: a file for each family of cases, a panel for each case, with peers beside the algorithms. */

import { curvePlot } from '../plots/curves.mjs';
import { colorOf } from '../plots/programs.mjs';
import { seconds } from '../report.mjs';
import { ALGORITHMS } from './algorithms.mjs';
import { SECOND_RUN } from './cases.mjs';
import { isMeasured, peersBeside, rateOf, timeOf } from './figures.mjs';
import { PEERS } from './peers.mjs';

/** What distributions are, if their names do not say it. Defined in make-keys.wgsl. */
const MEANINGS = {
  zero: 'all equal',
  sixteen: '16 values',
  zipf: 'few frequent keys',
  bucket: 'blocks with all ranges',
  staggered: 'blocks of one range',
};
const nearOf = (name) => {
  const [, places] = /^near(\d+)$/.exec(name) ?? [];
  return places === undefined ? undefined : `within ${places} places`;
};

/** The title of a case, with what its distribution is. */
function titleOf(name) {
  const distribution = name.split(' ').at(-1);
  const meaning = MEANINGS[distribution] ?? nearOf(distribution);
  return meaning === undefined ? name : `${name}: ${meaning}`;
}

const KEYS = { of: 'keys', unit: 'billions of keys a second', scale: 1e3 };
const STRINGS = { of: 'strings', unit: 'millions of strings a second', scale: 1 };

/** The families of cases, and which cases belong to each. `scale`: millions of elements in a unit. */
const FAMILIES = [
  { name: 'uniform', what: 'Uniform keys', ...KEYS, holds: (one) => one.distribution === 'uniform' && !one.mean },
  {
    name: 'distributions',
    what: 'Other distributions of keys',
    ...KEYS,
    holds: (one) => one.spec && one.distribution !== 'uniform' && !(one.distribution in SECOND_RUN),
  },
  { name: 'merge', what: 'Two sorted runs, merged', ...KEYS, holds: (one) => one.distribution in SECOND_RUN },
  { name: 'segments', what: 'Keys in segments, by their mean length', ...KEYS, holds: (one) => Boolean(one.mean) },
  { name: 'strings', what: 'Strings', ...STRINGS, holds: (one) => one.input !== undefined },
];

/**
 * The algorithms of a case and their peers as curves. Peers are those of the measured algorithms; rates of the same run
 * take the place of others, and the first counts if a peer ran beside several algorithms.
 */
function curvesOf(name, rows, { unit, scale }) {
  const point = (program, size, rate, low = rate, high = rate) => ({
    x: size,
    y: rate / scale,
    low: low / scale,
    high: high / scale,
    label: `${program}, 2^${Number(size.toFixed(1))}: ${seconds(rate / scale)} ${unit}`,
  });
  const measured = [...new Set(rows.map((row) => row.algorithm))].map((algorithm) => ({
    name: algorithm,
    peer: false,
    points: rows
      .filter((row) => row.algorithm === algorithm)
      .map((row) => {
        const times = row.spanMs === null ? [row.wallMs] : row.spans;
        const [low, high] = [Math.max(...times), Math.min(...times)].map((ms) => (rateOf(row) * timeOf(row)) / ms);
        return point(algorithm, Math.log2(row.n), rateOf(row), low, high);
      }),
  }));
  const beside = rows.flatMap((row) =>
    peersBeside(row).map(({ peer, rate }) => ({ peer, rate, size: Math.log2(row.n) })),
  );
  const others = PEERS.filter(
    (peer) =>
      peer.case === name &&
      (peer.algorithms === null || measured.some((curve) => peer.algorithms.includes(curve.name))) &&
      beside.every((one) => one.peer !== peer.peer),
  );
  const known = [...beside, ...others].filter(
    (one, i, all) => all.findIndex(({ peer, size }) => peer === one.peer && size === one.size) === i,
  );
  const peers = [...new Set(known.map(({ peer }) => peer))].map((program) => ({
    name: program,
    peer: true,
    points: known.filter(({ peer }) => peer === program).map(({ size, rate }) => point(program, size, rate)),
  }));
  return [...measured, ...peers].map((curve) => ({
    ...curve,
    color: colorOf(curve.name),
    points: curve.points.sort((a, b) => a.x - b.x),
  }));
}

/** Every power of two from the least to the greatest size. */
function sizesBetween(sizes) {
  const [first, last] = [Math.floor(Math.min(...sizes)), Math.ceil(Math.max(...sizes))];
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * The plots of figures: SVG text by the name of its family. Variants (`beside`) are not plotted.
 * @param {readonly import('./figures.mjs').Row[]} rows
 * @returns {Record<string, string>}
 */
export function ratePlots(rows) {
  const cases = new Map(
    ALGORITHMS.filter(({ beside }) => beside === undefined).flatMap(({ name, cases }) =>
      cases.map((one) => [`${name}, ${one.name}`, one]),
    ),
  );
  const plots = {};
  for (const { name, what, holds, of, ...scale } of FAMILIES) {
    const own = rows.filter(isMeasured).filter((row) => {
      const one = cases.get(`${row.algorithm}, ${row.case}`);
      return one !== undefined && holds(one);
    });
    if (own.length === 0) continue;
    plots[name] = curvePlot({
      heading:
        `${what}: ${scale.unit}\nBy number of ${of}. Medians; higher is better. ` +
        'Vertical lines: from the slowest to the fastest run. Dashed: other programs.',
      panels: [...new Set(own.map((row) => row.case))].map((name) => ({
        title: titleOf(name),
        curves: curvesOf(
          name,
          own.filter((row) => row.case === name),
          scale,
        ),
      })),
      rows: own,
      xLabel: (x) => `2^${x}`,
      xTicks: sizesBetween,
    });
  }
  return plots;
}
