/**
 * `npm run bench:kernels`: times each of the GPU's sorts alone, on data in device memory, checks the results, and
 * prints the rates with those of peers and marks. Needs the built dist/ and an adapter; --tables needs neither. --help
 * lists the options.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { ALGORITHMS } from './kernels/algorithms.mjs';
import { MARKS } from './kernels/marks.mjs';
import { ratePlot } from './kernels/plots.mjs';
import { merged, problemsOf, sizesOf } from './kernels/problems.mjs';
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

/** A row of report.mjs, from what a process measured. */
function rowOf(problem, figures, machine, copyRate) {
  const row = { id: `${problem.algorithm}, ${problem.case}, 2^${problem.size}`, ...problem };
  const about = { machine, copyRate };
  if (figures.error !== undefined || figures.leftOut !== undefined) return { ...row, ...figures, ...about };
  const { walls, spans, busy, ...rest } = figures;
  const middle = (times) => (times.length === 0 ? null : median(times));
  return { ...row, ...rest, spans, spanMs: middle(spans), busyMs: middle(busy), wallMs: median(walls), ...about };
}

const rowsIn = (path) => JSON.parse(readFileSync(path, 'utf8')).rows;

/** Writes the figures to files after every problem: if a long run is stopped early, they hold what was measured. */
function openFiles({ json, docs }) {
  const rows = [];
  const base = docs === undefined ? null : resolve(root, 'docs/plots', docs);
  const before = base !== null && existsSync(`${base}.json`) ? rowsIn(`${base}.json`) : [];
  const write = (path, all) => writeFileSync(path, `${JSON.stringify({ rows: all }, null, 1)}\n`);
  if (base !== null) mkdirSync(dirname(base), { recursive: true });
  return {
    rows,
    base,
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

/** The progress line of a problem. */
function progress(row) {
  if (row.leftOut !== undefined) return `${row.id}: left out: ${row.leftOut}`;
  if (row.error !== undefined) return `${row.id}: failed: ${row.error}`;
  return `${row.id}: ${rateOf(row).toPrecision(4)} M/s, ${(row.spanMs ?? row.wallMs).toFixed(3)} ms`;
}

async function main() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      list: { type: 'boolean' },
      sizes: { ...text, default: '20,22,24,25,26,27,28' },
      only: text,
      cases: text,
      runs: { ...text, default: '9' },
      limit: { ...text, default: '120' },
      json: text,
      docs: text,
      tables: text,
    },
  });
  if (options.help) return console.log(HELP);
  if (options.tables !== undefined) return console.log(report(merged([], rowsIn(options.tables)), MARKS));
  const groups = problemsOf(
    sizesOf(options.sizes),
    options.only?.split(',') ?? null,
    options.cases?.split(',') ?? null,
  );
  if (options.list)
    return console.log(
      groups
        .flat()
        .map((problem) => `${problem.algorithm}, ${problem.case}, 2^${problem.size}`)
        .join('\n'),
    );
  if (groups.length === 0) throw new Error('no such cases: --list says what there is');
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const [runs, limitSeconds] = [Number(options.runs), Number(options.limit)];
  if (!(Number.isInteger(runs) && runs > 0 && limitSeconds > 0))
    throw new Error('--runs and --limit take numbers above 0');
  const here = machine(root);
  const files = openFiles(options);
  let copyRate = null;
  let copyTried = false;
  for (const problems of groups) {
    await runProblems(problems, {
      runs,
      limitSeconds,
      copy: !copyTried,
      onCopy: ({ rate, bytes }, timestamps) => {
        copyRate = rate;
        console.error(
          `a copy of ${bytes} bytes on the device: ${rate.toPrecision(4)} GB/s${timestamps ? '' : '; the device has no timestamps: all by wall clock'}`,
        );
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

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
