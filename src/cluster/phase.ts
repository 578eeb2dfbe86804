/**
 * One phase of a distributed sort: has its tasks started, and started again, until all their done files exist. A task
 * that fails by itself is tried again, on another node, if that may help. If it still fails, its own message ends the
 * sort.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { displayName } from '../report/names.js';
import type { Phase as ProgressPhase, Recorder } from '../report/recorder.js';
import { formatTime } from '../report/units.js';
import { warn } from '../report/warnings.js';
import { type ErrorCode, GpusortError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { quiet } from '../system/promises.js';
import { type JobDirectory, removeQuietly, type TaskKind, taskName } from './directory.js';
import { DamagedFile, readJson } from './job-file.js';
import type { Scheduler, TaskState } from './scheduler.js';
import type { TaskError } from './tasks.js';

const FOLDERS = { share: 'shares', range: 'ranges', place: 'placed' } as const;
/** The maximum number of times that a task is started. */
const MOST_ATTEMPTS = 3;
/** The same limit for starts after its node was lost or taken by another job, which is not the task's fault. */
const MOST_LOSSES = 20;
/** Errors that may not occur on another node, or at another time. */
const MAY_PASS: readonly string[] = [
  'no-temporary-space',
  'read-failed',
  'write-failed',
  'out-of-memory',
  'out-of-device-memory',
  'device-lost',
];
/** Time between two polls of the done files: at first short, then longer. */
const PAUSE_MS = { first: 20, growth: 1.3 } as const;
/** The time for which a done file may stay invisible on a network file system after its task has ended. */
const UNSEEN_MS = 5000;
/** Bytes at the end of a log in which its last line is looked for. */
const LOG_BYTES = 4096;

interface ClusterPhaseOptions {
  readonly directory: JobDirectory;
  readonly scheduler: Scheduler;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly kind: TaskKind;
  /** For the progress line: the bytes of each task. */
  readonly bytes: readonly number[];
  readonly progress: ProgressPhase;
  /** The phase that rebuilds damaged runs. */
  readonly redo?: ClusterPhase;
  /** Whether tasks may have failed while no client was running. */
  readonly detached: boolean;
}

interface TaskProgress {
  attempts: number;
  /** Attempts whose node was lost or taken. */
  losses: number;
  /** When it was last submitted; 0 if an earlier client did so. */
  startedAt: number;
  /** When the task was first seen to have ended without a done file. */
  endedAt: number | null;
}

export class ClusterPhase {
  private readonly options: ClusterPhaseOptions;
  private readonly tasks: TaskProgress[];
  private readonly finished = new Set<number>();
  /** When results were last removed and made again. */
  private readonly redone = new Map<number, number>();

  constructor(options: ClusterPhaseOptions) {
    this.options = options;
    this.tasks = options.bytes.map(() => ({ attempts: 0, losses: 0, startedAt: 0, endedAt: null }));
  }

  /** The number of tasks that are done. */
  get done(): number {
    this.look();
    return this.finished.size;
  }

  /** Submits the tasks that are neither done nor underway. Resolves to whether all are done. */
  async begin(): Promise<boolean> {
    const { bytes, scheduler, kind } = this.options;
    this.look(bytes.reduce((sum, more) => sum + more, 0));
    if (this.missing().length === 0) return true;
    // An earlier client may have started some of them.
    const states = await scheduler.states();
    const idle = this.missing().filter((number) => (states.get(taskName(kind, number))?.kind ?? 'ended') === 'ended');
    if (this.options.detached) for (const number of idle) this.tellFailure(number);
    await this.submit(idle);
    return false;
  }

