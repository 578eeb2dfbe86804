/**
 * The threads that execute tasks: a queue for the workers and, if it helps, the calling thread. Knows nothing about the
 * tasks. If the calling thread helps, it executes the tasks for which the workers have no room, and each worker has up
 * to two tasks, so that it has work while the calling thread is busy. The calling thread works in steps and lets I/O,
 * answers and signals through between them. A worker is referenced only while it works, so an idle crew does not keep
 * the process alive. If a worker dies, all pending and later tasks are rejected.
 */

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { cannotReadInstalled, installed } from '../installed.js';
import { isHeapSmall } from '../limits.js';
import { advance, type Resumable } from '../resumable.js';
import { receivedError } from './posted-error.js';
import type { Assignment, Reply, Role } from './serve.js';

export interface Crew<Task, Outcome> {
  perform(task: Task): Promise<Outcome>;
  /**
   * Performs a task once in each thread, after the tasks that the thread already has. If a thread cannot be started,
   * another thread performs the task a second time.
   */
  performInEach(task: Task): Promise<Outcome[]>;
  close(): Promise<void>;
}

interface CrewOptions<Task, Outcome> {
  /** Number of threads to start. */
  readonly workers: number;
  /**
   * Whether a thread is started only when there is a task and no idle thread for it. Absent: all threads start at once.
   */
  readonly startsOnDemand?: boolean;
  /** Their role in src/run/worker.ts, and its data. */
  readonly role: Role;
  /** Whether the calling thread executes tasks too. It always does if there is no worker. */
  readonly helps: boolean;
  /** The steps of a task in the calling thread. */
  perform(task: Task): Resumable<Outcome>;
  /**
   * Megabytes of a worker's heap for young objects; absent: V8's choice. Memory outside the heap is freed only when
   * these objects are collected.
   */
  readonly youngMegabytes?: number;
  /** Turns an error into the one that the caller of `perform` receives. */
  explain(error: unknown): unknown;
}

interface Job<Task, Outcome> {
  readonly task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface CrewMember<Task, Outcome> {
  readonly worker: Worker;
  /** Tasks that the worker was given and has not answered, in order. */
  readonly jobs: Job<Task, Outcome>[];
}

/** The module that threads run. */
const PROGRAM = 'bin/worker.cjs';
/** Threads that were started before their role was known, and that no crew has taken yet. */
const startedAhead = new Set<Worker>();

/** How long the calling thread works before it lets other events through, signals among them. */
const SLICE_MS = 50;

/**
 * Starts threads for the crews that will be created: each takes 20 to 50 ms to start. They wait for a role, and do not
 * keep the process alive.
 */
export function startAhead(count: number): void {
  while (startedAhead.size < count) {
    const worker = startThread();
    worker.unref();
    startedAhead.add(worker);
    // A crew then starts another thread, and reports if that fails too.
    for (const end of ['error', 'exit']) worker.on(end, () => startedAhead.delete(worker));
  }
}

/** Starts the threads, without waiting for them. */
export function createCrew<Task, Outcome>(options: CrewOptions<Task, Outcome>): Crew<Task, Outcome> {
  return new ThreadCrew(options);
}

/** A crew that is created by `start` when it gets its first task. */
export function startedLater<Task, Outcome>(start: () => Crew<Task, Outcome>): Crew<Task, Outcome> {
  let crew: Crew<Task, Outcome> | null = null;
  return {
    perform: (task) => (crew ??= start()).perform(task),
    performInEach: (task) => (crew ??= start()).performInEach(task),
    close: async () => crew?.close(),
  };
}

class ThreadCrew<Task, Outcome> implements Crew<Task, Outcome> {
  private readonly options: CrewOptions<Task, Outcome>;
  /** Maximum number of tasks per worker. */
  private readonly room: number;
  private readonly members: CrewMember<Task, Outcome>[] = [];
  /** Threads that are still to be started. */
  private unstarted: number;
  private readonly waiting: Job<Task, Outcome>[] = [];
  /** Tasks that only the calling thread may execute. */
  private readonly reserved: Job<Task, Outcome>[] = [];
  /** The calling thread's own task. */
  private own: { readonly job: Job<Task, Outcome>; readonly steps: Resumable<Outcome> } | undefined;
  private isToHelp = false;
  private failure: unknown;

  constructor(options: CrewOptions<Task, Outcome>) {
    this.options = options;
    this.room = options.helps ? 2 : 1;
    this.unstarted = options.workers;
    if (options.startsOnDemand !== true) while (this.unstarted > 0) this.startMember();
  }

