/**
 * Slurm without Slurm: array jobs and their scripts, the meaning of lines of squeue, and a client with stand-in
 * commands.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integer, tuple, uniqueArray } from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Scheduler, TaskState } from '../../src/cluster/scheduler.js';
import { openSlurm } from '../../src/cluster/slurm.js';
import {
  arrayRanges,
  arraysOf,
  batchScript,
  COLUMN_FORMAT,
  jobName,
  readAttempts,
  taskAt,
  taskOf,
} from '../../src/cluster/slurm-commands.js';
import { freshDirectory } from '../battery/runner.js';
import { property } from '../support/property.js';

const ID = 'a1b2c3d4';

describe('array jobs', () => {
  const taskName = tuple(integer({ min: 0, max: 2 }), integer({ min: 0, max: 12_000 })).map(
    ([phase, number]) => `${['share', 'range', 'place'][phase]}-${String(number).padStart(4, '0')}`,
  );
  property(
    'hold at most a thousand tasks each, whose names can be read again',
    [uniqueArray(taskName, { maxLength: 300, size: 'max' })],
    (tasks) => {
      const read = arraysOf(tasks).flatMap((array) => {
        const indices = arrayRanges(array.indices)
          .split(',')
          .flatMap((range) => {
            const [first, last = first] = range.split('-').map(Number);
            return Array.from({ length: last - first + 1 }, (_, i) => first + i);
          });
        expect(Math.max(...indices)).toBeLessThan(1000);
        for (const index of indices) expect(taskOf(array, index)).toBe(taskAt(ID, jobName(ID, array), `${index}`));
        return indices.map((index) => taskOf(array, index));
      });
      expect(read.sort()).toEqual([...tasks].sort());
    },
    { runs: 50 },
  );

  it('write neighboring indices as ranges', () => {
    expect(arrayRanges([0, 1, 2, 5, 7, 8, 999])).toBe('0-2,5,7-8,999');
    expect(arrayRanges([4])).toBe('4');
  });

  it.each([
    [`gpusort-${ID}-share-12`, '7', 'share-12007'],
    [`gpusort-${ID}-share-0`, '7', 'share-0007'],
    ['gpusort-a1b2c3d5-share-0', '7', null],
    [`gpusort-${ID}-share-0`, 'N/A', null],
    [`gpusort-${ID}-share-0-x`, '7', null],
    [`gpusort-${ID}`, '7', null],
    [`xgpusort-${ID}-share-0`, '7', null],
    ['', '', null],
  ])('of the name "%s" at index %s hold the task %s', (job, index, task) => {
    expect(taskAt(ID, job, index)).toBe(task);
  });

  it('have a script that becomes the task, whatever bytes its words hold', () => {
    const directory = Buffer.concat([Buffer.from('/a \'b\' "c" $HOME `d` \\ *\n'), Buffer.from([0xff, 0x80])]);
    const words = ["it's", '$(false)', '', '-n', 'two\nlines', '\\'];
    const options = { directory, id: ID, command: ['printf', '%s\\0'], taskOptions: words };
    for (const [block, index, name] of [
      [0, '8', 'share-0008'],
      [12, '999', 'share-12999'],
    ] as const) {
      const printed = execFileSync('/bin/sh', ['-s'], {
        input: batchScript(options, { phase: 'share', block, indices: [] }),
        env: { ...process.env, SLURM_ARRAY_TASK_ID: index },
        encoding: 'latin1',
      });
      expect(printed.split('\0')).toEqual(['--cluster-task', `${directory.toString('latin1')}/${name}`, ...words, '']);
    }
  });
});

/** Pads and cuts values as squeue does. */
function line(values: readonly string[]): string {
  const widths = COLUMN_FORMAT.split(',').map((column) => Number(column.split(':')[1]));
  return values.map((value, i) => value.slice(0, widths[i]).padEnd(widths[i])).join('');
}