  /** Resolves when all tasks are done. Throws the error of a task, or why it cannot run. */
  async run(): Promise<void> {
    const { bytes, recorder, scheduler, kind } = this.options;
    const start = performance.now();
    if (await this.begin()) return;
    const longest = scheduler.longestPauseMs(bytes.length);
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(longest, pause * PAUSE_MS.growth)) {
      this.options.signal.throwIfAborted();
      this.look();
      if (this.missing().length === 0) {
        recorder.note(`${bytes.length} ${kind} tasks took ${formatTime(performance.now() - start)}`);
        return;
      }
      await this.handle();
      await quiet(delay(pause, undefined, { signal: this.options.signal }));
    }
  }

  /** Removes the results of the given tasks and runs them again. */
  async again(numbers: Iterable<number>): Promise<void> {
    const { directory, kind, bytes } = this.options;
    for (const number of numbers) {
      if (this.finished.delete(number)) this.advance(-bytes[number]);
      directory.forget(kind, number);
    }
    await this.run();
    for (const number of numbers) this.redone.set(number, Date.now());
  }

  /** Notes the done files that have appeared. `total`: bytes of the phase, at its beginning. */
  private look(total?: number): void {
    const { directory, kind, bytes } = this.options;
    let more = 0;
    for (const number of directory.numbers(FOLDERS[kind])) {
      if (this.finished.has(number) || !(number < bytes.length)) continue;
      this.finished.add(number);
      more += bytes[number];
    }
    if (more > 0 || total !== undefined) this.advance(more, total);
  }

  /** Updates the progress line. */
  private advance(more: number, total?: number): void {
    const { recorder, progress, bytes } = this.options;
    recorder.advance(progress, more, total, { done: this.finished.size, all: bytes.length });
  }

  private missing(): number[] {
    return [...this.tasks.keys()].filter((number) => !this.finished.has(number));
  }

  private async submit(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    const { scheduler, kind, directory } = this.options;
    directory.removeTemporary(kind, new Set(numbers));
    for (const number of numbers) {
      const task = this.tasks[number];
      task.attempts++;
      task.startedAt = Date.now();
      task.endedAt = null;
      removeQuietly(directory.error(taskName(kind, number)));
    }
    await scheduler.submit(numbers.map((number) => taskName(kind, number)));
  }

  /** Starts tasks again that ended without a done file, or throws. */
  private async handle(): Promise<void> {
    const { scheduler, kind, redo, directory } = this.options;
    const states = await scheduler.states();
    const failed = new Set(directory.failedTasks());
    const again: number[] = [];
    const damaged = new Set<number>();
    for (const number of this.missing()) {
      const name = taskName(kind, number);
      const state = states.get(name);
      if (state?.kind === 'waiting') this.tellReason(state);
      if (state !== undefined && state.kind !== 'ended') continue;
      const task = this.tasks[number];
      const error = failed.has(name) ? this.errorOf(name) : null;
      task.endedAt ??= Date.now();
      if (error === null && Date.now() - task.endedAt < UNSEEN_MS && state?.how == null) continue;
      this.look();
      if (this.finished.has(number)) continue;
      const share = error?.damagedShare ?? null;
      // The run was damaged while the task used it, and has been rebuilt since.
      const isOld = share !== null && task.startedAt < (redo?.redone.get(share) ?? -1);
      const mayPass = error === null ? (state?.again ?? true) : MAY_PASS.includes(error.code);
      if (state?.isLost === true) task.losses++;
      const isLast = task.losses > MOST_LOSSES || task.attempts - task.losses >= MOST_ATTEMPTS;
      if (!isOld && (!mayPass || isLast)) throw this.failure(name, error, state ?? null);
      if (!isOld) {
        if (share !== null) damaged.add(share);
        warn(`${name} ${sentenceOf(error, state ?? null)}; it is started again`);
      }
      again.push(number);
    }
    if (damaged.size > 0) await redo?.again(damaged);
    this.options.signal.throwIfAborted();
    await this.submit(again);
  }

  /** The failure that a task has left; null if there is none that can be read. */
  private errorOf(name: string): TaskError | null {
    try {
      return readJson(this.options.directory.error(name)) as TaskError | null;
    } catch (error) {
      if (error instanceof DamagedFile) return null;
      throw error;
    }
  }

  /** Reports why a task that an earlier client started has failed. */
  private tellFailure(number: number): void {
    const name = taskName(this.options.kind, number);
    const error = this.errorOf(name);
    if (error !== null) warn(`${name} ${sentenceOf(error, null)}; it is started again`);
  }

  private tellReason({ reason }: Extract<TaskState, { kind: 'waiting' }>): void {
    const { scheduler } = this.options;
    if (reason !== null && !USUAL_REASONS.includes(reason))
      warn(`tasks wait for ${scheduler.name}, which says: ${reason}`, reason);
  }

  /** The error that ends the sort. */
  private failure(name: string, error: TaskError | null, state: TaskState | null): GpusortError {
    const { directory, scheduler } = this.options;
    if (error !== null)
      return new GpusortError(error.code as ErrorCode, `${name} on ${error.host}: ${error.message}`, {
        exitCode: error.exitCode,
        ...(error.hint !== null && { hint: error.hint }),
      });
    const log = directory.file('log', name);
    const last = lastLine(log);
    return new GpusortError(
      'scheduler-failed',
      `${name} of ${scheduler.name} ${sentenceOf(null, state)}${last === '' ? '' : `: ${last}`}`,
      last === '' ? {} : { hint: `Its output is in ${displayName(log)}.` },
    );
  }
}

/** How a task failed, as a predicate. */
function sentenceOf(error: TaskError | null, state: TaskState | null): string {
  if (error !== null) return `failed on ${error.host} (${error.message})`;
  return state?.kind === 'ended' && state.how !== null ? state.how : 'ended without a result';
}

/** The last line of a log that reports an error; without one, the last line; an empty string if the log is empty. */
function lastLine(log: Buffer): string {
  try {
    const text = fileSystem.readFileSync(log);
    const end = text.subarray(Math.max(0, text.length - LOG_BYTES)).toString();
    const lines = end
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    const last = lines.findLast((line) => /^gpusort: |\berror\b/i.test(line)) ?? lines.at(-1) ?? '';
    return last.replace(/^gpusort: /, '');
  } catch {
    return '';
  }
}

/** Reasons for waiting that need no action by the user. */
const USUAL_REASONS: readonly string[] = ['Resources', 'Priority', 'None', 'BeginTime', 'JobArrayTaskLimit', 'Prolog'];
