/**
 * `npm run bench:kernels`: times the GPU's sorting algorithms by themselves, on data that lies on the device, checks what they give and
 * prints rates beside peers' and marks. Needs the built dist/ and an adapter; --tables needs neither. --help says the options.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { ALGORITHMS } from './kernels/algorithms.mjs';
import { MARKS } from './kernels/marks.mjs';
import { ratePlot } from './kernels/plots.mjs';
import { runProblems } from './kernels/processes.mjs';
import { rateOf, report } from './kernels/report.mjs';
import { machine, median } from './measure.mjs';

const HELP = `Usage: npm run bench:kernels -- [OPTION]...
  --sizes LIST    powers of two, by comma, or FIRST..LAST (default 20,22,24,25,26,27,28); what a binding cannot hold is left out
  --only LIST     algorithms by name (default all)
  --cases LIST    cases whose name contains one of these (default all)
  --runs N        timed runs of each problem, after one that warms up (default 9)
  --limit S       most seconds for one problem, its input included (default 120); what takes longer is ended and told
  --json FILE     write all figures of this run
  --docs NAME     write docs/plots/NAME.json and NAME.svg; what is in NAME.json already and not measured now stays
  --tables FILE   measure nothing: print the tables of a JSON file as Markdown
  --list          measure nothing: print the problems
Algorithms:
${ALGORITHMS.map(({ name, cases }) => `  ${name}: ${cases.map((one) => one.name).join(', ')}`).join('\n')}`;

/** `20,24` or `20..24` as numbers. */
export function sizesOf(list) {
  const range = /^(\d+)\.\.(\d+)$/.exec(list);
  const sizes = range === null ? list.split(',').map(Number) : Array.from({ length: Math.max(0, range[2] - range[1] + 1) }, (_, i) => Number(range[1]) + i);
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1 || size > 31)) throw new Error(`bad sizes: '${list}'`);
  return sizes.sort((a, b) => a - b);
}

/**
 * The problems of the chosen algorithms, in groups that share processes: fixed keys by algorithm; strings together and by input, as those
 * take longer to make than to sort.
 */
