/** Sorted texts into one. */
import type { Kernels } from './kernels.js';
import { copyIn, copyOut, HEAD_BYTES, layOut, STEP_RECORDS, TREE_BYTES } from './kernels.js';
import type { Outcome } from './outcome.js';
import { indexBytes, outcomeOf } from './outcome.js';
import type { Shape } from './shape.js';

/**
 * Merges `texts`, each whole records in order, into `target`; of equal records those of earlier texts come first. All keys share their
 * first `depth` bytes.
 */
export function mergeTexts(kernels: Kernels, shape: Shape, texts: readonly Uint8Array[], depth: number, target: Uint8Array): Outcome {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const [source, result, index, heads, tree] = layOut(kernels,
    [bytes, bytes, indexBytes(bytes, shape), texts.length * HEAD_BYTES, texts.length * TREE_BYTES]);
  let place = source;
  for (const [i, text] of texts.entries()) {
    copyIn(kernels, text, place);
    kernels.addRun(heads, i, place, place += text.length);
  }
  kernels.openOutput(result, index);
  if (texts.length > 0) {
    kernels.openMerge(heads, texts.length, tree, depth);
    while (kernels.merge(STEP_RECORDS) !== 0);
  }
  copyOut(kernels, result, kernels.outputEnd(), target);
  return outcomeOf(kernels, result, index);
}
