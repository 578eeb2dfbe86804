/**
 * `npm run bench:kernels`: times each of the GPU's sorts alone, on data in device memory, checks the results, and
 * prints the rates with those of peers and with targets. Needs the built dist/ and an adapter; --tables needs neither.
 * --help lists the options.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { baseOf, earlierRows, readRows, writePlots, writeRows } from './documents.mjs';
import { ALGORITHMS } from './kernels/algorithms.mjs';
import { compileCub, cubSorts } from './kernels/cub.mjs';
import { rateOf, rowOf } from './kernels/figures.mjs';
import { merged, problemsOf, sizesOf } from './kernels/problems.mjs';
import { runProblems } from './kernels/processes.mjs';
import { report } from './kernels/report.mjs';
import { TARGETS } from './kernels/targets.mjs';
import { machine } from './measure.mjs';

const LONGEST = Math.max(...ALGORITHMS.map(({ name }) => name.length));

const HELP = `Usage: npm run bench:kernels -- [OPTION]...
Times the GPU's sorts on data in device memory. Prints a table for each algorithm.
  --sizes LIST    numbers of elements as powers of two: a list with commas, or FIRST..LAST (default
                  20,22,24,25,26,27,28). Sizes that one binding cannot hold are left out
  --only LIST     these algorithms (default all, but no variants of sorts of fixed keys)
  --cases LIST    cases whose name contains one of these (default all)
  --runs N        timed runs of each problem, after a warm-up (default 9)
  --limit S       stop a problem after S seconds, including the time to make its input (default 120)
  --cub PROGRAM   tools/bench/kernels/cub.cu, compiled: it sorts the same inputs with CUB, each after gpusort. none: no
                  CUB (default: compile it with nvcc if there is one and the device is NVIDIA's)
  --json FILE     write all figures of this run
  --docs NAME     write docs/plots/NAME.json and a plot for each family of cases, NAME-FAMILY.svg. NAME may be a path.
                  Rows of an existing NAME.json stay until they are measured again
  --tables FILE   measure nothing: print the tables of a JSON file as Markdown
  --list          measure nothing: list the problems
\`npm run bench -- --plots\` draws the plots again.
Algorithms (--list lists their cases):
${ALGORITHMS.map(({ name, title }) => `  ${name.padEnd(LONGEST)}  ${title}`).join('\n')}`;

/** Writes the figures to files after every problem: if a long run is stopped early, they hold what was measured. */
function openFiles({ json, docs }) {
  const rows = [];
  const base = docs === undefined ? null : baseOf(docs);
  const before = base === null ? [] : earlierRows(`${base}.json`);
  return {
    add(row) {
      rows.push(row);
      if (json !== undefined) writeRows(json, merged([], rows));
      if (base !== null) writeRows(`${base}.json`, merged(before, rows));
    },
    /** Writes the plots. Returns the rows of this run and the paths of the documents. */
    finish() {
      const paths = base === null ? [] : [`${base}.json`, ...writePlots(base, merged(before, rows))];
      return { rows: merged([], rows), paths };
    },
  };
}

/** The program that runs CUB beside these problems; null: none. */
function findCub(option, groups, { adapter }) {
  if (option === 'none') return null;
  if (option !== undefined) return option;
  const algorithmOf = ({ algorithm }) => ALGORITHMS.find(({ name }) => name === algorithm);
  const needed = groups.flat().some((problem) => {
    const algorithm = algorithmOf(problem);
    return (
      cubSorts(
        algorithm,
        algorithm.cases.find(({ name }) => name === problem.case),
      ).length > 0
    );
  });
  if (!needed || !/nvidia/i.test(adapter)) return null;
  const { argv, missing, errors = '' } = compileCub();
  if (missing === undefined) return argv[0];
  console.error(`no ratios to CUB: ${missing}${errors && `\n${errors}`}`);
  return null;
}

/** The progress line of a problem. */
function progress(row) {
  if (row.leftOut !== undefined) return `${row.id}: left out: ${row.leftOut}`;
  if (row.error !== undefined) return `${row.id}: failed: ${row.error}`;
  const peers = (row.peers ?? []).map(({ peer, rate, error }) => `; ${peer}: ${error ?? `${rate.toPrecision(4)} M/s`}`);
  return `${row.id}: ${rateOf(row).toPrecision(4)} M/s, ${(row.spanMs ?? row.wallMs).toFixed(3)} ms${peers.join('')}`;
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
      cub: text,
      json: text,
      docs: text,
      tables: text,
    },
  });
  if (options.help) return console.log(HELP);
  if (options.tables !== undefined) return console.log(report(merged([], readRows(options.tables)), TARGETS));
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
  if (groups.length === 0) throw new Error('no problem matches: --list lists all');
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const [runs, limitSeconds] = [Number(options.runs), Number(options.limit)];
  if (!(Number.isInteger(runs) && runs > 0 && limitSeconds > 0)) throw new Error('--runs and --limit must be above 0');
  const here = machine(root);
  const cub = findCub(options.cub, groups, here);
  const files = openFiles(options);
  let copyRate = null;
  let copyTried = false;
  for (const problems of groups) {
    await runProblems(problems, {
      runs,
      limitSeconds,
      copy: !copyTried,
      cub,
      onCopy: ({ rate, bytes }, timestamps) => {
        copyRate = rate;
        console.error(
          `a device copy of ${bytes} bytes: ${rate.toPrecision(4)} GB/s${timestamps ? '' : '; the device has no timestamps: times are by wall clock'}`,
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
  const { rows, paths } = files.finish();
  console.log(report(rows, TARGETS));
  if (paths.length > 0) console.log(`Figures and plots: ${paths.join(', ')}`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
