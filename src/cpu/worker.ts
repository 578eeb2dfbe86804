/**
 * A worker thread: does one task after another and answers with its outcome or its error.
 */
import { parentPort } from 'node:worker_threads';
import type { Reply, Task } from './task.js';
import { performTask } from './task.js';

const port = parentPort!;
port.on('message', (task: Task) => {
  let reply: Reply;
  try {
    reply = { outcome: performTask(task) };
  } catch (error) {
    reply = { error };
  }
  port.postMessage(reply);
});
