/** Distributes a sort over tasks that all run in this process, one after another, as a scheduler would start them. */

import { statSync } from 'node:fs';
import { type TaskKind, taskName } from '../../src/cluster/directory.js';
import { rangeCount, rangeResults } from '../../src/cluster/finish.js';
import { isInOrder, joiningOf } from '../../src/cluster/job-file.js';
import { locate } from '../../src/cluster/locate.js';
import { type Prepared, prepare } from '../../src/cluster/prepare.js';
import { writePlaces } from '../../src/cluster/range-task.js';
import { runTask } from '../../src/cluster/tasks.js';
import { openInputs } from '../../src/input/inputs.js';
import type { SortJob, TaskOverrides } from '../../src/job/job.js';
import { runJob } from '../../src/run/run-job.js';
import { ownRecorder } from '../support/jobs.js';

export interface Tasks {
  readonly shares: number;
  readonly ranges: number;
  /** --output-parts. */
  readonly parts?: boolean;
  /** Whether tasks copy ranges to their places, if any are; otherwise the client does. */
  readonly places?: boolean;
  /** Whether -m is distributed, too: its inputs are sorted. */
  readonly merges?: boolean;
  /** The options in the commands of tasks. */
  readonly overrides?: TaskOverrides;
}

/** A runner for `runHere` that distributes jobs if possible: `job` as it would be with --cluster. */
export function distributed(tasks: Tasks): (job: SortJob) => Promise<number> {
  return async (job) => {
    // Standard input, in tests a file, is no input of tasks.
    if (job.input.files.some((name) => !statSync(name!, { throwIfNoEntry: false })?.isFile()))
      return runJob(job, ownRecorder());
    if (job.mode === 'check' || job.output.underline || (job.mode === 'merge' && tasks.merges !== true))
      return runJob(job, ownRecorder());
    const prepared = await prepareTasks(job, tasks);
    await runTasks(prepared, 'share', prepared.cluster.shares.length, tasks);
    await finishTasks(prepared, tasks);
    return 0;
  };
}

const TEMPORARY = Buffer.from('/tmp');

/** Makes the job directory. */
export async function prepareTasks(job: SortJob, { shares, ranges, parts = false }: Tasks): Promise<Prepared> {
  const request = {
    scheduler: { kind: 'prepare' },
    tasks: null,
    workDirectory: null,
    parts,
    detach: false,
    nodeTemporary: false,
  } as const;
  const all: SortJob = { ...job, cluster: request };
  const located = (await locate(all))!;
  const prepared = await prepare(all, (await openInputs(all)).files, { shares, ranges }, located);
  prepared.lock.release();
  if (prepared.target?.kind === 'file') await prepared.target.close();
  return prepared;
}

/** Runs tasks [0, count) of a kind. */
export async function runTasks({ directory }: Prepared, kind: TaskKind, count: number, tasks: Tasks): Promise<void> {
  for (let i = 0; i < count; i++)
    await runTask(directory.file(taskName(kind, i)), tasks.overrides ?? {}, TEMPORARY, ownRecorder());
}

/** Runs all tasks after the shares. */
export async function finishTasks(prepared: Prepared, tasks: Tasks): Promise<void> {
  const { directory, cluster } = prepared;
  const run = (name: string): Promise<void> =>
    runTask(directory.file(name), tasks.overrides ?? {}, TEMPORARY, ownRecorder());
  if (!isInOrder(cluster.job.ordering)) await run('splitters');
  const ranges = rangeCount(directory, cluster);
  await runTasks(prepared, 'range', ranges, tasks);
  if (joiningOf(cluster.job) === 'copied' && tasks.places === true) {
    await writePlaces(directory, await rangeResults(directory, cluster, ranges));
    await runTasks(prepared, 'place', ranges, tasks);
  }
  await run('finish');
}