  perform(task: Task): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (this.failure !== undefined) return reject(this.failure);
      this.waiting.push({ task, resolve, reject });
      this.dispatch();
    });
  }

  async performInEach(task: Task): Promise<Outcome[]> {
    if (this.failure !== undefined) throw this.failure;
    const outcomes = this.members.map(
      (member) => new Promise<Outcome>((resolve, reject) => give(member, { task, resolve, reject })),
    );
    if (this.canHelp())
      outcomes.push(new Promise<Outcome>((resolve, reject) => this.reserved.push({ task, resolve, reject })));
    this.dispatch();
    return Promise.all(outcomes);
  }

  async close(): Promise<void> {
    this.fail(new Error('the threads are closed'));
    await Promise.all(this.members.map(({ worker }) => worker.terminate()));
  }

  private startMember(): CrewMember<Task, Outcome> {
    this.unstarted--;
    const { role, youngMegabytes } = this.options;
    const worker = (youngMegabytes === undefined ? takeStarted() : null) ?? startThread(youngMegabytes);
    const member: CrewMember<Task, Outcome> = { worker, jobs: [] };
    this.members.push(member);
    const assignment: Assignment = { role, smallHeap: isHeapSmall() };
    worker.postMessage(assignment);
    worker.on('message', (reply: Reply) => this.receive(member, reply));
    worker.on('error', (error) => {
      if (cannotStart(error as NodeJS.ErrnoException)) this.drop(member);
      else this.fail(isMissing(error) ? cannotReadInstalled(PROGRAM, error) : error);
    });
    worker.on('exit', () => {
      if (this.members.includes(member)) this.fail(new Error('a worker thread ended'));
    });
    // Listening for a worker's messages has referenced it.
    worker.unref();
    return member;
  }

  private receive({ worker, jobs }: CrewMember<Task, Outcome>, reply: Reply): void {
    // A worker that is being terminated must stay referenced; otherwise the process might end while it waits for the
    // worker's end.
    if (this.failure !== undefined) return;
    const job = jobs.shift();
    if (jobs.length === 0) worker.unref();
    if ('error' in reply) job?.reject(this.options.explain(receivedError(reply)));
    else job?.resolve(reply.outcome as Outcome);
    this.dispatch();
  }

  /** Gives waiting tasks to the workers and, if it helps, to the calling thread. */
  private dispatch(): void {
    const { members, waiting, reserved, own } = this;
    while (waiting.length > 0) {
      let member = leastBusy(members, this.room);
      if (this.unstarted > 0 && (member?.jobs.length ?? 1) > 0) member = this.startMember();
      if (member === undefined) break;
      give(member, waiting.shift()!);
    }
    const hasWork = own !== undefined || reserved.length > 0 || (this.canHelp() && waiting.length > 0);
    if (this.isToHelp || !hasWork) return;
    this.isToHelp = true;
    setImmediate(() => this.help());
  }

  private canHelp(): boolean {
    return this.options.helps || this.members.length === 0;
  }

  /** Does steps of the calling thread's own task, for a short time. */
  private help(): void {
    this.isToHelp = false;
    if (this.own === undefined) {
      const job = this.reserved.shift() ?? this.waiting.shift();
      if (job === undefined) return;
      this.own = { job, steps: this.options.perform(job.task) };
    }
    const { job, steps } = this.own;
    try {
      const done = advance(steps, SLICE_MS);
      if (done !== null) {
        this.own = undefined;
        job.resolve(done.outcome);
      }
    } catch (error) {
      this.own = undefined;
      job.reject(this.options.explain(error));
    }
    this.dispatch();
  }

  /** Rejects all tasks, and all later ones. */
  private fail(error: unknown): void {
    this.failure ??= this.options.explain(error);
    const jobs = [
      ...this.members.flatMap((member) => member.jobs.splice(0)),
      ...(this.own === undefined ? [] : [this.own.job]),
      ...this.reserved.splice(0),
      ...this.waiting.splice(0),
    ];
    this.own = undefined;
    for (const job of jobs) job.reject(this.failure);
  }

  /** Removes a worker that could not be started; other threads execute its tasks. */
  private drop(member: CrewMember<Task, Outcome>): void {
    this.members.splice(this.members.indexOf(member), 1);
    this.waiting.unshift(...member.jobs.splice(0));
    this.dispatch();
  }
}

/** Starts a thread, which waits for its role. */
function startThread(youngMegabytes?: number): Worker {
  return new Worker(installed(PROGRAM), {
    argv: [fileURLToPath(installed('dist/'))],
    // Otherwise Node also opens the process's own streams, and those that are pipes then return EAGAIN when full.
    stdout: true,
    stderr: true,
    ...(youngMegabytes !== undefined && { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
  });
}

function takeStarted(): Worker | null {
  for (const worker of startedAhead) {
    startedAhead.delete(worker);
    return worker;
  }
  return null;
}

function give<Task, Outcome>({ jobs, worker }: CrewMember<Task, Outcome>, job: Job<Task, Outcome>): void {
  jobs.push(job);
  worker.ref();
  worker.postMessage(job.task);
}

/** Whether a worker failed before it could take a task, because there is no memory for it or no current directory. */
function cannotStart({ code, syscall }: NodeJS.ErrnoException): boolean {
  return code === 'ERR_WORKER_INIT_FAILED' || syscall === 'uv_cwd';
}

/** Whether a worker ended because its program is missing. */
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';

/** The member with the fewest tasks, if any has fewer than `room`. */
function leastBusy<Task, Outcome>(
  members: readonly CrewMember<Task, Outcome>[],
  room: number,
): CrewMember<Task, Outcome> | undefined {
  let least: CrewMember<Task, Outcome> | undefined;
  for (const member of members) {
    if (member.jobs.length < room && (least === undefined || member.jobs.length < least.jobs.length)) least = member;
  }
  return least;
}
