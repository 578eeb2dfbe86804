/**
 * Sorts one text in the calling thread, in one go: for texts so small that chunks, runs and threads would cost more.
 */
import type { Ordering } from '../../job/ordering.js';
import { KeyMaker } from '../../keys/key-maker.js';
import { KERNEL_SLACK, newMemory } from '../../system/memory.js';
import { finish } from '../../system/resumable.js';
import { compileKernels, openKernels, placeTexts } from './kernels.js';
import { shapeOf } from './shape.js';
import { sortText } from './sort-text.js';

/**
 * Returns the lines of the texts in order, as they were read, without keys. Each text ends in the delimiter. Throws
 * `out-of-memory`.
 */
export function sortHere(texts: readonly Uint8Array[], ordering: Ordering): Uint8Array {
  const shape = shapeOf(ordering);
  const memory = newMemory();
  const keys = shape.keyed ? new KeyMaker(ordering, { memory }) : null;
  const kernels = openKernels(compileKernels(), shape, memory, keys?.free);
  const read = placeTexts(kernels, texts);
  const begin = read.end + KERNEL_SLACK;
  const text = keys === null ? read : { begin, end: keys.keyTo(read.begin, read.end, begin, Infinity).end };
  let sorted = new Uint8Array();
  const into = (bytes: number, _: boolean, at: number): null => {
    sorted = new Uint8Array(memory.buffer, at, bytes);
    return null;
  };
  finish(sortText(kernels, shape, text, { limit: null, form: 'plain' }, into));
  return sorted;
}
