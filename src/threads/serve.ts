/**
 * A worker thread's end of a crew: does one task after another and answers with its outcome or its
 * error. Knows no task from another.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { keepHeapSmall } from '../limits.js';

/** What a thread is to be: what the program's file for threads (src/worker.ts) has by `name`, and what that is given, which is plain data. */
export interface Role {
  readonly name: string;
  readonly data: unknown;
}

/** What a thread is started with: its role, and whether V8's heaps are to stay small. */
export interface ThreadData {
  readonly role: Role;
  readonly smallHeap: boolean;
}

/** Gets a thread ready for the tasks of a role; what it returns does one. */
// Data and tasks are messages: their types are known to those who send them and to the role.
export type OpenRole = (data: never) => (task: never) => unknown;

/** What a thread says: an answer to each task in turn. */
export type Reply = { readonly outcome: unknown } | { readonly error: unknown };

/** Serves whoever started this thread, until it is ended. */
export function serve(roles: Readonly<Record<string, OpenRole>>): void {
  const port = parentPort!;
  const { role: { name, data }, smallHeap } = workerData as ThreadData;
  if (smallHeap) keepHeapSmall();
  const perform = roles[name]!(data as never);
  port.on('message', (task: unknown) => {
    let reply: Reply;
    try {
      reply = { outcome: perform(task as never) };
    } catch (error) {
      reply = { error };
    }
    port.postMessage(reply);
  });
}
