/**
 * Times of whole sorts on a Slurm cluster of four virtual nodes on this machine (root, with slurm-wlm and munge): each
 * case of cluster/cases.mjs, compared with one gpusort and GNU sort, whose outputs must be equal; then lines with a
 * node killed in each phase, and after Ctrl-C. Prints a table for docs/cluster.md.
 *
 *     node tools/bench/cluster-slurm.mjs [LINES_MB] [OTHERS_MB]
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CASES } from './cluster/cases.mjs';
import { outputOf, prepareCase, sortDistributed, sortHere, startGpusort, takeOutput } from './cluster/run-case.mjs';
import { table } from './report.mjs';

const NODES = 4;
const CLUSTER = ['--engine=cpu', '--cluster=slurm', `--tasks=${NODES}`];
const SCRIPT = fileURLToPath(new URL('../../test/cluster/slurm-cluster.sh', import.meta.url));
const HELD_TASK = fileURLToPath(new URL('../../test/support/held-task.cjs', import.meta.url));

const [linesMB = 200, othersMB = 200] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), 'gpusort-slurm-'));
const slurm = (verb, ...words) => execFileSync(SCRIPT, [verb, join(root, 'slurm'), ...words], { encoding: 'utf8' });
const env = { SLURM_CONF: join(root, 'slurm/slurm.conf') };
const rows = [];

function add(name, one, found, seconds) {
  const output = one.expected.sha256 === found ? 'equal' : 'DIFFERENT';
  const times = [seconds, one.here, one.sort === undefined ? null : one.expected.seconds];
  rows.push([
    name,
    `${one.megabytes} MB`,
    ...times.map((time) => (time === null ? '' : `${time.toFixed(1)} s`)),
    output,
  ]);
  console.error(rows.at(-1).join(' | '));
}

async function prepared(one, name) {
  const directory = join(root, name);
  mkdirSync(directory);
  const megabytes = one.isLarge ? linesMB : othersMB;
  const ready = { ...prepareCase(one, directory, megabytes * 1e6), megabytes };
  const here = await sortHere(ready, { byItself: true });
  return { ...ready, here: here.seconds, expected: one.sort === undefined ? here : await sortHere(ready) };
}

/** A sort of lines whose task is held until `meddle`, which is given the client, has done its work. */
async function interrupted(lines, task, meddle) {
  const held = join(root, `held-${rows.length}`);
  mkdirSync(held);
  const holding = { ...env, NODE_OPTIONS: `--require=${HELD_TASK}`, GPUSORT_TEST_HELD: `${held}:300:${task}` };
  const words = [...CLUSTER, ...lines.words, '-o', outputOf(lines)];
  const { child, ended } = startGpusort(words, { env: holding });
  while (!existsSync(join(held, task))) await delay(20);
  await meddle(child, task);
  return ended;
}

/** The node of a running task is killed; it is started again later. */
async function killNode(_, task) {
  const [kind, digits] = task.split('-');
  const running = slurm('tasks')
    .split('\n')
    .map((line) => line.split(' '));
  const [node] = running.find(([, job, index]) => job.includes(kind) && Number(index) === Number(digits));
  slurm('kill-node', node);
  setTimeout(() => slurm('start-node', node), 15_000);
}

try {
  mkdirSync(join(root, 'slurm'));
  execFileSync(SCRIPT, ['start', join(root, 'slurm'), String(NODES)], { env: { ...process.env, ...env } });
  Object.assign(process.env, env);
  let lines;
  for (const [i, one] of CASES.entries()) {
    const ready = await prepared(one, `case-${i}`);
    const { seconds, sha256 } = await sortDistributed(ready, CLUSTER, { env });
    add(one.name, ready, sha256, seconds);
    if (i === 0) lines = ready;
    else rmSync(ready.directory, { recursive: true });
  }
  for (const [phase, task] of [
    ['first', 'share-0002'],
    ['second', 'range-0001'],
  ]) {
    const { seconds } = await interrupted(lines, task, killNode);
    add(`lines, a node is killed in the ${phase} phase`, lines, await takeOutput(lines), seconds);
    await delay(5000);
  }
  await interrupted(lines, 'range-0001', (client) => client.kill('SIGINT'));
  const { seconds, sha256 } = await sortDistributed(lines, CLUSTER, { env });
  add('lines, resumed after Ctrl-C in the second phase', lines, sha256, seconds);
} finally {
  slurm('stop');
  rmSync(root, { recursive: true });
}
console.log(table(['case', 'input', 'four nodes', 'gpusort', 'GNU sort', 'output'], ...rows));