const waits = (reason: string | null): TaskState => ({ kind: 'waiting', reason });
const runs = (host: string | null): TaskState => ({ kind: 'running', host });
const ended = (how: string | null, again: boolean): TaskState => ({ kind: 'ended', how, again });
const lost = (how: string): TaskState => ({ kind: 'ended', how, again: true, isLost: true });
const MEMORY = 'was killed (SIGKILL), perhaps because it was out of memory';
const SHUT_DOWN = 'was ended (SIGTERM), perhaps because its node was shut down';
const NO_LOG = 'could not open its log: its node may not see the job directory';
const DOWN = 'ReqNodeNotAvail, UnavailableNodes:n[1-3]';

/** State, exit code, node and reason as Slurm 22.05 prints them, with and without control groups. */
const STATES: readonly (readonly [string, string, string, string, TaskState])[] = [
  ['PENDING', '0', '', 'None', waits(null)],
  ['PENDING', '0', '', 'Resources', waits('Resources')],
  ['PENDING', '0', '', DOWN, waits(DOWN)],
  ['CONFIGURING', '0', 'n1', 'None', waits('CONFIGURING')],
  ['REQUEUED', '0', 'n1', 'None', waits('REQUEUED')],
  ['SUSPENDED', '0', 'n1', 'None', waits('SUSPENDED')],
  ['RUNNING', '0', 'n1', 'None', runs('n1')],
  ['RUNNING', '0', '', 'None', runs(null)],
  ['COMPLETING', '0', 'n1', 'None', runs('n1')],
  ['STATE_OF_A_LATER_VERSION', '0', 'n1', 'None', runs('n1')],
  ['COMPLETED', '0', 'n2', 'None', ended(null, false)],
  ['FAILED', '512', 'n2', 'NonZeroExitCode', ended(null, false)],
  ['FAILED', '0', 'n2', 'JobLaunchFailure', ended('could not be started', true)],
  ['FAILED', '9', 'n2', 'JobLaunchFailure', ended(MEMORY, false)],
  ['FAILED', '15', 'n2', 'RaisedSignal:15(Terminated)', ended(SHUT_DOWN, true)],
  ['FAILED', '139', 'n2', 'RaisedSignal:11(Segmentation_fault)', ended('was ended by signal 11', false)],
  ['FAILED', '4021', 'n2', 'JobLaunchFailure', ended(NO_LOG, true)],
  ['OUT_OF_MEMORY', '253', 'n2', 'OutOfMemory', ended('was out of memory', false)],
  ['TIMEOUT', '15', 'n2', 'TimeLimit', ended('reached its time limit', false)],
  ['DEADLINE', '15', 'n2', 'DeadLine', ended('reached its deadline', false)],
  ['PREEMPTED', '15', 'n2', 'None', lost('was preempted')],
  ['CANCELLED', '15', 'n2', 'None', ended('was cancelled', false)],
  ['REVOKED', '0', 'n2', 'None', ended('was revoked', false)],
  ['NODE_FAIL', '0', 'n2', 'None', lost('lost its node n2')],
  ['BOOT_FAIL', '0', 'n2', 'None', ended('got a node that did not start', true)],
  ['LAUNCH_FAILED', '0', 'n2', 'None', ended('could not be started', true)],
];

describe('a line of squeue', () => {
  it.each(STATES)(
    'says that the task waits, runs or has ended: %s %s "%s" %s',
    (name, exitCode, host, reason, state) => {
      const output = `${line([`gpusort-${ID}-share-0`, '42', '7', name, exitCode, host, reason])}\n`;
      expect(readAttempts(ID, output)).toEqual([{ task: 'share-0007', job: 42, state }]);
    },
  );

  it('is ignored if it is of another job, the header of a cluster, or has a name that moves columns', () => {
    const output = [
      'CLUSTER: one',
      line(['gpusort-zzzzzzzz-share-0', '1', '7', 'RUNNING', '0', 'n1', 'None']),
      line(['wrap', '2', 'N/A', 'RUNNING', '0', 'n1', 'None']),
      line([`gpusort-${ID}-${'x'.repeat(90)}`, '3', '7', 'RUNNING', '0', 'n1', 'None']),
      line([`gpusort-${ID}-range-2`, '4', '31', 'RUNNING', '0', 'n1', 'None']),
      '',
    ].join('\n');
    expect(readAttempts(ID, output)).toEqual([{ task: 'range-2031', job: 4, state: runs('n1') }]);
  });
});

