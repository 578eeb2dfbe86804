/**
 * Tasks on a real Slurm cluster of virtual nodes, with a small script for the task. end-to-end-slurm.slow.test.ts has
 * whole sorts: there, tasks wait, are preempted, lose their nodes, run out of memory or are refused, and a later client
 * finds them. slurm-jobs.test.ts has the states that squeue prints.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scheduler, TaskState } from '../../src/cluster/scheduler.js';
import { openSlurm } from '../../src/cluster/slurm.js';
import { NIGHTLY } from '../support/tier.js';
import { SlurmCluster, whyNoSlurm } from './slurm-cluster.js';

const why = whyNoSlurm();
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'slurm-tasks-'));
const COMMAND = join(root, 'task.sh');
let sorts = 0;
let cluster: SlurmCluster;

/** The actions of tasks: `task.sh --cluster-task DIR/share-0007 WHAT`. The file done-share-0007 is the done file. */
const SCRIPT = `
case $3 in
  mark) echo "$SLURMD_NODENAME" > "\${2%/*}/done-\${2##*/}" ;;
  sleep) exec sleep 300 ;;
  fail) echo 'own message' >&2; exit 2 ;;
  die) kill -SEGV $$ ;;
  environment) env > "\${2%/*}/environment" ;;
esac
`;

interface Sort extends Scheduler {
  readonly id: string;
  readonly directory: Buffer;
}

interface Setting {
  readonly id?: string;
  readonly directory?: Buffer;
  readonly slurmOptions?: readonly string[];
  readonly patienceMs?: number;
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
}

/** A new sort whose tasks do `what`, or the same sort again if `id` is given. */
function open(what: string, setting: Setting = {}): Sort {
  const id = setting.id ?? `test${String(++sorts).padStart(4, '0')}`;
  const directory = setting.directory ?? Buffer.from(join(root, id));
  mkdirSync(Buffer.concat([directory, Buffer.from('/log')]), { recursive: true });
  const { slurmOptions = [], signal = new AbortController().signal, pollMs = 0, patienceMs = 600_000 } = setting;
  const common = { directory, id, command: ['/bin/sh', COMMAND], taskOptions: [what] };
  const scheduler = openSlurm({ ...common, slurmOptions, signal }, { pollMs: () => pollMs, patienceMs });
  return Object.assign(scheduler, { id, directory });
}

