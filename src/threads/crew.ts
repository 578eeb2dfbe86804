/**
 * The threads that do tasks: a queue in front of so many workers and, where it helps, the calling thread. Knows no task from
 * another.
 *
 * The calling thread does what the workers have no room for, each of which has two tasks from the beginning, while it starts: the one it
 * does, and one that it finds when the calling thread is busy itself. The calling thread does a task in steps: between them it lets reads, writes, answers
 * and signals through.
 *
 * A worker is referenced only while it works, so that an idle crew does not keep the process alive and a busy one does.
 * Whatever ends a worker rejects all that is under way and all that is asked later: never a wait without end.
 */
import { Worker } from 'node:worker_threads';
import { isHeapSmall } from '../limits.js';
import { advance, type Steps } from '../steps.js';
import type { Reply, Role, ThreadData } from './serve.js';

export interface Crew<Task, Outcome> {
  perform(task: Task): Promise<Outcome>;
  close(): Promise<void>;
}

export interface CrewOptions<Task, Outcome> {
  /** Threads to start. */
  readonly workers: number;
  /** What they are: what src/worker.ts has by that name, and what it is given. */
  readonly role: Role;
  /** Whether the calling thread does tasks, too. It does without being asked to where no worker could be started. */
  readonly helps: boolean;
  /** The steps of a task in the calling thread; null: it cannot do any. */
  readonly perform: ((task: Task) => Steps<Outcome>) | null;
  /** Makes of an error what the one who asked is told. */
  explain(error: unknown): unknown;
}

interface Job<Task, Outcome> {
  readonly task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface Member<Task, Outcome> {
  readonly worker: Worker;
  /** What it was given and has not answered, in order. */
  readonly jobs: Job<Task, Outcome>[];
}

/** How long the calling thread does steps of a task before it lets other events through, signals among them. */
const SLICE_MS = 50;

/** Starts the threads, without waiting for them. */
export function createCrew<Task, Outcome>({ workers, role, helps, perform, explain }: CrewOptions<Task, Outcome>): Crew<Task, Outcome> {
  /** How many tasks a worker has at once. */
  const room = helps ? 2 : 1;
  const members: Member<Task, Outcome>[] = [];
  const waiting: Job<Task, Outcome>[] = [];
  /** The calling thread's own task. */
  let own: { readonly job: Job<Task, Outcome>; readonly steps: Steps<Outcome> } | undefined;
  let helping: NodeJS.Immediate | undefined;
  let failure: unknown;

  function dispatch(): void {
    while (waiting.length > 0) {
      const member = leastBusy(members, room);
      if (member === undefined) break;
      const job = waiting.shift()!;
      member.jobs.push(job);
      member.worker.ref();
      member.worker.postMessage(job.task);
    }
    const canHelp = perform !== null && (helps || members.length === 0);
    if (own !== undefined || (canHelp && waiting.length > 0)) helping ??= setImmediate(help);
  }

  function help(): void {
    helping = undefined;
    if (own === undefined) {
      const job = waiting.shift();
      if (job === undefined) return;
      own = { job, steps: perform!(job.task) };
    }
    const { job, steps } = own;
    try {
      const done = advance(steps, SLICE_MS);
      if (done !== null) {
        own = undefined;
        job.resolve(done.outcome);
      }
    } catch (error) {
      own = undefined;
      job.reject(explain(error));
    }
    dispatch();
  }

  function fail(error: unknown): void {
    failure ??= explain(error);
    const jobs = [...members.flatMap((member) => member.jobs.splice(0)), ...(own === undefined ? [] : [own.job]), ...waiting.splice(0)];
    own = undefined;
    for (const job of jobs) job.reject(failure);
  }

  /** A worker that could not be started: the others do its tasks. */
  function drop(member: Member<Task, Outcome>, error: unknown): void {
    members.splice(members.indexOf(member), 1);
    waiting.unshift(...member.jobs.splice(0));
    if (members.length === 0 && perform === null) fail(error);
    else dispatch();
  }

  for (let i = 0; i < workers; i++) {
    const workerData: ThreadData = { role, smallHeap: isHeapSmall() };
    const worker = new Worker(new URL('../../dist/bundle/worker.cjs', import.meta.url), { workerData });
    const member: Member<Task, Outcome> = { worker, jobs: [] };
    members.push(member);
    worker.unref();
    worker.on('message', (reply: Reply) => {
      const job = member.jobs.shift();
      if (member.jobs.length === 0) worker.unref();
      if ('error' in reply) job?.reject(explain(reply.error));
      else job?.resolve(reply.outcome as Outcome);
      dispatch();
    });
    worker.on('error', (error) => {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_INIT_FAILED') drop(member, error);
      else fail(error);
    });
    worker.on('exit', () => { if (members.includes(member)) fail(new Error('a worker thread ended')); });
  }

  return {
    perform: (task) => new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      waiting.push({ task, resolve, reject });
      dispatch();
    }),
    close: async () => {
      fail(new Error('the threads are closed'));
      await Promise.all(members.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The member with the fewest tasks of those that have fewer than `room`. */
function leastBusy<Task, Outcome>(members: readonly Member<Task, Outcome>[], room: number): Member<Task, Outcome> | undefined {
  let least: Member<Task, Outcome> | undefined;
  for (const member of members) {
    if (member.jobs.length < room && (least === undefined || member.jobs.length < least.jobs.length)) least = member;
  }
  return least;
}
