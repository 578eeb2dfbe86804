/**
 * The threads that do tasks: a queue in front of so many workers and, where it helps, the calling thread. Knows no task from
 * another.
 *
 * The calling thread does what the workers have no room for: from the beginning, while they start, and later when each has two
 * tasks, the one it does and one that it finds when the calling thread is busy itself. Between two tasks of its own it lets
 * reads, writes and answers through.
 *
 * A worker is referenced only while it works, so that an idle crew does not keep the process alive and a busy one does.
 * Whatever ends a worker rejects all that is under way and all that is asked later: never a wait without end.
 */
import { Worker } from 'node:worker_threads';
import { compileKernels, explained, openKernels } from './kernels.js';
import type { Kernels } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { Shape } from './shape.js';
import type { Reply, Task } from './task.js';
import { performTask } from './task.js';
import type { WorkerData } from './worker.js';

export interface Crew {
  perform(task: Task): Promise<Outcome>;
  close(): Promise<void>;
}

interface Job {
  readonly task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface Member {
  readonly worker: Worker;
  /** How many tasks it takes at once; with a calling thread that helps none before it has started. */
  room: number;
  /** What it was given and has not answered, in order. */
  readonly jobs: Job[];
}

/** Starts `workers` threads, all of which order by `shape`; `helps`: the calling thread does tasks too. */
export function createCrew(workers: number, helps: boolean, shape: Shape): Crew {
  const members: Member[] = [];
  const waiting: Job[] = [];
  const module = compileKernels();
  /** The calling thread's own. */
  let kernels: Kernels | undefined;
  let helping: NodeJS.Immediate | undefined;
  let failure: unknown;

  function dispatch(): void {
    while (waiting.length > 0) {
      const member = leastBusy(members);
      if (member === undefined) break;
      const job = waiting.shift()!;
      member.jobs.push(job);
      member.worker.ref();
      member.worker.postMessage(job.task);
    }
    if (helps && waiting.length > 0) helping ??= setImmediate(help);
  }

  function help(): void {
    helping = undefined;
    const job = waiting.shift();
    if (job === undefined) return;
    try {
      kernels ??= openKernels(module, shape);
      job.resolve(performTask(kernels, shape, job.task));
    } catch (error) {
      job.reject(explained(error));
    }
    dispatch();
  }

  function fail(error: unknown): void {
    failure ??= explained(error);
    for (const job of [...members.flatMap(({ jobs }) => jobs.splice(0)), ...waiting.splice(0)]) job.reject(failure);
  }

  for (let i = 0; i < workers; i++) {
    const worker = new Worker(new URL('../../dist/bundle/worker.cjs', import.meta.url), { workerData: { module, shape } satisfies WorkerData });
    const member: Member = { worker, room: helps ? 0 : 1, jobs: [] };
    members.push(member);
    worker.unref();
    worker.on('message', (reply: Reply) => {
      if ('ready' in reply) {
        if (helps) member.room = 2;
      } else {
        const job = member.jobs.shift();
        if (member.jobs.length === 0) worker.unref();
        if ('error' in reply) job?.reject(explained(reply.error));
        else job?.resolve(reply.outcome);
      }
      dispatch();
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('a worker thread ended')));
  }

  return {
    perform: (task) => new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      waiting.push({ task, resolve, reject });
      dispatch();
    }),
    close: async () => {
      fail(new Error('the engine is closed'));
      await Promise.all(members.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The member with the fewest tasks of those that have room for one more. */
function leastBusy(members: readonly Member[]): Member | undefined {
  let least: Member | undefined;
  for (const member of members) {
    if (member.jobs.length < member.room && (least === undefined || member.jobs.length < least.jobs.length)) least = member;
  }
  return least;
}
