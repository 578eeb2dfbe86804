/**
 * The threads that do tasks: a queue in front of so many workers, or the calling thread alone. Knows no task from another.
 *
 * A worker is referenced only while it works, so that an idle crew does not keep the process alive and a busy one does.
 * Whatever ends a worker rejects all that is under way and all that is asked later: never a wait without end.
 */
import { Worker } from 'node:worker_threads';
import type { Shape } from './shape.js';
import type { Outcome } from './tile.js';
import type { Reply, Task } from './task.js';
import { performTask } from './task.js';

export interface Crew {
  perform(task: Task): Promise<Outcome>;
  close(): Promise<void>;
}

interface Job {
  readonly task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Tasks are done at once, in the calling thread. */
function createSolo(shape: Shape): Crew {
  return { perform: async (task) => performTask(task, shape), close: async () => {} };
}

/** Starts `workers` threads, all of which order by `shape`; 0: the calling thread. */
export function createCrew(workers: number, shape: Shape): Crew {
  if (workers === 0) return createSolo(shape);
  const idle: Worker[] = [];
  const waiting: Job[] = [];
  const busy = new Map<Worker, Job>();
  let failure: Error | undefined;

  function dispatch(): void {
    while (idle.length > 0 && waiting.length > 0) {
      const worker = idle.pop()!;
      const job = waiting.shift()!;
      busy.set(worker, job);
      worker.ref();
      worker.postMessage(job.task);
    }
  }

  function fail(error: Error): void {
    failure ??= error;
    const jobs = [...busy.values(), ...waiting];
    busy.clear();
    waiting.length = 0;
    for (const job of jobs) job.reject(failure);
  }

  const crew = Array.from({ length: workers }, () => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: shape });
    worker.unref();
    worker.on('message', (reply: Reply) => {
      const job = busy.get(worker);
      busy.delete(worker);
      worker.unref();
      idle.push(worker);
      if ('error' in reply) job?.reject(reply.error);
      else job?.resolve(reply.outcome);
      dispatch();
    });
    worker.on('error', fail);
    worker.on('exit', () => fail(new Error('a worker thread ended')));
    idle.push(worker);
    return worker;
  });

  return {
    perform: (task) => new Promise((resolve, reject) => {
      if (failure !== undefined) return reject(failure);
      waiting.push({ task, resolve, reject });
      dispatch();
    }),
    close: async () => {
      fail(new Error('the engine is closed'));
      await Promise.all(crew.map((worker) => worker.terminate()));
    },
  };
}