export function problemsOf(sizes, only, cases) {
  const unknown = only?.filter((name) => !ALGORITHMS.some((algorithm) => algorithm.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown algorithms: ${unknown.join(', ')}; there are ${ALGORITHMS.map(({ name }) => name).join(', ')}`);
  const chosen = ALGORITHMS.filter(({ name }) => only === null || only.includes(name));
  const wanted = (name) => cases === null || cases.some((part) => name.includes(part));
  const groups = chosen.filter(({ kind }) => kind !== 'strings').map((algorithm) => algorithm.cases.filter(({ name }) => wanted(name))
    .flatMap((one) => sizes.map((size) => ({ algorithm: algorithm.name, case: one.name, size }))));
  const strings = chosen.filter(({ kind }) => kind === 'strings');
  const inputs = [...new Set(strings.flatMap((algorithm) => algorithm.cases.map(({ name }) => name)))].filter(wanted);
  groups.push(inputs.flatMap((name) => sizes.flatMap((size) => strings.filter((algorithm) => algorithm.cases.some((one) => one.name === name))
    .map((algorithm) => ({ algorithm: algorithm.name, case: name, size })))));
  return groups.filter((group) => group.length > 0);
}

/** A row of report.mjs from what a process measured. */
function rowOf(problem, figures, machine, copyRate) {
  const row = { id: `${problem.algorithm}, ${problem.case}, 2^${problem.size}`, ...problem };
  const about = { machine, copyRate };
  if (figures.error !== undefined || figures.leftOut !== undefined) return { ...row, ...figures, ...about };
  const { walls, spans, busy, ...rest } = figures;
  const middle = (times) => (times.length === 0 ? null : median(times));
  return { ...row, ...rest, spans, spanMs: middle(spans), busyMs: middle(busy), wallMs: median(walls), ...about };
}

/** `rows` with `added` in the places of those of the same id, in the order of the registry. */
function merged(rows, added) {
  const all = [...rows.filter((row) => !added.some(({ id }) => id === row.id)), ...added];
  const place = (row) => {
    const algorithm = ALGORITHMS.findIndex(({ name }) => name === row.algorithm);
    return [algorithm, ALGORITHMS[algorithm]?.cases.findIndex(({ name }) => name === row.case) ?? 0, row.size];
  };
  return all.map((row) => ({ row, at: place(row) })).sort((a, b) => a.at[0] - b.at[0] || a.at[1] - b.at[1] || a.at[2] - b.at[2]).map(({ row }) => row);
}

const rowsIn = (path) => JSON.parse(readFileSync(path, 'utf8')).rows;

/** Where figures go as they come: a long run that is ended early keeps what it has. */
function openFiles({ json, docs }) {
  const rows = [];
  const base = docs === undefined ? null : resolve(root, 'docs/plots', docs);
  const before = base !== null && existsSync(`${base}.json`) ? rowsIn(`${base}.json`) : [];
  const write = (path, all) => writeFileSync(path, `${JSON.stringify({ rows: all }, null, 1)}\n`);
  if (base !== null) mkdirSync(dirname(base), { recursive: true });
  return {
    rows, base,
    add(row) {
      rows.push(row);
      if (json !== undefined) write(json, merged([], rows));
      if (base !== null) write(`${base}.json`, merged(before, rows));
    },
    finish() {
      if (base !== null) writeFileSync(`${base}.svg`, ratePlot(merged(before, rows)));
      return merged([], rows);
    },
  };
}

/** A line that says how a problem went. */
function progress(row) {
  if (row.leftOut !== undefined) return `${row.id}: left out: ${row.leftOut}`;
  if (row.error !== undefined) return `${row.id}: failed: ${row.error}`;
  return `${row.id}: ${rateOf(row).toPrecision(4)} M/s, ${(row.spanMs ?? row.wallMs).toFixed(3)} ms`;
}

async function main() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' }, list: { type: 'boolean' }, sizes: { ...text, default: '20,22,24,25,26,27,28' }, only: text, cases: text,
      runs: { ...text, default: '9' }, limit: { ...text, default: '120' }, json: text, docs: text, tables: text,
    },
  });
  if (options.help) return console.log(HELP);
  if (options.tables !== undefined) return console.log(report(merged([], rowsIn(options.tables)), MARKS));
  const groups = problemsOf(sizesOf(options.sizes), options.only?.split(',') ?? null, options.cases?.split(',') ?? null);
  if (options.list) return console.log(groups.flat().map((problem) => `${problem.algorithm}, ${problem.case}, 2^${problem.size}`).join('\n'));
  if (groups.length === 0) throw new Error('no such cases: --list says what there is');
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const [runs, limitSeconds] = [Number(options.runs), Number(options.limit)];
  if (!(Number.isInteger(runs) && runs > 0 && limitSeconds > 0)) throw new Error('--runs and --limit take numbers above 0');
  const here = machine(root);
  const files = openFiles(options);
  let copyRate = null;
  let copyTried = false;
  for (const problems of groups) {
    await runProblems(problems, {
      runs, limitSeconds, copy: !copyTried,
      onCopy: ({ rate, bytes }, timestamps) => {
        copyRate = rate;
        console.error(`a copy of ${bytes} bytes on the device: ${rate.toPrecision(4)} GB/s${timestamps ? '' : '; the device has no timestamps: all by wall clock'}`);
      },
      onFigures: (problem, figures) => {
        const row = rowOf(problem, figures, here, copyRate);
        files.add(row);
        console.error(progress(row));
        if (row.error !== undefined) process.exitCode = 1;
      },
    });
    copyTried = true;
  }
  console.log(report(files.finish(), MARKS));
  if (files.base !== null) console.log(`Figures and plot: ${files.base}.json, ${files.base}.svg`);
}

if (process.argv[1]?.endsWith('kernels.mjs')) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
  try {
    await main();
  } catch (error) {
    console.error(`bench: ${error.message}`);
    process.exitCode = 2;
  }
}