describe('a client of Slurm', () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
  });

  /** A client whose commands of Slurm are these lines of sh; without any, Slurm is missing. */
  function open(commands: Readonly<Record<string, string>>, slurmOptions: readonly string[] = []): Scheduler {
    const folder = freshDirectory('slurm');
    for (const [name, text] of Object.entries(commands))
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    process.env.PATH = Object.keys(commands).length === 0 ? folder : `${folder}:${PATH}`;
    const directory = Buffer.from(join(folder, 'job'));
    mkdirSync(directory);
    const { signal } = new AbortController();
    return openSlurm(
      { directory, id: ID, command: ['gpusort'], taskOptions: [], slurmOptions, signal },
      { pollMs: () => 0, patienceMs: 0 },
    );
  }

  /** squeue that prints states of share-0000 by the numbers of their jobs. */
  const squeue = (...attempts: readonly (readonly [job: number, state: string])[]): string =>
    `cat << 'END'\n${attempts
      .map(([job, state]) => line([`gpusort-${ID}-share-0`, String(job), '0', state, '0', 'n1', 'None']))
      .join('\n')}\nEND`;

  it('knows the last attempt of each task, in whatever order squeue lists them', async () => {
    for (const attempts of [
      [[8, 'RUNNING'] as const, [7, 'CANCELLED'] as const],
      [[7, 'CANCELLED'] as const, [8, 'RUNNING'] as const],
    ])
      expect(await open({ squeue: squeue(...attempts) }).states()).toEqual(new Map([['share-0000', runs('n1')]]));
  });

  it('treats a task that squeue no longer lists as ended', async () => {
    const folder = freshDirectory('seen');
    const scheduler = open({ squeue: `mkdir "${folder}/once" 2> /dev/null || exit 0\n${squeue([8, 'RUNNING'])}` });
    expect((await scheduler.states()).get('share-0000')).toEqual(runs('n1'));
    const state = async (): Promise<TaskState | undefined> => (await scheduler.states()).get('share-0000');
    // It is called only now and then.
    await expect.poll(state).toEqual(ended('is no longer known to Slurm', true));
  });

  it('passes on the message of sbatch', async () => {
    const sbatch = 'echo "sbatch: error: invalid partition specified: none" >&2; exit 1';
    await expect(open({ squeue: '', sbatch }).submit(['share-0000'])).rejects.toMatchObject({
      message: 'sbatch did not take the tasks: invalid partition specified: none',
    });
  });

  it('says that Slurm is missing', async () => {
    await expect(open({}).states()).rejects.toMatchObject({
      code: 'scheduler-failed',
      message: 'cannot run squeue: No such file or directory',
    });
  });

  it.each([
    [['--time=5', '--wait'], 'gpusort waits for its tasks itself'],
    [['-W'], 'gpusort waits for its tasks itself'],
    [['--clusters=a'], 'name the cluster in the environment variable SLURM_CLUSTERS'],
    [['-M', 'a'], 'name the cluster in the environment variable SLURM_CLUSTERS'],
  ])('refuses options that would keep it from following its tasks: %j', (words, remedy) => {
    expect(() => open({}, words)).toThrow(remedy);
  });

  it('accepts options that only begin like those', () => {
    open({}, ['--wait-all-nodes=1', '--cluster-constraint=a', '-AmyWork', '--mem=2G', '-pmain', '--mail-type=END']);
  });
});
