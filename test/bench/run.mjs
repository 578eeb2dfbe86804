/**
 * `npm run bench`: makes files, times gpusort and its peers on them in turns, proves the outputs, prints the ratios. Needs Node,
 * the built dist/ and the package's dependencies, nothing else. --help says the options.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findDuckdb } from './duckdb.mjs';
import { generate } from './generate.mjs';
import { inOrder, machine, median, recordsSorted, sameFiles, timeCommand } from './measure.mjs';
import { machineLine, rowTable, svgPlot } from './report.mjs';
import { chooseRows, ROWS } from './rows.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');

const HELP = `Usage: npm run bench -- [OPTION]...
  --rows LIST     rows or groups, by comma (default a,b,c)
  --scale X       sizes times X (default 1)
  --runs N        runs of each program (default 3; row c: seven times as many)
  --dir DIR       where the files are made (default /dev/shm, else the temporary directory)
  --parallel N    threads of the peers (default: the row's)
  --peers LIST    of gnu,cp,duckdb,uutils,node (default: the row's; what is not installed is left out)
  --limit S       most seconds for one command (default 600)
  --option X      one more option for gpusort; may be repeated
  --json FILE     figures as JSON
  --svg FILE      figures as a picture
Rows:
${ROWS.map((row) => `  ${row.id.padEnd(4)}${row.title}`).join('\n')}`;

/** The command of a peer, or null where it is not installed. */
function peerCommand(peer, row, files, threads) {
  const { input, output } = files;
  if (peer === 'gnu') return ['sort', `--parallel=${threads}`, ...row.options, input];
  if (peer === 'cp') return ['cp', input, output];
  if (peer === 'pipe') return ['sh', '-c', 'cat "$0" | cat > /dev/null', input];
  if (peer === 'node') return [process.execPath, '-e', '0'];
  if (peer === 'uutils') {
    const found = spawnSync('coreutils', ['sort', '--version'], { encoding: 'utf8' });
    return found.status === 0 && /uutils/i.test(found.stdout) ? ['coreutils', 'sort', `--parallel=${threads}`, ...row.options, input] : null;
  }
  if (peer === 'duckdb') {
    const found = findDuckdb(root);
    return found === null ? null : [process.execPath, join(here, 'duckdb.mjs'), found, String(threads), input, output];
  }
  throw new Error(`unknown peer '${peer}'`);
}

/** What the table says of an output, once for each program. */
function verdict(command, row, files) {
  if (command.name === 'node' || command.name.endsWith('pipe')) return '';
  if (command.name === 'cp') return 'copy';
  if (row.check === 'records') return recordsSorted(files.input, files.output) ? 'in order' : 'WRONG';
  if (row.check === 'order') return inOrder(files.input, files.output) ? 'in order' : 'WRONG';
  if (!existsSync(files.reference)) {
    // The first sort of a row is GNU's, which is the reference.
    renameSync(files.output, files.reference);
    return 'reference';
  }
  return sameFiles(files.output, files.reference) ? 'same' : 'DIFFERS';
}

/** Makes a row's file and runs its programs in turns: a machine that gets slower or busier then does so for all. */
async function runRow(row, options, directory) {
  const files = { input: join(directory, 'input'), output: join(directory, 'output'), reference: join(directory, 'reference') };
  const scale = Number(options.scale);
  const size = row.id === 'c' ? row.size : Object.fromEntries(Object.entries(row.size).map(([unit, value]) => [unit, Math.round(value * scale)]));
  const made = generate(row.kind, files.input, size);
  const threads = Number(options.parallel ?? row.threads ?? availableParallelism());
  const peers = row.peers.filter((peer) => !options.peers || options.peers.split(',').includes(peer));
  const commands = peers.map((peer) => ({ name: peer === 'pipe' ? 'cat to a pipe' : peer, argv: peerCommand(peer, row, files, threads) })).filter(({ argv }) => argv !== null);
  const own = [process.execPath, join(root, 'bin/gpusort.cjs'), ...row.options, ...row.own, ...options.option, files.input];
  // GNU first, for the reference; then gpusort, then the others.
  commands.splice(commands.findIndex(({ name }) => name === 'gnu') + 1, 0, { name: 'gpusort', argv: own });
  if (peers.includes('pipe')) commands.push({ name: 'gpusort to a pipe', argv: ['sh', '-c', '"$0" "$@" | cat > /dev/null', ...own] });
  const runs = Number(options.runs) * (row.id === 'c' ? 7 : 1);
  for (const command of commands) Object.assign(command, { seconds: [], median: NaN, output: '', error: null });
  for (let run = 0; run < runs; run++) {
    for (const command of commands) {
      if (command.error || (run > 0 && row.once?.includes(command.name))) continue;
      rmSync(files.output, { force: true });
      try {
        // cp and DuckDB write the output file themselves.
        const output = command.name === 'cp' || command.name === 'duckdb' ? '/dev/null' : files.output;
        command.seconds.push(await timeCommand(command.argv, { output, limitSeconds: Number(options.limit) }));
        if (run === 0) command.output = verdict(command, row, files);
      } catch (error) {
        command.error = error.message;
      }
      // Long runs say where they are; short ones are over before one could read it.
      if (command.error || command.seconds.at(-1) > 1) process.stderr.write(`${row.id} ${command.name} ${command.error ?? `${command.seconds.at(-1).toFixed(2)} s`}\n`);
    }
  }
  for (const command of commands) if (command.seconds.length > 0) command.median = median(command.seconds);
  for (const path of Object.values(files)) rmSync(path, { force: true });
  return { id: row.id, title: row.title, scale, bytes: made.bytes, lines: made.lines, commands };
}

async function main() {
  const text = { type: 'string' };
  const { values: options } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' }, rows: { ...text, default: 'a,b,c' }, scale: { ...text, default: '1' }, runs: { ...text, default: '3' },
      dir: text, parallel: text, peers: text, limit: { ...text, default: '600' }, option: { ...text, multiple: true, default: [] }, json: text, svg: text,
    },
  });
  if (options.help) return console.log(HELP);
  if (!existsSync(join(root, 'dist'))) throw new Error('dist/ is missing: run npm run build');
  const rows = chooseRows(options.rows);
  const parent = options.dir ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  mkdirSync(parent, { recursive: true });
  const directory = mkdtempSync(join(parent, 'gpusort-bench-'));
  const end = () => rmSync(directory, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { end(); process.exit(130); });
  const result = { machine: machine(root), rows: [] };
  console.log(`${machineLine(result.machine)}; files in ${parent}\n`);
  try {
    for (const row of rows) {
      const figures = await runRow(row, options, directory);
      result.rows.push(figures);
      console.log(rowTable(figures));
      // Written after every row: a long run that is ended early keeps what it has.
      if (options.json) writeFileSync(options.json, JSON.stringify(result, null, 2) + '\n');
      if (options.svg) writeFileSync(options.svg, svgPlot(result.rows, result.machine));
    }
  } finally {
    end();
  }
  const bad = result.rows.flatMap((row) => row.commands.filter((command) => command.name === 'gpusort' && (command.error || /[A-Z]{5}/.test(command.output))));
  if (bad.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 2;
}
