/**
 * The client of a distributed sort: makes the job directory, has tasks started, watches their markers, and finishes. It
 * needs little of the host it runs on.
 */
import type { SortJob } from '../job.js';
import { machineFacts, whyNoGpu } from '../plan/facts.js';
import { plannedMemory } from '../plan/memory.js';
import { requestedEngine } from '../plan/requested-engine.js';
import { GpusortError } from '../report/errors.js';
import type { Recorder } from '../report/stats.js';
import { warn } from '../report/warnings.js';
import { statInputs } from '../sort.js';
import { ClientLock } from './client-lock.js';
import { finishOutput, rangeCount, rangeResults } from './finish.js';
import { isInOrder, joiningOf } from './job-file.js';
import { openLocal } from './local.js';
import { Phase } from './phase.js';
import { writePlaces } from './place-task.js';
import { type Prepared, prepare } from './prepare.js';
import type { Scheduler, SchedulerOptions } from './scheduler.js';
import { chooseTasks, isTooSmall } from './sizes.js';
import { openSlurm } from './slurm.js';
import { makeSplitters } from './tasks.js';

/** Bytes of ranges that the client copies to their places itself. */
const COPIED_HERE = 64 << 20;

interface ClientOptions {
  /** Aborted when the user interrupts the client. */
  readonly signal: AbortSignal;
  /** The command that runs gpusort: Node, its options and the program. */
  readonly command: readonly string[];
  /** Takes what is printed for `--cluster prepare` and `--detach`. */
  readonly print: (line: string) => void;
}

/** Sorts on a cluster. Resolves to false if the input is so small that this process should sort it. */
export async function runCluster(job: SortJob, recorder: Recorder, options: ClientOptions): Promise<boolean> {
  const request = job.cluster!;
  const inputs = statInputs(job);
  const bytes = inputs.reduce((sum, { extent }) => sum + (extent === null ? 0 : extent.end - extent.begin), 0);
  if (isTooSmall(request, bytes)) {
    warn(`the input is so small that one machine is faster: it is sorted here; --tasks N distributes it`);
    return false;
  }
  const prepared = await prepare(job, inputs, chooseTasks(request, bytes));
  const { directory, cluster } = prepared;
  if (request.scheduler.kind === 'prepare') {
    const ranges = isInOrder(cluster.job.ordering) ? cluster.shares.length : cluster.ranges;
    for (const line of [directory.path.toString(), `shares ${cluster.shares.length}`, `ranges ${ranges}`])
      options.print(line);
    return true;
  }
  const lock = ClientLock.take(directory);
  try {
    await runPhases(prepared, openScheduler(job, prepared, recorder, options), recorder, options);
    await directory.remove();
  } finally {
    lock.release();
  }
  return true;
}

async function runPhases(
  { directory, cluster, target }: Prepared,
  scheduler: Scheduler,
  recorder: Recorder,
  options: ClientOptions,
): Promise<void> {
  const { job, shares } = cluster;
  const common = { directory, scheduler, recorder, signal: options.signal };
  const shareBytes = shares.map((parts) => parts.reduce((sum, { begin, end }) => sum + end - begin, 0));
  const total = shareBytes.reduce((sum, bytes) => sum + bytes, 0);
  const redo = new Phase({ ...common, kind: 'share', bytes: shareBytes, progress: 'sorting' });
  try {
    await redo.run();
    await makeSplitters(directory, cluster);
    const ranges = rangeCount(directory, cluster);
    const rangeBytes = Array.from({ length: ranges }, (_, i) =>
      isInOrder(job.ordering) ? (shareBytes[i] ?? 0) : total / ranges,
    );
    await new Phase({ ...common, kind: 'range', bytes: rangeBytes, progress: 'merging', redo }).run();
    const results = rangeResults(directory, ranges);
    // A login node copies little.
    if (joiningOf(job) === 'copied' && results.reduce((sum, { bytes }) => sum + bytes, 0) > COPIED_HERE) {
      await writePlaces(directory, results);
      await new Phase({
        ...common,
        kind: 'place',
        bytes: results.map(({ bytes }) => bytes),
        progress: 'writing',
      }).run();
    }
    await finishOutput(directory, cluster, target, recorder);
  } catch (error) {
    await scheduler.cancel();
    directory.removeTemporary();
    throw error;
  }
}

function openScheduler(
  job: SortJob,
  { directory, cluster }: Prepared,
  recorder: Recorder,
  { command, signal }: ClientOptions,
): Scheduler {
  const { scheduler } = job.cluster!;
  const options: SchedulerOptions = {
    directory: directory.path,
    id: cluster.id,
    command,
    taskOptions: taskOptions(job),
  };
  switch (scheduler.kind) {
    case 'slurm':
      return openSlurm({ ...options, slurmOptions: scheduler.options, signal });
    case 'local':
      return openLocal({
        ...options,
        processes: scheduler.processes,
        usesGpu: requestedEngine(job) !== 'cpu' && whyNoGpu() === null,
        recorder,
      });
    case 'prepare':
      throw new GpusortError('internal', 'internal error: no scheduler was asked for');
  }
}

/** What the command of each task says: on one host, processes share memory and processors. */
function taskOptions(job: SortJob): string[] {
  const { scheduler } = job.cluster!;
  if (scheduler.kind !== 'local') return [];
  const machine = machineFacts();
  const { processes } = scheduler;
  const options: string[] = [];
  if (job.memoryBytes === null) options.push('-S', `${Math.floor(plannedMemory(job, machine) / processes)}b`);
  if (job.parallel === null)
    options.push('--parallel', String(Math.max(1, Math.floor(machine.processors / processes))));
  return options;
}
