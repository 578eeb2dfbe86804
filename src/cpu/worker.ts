/** A thread of the CPU engine: given the kernels and the shape of the order, it does tasks. */
import { compileKernels, explained, openKernels } from './kernels.js';
import type { Kernels } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { Shape } from './shape.js';
import type { Task } from './task.js';
import { performTask } from './task.js';
import type { Crew } from '../threads/crew.js';
import { createCrew } from '../threads/crew.js';

interface WorkerData {
  readonly module: WebAssembly.Module;
  readonly shape: Shape;
}

/** The role `cpu` of src/worker.ts. */
export function openWorker({ module, shape }: WorkerData): (task: Task) => Outcome {
  const kernels = openKernels(module, shape);
  return (task) => performTask(kernels, shape, task);
}

/** Starts `workers` threads, all of which order by `shape`; `helps`: the calling thread does tasks too. */
export function startWorkers(workers: number, helps: boolean, shape: Shape): Crew<Task, Outcome> {
  const module = compileKernels();
  /** The calling thread's own. */
  let kernels: Kernels | undefined;
  const help = (task: Task): Outcome => performTask(kernels ??= openKernels(module, shape), shape, task);
  return createCrew({ workers, role: { name: 'cpu', data: { module, shape } satisfies WorkerData }, help: helps ? help : null, explain: explained });
}
