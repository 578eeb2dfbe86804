/** Figures as Markdown, for the terminal and for docs/benchmarks.md. Measures nothing. */
import { programName } from './plots/programs.mjs';

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

const megabytes = (bytes) => (bytes === undefined ? '' : (bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0));

/**
 * The figures of one row as a table. A ratio is the program's time over gpusort's: above 1, gpusort is faster. Rows of
 * genomics also show peak memory and the size of the output.
 */
export function rowTable(row) {
  const sized = row.commands.some(({ memory }) => memory !== undefined);
  const own = row.commands.find((command) => command.name.startsWith('gpusort')).median;
  const lines = row.commands.map(({ name: id, version, median, seconds: all, output, error, memory, written }) => {
    const name = version ?? programName(id, row.engine);
    if (error !== null) return [name, `failed: ${error.replaceAll('\n', ' ').replaceAll('|', '/')}`, '', '', '', ''];
    const spread = `${seconds(Math.min(...all))} to ${seconds(Math.max(...all))} (${all.length})`;
    return [
      name,
      seconds(median),
      spread,
      rate(row.bytes, median),
      own === null ? '' : (median / own).toFixed(2),
      output,
      ...(sized ? [megabytes(memory), megabytes(written)] : []),
    ];
  });
  const more = sized ? ['peak MB', 'output MB'] : [];
  return [
    `### ${row.id}: ${rowTitle(row)} (${row.bytes} bytes, ${row.lines} lines)\n`,
    table(['program', 'median s', 'range (runs)', 'rate', "time / gpusort's", 'output', ...more], ...lines),
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
  const head = names.map((name) => programName(name, rows[0].engine));
  return `### Growth\n\n${table(['input', ...head], ...lines)}\n`;
}
