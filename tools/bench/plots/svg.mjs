/** The parts that all plots share: the page, its colors, text and the description of the machine. */
import { machineLine } from '../report.mjs';
import { COLORS } from './programs.mjs';

/** The width of a plot. */
export const WIDTH = 760;
/** The height of a plot that fits a screen with its title. */
export const MOST_HEIGHT = 800;
/** The width of a character of 12 px, estimated generously. */
export const LETTER = 6.5;

/** The colors of the page and of everything that is not data, on a light and on a dark page. */
export const PAGE = { light: '#ffffff', dark: '#0d1117' };
const TEXT = { light: '#1f2328', dark: '#f0f6fc' };

const colors = (mode) =>
  `.page,.peer .point{fill:${PAGE[mode]}}.halo{stroke:${PAGE[mode]}}` +
  `text{fill:${TEXT[mode]}}.whisker{stroke:${TEXT[mode]}}` +
  Object.entries(COLORS)
    .map(([name, color]) => `.${name}{color:${color[mode]}}`)
    .join('');
// The page has a background, because the system's mode may differ from that of the web page around the plot.
const STYLE =
  'text{font:12px system-ui,sans-serif}.title{font-weight:600}.small{font-size:10px}rect{fill:currentColor}' +
  '.point{fill:currentColor;stroke:currentColor;stroke-width:1.5}.line{fill:none;stroke:currentColor;stroke-width:2}' +
  '.peer .line{stroke-dasharray:5 4}' +
  '.halo{fill:none;stroke-width:3;stroke-opacity:.8}.whisker{fill:none;stroke-width:1.2}' +
  '.spread{fill:none;stroke:currentColor;stroke-opacity:.75;stroke-width:1.4}' +
  `.grid{stroke:#8b9198;stroke-opacity:.35}${colors('light')}@media(prefers-color-scheme:dark){${colors('dark')}}`;

const escaped = (words) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A coordinate with one digit after the point. */
export const at = (value) => String(Number(value.toFixed(1)));

/** Text at a place. */
export const text = (x, y, words, attributes = '') =>
  `<text x="${at(x)}" y="${at(y)}"${attributes && ` ${attributes}`}>${escaped(words)}</text>`;

/** The machines of `rows` (normally one), in lines short enough for the plot. */
function machineLines(rows) {
  const lines = [...new Set(rows.map((row) => machineLine(row.machine)))];
  return lines.flatMap((line) => line.match(/.{1,125}(?: |$)/g));
}

/**
 * A plot.
 * @param {string} heading what is plotted, for readers who see the plot and for those who do not
 * @param {number} height of `parts`, which begin below 36 px
 * @param {readonly string[]} parts SVG elements
 * @param {readonly object[]} rows figures: their machines are described below the plot
 */
export function picture(heading, height, parts, rows) {
  const lines = machineLines(rows);
  const [title, ...notes] = heading.split('\n');
  const box = `0 0 ${WIDTH} ${Math.ceil(height) + 14 * lines.length + 8}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}</style>
<rect class="page" width="100%" height="100%"/>
${[
  text(10, 20, title, 'class="title"'),
  ...notes.map((note, i) => text(10, 35 + 13 * i, note, 'class="small"')),
  ...parts,
  ...lines.map((line, i) => text(10, Math.ceil(height) + 14 * i, line.trim(), 'class="small"')),
].join('\n')}
</svg>
`;
}

/** Round numbers from 0 to at least `most`, in about `steps` steps. */
export function ticks(most, steps = 5) {
  const power = 10 ** Math.floor(Math.log10(most / steps));
  const step = power * [1, 2, 5, 10].find((factor) => most / (factor * power) <= steps + 1);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}
