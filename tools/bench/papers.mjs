/**
 * `npm run bench:papers`: repeats the headline experiments of the five papers that gpusort implements, on this machine,
 * and writes the figures to docs/papers.json and into docs/papers.md. Needs the built dist/ and an adapter. --help
 * lists the options.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { earlierRows, readRows, writeRows } from './documents.mjs';
import { machine } from './measure.mjs';
import { Context } from './papers/context.mjs';
import { EXPERIMENTS, notesOf, rendered } from './papers/documents.mjs';
import { FOLDER_VARIABLE } from './papers/texts.mjs';
import { machineLine } from './report.mjs';

const HELP = `Usage: npm run bench:papers -- [OPTION]...
Repeats experiments of the papers. Writes docs/papers.json, and its tables into docs/papers.md.
  --only LIST     these papers or experiments (default all)
  --runs N        timed runs of each problem (default 5; at most 3 of commands and of the host's sorts and merges)
  --limit S       stop a program or problem after S seconds (default 120)
  --texts DIR     real texts, made by tools/bench/papers/texts.mjs (default .cache/texts); without them,
                  what needs them is left out
  --cub PROGRAM   tools/bench/kernels/cub.cu, compiled: ratios to CUB are those to its rates in the same run
  --dir DIR       make the files in DIR (default /dev/shm, else the temporary directory)
  --docs BASE     write BASE.json, and the tables into BASE.md if there is one (default docs/papers). Figures in an
                  existing BASE.json stay until they are measured again
  --quick         tiny inputs and one run, to see that everything works; writes nothing without --docs
  --render        measure nothing: write BASE.md again from BASE.json
Experiments:
${EXPERIMENTS.map(({ key }) => `  ${key}`).join('\n')}`;

/** The experiments that a list names. */
function chosen(list) {
  const names = list?.split(',') ?? null;
  const known = (name) => EXPERIMENTS.some(({ key, paper }) => key === name || String(paper) === name);
  const unknown = names?.filter((name) => !known(name)) ?? [];
  if (unknown.length > 0) throw new Error(`unknown experiments: ${unknown.join(', ')}`);
  return EXPERIMENTS.filter(({ key, paper }) => names === null || names.includes(key) || names.includes(String(paper)));
}

/** Writes the figures, in the order of the experiments, and the document. */
function save(base, rows) {
  writeRows(`${base}.json`, rows);
  render(base, rows);
}

function render(base, rows) {
  if (existsSync(`${base}.md`)) writeFileSync(`${base}.md`, rendered(readFileSync(`${base}.md`, 'utf8'), rows));
}

/** Whether a row, or one of the commands that it timed, failed. */
const failed = ({ error, ways = {}, statistics = {} }) =>
  error !== undefined || [...Object.values(ways), ...Object.values(statistics)].some((one) => one.error !== undefined);

async function main() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      quick: { type: 'boolean', default: false },
      render: { type: 'boolean' },
      only: text,
      runs: text,
      limit: { ...text, default: '120' },
      cub: text,
      dir: text,
      docs: text,
      texts: text,
    },
  });
  if (options.help) return console.log(HELP);
  const { quick } = options;
  if (options.texts !== undefined) process.env[FOLDER_VARIABLE] = resolve(options.texts);
  const base = resolve(options.docs ?? join(root, 'docs/papers'));
  const written = !quick || options.docs !== undefined;
  if (options.render) return render(base, readRows(`${base}.json`));
  const [runs, limitSeconds] = [Number(options.runs ?? (quick ? 1 : 5)), Number(options.limit)];
  if (!(Number.isInteger(runs) && runs > 0 && limitSeconds > 0)) throw new Error('--runs and --limit must be above 0');
  const experiments = chosen(options.only);
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const parent = options.dir ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const directory = mkdtempSync(join(parent, 'gpusort-papers-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const here = machine(root);
  console.log(machineLine(here));
  const cub = options.cub === undefined ? null : resolve(options.cub);
  const context = new Context({ quick, runs, limitSeconds, directory, machine: here, cub });
  let rows = written ? earlierRows(`${base}.json`) : [];
  for (const { key, measure, table } of experiments) {
    const begin = performance.now();
    let measured;
    try {
      measured = (await measure(context)).map((row) => ({ runs, ...row, experiment: key, machine: here }));
    } catch (error) {
      // The others are measured all the same: time on a GPU may be scarce.
      console.error(`bench: ${key}: ${error.message}`);
      process.exitCode = 1;
      continue;
    }
    console.log(
      `\n${key} (${((performance.now() - begin) / 1000).toFixed(1)} s)\n\n${table(measured)}\n${notesOf(measured)}`,
    );
    for (const row of measured.filter(failed)) console.log(`${row.id}: ${row.error ?? 'see above'}`);
    if (measured.some(failed)) process.exitCode = 1;
    rows = EXPERIMENTS.flatMap((one) =>
      one.key === key ? measured : rows.filter((row) => row.experiment === one.key),
    );
    // Written after every experiment: a run that is stopped early keeps what was measured.
    if (written) save(base, rows);
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));
try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
