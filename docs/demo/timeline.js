/**
 * Draws runs as an SVG: a lane for each sort, on one scale of milliseconds, with the spans as they were measured. In
 * gaps the page waited for the GPU's answer.
 */

const SVG = 'http://www.w3.org/2000/svg';
const LANE = { top: 6, label: 18, bar: 22, height: 52 };
const AXIS = 26;
/** Pixels of a letter inside a bar, at most, with the space around it. */
const LETTER = 8;
const LEGEND = { upload: 'upload', sort: 'sort (each compute pass)', 'read-back': 'read-back', cpu: 'on the CPU' };

/** Fills `element` with the lanes of `rows`, `width` pixels wide. */
export function drawTimeline(element, rows, width) {
  const end = niceEnd(Math.max(...rows.map(({ spans }) => Math.max(...spans.map((span) => span.end)))));
  const height = rows.length * LANE.height + AXIS;
  const x = (ms) => (Math.max(ms, 0) / end) * (width - 2) + 1;
  const svg = make('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': `Timeline of one run of ${rows.map(({ label }) => label).join(', ')}; the table has the numbers.`,
  });
  for (const ms of ticks(end)) {
    const at = x(ms);
    svg.append(make('line', { x1: at, x2: at, y1: 0, y2: height - AXIS + 4, class: 'grid' }));
    const anchor = ms === 0 ? 'start' : ms === end ? 'end' : 'middle';
    svg.append(make('text', { x: at, y: height - 6, 'text-anchor': anchor, class: 'small' }, formatMs(ms)));
  }
  rows.forEach((row, i) => {
    const top = i * LANE.height + LANE.top;
    svg.append(make('text', { x: 2, y: top + 12 }, `${row.label}, ${formatMs(row.totalMs)}`));
    for (const span of row.spans) {
      const from = x(span.start);
      // A span too short to be seen is still drawn; passes are a little apart.
      const length = Math.max(x(span.end) - from - (span.kind === 'sort' ? 0.5 : 0), 0.75);
      const bar = { x: from, y: top + LANE.label, width: length, height: LANE.bar, class: span.kind };
      const rect = make('rect', bar);
      rect.append(make('title', {}, `${span.label}: ${formatMs(span.end - span.start)}`));
      svg.append(rect);
      if (span.label.length * LETTER < length)
        svg.append(make('text', { x: from + 5, y: top + LANE.label + 15, class: 'small inside' }, span.label));
    }
  });
  element.replaceChildren(svg, legend(rows));
}

function legend(rows) {
  const kinds = new Set(rows.flatMap(({ spans }) => spans.map(({ kind }) => kind)));
  const list = document.createElement('ul');
  list.className = 'legend';
  for (const [kind, label] of Object.entries(LEGEND)) {
    if (!kinds.has(kind)) continue;
    const item = document.createElement('li');
    const mark = document.createElement('span');
    mark.className = kind;
    item.append(mark, label);
    list.append(item);
  }
  return list;
}

/** The least of 1, 2 and 5 times a power of ten, times 1 to 5, that is at least `ms`. */
function niceEnd(ms) {
  const step = tickStep(ms);
  // A coarse clock may say 0.
  return Math.max(Math.ceil(ms / step), 1) * step;
}

function tickStep(ms) {
  const power = 10 ** Math.floor(Math.log10(Math.max(ms, 1e-3) / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => ms / step <= 5);
}

function ticks(end) {
  const step = tickStep(end);
  return Array.from({ length: Math.round(end / step) + 1 }, (_, i) => i * step);
}

/** For example 0.42 ms or 1.25 s. */
export function formatMs(ms) {
  if (ms >= 1000) return `${Number((ms / 1000).toPrecision(3))} s`;
  return `${Number(ms.toPrecision(3))} ms`;
}

function make(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
