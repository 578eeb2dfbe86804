/**
 * The client of a cluster sort alone: `npm run bench:client`. Tasks are not run: their results are made in advance. All
 * runs are one file of 128 MiB under many names, each with an index of its own; ranges have done files and ragged edges
 * of real sizes. Times each part of the client's work, and measures its memory. Needs a build, and some GB of disk.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseArguments } from '../../dist/cli/request.js';
import { finishOutput, rangeCount } from '../../dist/cluster/finish.js';
import { writeJson } from '../../dist/cluster/job-file.js';
import { locate } from '../../dist/cluster/locate.js';
import { ClusterPhase } from '../../dist/cluster/phase.js';
import { prepare } from '../../dist/cluster/prepare.js';
import { edgesOf, writeEdges } from '../../dist/cluster/range-writer.js';
import { writeIndex } from '../../dist/cluster/run-index.js';
import { makeSplitters } from '../../dist/cluster/tasks.js';
import { openInputs } from '../../dist/input/inputs.js';
import { addDigests, NO_RECORDS } from '../../dist/report/digest.js';
import { createRecorder } from '../../dist/report/recorder.js';
import { sampleBytes } from '../../dist/runs/run-index.js';
import { openSurveyWorker, SURVEY_BYTES, surveyRole } from '../../dist/verify/survey.js';
import { root } from './commands.mjs';
import { generate } from './generate.mjs';
import { seconds, table } from './report.mjs';

const HELP = `Usage: npm run bench:client -- [OPTION]...
Times the client of a cluster sort without its tasks, and prints a table.
  --tasks LIST    numbers of shares and of ranges, separated by commas (default 1000,10000)
  --dir DIR       make the files in DIR (default: the temporary directory)
  --input BYTES   size of the input, which only prepare uses (default 1e9)
  --run BYTES     size of a run: its index has a checkpoint for each 128 KiB (default 128 MiB)`;

/** How often done files appear while the client watches. */
const STEPS = 20;
const FOLDERS = { share: 'shares', range: 'ranges' };

const words = (directory, tasks) => [
  ...['--cluster', 'local:1', '--tasks', String(tasks), '-o', join(directory, 'out'), join(directory, 'in')],
];

/** The job of the command line. */
function jobOf(directory, tasks) {
  const conventions = { programName: 'gpusort', posixlyCorrect: false, obsolescentKeys: true };
  const surroundings = { ...conventions, temporaryDirectory: '/tmp', totalMemory: totalmem, openFiles: () => 1024 };
  return parseArguments(words(directory, tasks), surroundings).job;
}

/** Makes the job directory, or finds an existing one. */
const findJob = async (job, tasks) =>
  prepare(job, (await openInputs(job)).files, { shares: tasks, ranges: tasks }, await locate(job));

/** Bytes that distinguish nearly all records of a run. */
const FIRST_BYTES = 6;

/** A scheduler that starts nothing: at each poll, more tasks of a phase have their done files. */
function standIn(directory, kind, hidden) {
  const waiting = readdirSync(hidden);
  const each = Math.ceil(waiting.length / STEPS);
  const states = new Map(
    waiting.map((name) => [`${kind}-${name.replace(/\..*/, '')}`, { kind: 'running', host: 'n1' }]),
  );
  const polls = { count: 0 };
  return {
    polls,
    name: 'nothing',
    longestPauseMs: () => 20,
    submit: async () => {},
    states: async () => {
      polls.count++;
      for (const name of waiting.splice(0, each)) renameSync(join(hidden, name), join(directory, FOLDERS[kind], name));
      return states;
    },
    cancel: async () => {},
  };
}

/** The client's process. Prints times, and its memory, as JSON. */
async function client(directory, tasks, part) {
  const recorder = createRecorder(() => {});
  const times = {};
  const timed = async (name, work) => {
    const begin = performance.now();
    const cpu = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(cpu);
    times[name] = { wall: (performance.now() - begin) / 1000, cpu: (user + system) / 1e6 };
    return result;
  };
  const job = jobOf(directory, tasks);
  if (part === 'prepare') (await timed('prepare', () => findJob(job, tasks))).lock.release();
  else {
    const { directory: jobDirectory, cluster, target } = await timed('go on', () => findJob(job, tasks));
    const watch = async (kind, count) => {
      const scheduler = standIn(jobDirectory.path.toString(), kind, join(directory, `done-${kind}`));
      const bytes = Array.from({ length: count }, () => 1);
      const { signal } = new AbortController();
      const phase = new ClusterPhase({
        directory: jobDirectory,
        scheduler,
        recorder,
        signal,
        kind,
        bytes,
        progress: 'sorting',
      });
      await timed(`watch ${kind}s`, () => phase.run());
      times[`watch ${kind}s`].polls = scheduler.polls.count;
    };
    await watch('share', cluster.shares.length);
    await timed('splitters', () => makeSplitters(jobDirectory, cluster));
    await watch('range', rangeCount(jobDirectory, cluster));
    await timed('finish', () => finishOutput(jobDirectory, cluster, target, recorder));
    await timed('remove', () => jobDirectory.remove());
  }
  console.log(JSON.stringify({ times, memory: process.resourceUsage().maxRSS * 1024 }));
}

