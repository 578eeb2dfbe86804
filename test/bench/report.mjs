/** Figures as Markdown, for the terminal and for docs/benchmarks.md. Measures nothing. */

/** A duration, or another number, with three digits. */
export const seconds = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
const rate = (bytes, value) => (bytes < 1e6 ? '' : `${(bytes / 1e6 / value).toFixed(0)} MB/s`);
/** A Markdown table. */
export const table = (head, ...lines) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The machine in one line. */
export function machineLine(machine) {
  const { cpu, cores, memoryGB, adapter, system, node, sort, date } = machine;
  return `${cpu}, ${cores} cores, ${memoryGB} GB; adapter ${adapter}; ${system}; Node ${node}; ${sort}; ${date}`;
}

/** A row's title, with its scale and options if they are not the default. */
export function rowTitle({ title, scale, options }) {
  return [
    title,
    ...(scale === 1 ? [] : [`x ${scale}`]),
    ...(options.length === 0 ? [] : [`with ${options.join(' ')}`]),
  ].join(' ');
}

/**
 * Judges a bar of rows.mjs by the medians of a row.
 * @param {import('./rows.mjs').Bar} bar
 * @param {readonly { name: string, median: number | null }[]} commands
 * @returns {{ text: string, limit: number | null, seconds: number | null, met: boolean | null }} null: not measured
 */
export function judge(bar, commands) {
  const medianOf = (name) => commands.find((command) => command.name === name)?.median ?? null;
  const [own, peer] = [medianOf(bar.program), medianOf(bar.peer)];
  const limit = peer === null ? null : bar.factor * peer + bar.plus;
  return {
    text: `${bar.program} ${bar.text}`,
    limit,
    seconds: own,
    met: own === null || limit === null ? null : own <= limit,
  };
}

/** A judged bar in one line. */
export function barLine(bar) {
  if (bar.met === null) return `- bar: ${bar.text}: not measured`;
  return `- bar: ${bar.text} = ${seconds(bar.limit)} s: ${seconds(bar.seconds)} s, ${bar.met ? 'met' : `missed by ${seconds(bar.seconds - bar.limit)} s`}`;
}

/**
 * The figures of one row as a table, followed by its bars. A ratio is the program's time divided by gpusort's: above 1,
 * gpusort is faster.
 */
export function rowTable(row) {
  const own = row.commands.find((command) => command.name.startsWith('gpusort')).median;
  const lines = row.commands.map(({ name, median, seconds: all, output, error }) => {
    if (error !== null) return [name, `failed: ${error.replaceAll('\n', ' ').replaceAll('|', '/')}`, '', '', '', ''];
    const spread = `${seconds(Math.min(...all))} to ${seconds(Math.max(...all))} (${all.length})`;
    return [
      name,
      seconds(median),
      spread,
      rate(row.bytes, median),
      own === null ? '' : (median / own).toFixed(2),
      output,
    ];
  });
  return [
    `### ${row.id}: ${rowTitle(row)} (${row.bytes} bytes, ${row.lines} lines)\n`,
    table(['program', 'median s', 'runs', 'rate', "time / gpusort's", 'output'], ...lines),
    ...(row.bars.length === 0 ? [] : ['', ...row.bars.map(barLine)]),
    '',
  ].join('\n');
}

/** Rows that differ only in size as one table: a line for each size, a column for each program. */
export function growthTable(rows) {
  const names = rows[0].commands.map((command) => command.name);
  const lines = rows.map((row) => [
    rowTitle(row),
    ...names.map((name) => {
      const median = row.commands.find((command) => command.name === name)?.median ?? null;
      return median === null ? '' : `${seconds(median)} s, ${rate(row.bytes, median)}`;
    }),
  ]);
  return `### Growth\n\n${table(['input', ...names], ...lines)}\n`;
}
