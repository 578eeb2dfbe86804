/**
 * One phase of a distributed sort: has its tasks started, and started again, until all their markers are there. A task
 * that fails on its own is tried once more, elsewhere, if that may help; then its own message ends the sort.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ErrorCode, GpusortError } from '../report/errors.js';
import type { Phase as ProgressPhase, Recorder } from '../report/stats.js';
import { formatTime } from '../report/units.js';
import { warn } from '../report/warnings.js';
import { type JobDirectory, readJson, removeQuietly, type TaskKind, taskName } from './directory.js';
import type { Scheduler, TaskState } from './scheduler.js';
import type { TaskError } from './tasks.js';

const FOLDERS = { share: 'shares', range: 'ranges', place: 'placed' } as const;
/** How often a task is started at most. */
const MOST_ATTEMPTS = 3;
/** Errors that another node, or another moment, may not have. */
const MAY_PASS: readonly string[] = [
  'no-temporary-space',
  'read-failed',
  'write-failed',
  'out-of-memory',
  'out-of-device-memory',
  'device-lost',
];
/** Time between two looks at the markers: at first short, then longer. */
const PAUSE_MS = { first: 20, growth: 1.3 } as const;
/** How long a marker may stay invisible on a network file system after its task has ended. */
const UNSEEN_MS = 5000;

interface PhaseOptions {
  readonly directory: JobDirectory;
  readonly scheduler: Scheduler;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly kind: TaskKind;
  /** For the progress line: what each task handles. */
  readonly bytes: readonly number[];
  readonly progress: ProgressPhase;
  /** The phase that makes damaged runs again. */
  readonly redo?: Phase;
}

interface Progress {
  attempts: number;
  /** When the task was first seen to have ended without a marker. */
  endedAt: number | null;
}

export class Phase {
  private readonly options: PhaseOptions;
  private readonly tasks: Progress[];
  private readonly done = new Set<number>();

  constructor(options: PhaseOptions) {
    this.options = options;
    this.tasks = options.bytes.map(() => ({ attempts: 0, endedAt: null }));
  }

  /** Resolves when all tasks are done. Throws the error of a task, or why it cannot run. */
  async run(): Promise<void> {
    const { bytes, recorder, progress, directory, scheduler, kind } = this.options;
    const start = performance.now();
    recorder.advance(
      progress,
      0,
      bytes.reduce((sum, more) => sum + more, 0),
    );
    for (const name of directory.failedTasks()) removeQuietly(directory.error(name));
    this.look();
    // An earlier client may have started some of them.
    const states = await scheduler.states();
    const isUnderway = (number: number): boolean => {
      const state = states.get(taskName(kind, number));
      return state !== undefined && state.kind !== 'ended';
    };
    await this.submit(this.missing().filter((number) => !isUnderway(number)));
    const longest = scheduler.longestPauseMs(bytes.length);
    for (let pause: number = PAUSE_MS.first; ; pause = Math.min(longest, pause * PAUSE_MS.growth)) {
      this.look();
      if (this.missing().length === 0) {
        recorder.note(`${bytes.length} ${kind} tasks took ${formatTime(performance.now() - start)}`);
        return;
      }
      await this.handle();
      await delay(pause, undefined, { signal: this.options.signal }).catch(() => {});
      this.options.signal.throwIfAborted();
    }
  }

  /** Makes the given tasks undone and runs them again. */
  async again(numbers: readonly number[]): Promise<void> {
    const { directory } = this.options;
    for (const number of numbers) {
      this.done.delete(number);
      removeQuietly(directory.index(number));
      removeQuietly(directory.run(number));
    }
    await this.run();
  }

  /** Notes the markers that have appeared. */
  private look(): void {
    const { directory, kind, bytes, recorder, progress } = this.options;
    for (const number of directory.numbers(FOLDERS[kind])) {
      if (this.done.has(number) || number >= bytes.length) continue;
      this.done.add(number);
      recorder.advance(progress, bytes[number]);
    }
  }

  private missing(): number[] {
    return [...this.tasks.keys()].filter((number) => !this.done.has(number));
  }

  private async submit(numbers: readonly number[]): Promise<void> {
    if (numbers.length === 0) return;
    const { scheduler, kind, directory } = this.options;
    for (const number of numbers) {
      const task = this.tasks[number];
      task.attempts++;
      task.endedAt = null;
      removeQuietly(directory.error(taskName(kind, number)));
    }
    await scheduler.submit(numbers.map((number) => taskName(kind, number)));
  }

  /** Starts tasks again that ended without a marker, or throws. */
  private async handle(): Promise<void> {
    const { scheduler, kind, redo, directory } = this.options;
    const states = await scheduler.states();
    const failed = new Set(directory.failedTasks());
    const again: number[] = [];
    const damaged: number[] = [];
    for (const number of this.missing()) {
      const name = taskName(kind, number);
      const state = states.get(name);
      if (state?.kind === 'waiting') this.tellReason(state);
      if (state !== undefined && state.kind !== 'ended') continue;
      const task = this.tasks[number];
      const error = failed.has(name) ? (readJson(directory.error(name)) as TaskError | null) : null;
      task.endedAt ??= Date.now();
      if (error === null && Date.now() - task.endedAt < UNSEEN_MS && state?.how == null) continue;
      this.look();
      if (this.done.has(number)) continue;
      const mayPass = error === null ? (state?.again ?? true) : MAY_PASS.includes(error.code);
      if (!mayPass || task.attempts >= MOST_ATTEMPTS) throw this.failure(name, error, state ?? null);
      if (error?.damagedShare != null && redo !== undefined) damaged.push(error.damagedShare);
      warn(
        `${name} ${error === null ? (state?.how ?? 'ended without a result') : `failed on ${error.host} (${error.message})`}; it is started again`,
      );
      again.push(number);
    }
    if (damaged.length > 0) await redo!.again([...new Set(damaged)]);
    await this.submit(again);
  }

  private tellReason({ reason }: Extract<TaskState, { kind: 'waiting' }>): void {
    const { scheduler } = this.options;
    if (reason !== null && !USUAL_REASONS.includes(reason))
      warn(`tasks wait for ${scheduler.name}, which says: ${reason}`, reason);
  }

  /** The error that ends the sort. */
  private failure(name: string, error: TaskError | null, state: TaskState | null): GpusortError {
    const { directory, scheduler } = this.options;
    const goesOn = `The same command goes on with the tasks that are left; rm -r ${directory.label} gives up.`;
    if (error !== null)
      return new GpusortError(error.code as ErrorCode, `${name} on ${error.host}: ${error.message}`, {
        hint: error.hint === null ? goesOn : `${error.hint} ${goesOn}`,
        exitCode: error.exitCode,
      });
    const how = state?.kind === 'ended' && state.how !== null ? state.how : 'ended without a result';
    return new GpusortError('internal', `${name} of ${scheduler.name} ${how}`, {
      hint: `Its output is in ${directory.label}/log. ${goesOn}`,
    });
  }
}

/** Reasons of a queue that moves by itself. */
const USUAL_REASONS: readonly string[] = ['Resources', 'Priority', 'None', 'BeginTime', 'JobArrayTaskLimit', 'Prolog'];
