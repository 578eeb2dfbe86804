/**
 * Calls the worker of cpu.js. One call runs at a time; others wait in the worker's queue.
 */
import { DemoError } from './device.js';

/** `call(name, argument, transferred)` resolves to the operation's result. */
export function startWorker() {
  const worker = new Worker(new URL('cpu.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let calls = 0;
  /** Set when the worker ended, perhaps before the first call. */
  let failed;
  worker.addEventListener('message', ({ data: [id, error, result] }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === null) resolve(result);
    else reject(error);
  });
  worker.addEventListener('error', ({ message }) => {
    failed = new DemoError(`The worker failed: ${message ?? 'not loaded'}. Reload this page.`);
    for (const { reject } of waiting.values()) reject(failed);
    waiting.clear();
  });
  return {
    call: (name, argument, transferred = []) =>
      new Promise((resolve, reject) => {
        if (failed !== undefined) throw failed;
        waiting.set(++calls, { resolve, reject });
        worker.postMessage([calls, name, argument], transferred);
      }),
  };
}
