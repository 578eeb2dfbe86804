/** The programs of the rows as commands, with the destination and the check of their output. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNumpy, findVqsort, numpyCommand, vqsortCommand } from './array-peers.mjs';
import { findHold } from './compiled-peer.mjs';
import { findDuckdb } from './duckdb.mjs';

const here = dirname(fileURLToPath(import.meta.url));
/** The root of the checkout. */
export const root = join(here, '../..');
const DUCKDB = join(here, 'duckdb.mjs');
const RECOMPRESS = join(here, 'recompress.mjs');

/** Pipes the output of `argv` into a reader that writes it to `sink`. The pipeline fails if `argv` fails. */
const pipeline = (sink, ...argv) => ['bash', '-o', 'pipefail', '-c', '"$@" | cat > "$0"', sink, ...argv];

/** A pipeline of a row in which `$SORT` runs `argv`, and `$1` is the file `input`. It writes to standard output. */
const pipelineOf = (shell, input, argv) => [
  'bash',
  '-o',
  'pipefail',
  '-c',
  `argv=("\${@:2}"); run() { "\${argv[@]}" "$@"; }; SORT=run; ${shell}`,
  'bash',
  input,
  ...argv,
];

/**
 * @typedef {object} Command
 * @property {readonly string[]} argv
 * @property {string} [stdout] the file for standard output; without it, standard output is discarded
 * @property {boolean} [sorts] false: there is no sorted output to prove
 * @property {string} [version] of a program whose version matters
 * @property {readonly string[]} [proof] the same command with an output file, if `argv` discards its output
 */

/** Why the program of `argv` cannot start, or null. */
const absent = (...argv) => (spawnSync(argv[0], argv.slice(1)).error ? 'not installed' : null);

/** The programs that may be missing: why each is, or null. */
const REASONS = {
  duckdb: () => (findDuckdb(root) === null ? 'not installed' : null),
  uutils: () =>
    /uutils/i.test(spawnSync('coreutils', ['sort', '--version'], { encoding: 'utf8' }).stdout ?? '')
      ? null
      : 'not installed',
  samtools: () => absent('samtools', '--version'),
  seqkit: () => absent('seqkit', 'version'),
  'sort-bed': () => absent('sort-bed', '--version'),
  'hold shell': () => findHold().missing ?? null,
  numpy: () => findNumpy().missing ?? null,
  vqsort: () => findVqsort().missing ?? null,
  'vqsort avx2': () => findVqsort().missing ?? (process.arch === 'x64' ? null : 'not an x86-64 processor'),
};

/**
 * The programs of `rows` that cannot run here, and why.
 * @returns {Map<string, string>}
 */
export const missingPrograms = (rows) =>
  new Map(
    Object.keys(REASONS)
      .filter((name) => rows.some((row) => row.programs.includes(name)))
      .map((name) => [name, REASONS[name]()])
      .filter(([, reason]) => reason !== null),
  );

/**
 * The command of the program `name`, which must be installed. `gpusort` and names such as
 * `gpusort --gpu-memory 4G` write the output file themselves (-o); `gpusort > file` writes to standard output.
 * @param {string} name
 * @param {import('./rows.mjs').Row} row
 * @param {{ input: string, inputs: readonly string[], output: string, mateOutput?: string }} files `input`: the only
 *   one of `inputs`, for programs that take one; if the row has mates, the first of two
 * @param {{ threads: number, own: readonly string[] }} options `own`: additional options of gpusort
 * @returns {Command}
 */
export function commandOf(name, row, { input, inputs, output, mateOutput }, { threads, own }) {
  const gpusortOf = (...more) => [
    process.execPath,
    join(root, 'bin/gpusort.cjs'),
    ...row.own,
    ...row.order,
    ...own,
    ...more,
  ];
  const mates = row.genomics?.mates;
  const gpusort = (...more) =>
    mates
      ? [...gpusortOf(...more), '--mate', inputs[1], '--mate-out', mateOutput, input]
      : [...gpusortOf(...more), ...inputs];
  const gnu = (order) => ['sort', `--parallel=${threads}`, ...order];
  const [program, ...more] = name.split(' ');
  const shell = row.shells?.[name];
  if (shell !== undefined) {
    const files = [input, output, ...(mates ? [inputs[1], mateOutput] : [])];
    return { argv: ['bash', '-o', 'pipefail', '-c', shell, 'bash', ...files], sorts: program !== 'gzip' };
  }
  switch (name) {
    case 'gnu':
      return { argv: [...gnu(row.gnuOrder ?? row.order), ...inputs], stdout: output };
    case 'gnu shell':
      return { argv: pipelineOf(row.shell, input, gnu(row.gnuOrder ?? [])), stdout: output };
    case 'gnu unlike':
      return { argv: ['env', `LC_ALL=${row.unlike}`, ...gnu(row.gnuOrder), ...inputs], stdout: output, sorts: false };
    case 'gpusort shell':
      return { argv: pipelineOf(row.shell, input, gpusortOf()), stdout: output };
    case 'hold shell':
      return { argv: pipelineOf(row.shell, input, findHold().argv), stdout: output, sorts: false };
    case 'gpusort plain':
      return {
        argv: [process.execPath, join(root, 'bin/gpusort.cjs'), ...row.own, ...row.plain, ...inputs, '-o', output],
        sorts: false,
      };
    case 'gpusort recompress': {
      const files = [input, output, ...(mates ? [inputs[1], mateOutput] : [])];
      return { argv: [process.execPath, RECOMPRESS, '1', String(threads), ...files], sorts: false };
    }
    case 'cat':
      return { argv: ['cat', ...inputs], stdout: output, sorts: false };
    case 'cp':
      return { argv: ['cp', input, output], sorts: false };
    case 'node':
      return { argv: [process.execPath, '-e', '0'], sorts: false };
    case 'cat to a pipe':
      return { argv: pipeline('/dev/null', 'cat', input), sorts: false };
    case 'gpusort to a pipe':
      return { argv: pipeline('/dev/null', ...gpusort()), proof: pipeline(output, ...gpusort()) };
    case 'gpusort > file':
      return { argv: gpusort(), stdout: output };
    case 'uutils':
      return { argv: ['coreutils', 'sort', `--parallel=${threads}`, ...row.order, input], stdout: output };
    case 'duckdb':
      return { argv: [process.execPath, DUCKDB, findDuckdb(root), String(threads), row.duckdb, input, output] };
    case 'numpy':
      return { argv: numpyCommand(row.numbers, input, output), version: findNumpy().version };
    case 'vqsort':
      return { argv: vqsortCommand(row.numbers, input, output) };
    case 'vqsort avx2':
      return { argv: [...vqsortCommand(row.numbers, input, output), 'avx2'] };
    default:
      if (program !== 'gpusort') throw new Error(`unknown program '${name}'`);
      return { argv: gpusort(...more, '-o', output) };
  }
}

/**
 * The engine that gpusort uses for a row, by its plan, or null if it has no plan for the row's options.
 * @param {import('./rows.mjs').Row} row
 * @param {readonly string[]} inputs
 * @param {readonly string[]} own additional options of gpusort
 * @returns {'cpu' | 'gpu' | null}
 */
export function engineOf(row, inputs, own) {
  const options = [...row.own, ...row.order, ...own];
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'bin/gpusort.cjs'), ...options, '--explain=json', ...inputs],
    {
      encoding: 'utf8',
    },
  );
  try {
    return JSON.parse(stdout).engine;
  } catch {
    // There are no plans for merging and checking, which only the CPU does.
    return options.some((option) => option === '-m' || option === '-c') ? 'cpu' : null;
  }
}
