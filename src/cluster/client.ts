/**
 * The client of a distributed sort: makes the job directory, has tasks started, watches for their done files, and
 * finishes the output. It takes little memory and processor time.
 */

import { knownBytes } from '../input/files.js';
import { openInputs } from '../input/inputs.js';
import type { SortJob } from '../job/job.js';
import { exists } from '../output/target.js';
import { requestedEngine } from '../plan/engine.js';
import { machineFacts, whyNoGpu } from '../plan/facts.js';
import { bytesToText, displayName } from '../report/names.js';
import type { Recorder } from '../report/recorder.js';
import { numberOf } from '../report/units.js';
import { warn } from '../report/warnings.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import type { TaskKind } from './directory.js';
import { DamagedRange, finishOutput, rangeCount, rangeResults, removeJob } from './finish.js';
import { isInOrder, joiningOf, mergesInputs } from './job-file.js';
import { openLocal } from './local.js';
import { checkParts, locate, notRegular } from './locate.js';
import { ClusterPhase } from './phase.js';
import { clearFinished, givingUp, makeText, type Prepared, prepare } from './prepare.js';
import { writePlaces } from './range-task.js';
import type { Scheduler, SchedulerOptions } from './scheduler.js';
import { chooseTasks, isTooSmall, tasksOwn } from './sizes.js';
import { openSlurm } from './slurm.js';
import { DamagedShare } from './stored-share.js';
import { makeSplitters } from './tasks.js';

/** Bytes of ranges that the client copies to their places itself. */
const COPIED_HERE = 64 << 20;
/** The maximum number of times that damaged files are rebuilt. */
const MOST_REPAIRS = 3;

interface ClientOptions {
  /** Aborted when the user interrupts the client. */
  readonly signal: AbortSignal;
  /** The command that runs gpusort: Node, its options and the program. */
  readonly command: readonly string[];
  /** Environment variables for processes of this host that must end with this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Prints the output of `--cluster prepare` and `--detach`. */
  readonly print: (line: string) => void;
}

/**
 * Sorts on a cluster. Resolves to false if the input is so small that this process should sort it. `open`: opens
 * another scheduler, for tests.
 */
export async function runCluster(
  job: SortJob,
  recorder: Recorder,
  options: ClientOptions,
  open: typeof openScheduler = openScheduler,
): Promise<boolean> {
  const request = job.cluster!;
  const inputs = (await openInputs(job)).files;
  const bytes = inputs.reduce((sum, { extent }) => sum + (extent === null ? 0 : extent.end - extent.begin), 0);
  const located = await locate(job);
  if (located !== null && (await clearFinished(located, job, inputs))) {
    if (located.target?.kind === 'file') await located.target.close();
    return true;
  }
  // A sort that was already begun is resumed, whatever its size.
  if (isTooSmall(request, bytes) && !(located !== null && exists(located.directory.job()))) {
    if (located?.target?.kind === 'file') await located.target.close();
    warn('--cluster is ignored: one machine is faster for such a small input; give --tasks N to distribute it');
    return false;
  }
  if (located === null) throw notRegular(job);
  if (request.parts) checkParts(located.place);
  const preparing = prepare(job, inputs, chooseTasks(request, bytes), located);
  const prepared = await Promise.race([preparing, interruption(options.signal)]);
  try {
    if (request.scheduler.kind === 'prepare') {
      await restoreText(prepared, null);
      printPlan(prepared, options);
    } else await new Client(prepared, open(job, prepared, recorder, options), recorder, options).run();
  } finally {
    prepared.lock.release();
  }
  return true;
}

