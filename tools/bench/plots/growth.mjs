/** Rows that differ only in size as one plot: seconds by gigabytes, both axes linear. */
import { seconds } from '../report.mjs';
import { curvePlot } from './curves.mjs';
import { colorOf, programName } from './programs.mjs';
import { ticks } from './svg.mjs';

/** A plot of `rows`, with a curve for each program. */
export function growthPlot(rows) {
  const names = [...new Set(rows.flatMap((row) => row.commands.map(({ name }) => name)))];
  const curves = names.map((name) => {
    const points = rows
      .flatMap((row) =>
        row.commands
          .filter((command) => command.name === name && command.median !== null)
          .map(({ median, seconds: all }) => ({ row, median, all })),
      )
      .sort((a, b) => a.row.bytes - b.row.bytes);
    const written = programName(name, points[0]?.row.engine);
    return {
      name: written,
      color: colorOf(written),
      peer: !name.startsWith('gpusort'),
      points: points.map(({ row, median, all }) => ({
        x: row.bytes / 1e9,
        y: median,
        low: Math.min(...all),
        high: Math.max(...all),
        label: `${written}, ${row.bytes / 1e9} GB: ${seconds(median)} s`,
      })),
    };
  });
  return curvePlot({
    heading:
      'Seconds by size of the input\nMedians; lower is better. Vertical lines: from the fastest to the slowest run.',
    panels: [{ title: 'Seconds', curves: curves.filter(({ points }) => points.length > 0) }],
    rows,
    xLabel: (x) => `${x} GB`,
    xTicks: (xs) => ticks(Math.max(...xs)),
  });
}
