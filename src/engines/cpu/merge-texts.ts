/** Merges sorted texts into one. */

import type { RecordForm } from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, copyIn, FORM, HEAD_BYTES, layOut, STEP_RECORDS, TREE_BYTES } from './kernels.js';
import { copyOutcome, type Outcome, outputFrom } from './outcome.js';
import type { RecordShape } from './shape.js';

/** Maximum bytes of text per merge: with their result they take up to 3.4 GiB. */
const MOST_BYTES = 1700 * 2 ** 20;

/** Texts to merge, each of whole records in order. */
interface TextMerge {
  readonly texts: readonly Uint8Array[];
  /** Bytes that all keys share. */
  readonly depth: number;
  readonly target: Uint8Array;
  readonly form: RecordForm;
  /** Records beyond the limit may be left out. */
  readonly limit: Limit | null;
}

/** Merges texts into their target. Equal records of earlier texts come first. `most`: for tests. */
export function* mergeTexts(
  kernels: CpuKernels,
  shape: RecordShape,
  merge: TextMerge,
  most = MOST_BYTES,
): Resumable<Outcome> {
  const { texts, depth, target, form, limit } = merge;
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  if (bytes > most && texts.length > 2) {
    // Only equal keys under `unique` exceed the limit, and few of their records remain.
    const middle = texts.length >> 1;
    const [ahead, behind] = [texts.slice(0, middle), texts.slice(middle)];
    const first = (yield* mergeTexts(kernels, shape, { ...merge, texts: ahead, form: 'run' as const }, most)).bytes;
    const rest = { ...merge, texts: behind, target: target.subarray(first), form: 'run' as const };
    const end = first + (yield* mergeTexts(kernels, shape, rest, most)).bytes;
    const halves = [target.subarray(0, first), target.subarray(first, end)];
    return yield* mergeTexts(kernels, shape, { ...merge, texts: halves }, most);
  }
  const [source, result, heads, tree] = layOut(kernels, [
    bytes,
    bytes,
    texts.length * HEAD_BYTES,
    texts.length * TREE_BYTES,
  ]);
  let place = source;
  for (const [i, text] of texts.entries()) {
    copyIn(kernels, text, place);
    kernels.addRun(heads, i, place, (place += text.length));
  }
  kernels.openOutput(result, FORM[form]);
  if (texts.length > 0) {
    kernels.openMerge(heads, texts.length, tree, depth);
    yield* mergeRuns(kernels, limit);
  }
  const isOutOfOrder = texts.length > 0 && kernels.foundDisorder() !== 0;
  const outcome = yield* copyOutcome(kernels, shape, outputFrom(kernels, result), { limit, form }, () => target);
  return { ...outcome, ...(isOutOfOrder && { isOutOfOrder }) };
}

/** Merges the runs of an open merge, up to as many records as `limit` needs. */
export function* mergeRuns(kernels: CpuKernels, limit: Limit | null): Resumable<void> {
  const most = limit?.end === 'first' ? limit.count : Infinity;
  for (;;) {
    const left = most - kernels.outputRecords();
    if (left <= 0 || kernels.merge(Math.min(STEP_RECORDS, left)) === 0) return;
    yield;
  }
}
