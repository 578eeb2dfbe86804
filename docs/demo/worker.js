/**
 * Calls the worker of cpu.js. One call runs at a time; others wait in the worker's queue.
 */
import { DemoError } from './device.js';

/** `call(name, argument, transferred)` resolves to the operation's result. */
export function startWorker() {
  const worker = new Worker(new URL('cpu.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let calls = 0;
  worker.addEventListener('message', ({ data: [id, error, result] }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === null) resolve(result);
    else reject(new DemoError(`The CPU's part failed: ${error}`));
  });
  worker.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new DemoError(`The worker failed: ${message ?? 'not loaded'}`));
    waiting.clear();
  });
  return {
    call: (name, argument, transferred = []) =>
      new Promise((resolve, reject) => {
        waiting.set(++calls, { resolve, reject });
        worker.postMessage([calls, name, argument], transferred);
      }),
  };
}
