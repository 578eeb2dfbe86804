/**
 * A worker thread, given the shape of the order: says when it has started, then does one task after another and answers with its
 * outcome or its error.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Shape } from './shape.js';
import type { Reply, Task } from './task.js';
import { performTask } from './task.js';
import { warmUp } from './warm.js';

const port = parentPort!;
const shape = workerData as Shape;
port.on('message', (task: Task) => {
  let reply: Reply;
  try {
    reply = { outcome: performTask(task, shape) };
  } catch (error) {
    reply = { error };
  }
  port.postMessage(reply);
});
warmUp(shape);
port.postMessage({ ready: true } satisfies Reply);