function runClient(directory, tasks, part) {
  const self = fileURLToPath(import.meta.url);
  const { stdout, status } = spawnSync(
    process.execPath,
    [...process.execArgv, self, '--client', part, '--dir', directory, '--tasks', tasks],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`the client of ${tasks} tasks failed`);
  return JSON.parse(stdout.toString());
}

/**
 * Turns the surveys of one run into those of another, by changing heads: all shares have the same run, and equal heads
 * would have to be read again, longer. The heads keep their order, because their first bytes are unchanged.
 */
function ofShare(surveys, share) {
  const random = Buffer.alloc(8);
  random.writeBigUInt64BE(BigInt.asUintN(64, BigInt(share) * 0x9e3779b97f4a7c15n));
  return surveys.map((survey) => ({
    ...survey,
    checkpoints: survey.checkpoints.map((checkpoint) => {
      const head = new Uint8Array(checkpoint.head);
      head.set(random, FIRST_BYTES);
      return { ...checkpoint, head };
    }),
  }));
}

/** The results of all tasks of the job. Their done files are in folders from which the stand-in takes them. */
async function makeResults(directory, tasks, runBytes) {
  const job = jobOf(directory, tasks);
  const { directory: jobDirectory, cluster, lock } = await findJob(job, tasks);
  lock.release();
  const run = join(directory, 'run');
  const text = join(directory, 'text');
  await generate('random100', text, { bytes: runBytes, seed: 2 });
  execFileSync(process.execPath, [join(root, 'bin/gpusort.cjs'), text, '-o', run]);
  const { size } = statSync(run);
  const survey = openSurveyWorker(surveyRole(job.ordering, 'run'));
  const fd = openSync(run);
  const surveys = Array.from({ length: Math.ceil(size / SURVEY_BYTES) }, (_, i) =>
    survey({ fd, from: i * SURVEY_BYTES, to: Math.min(size, (i + 1) * SURVEY_BYTES), end: size }),
  );
  const digest = surveys
    .flatMap(({ checkpoints }) => checkpoints.map((checkpoint) => checkpoint.digest))
    .reduce(addDigests, NO_RECORDS);
  const hidden = (kind, name) => Buffer.from(join(directory, `done-${kind}`, name));
  for (const kind of ['share', 'range']) mkdirSync(join(directory, `done-${kind}`));
  const shares = cluster.shares.length;
  for (let share = 0; share < shares; share++) {
    linkSync(run, jobDirectory.run(share));
    const name = hidden('share', jobDirectory.index(share).toString().split('/').at(-1));
    await writeIndex(name, ofShare(surveys, share), size, {
      headBytes: sampleBytes(job.ordering),
      input: digest,
      share,
    });
  }
  // The last range has the records that the others leave, and the whole hash.
  const total = { records: shares * digest.records, bytes: shares * digest.bytes };
  const hash = BigInt.asUintN(64, BigInt(shares) * digest.hash).toString(16);
  const part = (sum, range) => Math.floor((sum * (range + 1)) / tasks) - Math.floor((sum * range) / tasks);
  const block = Buffer.alloc(2 << 20, 'edge');
  let offset = 0;
  for (let range = 0; range < tasks; range++) {
    const [records, bytes] = [part(total.records, range), part(total.bytes, range)];
    const { head, tail } = edgesOf(offset, offset + bytes);
    await writeEdges(jobDirectory.edges(range), [block.subarray(0, head + tail)]);
    const result = { id: cluster.id, offset, bytes, records: { records, bytes, hash: range === 0 ? hash : '0' } };
    await writeJson(hidden('range', jobDirectory.range(range).toString().split('/').at(-1)), result);
    offset += bytes;
  }
  // Tasks have written the bytes between the edges.
  truncateSync(cluster.text, offset);
}

async function measure(parent, tasks, { input, run }) {
  const directory = mkdtempSync(join(parent, 'gpusort-client-'));
  try {
    await generate('random100', join(directory, 'in'), { bytes: input, seed: 1 });
    const first = runClient(directory, String(tasks), 'prepare');
    await makeResults(directory, tasks, run);
    const second = runClient(directory, String(tasks), 'rest');
    return { times: { ...first.times, ...second.times }, memory: Math.max(first.memory, second.memory) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    tasks: { type: 'string', default: '1000,10000' },
    dir: { type: 'string', default: tmpdir() },
    input: { type: 'string', default: '1e9' },
    run: { type: 'string', default: String(128 << 20) },
    client: { type: 'string' },
  },
});
if (values.help) console.log(HELP);
else if (values.client !== undefined) await client(values.dir, Number(values.tasks), values.client);
else {
  const counts = values.tasks.split(',').map(Number);
  const found = [];
  for (const tasks of counts)
    found.push(await measure(values.dir, tasks, { input: Number(values.input), run: Number(values.run) }));
  console.log(
    `${availableParallelism()} processors, Node ${process.version}, files in ${dirname(join(values.dir, 'x'))}\n`,
  );
  const cell = ({ wall, cpu, polls }) =>
    `${seconds(wall)} (${seconds(cpu)})${polls === undefined ? '' : `, ${polls} polls`}`;
  const rows = Object.keys(found[0].times).map((name) => [name, ...found.map(({ times }) => cell(times[name]))]);
  const memory = ['peak memory', ...found.map(({ memory }) => `${Math.round(memory / 1e6)} MB`)];
  console.log(
    table(['seconds (of processors)', ...counts.map((count) => `${count} shares and ranges`)], ...rows, memory),
  );
}
