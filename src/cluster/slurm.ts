/**
 * Tasks as array jobs of Slurm: sbatch starts them, one squeue reports all their states, scancel ends them. Needs no
 * accounting database (sacct). Slurm must not restart lost tasks (--no-requeue), because that takes minutes; the client
 * restarts them. While the controller is down, the last known answers are used.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { GpusortError } from '../system/errors.js';
import { quiet } from '../system/promises.js';
import type { Scheduler, SchedulerOptions, TaskState } from './scheduler.js';
import {
  type Answer,
  arrayRanges,
  arraysOf,
  batchScript,
  COLUMN_FORMAT,
  complaint,
  isTransient,
  jobName,
  logPattern,
  readAttempts,
  runSlurm,
  type TaskArray,
  type TaskAttempt,
  taskOf,
} from './slurm-commands.js';

interface SlurmOptions extends SchedulerOptions {
  /** Words for sbatch. */
  readonly slurmOptions: readonly string[];
  /** Aborted when the user interrupts the client, which then calls `cancel`: nothing waits for Slurm after that. */
  readonly signal: AbortSignal;
}

interface SlurmTimes {
  /**
   * The time for which the controller may be unavailable. A restart takes seconds; a backup controller takes over after
   * minutes.
   */
  readonly patienceMs: number;
  /** The minimum time from one squeue of `states` to the next, for this many tasks. */
  readonly pollMs: (tasks: number) => number;
}
/**
 * Time between two polls of the done files. Every second poll calls squeue, which makes the controller examine all
 * jobs, and locks it for longer the more tasks there are.
 */
const lookMs = (tasks: number): number => Math.min(10_000, 1000 + 5 * tasks);
const USUAL: SlurmTimes = { patienceMs: 10 * 60_000, pollMs: (tasks) => 2 * lookMs(tasks) };
/** The maximum fraction of the time that is spent in squeue, if it is slow. */
const MOST_POLLING = 0.2;
/** The time that cancelled tasks may take to end. Slurm waits 30 seconds (KillWait) between SIGTERM and SIGKILL. */
const CANCEL_MS = 2 * 60_000;
/** The time for which an interrupted client keeps asking a controller that does not answer. */
const CANCEL_UNHEARD_MS = 15_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** `times`: for tests. */
export function openSlurm(options: SlurmOptions, times: Partial<SlurmTimes> = {}): Scheduler {
  refuseOptions(options.slurmOptions);
  return new Slurm(options, { ...USUAL, ...times });
}

