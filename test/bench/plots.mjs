/** Figures as SVG plots, readable on light and dark backgrounds. Measures nothing. */
import { machineLine, rowTitle, seconds } from './report.mjs';

export const WIDTH = 760;
/** The width of a character in pixels, estimated generously. */
export const LETTER = 7;
const STYLE =
  'text{font:12px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.small{font-size:10px}.own{color:#1a7f64}.peer{color:#9aa4af}' +
  '.second{color:#0969da}.third{color:#bc4c00}.fourth{color:#8250df}.fifth{color:#bf3989}.named{fill:currentColor}' +
  'rect,circle{fill:currentColor}polyline{fill:none;stroke:currentColor;stroke-width:2}.limited polyline{stroke-dasharray:6 4}.grid{stroke:#9aa4af;stroke-opacity:.35}' +
  '@media(prefers-color-scheme:dark){text{fill:#d8dee4}.own{color:#3fb950}.peer{color:#8b949e}' +
  '.second{color:#58a6ff}.third{color:#f0883e}.fourth{color:#bc8cff}.fifth{color:#f778ba}}';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** Text at a place. */
export const text = (x, y, words, attributes = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${attributes && ` ${attributes}`}>${escaped(words)}</text>`;

/** The machines of `rows` (normally one), in lines short enough for the plot. */
function machineLines(rows) {
  const lines = [...new Set(rows.map((row) => machineLine(row.machine)))];
  return lines.flatMap((line) => line.match(/.{1,125}(?: |$)/g));
}

/** A plot of height `height`, with the machine described below it. */
export function picture(label, height, parts, rows) {
  const lines = machineLines(rows);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height + 14 * lines.length + 8}" role="img" aria-label="${label}">
<style>${STYLE}</style>
${[...parts, ...lines.map((line, i) => text(10, height + 14 * i, line.trim(), 'class="small"'))].join('\n')}
</svg>
`;
}

const classOf = (name) =>
  name === 'gpusort'
    ? 'own'
    : name.startsWith('gpusort --')
      ? 'own limited'
      : name.startsWith('gpusort')
        ? 'own'
        : 'peer';

/** A group of bars for each row; the longest bar of each group is as wide as the plot. */
export function barPlot(rows) {
  const measured = rows
    .map((row) => ({ ...row, commands: row.commands.filter(({ median }) => median !== null) }))
    .filter((row) => row.commands.length > 0);
  const left = 24 + LETTER * Math.max(0, ...measured.flatMap((row) => row.commands.map(({ name }) => name.length)));
  const width = WIDTH - left - 8 * LETTER;
  const parts = [text(10, 20, 'Seconds, medians; shorter is better', 'class="small"')];
  let y = 46;
  for (const row of measured) {
    const longest = Math.max(...row.commands.map((command) => command.median));
    parts.push(text(10, y, rowTitle(row), 'class="title"'));
    y += 12;
    for (const { name, median } of row.commands) {
      const bar = Math.max(1, (median / longest) * width);
      parts.push(
        text(left - 8, y + 12, name, 'text-anchor="end"'),
        `<rect x="${left}" y="${y}" width="${bar.toFixed(1)}" height="16" rx="2" class="${classOf(name)}"/>`,
        text(left + bar + 6, y + 12, `${seconds(median)} s`),
      );
      y += 22;
    }
    y += 26;
  }
  return picture('Benchmark: seconds, shorter is better', y, parts, measured);
}

/** Round numbers from 0 to at least `most`, in about five steps. */
export function ticks(most) {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  const step = power * [1, 2, 5, 10].find((factor) => most / (factor * power) <= 6);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** Time by size, both axes linear. Each program is a line with its name and last time at its end. */
export function growthPlot(rows) {
  const names = [...new Set(rows.flatMap((row) => row.commands.map(({ name }) => name)))];
  const series = names
    .map((name) => ({
      name,
      points: rows
        .flatMap((row) =>
          row.commands
            .filter((command) => command.name === name && command.median !== null)
            .map(({ median }) => ({ size: row.bytes / 1e9, median })),
        )
        .sort((a, b) => a.size - b.size),
    }))
    .filter(({ points }) => points.length > 0);
  const all = series.flatMap(({ points }) => points);
  const sizes = ticks(Math.max(...all.map(({ size }) => size)));
  const times = ticks(Math.max(...all.map(({ median }) => median)));
  const [left, top, bottom] = [56, 40, 360];
  const right = WIDTH - 24 - LETTER * Math.max(...series.map(({ name }) => name.length + 8));
  const x = (size) => left + (size / sizes.at(-1)) * (right - left);
  const y = (median) => bottom - (median / times.at(-1)) * (bottom - top);
  const parts = [text(10, 20, 'Seconds by size of the input, medians; lower is better', 'class="small"')];
  for (const time of times)
    parts.push(
      `<path class="grid" d="M${left} ${y(time).toFixed(1)}H${right}"/>`,
      text(left - 8, y(time) + 4, `${time} s`, 'text-anchor="end"'),
    );
  for (const size of sizes)
    parts.push(
      `<path class="grid" d="M${x(size).toFixed(1)} ${top}V${bottom}"/>`,
      text(x(size), bottom + 18, `${size} GB`, 'text-anchor="middle"'),
    );
  let lowest = Infinity;
  for (const { name, points } of series.sort((a, b) => a.points.at(-1).median - b.points.at(-1).median)) {
    const last = points.at(-1);
    // Labels are placed from the bottom up, so that none covers the one below.
    lowest = Math.min(y(last.median) + 4, lowest - 16);
    parts.push(
      `<g class="${classOf(name)}"><polyline points="${points.map(({ size, median }) => `${x(size).toFixed(1)},${y(median).toFixed(1)}`).join(' ')}"/>`,
      ...points.map(
        ({ size, median }) =>
          `<circle cx="${x(size).toFixed(1)}" cy="${y(median).toFixed(1)}" r="4"><title>${name}, ${size} GB: ${seconds(median)} s</title></circle>`,
      ),
      `</g>${text(x(last.size) + 10, lowest, `${name}, ${seconds(last.median)} s`)}`,
    );
  }
  return picture('Benchmark: seconds by size of the input, lower is better', bottom + 46, parts, rows);
}
