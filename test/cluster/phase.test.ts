/** The client and its phases, with a scheduler that the test controls. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { JobDirectory } from '../../src/cluster/directory.js';
import { writeJson } from '../../src/cluster/job-file.js';
import { ClusterPhase } from '../../src/cluster/phase.js';
import type { Scheduler, TaskState } from '../../src/cluster/scheduler.js';
import type { TaskError } from '../../src/cluster/tasks.js';
import { showWarnings } from '../../src/report/warnings.js';
import { freshDirectory } from '../battery/runner.js';
import { silent } from '../support/jobs.js';
import { ENDED, Place, RUNNING, StandIn } from './place.js';

const LOST: TaskState = { kind: 'ended', how: 'lost its node n2', again: true, isLost: true };

let directory: JobDirectory;
let warnings: string[];
beforeEach(() => {
  directory = new JobDirectory(Buffer.from(join(freshDirectory('phase'), 'job')));
  directory.create();
  warnings = [];
  showWarnings((sentence) => warnings.push(sentence));
});
afterAll(() => {
  showWarnings(() => {});
});

const done = (task: string): TaskState => {
  const [kind, number] = task.split('-');
  writeFileSync(join(String(directory.path), `${kind}s`, `${number}.${kind === 'share' ? 'index' : 'json'}`), '');
  return ENDED;
};
const failed = async (task: string, changes: Partial<TaskError>): Promise<TaskState> => {
  const error = { code: 'read-failed', message: 'no', hint: null, exitCode: 2, host: 'n7', damagedShare: null };
  await writeJson(directory.error(task), { ...error, ...changes } satisfies TaskError);
  return ENDED;
};

function phase(
  scheduler: Scheduler,
  changes: Partial<ConstructorParameters<typeof ClusterPhase>[0]> = {},
): ClusterPhase {
  const bytes = [10, 20, 30];
  const common = { directory, scheduler, recorder: silent, signal: new AbortController().signal, detached: false };
  return new ClusterPhase({ ...common, kind: 'share', bytes, progress: 'sorting', ...changes });
}

describe('a phase', () => {
  it('that is only begun submits missing tasks, and leaves running ones alone', async () => {
    done('share-0001');
    const scheduler = new StandIn();
    scheduler.known.set('share-0002', RUNNING);
    const first = phase(scheduler, { detached: true });
    expect(await first.begin()).toBe(false);
    expect([scheduler.submitted, first.done]).toEqual([[['share-0000']], 1]);
    // A later client.
    expect(await phase(scheduler, { detached: true }).begin()).toBe(false);
    expect(scheduler.submitted).toHaveLength(1);
    scheduler.known.set('share-0000', await failed('share-0000', { message: 'full' }));
    done('share-0002');
    expect(await phase(scheduler, { detached: true }).begin()).toBe(false);
    expect(warnings).toEqual(['share-0000 failed on n7 (full); it is started again']);
    expect(scheduler.submitted).toEqual([['share-0000'], ['share-0000']]);
    expect(existsSync(directory.error('share-0000'))).toBe(false);
    done('share-0000');
    expect(await phase(scheduler, { detached: true }).begin()).toBe(true);
    expect(scheduler.submitted).toHaveLength(2);
  });

  it('waits for tasks that an earlier client has started', async () => {
    const scheduler = new StandIn((task) => done(task));
    scheduler.known.set('share-0001', RUNNING);
    setTimeout(() => done('share-0001'), 100);
    await phase(scheduler).run();
    expect(scheduler.submitted).toEqual([['share-0000', 'share-0002']]);
  });

  it('restarts tasks that lost their node without waiting, and removes their leftovers', async () => {
    const left = `${directory.run(1).toString()}.n2-5.tmp`;
    // A lost node is not the task's fault: it does not count as an attempt.
    const scheduler = new StandIn((task, attempt) => {
      if (task !== 'share-0001') return done(task);
      expect(existsSync(left)).toBe(false);
      if (attempt === 5) return done(task);
      writeFileSync(left, 'x');
      return LOST;
    });
    const begin = performance.now();
    await phase(scheduler).run();
    expect(performance.now() - begin).toBeLessThan(1000);
    expect(warnings).toEqual(['share-0001 lost its node n2; it is started again']);
    expect(scheduler.submitted.flat().filter((task) => task === 'share-0001')).toHaveLength(5);
    expect(existsSync(left)).toBe(false);
  });

  it('leaves the temporary files of tasks that run alone', async () => {
    const scheduler = new StandIn();
    scheduler.known.set('share-0002', RUNNING);
    for (const number of [1, 2]) writeFileSync(`${directory.run(number).toString()}.n2-5.tmp`, 'x');
    await phase(scheduler, { detached: true }).begin();
    expect(readdirSync(directory.file('shares'))).toEqual(['0002.run.n2-5.tmp']);
  });

  it("ends with a task's own message if its error is permanent", async () => {
    const scheduler = new StandIn((task) =>
      failed(task, { code: 'input-changed', message: 'x has changed', hint: 'Do.' }),
    );
    await expect(phase(scheduler).run()).rejects.toMatchObject({
      message: 'share-0000 on n7: x has changed',
      code: 'input-changed',
      hint: 'Do.',
    });
    expect(scheduler.submitted).toHaveLength(1);
  });

  it('ends with the reason of the scheduler and the log of a task without a message', async () => {
    const timeOut: TaskState = { kind: 'ended', how: 'reached its time limit', again: false };
    const log = directory.file('log', 'share-0000');
    writeFileSync(log, 'a\ngpusort: warning: b\nslurmstepd: error: *** CANCELLED ***\n\n');
    await expect(phase(new StandIn(() => timeOut)).run()).rejects.toMatchObject({
      message: 'share-0000 of the stand-in reached its time limit: slurmstepd: error: *** CANCELLED ***',
      hint: `Its output is in ${log}.`,
    });
  });

  it('never advances beyond its bytes, even when shares are made again', async () => {
    let [bytes, most] = [0, 0];
    const recorder = {
      ...silent,
      advance: (_: string, more: number) => {
        bytes += more;
        most = Math.max(most, bytes);
      },
    };
    const scheduler = new StandIn((task) => done(task));
    const shares = phase(scheduler, { recorder });
    await shares.run();
    await shares.again([1, 2]);
    expect([bytes, most]).toEqual([60, 60]);
    expect(scheduler.submitted).toEqual([
      ['share-0000', 'share-0001', 'share-0002'],
      ['share-0001', 'share-0002'],
    ]);
  });

  it('rebuilds a damaged share once, however many ranges report it', async () => {
    const shares = new StandIn((task) => done(task));
    const redo = phase(shares);
    await redo.run();
    const ranges = new StandIn((task, attempt) =>
      attempt === 1 && task !== 'range-0002' ? failed(task, { damagedShare: 1 }) : done(task),
    );
    // The last one ends after the share has been made again.
    ranges.known.set('range-0002', RUNNING);
    const merging = phase(ranges, { kind: 'range', progress: 'merging', redo });
    setTimeout(async () => {
      ranges.known.set('range-0002', await failed('range-0002', { damagedShare: 1 }));
    }, 150);
    await merging.run();
    expect(shares.submitted.slice(1)).toEqual([['share-0001']]);
    expect(warnings).toHaveLength(2);
  });

  it('stops at a signal', async () => {
    const controller = new AbortController();
    const running = phase(new StandIn(), { signal: controller.signal }).run();
    setTimeout(() => {
      controller.abort('SIGINT');
    }, 50);
    await expect(running).rejects.toBe('SIGINT');
  });
});

describe('a client that detaches', () => {
  it('submits each phase once, and finishes at last', async () => {
    const place = new Place();
    const scheduler = new StandIn();
    const words = [
      '--engine',
      'cpu',
      '--cluster',
      'slurm',
      '--detach',
      '--tasks',
      '3',
      '-o',
      place.output,
      place.input,
    ];
    const command = async (): Promise<string[]> => {
      const { status, stdout, stderr } = await place.command(words, { scheduler });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout.split('\n').slice(0, -1);
    };
    const work = async (...names: string[]): Promise<void> => {
      await place.tasks(...names);
      for (const name of names) scheduler.known.set(name, ENDED);
    };
    const NEXT = 'When they have ended, run the same command again to continue or finish.';
    expect(await command()).toEqual(['0 of 3 shares are sorted; the others are submitted', NEXT]);
    await work('share-0001');
    expect(await command()).toEqual(['1 of 3 shares are sorted; the others are submitted', NEXT]);
    expect(scheduler.submitted).toEqual([['share-0000', 'share-0001', 'share-0002']]);
    await work('share-0000', 'share-0002');
    expect((await command())[0]).toMatch(/^0 of [1-3] ranges are merged; the others are submitted$/);
    const ranges = scheduler.submitted[1];
    expect(ranges[0]).toBe('range-0000');
    await work(...ranges);
    expect(existsSync(place.output)).toBe(false);
    expect(await command()).toEqual([]);
    expect(scheduler.submitted).toHaveLength(2);
    place.expectSorted();
  });
});
