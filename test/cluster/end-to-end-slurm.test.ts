import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nightly } from '../differential/batches.js';
import {
  type Case,
  cases,
  expectOnlyInputs,
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
    await expect.poll(() => existsSync(join(this.held, task)), { timeout: 60_000, interval: 50 }).toBe(true);
    const [kind, digits] = task.split('-');
    const found = (await cluster.tasks()).find(({ job, index }) => job.includes(kind) && index === Number(digits));
    return found!.node;
  }

  markers(folder: 'shares' | 'ranges', suffix: string): readonly string[] {
    return readdirSync(join(this.job, folder)).filter((name) => name.endsWith(suffix));
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
    cases.filter(({ named }) => nightly || named),
    root,
    ['--cluster=slurm', '--tasks=4'],
    ({ isLarge }: Case) => (isLarge ? 200 : 20) * MB,
    () => ({ env: environment() }),
  );

  for (const [phase, task] of [
    ['first', 'share-0002'],
    ['second', 'range-0001'],
  ])
    it(`a node is killed in the ${phase} phase`, async () => {
      const sort = new Sort();
      const { ended } = sort.start(task);
      const node = await sort.nodeOf(task);
      await cluster.killNode(node);
      const { status, stderr } = await ended;
      expect(stderr).toContain(`${task} lost its node ${node}; it is started again`);
      expect(status).toBe(0);
      await sort.expectOutput();
      await cluster.startNode(node);
    });

  it('goes on after Ctrl-C where it stopped', async () => {
    const sort = new Sort();
    const first = sort.start('share-0003');
    await sort.nodeOf('share-0003');
    await expect.poll(() => sort.markers('shares', '.index').length, { timeout: 60_000 }).toBe(3);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ status: 'SIGINT', stdout: '' });
    expect((await cluster.tasks()).length).toBe(0);
    expect(existsSync(sort.output)).toBe(false);
    expect(sort.markers('shares', '.tmp')).toEqual([]);
    const times = sort.markers('shares', '.index').map((name) => statSync(join(sort.job, 'shares', name)).mtimeMs);

    const second = sort.start('range-0001');
    await sort.nodeOf('range-0001');
    const kept = sort.markers('shares', '.index').map((name) => statSync(join(sort.job, 'shares', name)).mtimeMs);
    expect(kept.slice(0, 3)).toEqual(times);
    expect(kept.length).toBe(4);
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ status: 'SIGINT', stdout: '' });
    expect(existsSync(sort.output)).toBe(false);

    expect(await sort.start().ended).toMatchObject({ status: 0, stderr: '', stdout: '' });
    await sort.expectOutput();
  });
});
