/** Merges sorted texts into one. */
import type { Limit } from '../../job/job.js';
import type { Steps } from '../../system/steps.js';
import { type CpuKernels, copyIn, HEAD_BYTES, layOut, STEP_RECORDS, TREE_BYTES } from './kernels.js';
import { copyOutcome, indexBytes, type Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';

/** Maximum bytes of text per merge: with their result and its index they take up to 3.8 GiB. */
const MOST_BYTES = 1700 * 2 ** 20;

/**
 * Merges `texts`, each of whole records in order, into `target`. Equal records of earlier texts come first. All keys
 * share their first `depth` bytes. `plain`: writes records as they were read. `limit`: other records may be left out.
 */
export function* mergeTexts(
  kernels: CpuKernels,
  shape: RecordShape,
  texts: readonly Uint8Array[],
  depth: number,
  target: Uint8Array,
  plain: boolean,
  limit: Limit | null = null,
  most = MOST_BYTES,
): Steps<Outcome> {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  if (bytes > most && texts.length > 2) {
    // Only equal keys under `unique` exceed the limit, and little of them remains.
    const middle = texts.length >> 1;
    const first = (yield* mergeTexts(kernels, shape, texts.slice(0, middle), depth, target, false, limit, most)).bytes;
    const second = (yield* mergeTexts(
      kernels,
      shape,
      texts.slice(middle),
      depth,
      target.subarray(first),
      false,
      limit,
      most,
    )).bytes;
    return yield* mergeTexts(
      kernels,
      shape,
      [target.subarray(0, first), target.subarray(first, first + second)],
      depth,
      target,
      plain,
      limit,
      most,
    );
  }
  const [source, result, index, heads, tree] = layOut(kernels, [
    bytes,
    bytes,
    indexBytes(bytes, shape),
    texts.length * HEAD_BYTES,
    texts.length * TREE_BYTES,
  ]);
  let place = source;
  for (const [i, text] of texts.entries()) {
    copyIn(kernels, text, place);
    kernels.addRun(heads, i, place, (place += text.length));
  }
  kernels.openOutput(result, index, Number(plain));
  if (texts.length > 0) {
    kernels.openMerge(heads, texts.length, tree, depth);
    yield* mergeRuns(kernels, limit);
  }
  const isOutOfOrder = texts.length > 0 && kernels.foundDisorder() !== 0;
  const outcome = yield* copyOutcome(kernels, shape, result, index, limit, plain, () => target);
  return { ...outcome, ...(isOutOfOrder && { isOutOfOrder }) };
}

/** Merges the runs of an open merge, up to as many records as `limit` needs. */
export function* mergeRuns(kernels: CpuKernels, limit: Limit | null): Steps<void> {
  const most = limit?.end === 'first' ? limit.count : Infinity;
  for (;;) {
    const left = most - kernels.outputRecords();
    if (left <= 0 || kernels.merge(Math.min(STEP_RECORDS, left)) === 0) return;
    yield;
  }
}
