/**
 * Merges sorted runs of fixed-size keys and their values: two runs, or any number pass by pass. Green, McColl, Bader:
 * GPU Merge Path, 2012.
 */
import type { Gpu } from '../../device/device.js';
import type { Scratch } from '../../device/pool.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays, keysOf, valueBindings } from '../key-sort.js';
import { type MergedElements, partitionBytes, slicePasses, submitMerge } from './passes.js';
import { loadMerge, type MergeTuning, mergeKernels, mergeTuning } from './tuning.js';

/** Compiles what `mergeRuns` needs with this tuning. */
export function loadMerges(gpu: Gpu, spec: FixedKeySpec, tuning: Partial<MergeTuning> = {}): Promise<unknown> {
  return loadMerge(mergeKernels(gpu, spec, mergeTuning(gpu, spec, tuning)));
}

/**
 * Submits the merge of adjacent sorted runs. Run i is keys [bounds[i], bounds[i + 1]) of `from`; bounds[0] is 0, and
 * runs may be empty. Among equal keys those of earlier runs come first. Runs are merged in pairs, pass by pass, between
 * `from` and `spare`, which has room for as many. Returns whichever of the two holds the result; the other's contents
 * are undefined. Throws `out-of-device-memory`, before it submits anything, if all keys together exceed one binding
 * (gpu.maxBindingBytes).
 */
export async function mergeRuns(
  scratch: Scratch,
  spec: FixedKeySpec,
  from: KeyArrays,
  spare: KeyArrays,
  bounds: readonly number[],
  tuning: Partial<MergeTuning> = {},
): Promise<KeyArrays> {
  const { gpu } = scratch;
  const count = bounds[bounds.length - 1];
  checkKeyCount(gpu, spec, count);
  const kernels = mergeKernels(gpu, spec, mergeTuning(gpu, spec, tuning));
  const passes = slicePasses(bounds, kernels.share);
  if (passes.length === 0) return from;
  const partitions = await scratch.take(partitionBytes(passes), 'merge partitions');
  const sorted = submitMerge({ gpu, kernels, elements: mergedKeys(spec, count), passes, partitions }, from, spare, {
    stage: 'combine',
    label: 'merge runs',
    atOnce: passesAtOnce(count),
  });
  scratch.drop(partitions);
  return sorted;
}

/** `count` keys and their values, as kernels of merges bind them. */
export function mergedKeys(spec: FixedKeySpec, count: number): MergedElements<KeyArrays> {
  return {
    count,
    words: {},
    inputs: (from) => ({ keys: keysOf(spec, from, count) }),
    outputs: (from, to) => ({ merged_keys: keysOf(spec, to, count), ...valueBindings(from, to, count) }),
  };
}

/** Keys moved per submission: less than a second on a small GPU, which may also have to draw. */
const SUBMISSION_KEYS = 2 ** 31;

/** How many passes over `count` keys are submitted at once. */
export function passesAtOnce(count: number): number {
  return Math.max(1, Math.floor(SUBMISSION_KEYS / count));
}
