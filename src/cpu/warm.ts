/**
 * Runs every stage once on a few kilobytes. Knows tasks only.
 *
 * V8 compiles a loop while it runs hot for the first time, knowing nothing of what it has not reached yet, be it the
 * function's return: the code then falls back to the interpreter there, and did so two thousand times a sort in one case, since
 * code entered in the middle of a loop is not thrown away. A worker that has seen all branches before its first chunk
 * compiles each loop once. It does so while the first chunk is still being read.
 */
import { SLACK } from './shape.js';
import type { Shape } from './shape.js';
import { performTask } from './task.js';

/** Enough for a radix sort (1024) and for several batches of a merge. */
const RECORDS = 1100;

/** Sorts and merges a few records by `shape`. */
export function warmUp(shape: Shape): void {
  const text = sampleText();
  const bytes = shape.size > 0 ? text.length - text.length % shape.size : text.length;
  if (shape.size === 0) for (let i = 0; i < bytes; i++) if (text[i] === 0) text[i] = shape.delimiter;
  const buffer = (length: number): SharedArrayBuffer => new SharedArrayBuffer(Math.ceil((length + SLACK) / 4) * 4);
  const [a, b] = [1, 2].map(() => {
    const source = buffer(bytes);
    new Uint8Array(source).set(text);
    const target = buffer(bytes);
    return { buffer: target, from: 0, to: performTask({ kind: 'order', source, bytes, target }, shape).bytes };
  });
  for (const parts of [[a, b], [a]]) performTask({ kind: 'merge', parts, depth: 0, target: buffer(2 * bytes) }, shape);
}

/** Records, each ended by 0, with all that makes the stages branch: ties, twins, prefixes of each other, empty and long ones. */
function sampleText(): Uint8Array {
  const text = new Uint8Array(RECORDS * 32);
  let state = 1;
  let end = 0;
  for (let i = 0; i < RECORDS; i++, end++) {
    const length = i % 256 === 2 ? 200 : i % 16 === 1 ? i >>> 5 : 10;
    // Every sixteenth repeats an earlier one, every other sixteenth is made of one letter.
    if (i % 16 === 0) state = 1;
    for (let j = 0; j < length; j++, end++) {
      state = Math.imul(state, 1103515245) + 12345 | 0;
      text[end] = i % 16 === 1 ? 97 : 97 + (state >>> 16) % 26;
    }
  }
  return text.subarray(0, end);
}