/** Rejects at a signal. */
function interruption(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

function printPlan({ directory, cluster }: Prepared, { print }: ClientOptions): void {
  const ranges = isInOrder(cluster.job.ordering) ? Math.max(1, cluster.shares.length) : cluster.ranges;
  for (const line of [bytesToText(directory.path), `shares ${cluster.shares.length}`, `ranges ${ranges}`]) print(line);
}

/** Creates the text of the output again if somebody has removed it. Its contents are lost. */
async function restoreText({ directory, cluster, target }: Prepared, scheduler: Scheduler | null): Promise<void> {
  const { text, job } = cluster;
  if (exists(text)) return;
  // Tasks may have the lost file open.
  await scheduler?.cancel();
  const kind: TaskKind = joiningOf(job) === 'copied' ? 'place' : 'range';
  const lost = [...directory.numbers(kind === 'place' ? 'placed' : 'ranges')];
  for (const number of lost) directory.forget(kind, number);
  try {
    makeText(cluster, target);
  } catch (error) {
    throw systemError('cannot-write', 'open failed', displayName(text), error);
  }
  if (lost.length > 0) warn(`${displayName(text)} is gone: ${numberOf(lost.length, 'range')} must be written again`);
}

class Client {
  private readonly prepared: Prepared;
  private readonly scheduler: Scheduler;
  private readonly recorder: Recorder;
  private readonly options: ClientOptions;
  private readonly shareBytes: readonly number[];
  private readonly shares: ClusterPhase;
  private ranges: ClusterPhase | null = null;

  constructor(prepared: Prepared, scheduler: Scheduler, recorder: Recorder, options: ClientOptions) {
    this.prepared = prepared;
    this.scheduler = scheduler;
    this.recorder = recorder;
    this.options = options;
    this.shareBytes = prepared.cluster.shares.map((parts) =>
      parts.reduce((sum, { begin, end }) => sum + end - begin, 0),
    );
    this.shares = this.phase('share', this.shareBytes);
  }

  /** Resolves when the output is in place or, with --detach, when the tasks of a phase are submitted. */
  async run(): Promise<void> {
    const { signal } = this.options;
    try {
      signal.throwIfAborted();
      await restoreText(this.prepared, this.scheduler);
      for (let repairs = 0; ; repairs++) {
        try {
          if (await this.runPhases()) await removeJob(this.prepared.directory);
          return;
        } catch (error) {
          if (repairs === MOST_REPAIRS || !(await this.repair(error))) throw error;
        }
      }
    } catch (error) {
      const tasksEnd = await this.scheduler.cancel().catch((failure: unknown) => failure);
      if (exists(this.prepared.directory.job()))
        for (const kind of ['share', 'range', 'place'] as const) this.prepared.directory.removeTemporary(kind);
      throw await this.explained(tasksEnd ?? error);
    }
  }

  /** Resolves to whether the output is in place. */
  private async runPhases(): Promise<boolean> {
    const { directory, cluster, target } = this.prepared;
    if (!(await this.runPhase(this.shares, 'share'))) return false;
    await makeSplitters(directory, cluster);
    const count = rangeCount(directory, cluster);
    const total = mergesInputs(cluster)
      ? (knownBytes((await openInputs(cluster.job)).files) ?? 0)
      : this.shareBytes.reduce((sum, bytes) => sum + bytes, 0);
    const inOrder = isInOrder(cluster.job.ordering);
    const bytes = Array.from({ length: count }, (_, i) => (inOrder ? (this.shareBytes[i] ?? 0) : total / count));
    this.ranges ??= this.phase('range', bytes);
    if (!(await this.runPhase(this.ranges, 'range'))) return false;
    if (!(await this.runPlaces(count))) return false;
    this.options.signal.throwIfAborted();
    await finishOutput(directory, cluster, target, this.recorder);
    return true;
  }

  /**
   * Has tasks copy the ranges to their places, if the sizes were not known in advance and copying is too much for a
   * login node.
   */
  private async runPlaces(ranges: number): Promise<boolean> {
    const { directory, cluster } = this.prepared;
    if (joiningOf(cluster.job) !== 'copied') return true;
    const results = await rangeResults(directory, cluster, ranges);
    const bytes = results.map(({ bytes }) => bytes);
    await writePlaces(directory, results);
    if (bytes.reduce((sum, more) => sum + more, 0) <= COPIED_HERE) return true;
    return this.runPhase(this.phase('place', bytes), 'place');
  }

  /** Resolves to false if the tasks continue without this client. */
  private async runPhase(phase: ClusterPhase, kind: TaskKind): Promise<boolean> {
    if (!this.prepared.cluster.job.cluster!.detach) {
      await phase.run();
      return true;
    }
    if (await phase.begin()) return true;
    const { cluster } = this.prepared;
    const all = kind === 'share' ? cluster.shares.length : rangeCount(this.prepared.directory, cluster);
    this.options.print(
      `${phase.done} of ${numberOf(all, kind === 'share' ? 'share' : 'range')} ${DONE[kind]}; the others are submitted`,
    );
    this.options.print('When they have ended, run the same command again to continue or finish.');
    return false;
  }

  private phase(kind: TaskKind, bytes: readonly number[]): ClusterPhase {
    const { prepared, scheduler, recorder, options } = this;
    const progress = ({ share: 'sorting', range: 'merging', place: 'writing' } as const)[kind];
    const { detach: detached } = prepared.cluster.job.cluster!;
    const common = { directory: prepared.directory, scheduler, recorder, signal: options.signal, detached };
    return new ClusterPhase({ ...common, kind, bytes, progress, ...(kind === 'range' && { redo: this.shares }) });
  }

  /** Has damaged files rebuilt. Resolves to false if that does not help. */
  private async repair(error: unknown): Promise<boolean> {
    if (error instanceof DamagedShare) await this.shares.again([error.share]);
    else if (error instanceof DamagedRange && this.ranges !== null) await this.ranges.again([error.range]);
    else return false;
    warn(`${(error as GpusortError).message}; it was rebuilt`);
    return true;
  }

  /** The error, with the progress so far and how to resume. */
  private async explained(error: unknown): Promise<unknown> {
    const { directory, cluster } = this.prepared;
    const isThere = exists(directory.job());
    if (isThere && this.options.signal.aborted && error === this.options.signal.reason) return await this.interrupted();
    // The output has been kept under another name, so nothing is left to resume.
    if (!(error instanceof GpusortError) || directory.isRemoved) return error;
    const { code, message, hint, exitCode } = error;
    const next = !isThere
      ? this.withoutJob()
      : AFRESH.includes(code)
        ? `To start over: ${givingUp(directory, cluster)}`
        : `Run the same command again to resume; to give up: ${givingUp(directory, cluster)}`;
    return new GpusortError(code, message, {
      hint: [...(hint === undefined ? [] : [hint]), next].join('\n'),
      exitCode,
      cause: error,
    });
  }

  /** The job directory was removed or hidden by somebody else: removes the text of the output, which nobody can use. */
  private withoutJob(): string {
    const { directory, cluster } = this.prepared;
    const text = displayName(cluster.text);
    if (!exists(cluster.text)) return `${directory.label} and ${text} are gone, or hidden by a mount.`;
    const lost = `${directory.label} is gone, so the sort cannot continue.`;
    try {
      fileSystem.removeTree(cluster.text);
      return `${lost} It left nothing else behind.`;
    } catch (error) {
      return `${lost} ${text} cannot be removed: ${systemText(error)}.`;
    }
  }

  private async interrupted(): Promise<GpusortError> {
    const { directory, cluster } = this.prepared;
    const [shares, ranges] = [directory.numbers('shares').size, directory.numbers('ranges').size];
    if (shares + ranges === 0) {
      fileSystem.removeTree(cluster.text);
      await directory.remove();
      return new GpusortError('interrupted', 'interrupted: no task was done, and nothing is left behind');
    }
    const done = [
      ...(cluster.shares.length === 0 ? [] : [`${shares} of ${numberOf(cluster.shares.length, 'share')}`]),
      ...(ranges === 0 ? [] : [`${ranges} of ${numberOf(rangeCount(directory, cluster), 'range')}`]),
    ];
    return new GpusortError('interrupted', `interrupted: ${done.join(' and ')} are done`, {
      hint: `Run the same command again to resume; to give up: ${givingUp(directory, cluster)}`,
    });
  }
}

/** Errors after which the same tasks would fail again. */
const AFRESH: readonly string[] = ['input-changed', 'verify-failed', 'bad-records'];

/** The state of the results of finished tasks, for messages. */
const DONE = { share: 'are sorted', range: 'are merged', place: 'are copied to the output' } as const;

function openScheduler(
  job: SortJob,
  { directory, cluster }: Prepared,
  recorder: Recorder,
  { command, environment, signal }: ClientOptions,
): Scheduler {
  const { scheduler } = job.cluster!;
  const options: SchedulerOptions = {
    directory: directory.path,
    id: cluster.id,
    command,
    taskOptions: optionsOf(tasksOwn(job, machineFacts(), Math.max(cluster.shares.length, cluster.ranges))),
  };
  switch (scheduler.kind) {
    case 'slurm':
      return openSlurm({ ...options, slurmOptions: scheduler.options, signal });
    case 'local':
      return openLocal({
        ...options,
        processes: scheduler.processes,
        usesGpu: requestedEngine(job) !== 'cpu' && whyNoGpu() === null,
        environment,
        recorder,
      });
    case 'prepare':
      throw new GpusortError('internal', 'internal error: no scheduler was asked for');
  }
}

function optionsOf({ memoryBytes, parallel }: ReturnType<typeof tasksOwn>): string[] {
  return [
    ...(memoryBytes === undefined ? [] : ['-S', `${memoryBytes}b`]),
    ...(parallel === undefined ? [] : ['--parallel', String(parallel)]),
  ];
}
