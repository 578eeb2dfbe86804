/**
 * The time that small sorts take, beside an empty program of Node: processor time and wall time of both, run in turn,
 * so that both meet the same load. Medians of all rounds, and the medians of the ratios within a round.
 *
 *     npm run bench:start [-- ROUNDS [PROGRAM]]
 *
 * PROGRAM: a launcher of an archive to measure instead of bin/gpusort.cjs, compared with the Node of this process.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './commands.mjs';
import { machine, median } from './measure.mjs';

const ROUNDS = Number(process.argv[2] ?? 30);
const PROGRAM = process.argv[3] === undefined ? [process.execPath, join(root, 'bin/gpusort.cjs')] : [process.argv[3]];
const LINE = 'the quick brown fox jumps over the lazy dog';

const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;
const directory = mkdtempSync(join(tmpdir(), 'gpusort-start-'));
const output = join(directory, 'output');
const file = (name, content) => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

/** `bytes` bytes of lines that differ in a random number at their beginning. */
function lines(bytes) {
  let text = '';
  for (let seed = 1; text.length < bytes; ) {
    seed = (seed * 48271) % 2147483647;
    text += `${seed} ${LINE}\n`;
  }
  return `${text.slice(0, bytes - 1)}\n`;
}

/** Milliseconds of processor time and of wall time of a command, without the shell that starts it. */
function measured(argv) {
  rmSync(output, { force: true });
  const { stderr, status } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%3U %3S %3R"; time "$@" > /dev/null', 'bash', ...argv],
    {
      encoding: 'utf8',
      env: { ...environment, LC_ALL: 'C' },
    },
  );
  if (status !== 0) throw new Error(`${argv.join(' ')}: ${stderr}`);
  const [user, system, wall] = stderr
    .trim()
    .split(' ')
    .map((word) => 1000 * Number(word));
  return { cpu: user + system, wall };
}

const two = file('two', 'b\na\n');
const hundred = file('100k', lines(100_000));
const rows = [
  ['two lines', [two]],
  ['1 KB', [file('1k', lines(1000))]],
  ['100 KB', [hundred]],
  ['100 KB, -n', ['-n', hundred]],
  ['2 MB', [file('2m', lines(2_000_000))]],
  ['two lines, -o to a new file', [two, '-o', output]],
  ['two lines, -o over a file', [two, '-o', two]],
  ['--version', ['--version']],
].map(([name, args]) => [name, [...PROGRAM, ...args]]);
const empty = [process.execPath, file('empty.js', '')];

const { cpu, cores, node } = machine(root);
console.log(`${cpu}, ${cores} cores, Node ${node}; ${ROUNDS} rounds, milliseconds\n`);
console.log('| row | processor | empty Node | ratio | wall | empty Node | ratio |');
console.log('| --- | --- | --- | --- | --- | --- | --- |');
try {
  const rounds = rows.map(() => []);
  for (const [, argv] of rows) measured(argv);
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, [, argv]] of rows.entries()) rounds[i].push({ own: measured(argv), node: measured(empty) });
  for (const [i, [name]] of rows.entries()) {
    const cells = ['cpu', 'wall'].flatMap((time) => [
      median(rounds[i].map(({ own }) => own[time])).toFixed(0),
      median(rounds[i].map(({ node }) => node[time])).toFixed(0),
      median(rounds[i].map(({ own, node }) => own[time] / node[time])).toFixed(2),
    ]);
    console.log(`| ${[name, ...cells].join(' | ')} |`);
  }
} finally {
  rmSync(directory, { recursive: true });
}
