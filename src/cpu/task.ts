/**
 * What a worker can be asked to do, and doing it: the same function runs in workers and in the calling thread. Knows shared
 * memory; no engine, no files.
 */
import type { Kernels } from './kernels.js';
import { mergeTexts } from './merge-texts.js';
import type { Outcome } from './outcome.js';
import type { Shape } from './shape.js';
import { sortSegments } from './sort-segments.js';
import { sortText } from './sort-text.js';

export type Task =
  /** Sorts the first `bytes` bytes of `text`, in place. */
  | { readonly kind: 'order'; readonly text: SharedArrayBuffer; readonly bytes: number }
  /** Merges `parts` into `target`, from its byte 0; their keys share `depth` bytes. */
  | { readonly kind: 'merge'; readonly parts: readonly TaskPart[]; readonly depth: number; readonly target: SharedArrayBuffer };

/** Whole records in order: bytes [from, to) of a buffer. */
export interface TaskPart {
  readonly buffer: SharedArrayBuffer;
  readonly from: number;
  readonly to: number;
}

/** Does the task in this thread. */
export function performTask(kernels: Kernels, shape: Shape, task: Task): Outcome {
  if (task.kind === 'order') {
    const text = textOf(shape, task.text, 0, task.bytes);
    return shape.segments === null ? sortText(kernels, shape, text) : sortSegments(kernels, shape, text);
  }
  const texts = task.parts.map(({ buffer, from, to }) => textOf(shape, buffer, from, to));
  return mergeTexts(kernels, shape, texts, task.depth, new Uint8Array(task.target));
}

/** Bytes [from, to) of a buffer. Throws unless they can be whole records, which the kernels count on. */
function textOf({ delimiter, size }: Shape, buffer: SharedArrayBuffer, from: number, to: number): Uint8Array {
  const text = new Uint8Array(buffer, from, to - from);
  const whole = text.length === 0 || (size > 0 ? text.length % size === 0 : text[text.length - 1] === delimiter);
  if (!whole) throw new Error(`bytes ${from} to ${to} of a text are not whole records`);
  return text;
}
