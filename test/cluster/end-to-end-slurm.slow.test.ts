/** Whole sorts by the command line on a real Slurm cluster of four virtual nodes, including lost nodes and clients. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readJson } from '../../src/cluster/job-file.js';
import { BINARY } from '../cli/run.js';
import { NIGHTLY } from '../support/tier.js';
import {
  type Case,
  cases,
  expectOnlyInputs,
  outputOf,
  type Prepared,
  prepareCase,
  sortHere,
  startGpusort,
  takeOutput,
  testCases,
} from './end-to-end.js';
import { SlurmCluster, whyNoSlurm } from './slurm-cluster.js';

const MB = 1e6;
const why = whyNoSlurm();
const root = mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'end-to-end-slurm-'));
const HELD_TASK = join(import.meta.dirname, '../support/held-task.cjs');
const SLURM = ['--engine=cpu', '--cluster=slurm', '--tasks=4'];
let cluster: SlurmCluster;
let sorts = 0;
let lines: Prepared;
let expected: string;

const environment = (more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  SLURM_CONF: process.env.SLURM_CONF!,
  ...more,
});

/** A sort of the same lines in a new directory, whose tasks `held` (share, range, share-0002) wait before their end. */
class Sort {
  readonly directory = join(root, `sort-${++sorts}`);
  readonly output = join(this.directory, 'output');
  readonly job = join(this.directory, 'gpusort-output.job');
  private readonly held = join(this.directory, 'held');

  constructor() {
    mkdirSync(this.held, { recursive: true });
  }

  start(held = '', options: readonly string[] = [], seconds = 300): ReturnType<typeof startGpusort> {
    const env = environment(
      held === ''
        ? {}
        : { NODE_OPTIONS: `--require=${HELD_TASK}`, GPUSORT_TEST_HELD: `${this.held}:${seconds}:${held}` },
    );
    return startGpusort([...SLURM, ...options, ...lines.inputs, '-o', this.output], { env });
  }

  /** Waits until a task is held; the node it runs on. */
  async nodeOf(task: string): Promise<string> {
    await expect.poll(() => existsSync(join(this.held, task)), { interval: 50 }).toBe(true);
    const [kind, digits] = task.split('-');
    const found = (await cluster.tasks()).find(({ job, index }) => job.includes(kind) && index === Number(digits));
    return found!.node;
  }

  doneFiles(folder: 'shares' | 'ranges', suffix: string): readonly string[] {
    return readdirSync(join(this.job, folder)).filter((name) => name.endsWith(suffix));
  }

  jobFile(): { readonly id: string; readonly shares: readonly unknown[] } {
    return readJson(Buffer.from(join(this.job, 'job.json'))) as ReturnType<Sort['jobFile']>;
  }

  /** The same command finishes it. */
  async goOn(options: readonly string[] = []): Promise<void> {
    expect(await this.start('', options).ended).toMatchObject({ status: 0, stderr: '', stdout: '' });
    await this.expectOutput();
  }

  async expectOutput(): Promise<void> {
    expect(await takeOutput({ ...lines, directory: this.directory })).toBe(expected);
    rmSync(this.held, { recursive: true });
    expectOnlyInputs(this.directory);
  }
}