/** Options of sbatch that would stop gpusort from following its tasks. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^(-W|--wait$)/, 'gpusort waits for its tasks itself'],
  [/^(-M|--clusters?(=|$))/, 'name the cluster in the environment variable SLURM_CLUSTERS'],
  [/^(-D|--chdir(=|$))/, 'tasks run in the job directory'],
  [/^(-a|--array(=|$))/, 'gpusort numbers its tasks itself'],
  [/^--wrap(=|$)/, 'tasks have a script'],
];

function refuseOptions(words: readonly string[]): void {
  for (const word of words) {
    const [, remedy] = REFUSED.find(([pattern]) => pattern.test(word)) ?? [];
    if (remedy !== undefined) throw new GpusortError('usage', `--slurm-options: ${word} cannot be given: ${remedy}`);
  }
}

class Slurm implements Scheduler {
  readonly name = 'Slurm';
  readonly longestPauseMs = lookMs;
  private readonly options: SlurmOptions;
  private readonly times: SlurmTimes;
  /** The latest attempt of each task, in its last known state. */
  private readonly latest = new Map<string, TaskAttempt>();
  /** All jobs of this sort that were ever seen. */
  private readonly jobs = new Set<number>();
  private hasAnswered = false;
  private nextListing = 0;
  private silentSince: number | null = null;
  private submitting: Promise<unknown> = Promise.resolve();
  private isCancelling = false;

  constructor(options: SlurmOptions, times: SlurmTimes) {
    this.options = options;
    this.times = times;
  }

  /** Resolves early, with tasks left out, if the client is interrupted or `cancel` is called. */
  async submit(tasks: readonly string[]): Promise<void> {
    // Lists jobs first, to distinguish new jobs from those of an earlier client.
    if (!this.hasAnswered) await this.list();
    for (const array of arraysOf(tasks)) {
      if (this.isStopping()) return;
      this.submitting = this.submitArray(array);
      await this.submitting;
    }
  }

  /** The states may be a few seconds old. */
  async states(): Promise<ReadonlyMap<string, TaskState>> {
    if (performance.now() >= this.nextListing) await this.list();
    return new Map([...this.latest.values()].map(({ task, state }) => [task, state]));
  }

  async cancel(): Promise<void> {
    this.isCancelling = true;
    try {
      // A job that is being submitted cannot be cancelled yet.
      await quiet(this.submitting);
      await this.cancelAll();
    } finally {
      this.isCancelling = false;
    }
  }

  private isStopping(): boolean {
    return this.isCancelling || this.options.signal.aborted;
  }

  private async submitArray(array: TaskArray): Promise<void> {
    const words = this.batchWords(array);
    const script = batchScript(this.options, array);
    const known = new Set(this.jobs);
    while (!this.isStopping()) {
      const answer = await runSlurm('sbatch', words, { input: script, signal: this.options.signal });
      // The job may exist although sbatch timed out.
      const job = isTransient(answer) ? await this.jobNotIn(known, array) : acceptedJob(answer);
      if (job !== null) {
        this.accept(array, job);
        return;
      }
      const what = complaint('sbatch', answer);
      if (!isTransient(answer)) throw refusal(what);
      await this.endure(`sbatch: ${what}`);
    }
  }

  private batchWords(array: TaskArray): string[] {
    const { directory, id, slurmOptions } = this.options;
    // Slurm replaces % and removes \ in the whole path of a log, and arguments of programs are UTF-8. If the name of
    // the directory has such bytes, tasks run without Slurm's log.
    const name = directory.toString();
    const isPlain = !/[%\\]/.test(name) && Buffer.from(name).equals(directory);
    return [
      ...['--no-requeue', '--ntasks=1', '--open-mode=append'],
      ...(isPlain ? [`--chdir=${name}`, `--output=${logPattern(array)}`] : ['--chdir=/', '--output=/dev/null']),
      ...slurmOptions,
      // These three take precedence over the user's options.
      ...['--parsable', `--job-name=${jobName(id, array)}`, `--array=${arrayRanges(array.indices)}`],
    ];
  }

  private accept(array: TaskArray, job: number): void {
    this.answered();
    this.nextListing = 0;
    this.jobs.add(job);
    for (const index of array.indices)
      this.keep({ task: taskOf(array, index), job, state: { kind: 'waiting', reason: null } });
  }

  /** A job of `array` that is not in `known`; null if there is none or squeue does not list it. */
  private async jobNotIn(known: ReadonlySet<number>, array: TaskArray): Promise<number | null> {
    const answer = await this.squeue();
    const attempts = answer.status === 0 ? readAttempts(this.options.id, answer.stdout) : [];
    const tasks = new Set(array.indices.map((index) => taskOf(array, index)));
    return attempts.find(({ task, job }) => tasks.has(task) && !known.has(job))?.job ?? null;
  }

  /** Asks for the attempts that Slurm still knows, and keeps the latest ones. Null while it does not answer. */
  private async list(): Promise<TaskAttempt[] | null> {
    const before = [...this.latest.values()];
    const begin = performance.now();
    const answer = await this.squeue();
    if (answer.status !== 0) {
      await this.endure(`squeue: ${complaint('squeue', answer)}`);
      return null;
    }
    this.answered();
    this.nextListing =
      performance.now() + Math.max(this.times.pollMs(this.latest.size), (performance.now() - begin) / MOST_POLLING);
    const attempts = readAttempts(this.options.id, answer.stdout);
    const listed = new Set(attempts.map(({ task, job }) => `${task} ${job}`));
    for (const attempt of attempts) {
      this.jobs.add(attempt.job);
      this.keep(attempt);
    }
    for (const attempt of before) if (!listed.has(`${attempt.task} ${attempt.job}`)) this.forget(attempt);
    return attempts;
  }

  /** All jobs of this user, because names of jobs can be selected by whole words only. */
  private squeue(): ReturnType<typeof runSlurm> {
    const words = ['--noheader', '--array', '--all', '--states=all', `--user=${process.getuid!()}`];
    return runSlurm('squeue', [...words, `--Format=${COLUMN_FORMAT}`]);
  }

  private keep(attempt: TaskAttempt): void {
    if (attempt.job >= (this.latest.get(attempt.task)?.job ?? 0)) this.latest.set(attempt.task, attempt);
  }

  /** Slurm lists a task for some minutes after its end (MinJobAge). A task that is no longer listed has ended. */
  private forget(attempt: TaskAttempt): void {
    if (this.latest.get(attempt.task) !== attempt || attempt.state.kind === 'ended') return;
    const state = { kind: 'ended', how: 'is no longer known to Slurm', again: true } as const;
    this.latest.set(attempt.task, { ...attempt, state });
  }

  private async cancelAll(): Promise<void> {
    const cancelled = new Set<number>();
    const begin = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const active = (await this.list())?.filter(({ state }) => state.kind !== 'ended') ?? null;
      if (active?.length === 0) return;
      const elapsed = performance.now() - begin;
      if (elapsed > (active === null ? CANCEL_UNHEARD_MS : CANCEL_MS)) throw this.stillThere(active, elapsed);
      const jobs = [...new Set(active?.map(({ job }) => job))].filter((job) => !cancelled.has(job));
      if (jobs.length > 0) {
        const answer = await runSlurm('scancel', ['--quiet', ...jobs.map(String)]);
        // Other failures mean that jobs have ended in the meantime.
        if (!isTransient(answer)) for (const job of jobs) cancelled.add(job);
      }
      await delay(pauseMs);
    }
  }

  /** `active`: null if squeue does not answer. */
  private stillThere(active: readonly TaskAttempt[] | null, elapsedMs: number): GpusortError {
    const hosts = new Set(active?.flatMap(({ state }) => (state.kind === 'running' ? (state.host ?? []) : [])));
    const where = hosts.size === 0 ? '' : ` on ${[...hosts].slice(0, 5).join(', ')}`;
    const what =
      active === null
        ? 'Slurm does not say whether tasks still run'
        : `${active.length} cancelled tasks still run${where}`;
    return new GpusortError('scheduler-failed', `${what} after ${Math.round(elapsedMs / 1000)} seconds`, {
      hint: `Look for gpusort-${this.options.id} in squeue, and end these jobs with scancel.`,
    });
  }

  private answered(): void {
    this.hasAnswered = true;
    this.silentSince = null;
  }

  /** Waits a little for a controller that does not answer. Throws if it has never answered, or not for too long. */
  private async endure(what: string): Promise<void> {
    const now = performance.now();
    this.silentSince ??= now;
    if (!this.hasAnswered) {
      throw new GpusortError('scheduler-failed', what, { hint: 'Run sinfo to see whether Slurm works.' });
    }
    if (now - this.silentSince > this.times.patienceMs) {
      const verb = what.startsWith('sbatch') ? 'taken tasks' : 'answered';
      const minutes = Math.round(this.times.patienceMs / 60_000);
      throw new GpusortError('scheduler-failed', `Slurm has not ${verb} for ${minutes} minutes: ${what}`, {
        hint:
          'Its tasks may still be running. Run the same command again once squeue works: finished tasks are not ' +
          'repeated.',
      });
    }
    await quiet(delay(LONGEST_PAUSE_MS, undefined, { signal: this.options.signal }));
  }
}

/** Reads the output of sbatch --parsable: the number of the job and, if there are several clusters, the name of one. */
function acceptedJob({ status, stdout }: Answer): number | null {
  const [, job] = (status === 0 && /^([0-9]+)(?:;.*)?$/m.exec(stdout)) || [];
  return job === undefined ? null : Number(job);
}

function refusal(what: string): GpusortError {
  return new GpusortError('scheduler-failed', `sbatch did not take the tasks: ${what}`, {
    hint: /array specification/.test(what)
      ? 'The cluster allows smaller arrays only (scontrol show config, MaxArraySize): give fewer --tasks.'
      : 'Give what your cluster asks for, such as a partition, account or time, with --slurm-options.',
  });
}
