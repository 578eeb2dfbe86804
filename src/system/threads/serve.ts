/**
 * The worker's side of a crew: executes tasks one after another and answers each with its outcome or its error. Knows
 * nothing about the tasks.
 */
import { parentPort } from 'node:worker_threads';
import { keepHeapSmall } from '../limits.js';
import { type PostedError, postedError } from './posted-error.js';

/** The role of a thread: its name in src/run/worker.ts, and its data, which must be plain. */
export interface Role {
  readonly name: string;
  readonly data: unknown;
}

/** The first message to a thread. `smallHeap`: V8 keeps its heaps small. */
export interface Assignment {
  readonly role: Role;
  readonly smallHeap: boolean;
}

/** Prepares a thread for the tasks of a role; returns the function that executes a task. */
// Data and tasks arrive as messages; only the sender and the role know their types.
type OpenRole = (data: never) => (task: never) => unknown;

/** The answers to tasks, in order. */
export type Reply = { readonly outcome: unknown } | PostedError;

/** Serves the thread that started this one, until it is terminated. */
export function serve(roles: Readonly<Record<string, OpenRole>>): void {
  const port = parentPort!;
  port.once('message', ({ role: { name, data }, smallHeap }: Assignment) => {
    if (smallHeap) keepHeapSmall();
    const perform = roles[name](data as never);
    port.on('message', (task: unknown) => {
      let reply: Reply;
      try {
        reply = { outcome: perform(task as never) };
      } catch (error) {
        reply = postedError(error);
      }
      port.postMessage(reply);
    });
  });
}
