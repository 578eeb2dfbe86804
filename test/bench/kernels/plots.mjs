/** Rates by size as an SVG file: one plot for each case, with peers beside the algorithms. Measures nothing. */
import { LETTER, picture, text, ticks, WIDTH } from '../plots.mjs';
import { ALGORITHMS } from './algorithms.mjs';
import { PEERS } from './peers.mjs';
import { rateOf } from './report.mjs';

const [LEFT, PLOT_HEIGHT, LINE] = [56, 150, 15];
/** CSS classes of plots.mjs, one for each algorithm of a plot. */
const COLOURS = ['own', 'second', 'third', 'fourth', 'fifth'];

/** The algorithms of a case and their peers as lines. Peers are those of the measured algorithms. */
function seriesOf(name, rows) {
  const names = [...new Set(rows.map((row) => row.algorithm))];
  const point = (size, rate) => ({ size, rate });
  const own = names.map((algorithm, i) => ({
    name: algorithm,
    colour: COLOURS[i % COLOURS.length],
    points: rows.filter((row) => row.algorithm === algorithm).map((row) => point(Math.log2(row.n), rateOf(row))),
  }));
  const known = PEERS.filter(
    (peer) =>
      peer.case === name &&
      (peer.algorithms === null || peer.algorithms.some((algorithm) => names.includes(algorithm))),
  );
  const peers = [...new Set(known.map(({ peer }) => peer))].map((peer) => ({
    name: peer,
    colour: 'peer',
    points: known.filter((one) => one.peer === peer).map(({ size, rate }) => point(size, rate)),
  }));
  return [...own, ...peers].map((series) => ({ ...series, points: series.points.sort((a, b) => a.size - b.size) }));
}

/** A case's plot from `top` on, both axes linear (sizes as powers of two). Returns its parts and its end. */
function casePlot(name, rows, top) {
  const series = seriesOf(name, rows);
  const [unit, scale] = name.startsWith('strings ') ? ['M strings/s', 1] : ['G keys/s', 1e3];
  const all = series.flatMap(({ points }) => points);
  const sizes = all.map(({ size }) => size);
  const [first, last] = [Math.floor(Math.min(...sizes)), Math.ceil(Math.max(...sizes))];
  const rates = ticks(Math.max(...all.map(({ rate }) => rate / scale)));
  const right = WIDTH - 24 - LETTER * Math.max(...series.map((one) => one.name.length + 9));
  // Crowded plots need room for their labels.
  const bottom = top + 14 + Math.max(PLOT_HEIGHT, LINE * series.length);
  const x = (size) => LEFT + (first === last ? 0.5 : (size - first) / (last - first)) * (right - LEFT);
  const y = (rate) => bottom - (rate / scale / rates.at(-1)) * (bottom - top - 14);
  const parts = [text(10, top, `${name}, ${unit}`, 'class="title"')];
  for (const rate of rates) {
    const at = y(rate * scale);
    parts.push(
      `<path class="grid" d="M${LEFT} ${at.toFixed(1)}H${right}"/>`,
      text(LEFT - 8, at + 4, `${rate}`, 'text-anchor="end"'),
    );
  }
  for (let size = first; size <= last; size++)
    parts.push(text(x(size), bottom + 18, `2^${size}`, 'text-anchor="middle"'));
  let lowest = Infinity;
  for (const { name: label, colour, points } of series.sort((a, b) => a.points.at(-1).rate - b.points.at(-1).rate)) {
    const end = points.at(-1);
    const told = (size, rate) => `${label}, 2^${Number(size.toFixed(1))}: ${rateText(rate)} ${unit}`;
    const rateText = (rate) => (scale === 1 ? rate.toFixed(0) : (rate / scale).toPrecision(3));
    // Labels are placed from the bottom up, so that none covers the one below.
    lowest = Math.min(y(end.rate) + 4, lowest - LINE);
    parts.push(
      `<g class="${colour}"><polyline points="${points.map(({ size, rate }) => `${x(size).toFixed(1)},${y(rate).toFixed(1)}`).join(' ')}"/>`,
      ...points.map(
        ({ size, rate }) =>
          `<circle cx="${x(size).toFixed(1)}" cy="${y(rate).toFixed(1)}" r="3.5"><title>${told(size, rate)}</title></circle>`,
      ),
      `</g>${text(right + 14, lowest, `${label}, ${rateText(end.rate)}`, `class="${colour} named"`)}`,
    );
  }
  return { parts, end: bottom + 52 };
}

/** A plot for each measured case of `rows`. */
export function ratePlot(rows) {
  const besides = ALGORITHMS.filter(({ beside }) => beside !== undefined).map(({ name }) => name);
  const measured = rows.filter(
    (row) => row.error === undefined && row.leftOut === undefined && !besides.includes(row.algorithm),
  );
  const parts = [
    text(10, 20, "Rates by size, medians by the device's clock; higher is better. Grey: peers", 'class="small"'),
  ];
  let top = 46;
  for (const name of new Set(measured.map((row) => row.case))) {
    const plot = casePlot(
      name,
      measured.filter((row) => row.case === name),
      top,
    );
    parts.push(...plot.parts);
    top = plot.end;
  }
  return picture('Benchmark of kernels: rates by size, higher is better', top, parts, measured);
}