describe.skipIf(why !== null)(`--cluster slurm${why === null ? '' : ` (${why})`}`, () => {
  beforeAll(async () => {
    cluster = await SlurmCluster.start(4);
    const directory = join(root, 'lines');
    mkdirSync(directory);
    lines = prepareCase(cases[0], directory, 20 * MB);
    expected = (await sortHere(lines)).sha256;
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(root, { recursive: true });
  });

  testCases(
    cases.filter(({ named }) => NIGHTLY || named),
    root,
    ['--cluster=slurm', '--tasks=4'],
    ({ isLarge }: Case) => (isLarge ? 200 : 20) * MB,
    () => ({ env: environment() }),
  );

  const urgent = (node: string): void => {
    const words = ['--partition=urgent', '--exclusive', `--nodelist=${node}`, '--output=/dev/null', '--wrap=true'];
    execFileSync('sbatch', words);
  };
  it.each([
    { what: 'whose node is killed in the first phase', task: 'share-0002', how: 'lost its node' },
    { what: 'whose node is killed in the second phase', task: 'range-0001', how: 'lost its node' },
    { what: 'that is preempted', task: 'share-0001', how: 'was preempted' },
  ])('starts a task again $what', async ({ task, how }) => {
    const sort = new Sort();
    const { ended } = sort.start(task);
    const node = await sort.nodeOf(task);
    const isKilled = how === 'lost its node';
    if (isKilled) await cluster.killNode(node);
    else urgent(node);
    const { status, stderr } = await ended;
    expect(stderr).toContain(`${task} ${how}${isKilled ? ` ${node}` : ''}; it is started again`);
    expect(status).toBe(0);
    await sort.expectOutput();
    if (isKilled) await cluster.startNode(node);
  });

  it('resumes after Ctrl-C', async () => {
    const sort = new Sort();
    const first = sort.start('share-0003');
    await sort.nodeOf('share-0003');
    await expect.poll(() => sort.doneFiles('shares', '.index').length).toBe(3);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ status: 'SIGINT', stdout: '' });
    expect((await cluster.tasks()).length).toBe(0);
    expect(existsSync(sort.output)).toBe(false);
    expect(sort.doneFiles('shares', '.tmp')).toEqual([]);
    const times = sort.doneFiles('shares', '.index').map((name) => statSync(join(sort.job, 'shares', name)).mtimeMs);

    const second = sort.start('range-0001');
    await sort.nodeOf('range-0001');
    const kept = sort.doneFiles('shares', '.index').map((name) => statSync(join(sort.job, 'shares', name)).mtimeMs);
    expect(kept.slice(0, 3)).toEqual(times);
    expect(kept.length).toBe(4);
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ status: 'SIGINT', stdout: '' });
    expect(existsSync(sort.output)).toBe(false);

    await sort.goOn();
  });

  it('--detach: each run of the command submits a phase, or finishes', async () => {
    const sort = new Sort();
    const goesOn = 'When they have ended, run the same command again to continue or finish.\n';
    for (const done of ['shares are sorted', 'ranges are merged']) {
      const stdout = `0 of 4 ${done}; the others are submitted\n${goesOn}`;
      expect(await sort.start('', ['--detach']).ended).toMatchObject({ status: 0, stdout, stderr: '' });
      await expect.poll(queue).toBe('');
    }
    expect(sort.jobFile().shares.length).toBe(4);
    await sort.goOn(['--detach']);
  });

  it('--detach: a later client waits for the tasks that run', async () => {
    const sort = new Sort();
    expect(await sort.start('share-0001', ['--detach'], 3).ended).toMatchObject({ status: 0 });
    await sort.nodeOf('share-0001');
    const { id } = sort.jobFile();
    await sort.goOn();
    const all = execFileSync('squeue', ['--noheader', '--array', '--states=all', '--format=%j'], { encoding: 'utf8' });
    expect(all.split('\n').filter((name) => name === `gpusort-${id}-share-0`).length).toBe(4);
  });

  it('threads and memory are those of the allocation', async () => {
    const output = join(root, 'explained');
    const command = [process.execPath, BINARY, '--explain', ...lines.inputs].map((word) => `'${word}'`).join(' ');
    execFileSync('sbatch', ['--cpus-per-task=2', '--mem=900', `--output=${output}`, `--wrap=${command}`]);
    const text = (): string => (existsSync(output) ? readFileSync(output, 'utf8') : '');
    await expect.poll(text).toMatch(/half of what is left of the Slurm job's 900 MiB$/m);
    await expect.poll(text).toMatch(/^2 threads: the Slurm job has 2 CPUs$/m);
  });

  const TOO_LITTLE: readonly { what: string; held: string; first: string; says: RegExp; next: string; slow?: true }[] =
    [
      {
        what: 'a task is out of memory',
        held: 'share',
        first: '--mem=20',
        says: /share-000\d of Slurm was killed \(SIGKILL\), perhaps because it was out of memory/,
        next: '--mem=400',
      },
      {
        what: 'Slurm refuses tasks',
        held: '',
        first: '--partition=none',
        says: /^gpusort: sbatch did not take the tasks: invalid partition specified: none; Batch job submission failed: Invalid partition name specified\n/,
        next: '--partition=main',
      },
      {
        what: 'a task reaches its time limit',
        held: 'share-0001',
        first: '--time=1',
        says: /share-0001 of Slurm reached its time limit/,
        next: '--time=10',
        slow: true,
      },
    ];
  it.each(TOO_LITTLE.filter(({ slow }) => NIGHTLY || !slow))(
    'resumes with other options after $what',
    { timeout: 300_000 },
    async ({ held, first, says, next }) => {
      const sort = new Sort();
      const { status, stderr } = await sort.start(held, [`--slurm-options=${first}`], 200).ended;
      expect(stderr).toMatch(says);
      expect({ status, exists: existsSync(sort.output) }).toEqual({ status: 2, exists: false });
      await sort.goOn([`--slurm-options=${next}`]);
    },
  );

  it('tasks cannot start: says why', async () => {
    const sort = new Sort();
    const { child, ended } = sort.start('', ['--slurm-options=--cpus-per-task=1000']);
    let said = '';
    child.stderr!.on('data', (text: string) => (said += text));
    await expect.poll(() => said).toMatch('tasks wait for Slurm, which says: PartitionConfig\n');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 'SIGINT' });
    expect(queue()).toBe('');
    await sort.goOn();
  });

  it('sorts for an ordinary user', async (context) => {
    const nobody = { uid: 65534, gid: 65534 };
    if ((await startGpusort(['--version'], nobody).ended.catch(() => null))?.status !== 0)
      context.skip('this checkout is not readable for all users');
    // The launcher's directory holds the cluster's files.
    if (process.env.GPUSORT_TEST_TMP !== undefined) chmodSync(process.env.GPUSORT_TEST_TMP, 0o711);
    const directory = mkdtempSync(join(tmpdir(), 'gpusort-nobody-'));
    const prepared = { ...prepareCase(cases[0], directory, 2 * MB) };
    chownSync(directory, nobody.uid, nobody.gid);
    const options = { ...nobody, env: environment() };
    const { ended } = startGpusort([...SLURM, ...prepared.words, '-o', outputOf(prepared)], options);
    expect(await ended).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(outputOf(prepared)).uid).toBe(nobody.uid);
    expect(await takeOutput(prepared)).toBe((await sortHere(prepared)).sha256);
    rmSync(directory, { recursive: true });
  });

  it.skipIf(!NIGHTLY)('a frozen node: its tasks run elsewhere, and do no harm when the node wakes up', async () => {
    const sort = new Sort();
    const { ended } = sort.start('share-0000', [], 1);
    const node = await sort.nodeOf('share-0000');
    await cluster.freezeNode(node);
    expect((await ended).status).toBe(0);
    await cluster.thawNode(node);
    await delay(5000);
    await sort.expectOutput();
    await expect.poll(queue).toBe('');
  });
});

/** All tasks that Slurm runs. */
const queue = (): string => execFileSync('squeue', ['--noheader'], { encoding: 'utf8' });
