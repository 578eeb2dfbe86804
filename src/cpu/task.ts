/**
 * What a worker can be asked to do, and doing it: the same function runs in workers and in the calling thread. Knows shared
 * memory and the stages; no engine, no files.
 */
import type { Shape } from './shape.js';
import type { Text } from './gather.js';
import { textOf } from './gather.js';
import { mergeParts } from './merge.js';
import type { Outcome } from './tile.js';
import { sortText } from './tile.js';

export type Task =
  /** Sorts the first `bytes` bytes of `source` into `target`. */
  | { readonly kind: 'order'; readonly source: SharedArrayBuffer; readonly bytes: number; readonly target: SharedArrayBuffer }
  /** Merges `parts` into `target`; their keys share `depth` bytes. */
  | { readonly kind: 'merge'; readonly parts: readonly TaskPart[]; readonly depth: number; readonly target: SharedArrayBuffer };

/** Whole records in order: bytes [from, to) of a buffer. */
export interface TaskPart {
  readonly buffer: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
}

/** What a worker says: once that it has started, then an answer to each task in turn. */
export type Reply = { readonly ready: true } | { readonly outcome: Outcome } | { readonly error: unknown };

/** Does the task in this thread; the sorted text lies in the task's target from byte 0. */
export function performTask(task: Task, shape: Shape): Outcome {
  const target = textOf(task.target);
  if (task.kind === 'order') return sortText(textOf(task.source), task.bytes, target, shape);
  const texts = new Map<SharedArrayBuffer, Text>();
  const parts = task.parts.map(({ buffer, from, to }) => {
    let text = texts.get(buffer);
    if (text === undefined) texts.set(buffer, text = textOf(buffer));
    return { text, from, to };
  });
  const index: number[] = [];
  const { records, end } = mergeParts(parts, shape, task.depth, target, 0, index);
  return { bytes: end, records, index: Uint32Array.from(index) };
}
