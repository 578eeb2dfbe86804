/** Figures as curves: panels with one legend, a point for each figure, a line for the spread of its runs. */
import { at, LETTER, MOST_HEIGHT, picture, text, ticks, WIDTH } from './svg.mjs';

/**
 * @typedef {object} Point
 * @property {number} x
 * @property {number} y the median
 * @property {number} low of the runs
 * @property {number} high of the runs
 * @property {string} label
 *
 * @typedef {object} Curve
 * @property {string} name
 * @property {string} color of programs.mjs; curves of one color get different marks
 * @property {boolean} peer not gpusort: dashed, with hollow marks
 * @property {readonly Point[]} points
 *
 * @typedef {{ title: string, curves: readonly Curve[] }} Panel
 */

const [LEGEND_TOP, LEGEND_LINE, LEFT, GAP] = [62, 18, 46, 16];

/** The marks of points: curves of one color differ by their marks. */
const MARKS = [
  (x, y) => `<circle class="point" cx="${at(x)}" cy="${at(y)}" r="3.2"/>`,
  (x, y) => `<path class="point" d="M${at(x - 3)} ${at(y - 3)}h6v6h-6z"/>`,
  (x, y) => `<path class="point" d="M${at(x - 3.8)} ${at(y + 3)}h7.6l-3.8 -7z"/>`,
  (x, y) => `<path class="point" d="M${at(x)} ${at(y - 4.2)}l4.2 4.2l-4.2 4.2l-4.2 -4.2z"/>`,
];

/** The name, the classes and the mark of each curve, once for all panels. */
function legendOf(panels) {
  const entries = new Map();
  const seen = new Map();
  for (const { name, color, peer } of panels.flatMap(({ curves }) => curves)) {
    if (entries.has(name)) continue;
    const before = seen.get(color) ?? 0;
    seen.set(color, before + 1);
    entries.set(name, { name, classes: peer ? `${color} peer` : color, mark: MARKS[before % MARKS.length] });
  }
  return entries;
}

/** The legend, in as many lines as it needs, and where it ends. */
function drawLegend(entries) {
  let [x, y] = [10, LEGEND_TOP];
  const parts = [...entries.values()].map(({ name, classes, mark }) => {
    const width = 52 + LETTER * name.length;
    if (x + width > WIDTH - 10) [x, y] = [10, y + LEGEND_LINE];
    const line = `<path class="line" d="M${at(x)} ${y - 4}h28"/>`;
    const part = `<g class="${classes}">${line}${mark(x + 14, y - 4)}</g>${text(x + 34, y, name)}`;
    x += width;
    return part;
  });
  return { parts, end: y + 14 };
}

function drawPanel({ title, curves }, entries, frame, { xLabel, xTicks }) {
  const { left, right, top, bottom } = frame;
  const points = curves.flatMap((curve) => curve.points);
  const xs = xTicks(points.map((point) => point.x));
  const ys = ticks(Math.max(...points.map(({ y, high }) => Math.max(y, high))), bottom - top > 150 ? 5 : 4);
  const [first, last] = [xs[0], xs.at(-1)];
  const x = (value) => left + (first === last ? 0.5 : (value - first) / (last - first)) * (right - left);
  const y = (value) => bottom - (value / ys.at(-1)) * (bottom - top);
  // Every label of the x axis has room for itself and the gap after it.
  const every = Math.ceil((xs.length * 6 * LETTER) / (right - left));
  return [
    text(left - LEFT + 6, top - 10, title, 'class="title"'),
    ...ys.map(
      (value) =>
        `<path class="grid" d="M${at(left)} ${at(y(value))}H${at(right)}"/>` +
        text(left - 8, y(value) + 4, String(value), 'class="small" text-anchor="end"'),
    ),
    ...xs
      .filter((_, i) => i % every === 0)
      .map((value) => text(x(value), bottom + 16, xLabel(value), 'class="small" text-anchor="middle"')),
    ...curves.map(({ name, points }) => {
      const { classes, mark } = entries.get(name);
      const line =
        points.length < 2
          ? ''
          : `<polyline class="line" points="${points.map((p) => `${at(x(p.x))},${at(y(p.y))}`).join(' ')}"/>`;
      const marks = points.map((p) => {
        const spread =
          p.low === p.high ? '' : `<path class="spread" d="M${at(x(p.x))} ${at(y(p.low))}V${at(y(p.high))}"/>`;
        return `<g><title>${p.label}</title>${spread}${mark(x(p.x), y(p.y))}</g>`;
      });
      return `<g class="${classes}">${line}${marks.join('')}</g>`;
    }),
  ];
}

/**
 * A plot of panels: one is as wide as the plot, two or four are in two columns, others in three.
 * @param {{ heading: string, panels: readonly Panel[], rows: readonly object[], xLabel: (x: number) => string,
 *   xTicks: (xs: readonly number[]) => readonly number[] }} plot `xTicks`: the values with a label, which span the axis
 */
export function curvePlot({ heading, panels, rows, ...axis }) {
  const entries = legendOf(panels);
  const legend = drawLegend(entries);
  const columns = panels.length === 1 ? 1 : panels.length === 2 || panels.length === 4 ? 2 : 3;
  const lines = Math.ceil(panels.length / columns);
  const width = (WIDTH - 10) / columns;
  const height = Math.min(columns === 1 ? 320 : 150, (MOST_HEIGHT - legend.end - 60) / lines - 56);
  const parts = panels.flatMap((panel, i) => {
    const left = 4 + (i % columns) * width + LEFT;
    const top = legend.end + 24 + Math.floor(i / columns) * (height + 56);
    const frame = { left, right: left + width - LEFT - GAP, top, bottom: top + height };
    return drawPanel(panel, entries, frame, axis);
  });
  return picture(heading, legend.end + lines * (height + 56) + 14, [...legend.parts, ...parts], rows);
}
