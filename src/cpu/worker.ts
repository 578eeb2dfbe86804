/**
 * A worker thread, given the kernels and the shape of the order: says when it has started, then does one task after another and
 * answers with its outcome or its error.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openKernels } from './kernels.js';
import type { Shape } from './shape.js';
import type { Reply, Task } from './task.js';
import { performTask } from './task.js';

export interface WorkerData {
  readonly module: WebAssembly.Module;
  readonly shape: Shape;
}

const port = parentPort!;
const { module, shape } = workerData as WorkerData;
const kernels = openKernels(module, shape);
port.on('message', (task: Task) => {
  let reply: Reply;
  try {
    reply = { outcome: performTask(kernels, shape, task) };
  } catch (error) {
    reply = { error };
  }
  port.postMessage(reply);
});
port.postMessage({ ready: true } satisfies Reply);
