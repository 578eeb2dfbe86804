/** Rows as bars: a group for each row, a bar for each program, a whisker from its fastest to its slowest run. */
import { rowTitle, seconds } from '../report.mjs';
import { byProgram, colorOf, programName } from './programs.mjs';
import { at, LETTER, picture, text, WIDTH } from './svg.mjs';

const [TOP, BAR, TITLE, GAP] = [64, 17, 20, 16];

/** The programs that a row measured, in the order of the plot. */
const barsOf = (row) =>
  row.commands
    .filter(({ median }) => median !== null)
    .map(({ name, median, seconds: all }) => ({
      name: programName(name, row.engine),
      median,
      least: Math.min(...all),
      most: Math.max(...all),
    }))
    .sort((a, b) => byProgram(a.name, b.name));

/** A line from `from` to `to` with an end at each, at the height `y`; its halo keeps it visible on dark bars. */
function whisker(from, to, y) {
  const path = `d="M${at(from)} ${y}H${at(to)}M${at(from)} ${y - 3}v6M${at(to)} ${y - 3}v6"`;
  return `<path class="halo" ${path}/><path class="whisker" ${path}/>`;
}

/** One row's bars in a column of the plot. The slowest run is as wide as the column. */
function group({ row, bars }, left, top, labels, width) {
  const most = Math.max(...bars.map((bar) => bar.most));
  const begin = left + labels;
  const x = (value) => begin + (value / most) * (width - labels - 8 * LETTER);
  return [
    text(left, top, rowTitle(row), 'class="title"'),
    ...bars.flatMap(({ name, median, least, most }, i) => {
      const y = top + 8 + BAR * i;
      const middle = y + 6.5;
      return [
        text(begin - 8, y + 11, name, 'text-anchor="end"'),
        `<rect x="${at(begin)}" y="${y}" width="${at(Math.max(1, x(median) - begin))}" height="13" rx="2" ` +
          `class="${colorOf(name)}"/>`,
        ...(least === most ? [] : [whisker(x(least), x(most), middle)]),
        text(x(most) + 6, y + 11, `${seconds(median)} s`),
      ];
    }),
  ];
}

/** A plot of `rows`, in two columns if there are several. */
export function barPlot(rows) {
  const groups = rows.map((row) => ({ row, bars: barsOf(row) })).filter(({ bars }) => bars.length > 0);
  const labels = 14 + LETTER * Math.max(0, ...groups.flatMap(({ bars }) => bars.map(({ name }) => name.length)));
  const heightOf = ({ bars }) => TITLE + BAR * bars.length + GAP;
  const half = groups.reduce((sum, one) => sum + heightOf(one), 0) / 2;
  const columns = groups.length === 1 ? 1 : 2;
  const width = (WIDTH - 20) / columns;
  let [column, y, bottom, placed] = [0, TOP, TOP, 0];
  const parts = groups.flatMap((one) => {
    if (columns === 2 && column === 0 && placed + heightOf(one) / 2 > half) [column, y] = [1, TOP];
    const drawn = group(one, 10 + column * width, y, labels, width);
    y += heightOf(one);
    placed += heightOf(one);
    bottom = Math.max(bottom, y);
    return drawn;
  });
  return picture(
    'Seconds to sort or copy a file\n' +
      'Medians; shorter is better. Each group has its own scale. Whiskers: from the fastest to the slowest run.',
    bottom,
    parts,
    groups.map(({ row }) => row),
  );
}