/** Polls until all tasks are in `kind`. */
async function until(sort: Scheduler, kind: TaskState['kind'], seconds = 60): Promise<ReadonlyMap<string, TaskState>> {
  const begin = performance.now();
  while (true) {
    const states = await sort.states();
    if (states.size > 0 && [...states.values()].every((state) => state.kind === kind)) return states;
    if (performance.now() - begin > seconds * 1000) {
      expect(Object.fromEntries(states), `not ${kind} after ${seconds} seconds`).toBeNull();
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const ENDED: TaskState = { kind: 'ended', how: null, again: false };
/** On a busy machine, the controller does not answer each message in time. */
function scontrol(...words: string[]): string {
  for (let tries = 1; ; tries++) {
    try {
      return execFileSync('scontrol', words, { encoding: 'utf8' });
    } catch (error) {
      if (tries === 3) throw error;
    }
  }
}

describe.skipIf(why !== null)(`Slurm${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    writeFileSync(COMMAND, SCRIPT);
    cluster = await SlurmCluster.start(4);
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(root, { recursive: true });
  });

  it('starts the requested tasks, and no others', async () => {
    const sort = open('mark');
    const tasks = ['share-0000', 'share-0001', 'share-0003', 'share-0999', 'share-1000', 'share-12345', 'range-0001'];
    await sort.submit(tasks);
    expect([...(await sort.states()).keys()].sort()).toEqual([...tasks].sort());
    expect(await until(sort, 'ended')).toEqual(new Map(tasks.map((task) => [task, ENDED])));
    const files = readdirSync(sort.directory.toString());
    expect(files.filter((name) => name.startsWith('done-')).sort()).toEqual(tasks.map((task) => `done-${task}`).sort());
    expect(readdirSync(join(sort.directory.toString(), 'log')).sort()).toEqual([...tasks].sort());
  });

  it('accepts directories of any name', async () => {
    const names = [
      'a \'b\' "c" $d `e` \n#SBATCH --hold\n',
      'log of %a',
      'back\\slash',
      'caf\u00e9',
      Buffer.from([0xff, 0x80]),
    ];
    const sorts = names.map((name) => {
      const directory = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name as string)]);
      return { directory, sort: open('mark', { directory }) };
    });
    for (const { sort } of sorts) await sort.submit(['share-0007']);
    for (const { directory, sort } of sorts) {
      expect(await until(sort, 'ended')).toEqual(new Map([['share-0007', ENDED]]));
      expect(existsSync(Buffer.concat([directory, Buffer.from('/done-share-0007')]))).toBe(true);
    }
  });

  it('ends all tasks, including those being submitted', async () => {
    const sort = open('sleep');
    await sort.submit(['share-0000', 'share-0001']);
    await until(sort, 'running');
    const submitted = sort.submit(Array.from({ length: 40 }, (_, i) => `range-${String(i * 500).padStart(4, '0')}`));
    await sort.cancel();
    await submitted;
    for (const state of (await sort.states()).values())
      expect(state).toEqual({ kind: 'ended', how: 'was cancelled', again: false });
    expect((await cluster.tasks()).filter(({ job }) => job.includes(sort.id))).toEqual([]);
    await sort.cancel();
  });

  it('passes on no variables of the job that gpusort itself runs in', async () => {
    process.env.SLURM_CPUS_PER_TASK = '77';
    process.env.SQUEUE_PARTITION = 'urgent';
    const sort = open('environment');
    await sort.submit(['share-0000']);
    await until(sort, 'ended');
    expect(readFileSync(join(sort.directory.toString(), 'environment'), 'utf8')).not.toMatch(/^SLURM_CPUS_PER_TASK=/m);
    delete process.env.SLURM_CPUS_PER_TASK;
    delete process.env.SQUEUE_PARTITION;
  });

  describe.concurrent('says how a task ended:', () => {
    /** The state of one task that does `what` on `node`, once it has ended. */
    async function end(
      what: string,
      node: string,
      meddle?: (sort: Sort) => unknown,
      options: readonly string[] = [],
    ): Promise<TaskState> {
      const sort = open(what, { slurmOptions: [`--nodelist=${node}`, ...options] });
      await sort.submit(['share-0000']);
      if (meddle !== undefined) {
        await until(sort, 'running');
        await meddle(sort);
      }
      return (await until(sort, 'ended', 90)).get('share-0000')!;
    }
    const job = async (sort: Sort): Promise<string> =>
      /JobId=([0-9]+) [^\n]*/.exec(
        scontrol('-o', 'show', 'job')
          .split('\n')
          .find((line) => line.includes(sort.id))!,
      )![1];

    it('its own failure', async () => {
      const sort = open('fail', { slurmOptions: ['--nodelist=n1'] });
      await sort.submit(['share-0000']);
      expect(await until(sort, 'ended')).toEqual(new Map([['share-0000', ENDED]]));
      expect(readFileSync(join(sort.directory.toString(), 'log/share-0000'), 'utf8')).toBe('own message\n');
    });

    it('a signal', async () => {
      expect(await end('die', 'n1')).toEqual({ kind: 'ended', how: 'was ended by signal 11', again: false });
    });

    it('a time limit', async () => {
      const meddle = async (sort: Sort): Promise<void> => {
        scontrol('update', `JobId=${await job(sort)}`, 'EndTime=now+1seconds');
      };
      expect(await end('sleep', 'n1', meddle)).toEqual({ kind: 'ended', how: 'reached its time limit', again: false });
    });

    it('no job directory on its node', async () => {
      const how = 'could not open its log: its node may not see the job directory';
      const options = ['--output=/nonexistent/log'];
      expect(await end('mark', 'n1', undefined, options)).toEqual({ kind: 'ended', how, again: true });
    });

    it('Slurm no longer knows it', async () => {
      const sort = open('sleep', { slurmOptions: ['--nodelist=n3'] });
      await sort.submit(['share-0000']);
      await until(sort, 'running');
      const number = await job(sort);
      scontrol('update', `JobId=${number}`, 'JobName=other');
      const state: TaskState = { kind: 'ended', how: 'is no longer known to Slurm', again: true };
      expect(await until(sort, 'ended')).toEqual(new Map([['share-0000', state]]));
      execFileSync('scancel', [number]);
    });
  });

  describe('does not answer', () => {
    it('for a while: the last known states hold, and new tasks wait', async () => {
      const sort = open('mark');
      await sort.submit(['share-0000']);
      const states = await until(sort, 'ended');
      await cluster.stopController();
      expect(await sort.states()).toEqual(states);
      const submitted = sort.submit(['share-0001']);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await cluster.startController();
      await submitted;
      expect((await until(sort, 'ended')).size).toBe(2);
    });

    it.skipIf(!NIGHTLY)('to an interrupted client, which gives up soon', async () => {
      const interrupted = new AbortController();
      const sort = open('mark', { signal: interrupted.signal });
      await sort.states();
      await cluster.stopController();
      const submitted = sort.submit(['share-0000']);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      interrupted.abort();
      await submitted;
      await expect(sort.cancel()).rejects.toThrow(/^Slurm does not say whether tasks still run after \d\d seconds$/);
      await cluster.startController();
      expect(await sort.states()).toEqual(new Map());
    });

    it.skipIf(!NIGHTLY)('to sbatch, which an interrupted client ends', async () => {
      const path = process.env.PATH;
      const folder = join(root, 'slow');
      mkdirSync(folder);
      writeFileSync(join(folder, 'sbatch'), '#!/bin/sh\nexec sleep 100\n', { mode: 0o755 });
      process.env.PATH = `${folder}:${path}`;
      try {
        const interrupted = new AbortController();
        const sort = open('mark', { signal: interrupted.signal });
        const submitted = sort.submit(['share-0000']);
        setTimeout(() => interrupted.abort(), 1000);
        const begin = performance.now();
        await submitted;
        await sort.cancel();
        expect(performance.now() - begin).toBeLessThan(40_000);
        expect(await sort.states()).toEqual(new Map());
      } finally {
        process.env.PATH = path;
      }
    });

    it('at all: one line', async () => {
      const sort = open('mark', { patienceMs: 0 });
      await sort.states();
      await cluster.stopController();
      const what = 'squeue: Unable to contact slurm controller (connect failure)';
      await sort.states();
      await expect(sort.states()).rejects.toThrow(`Slurm has not answered for 0 minutes: ${what}`);
      await expect(open('mark').states()).rejects.toMatchObject({ message: what });
      await cluster.startController();
    });
  });

  it('polls Slurm only now and then', async () => {
    const sort = open('mark', { pollMs: 3_000 });
    await sort.submit(['share-0000']);
    const waiting = await sort.states();
    const begin = performance.now();
    while ((await sort.states()).get('share-0000')!.kind !== 'ended')
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(waiting.size).toBe(1);
    expect(performance.now() - begin).toBeGreaterThan(2_900);
  });
});
