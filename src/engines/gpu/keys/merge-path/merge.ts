/**
 * Merges sorted runs of fixed-size keys and their values: two runs, or any number pass by pass. Green, McColl, Bader:
 * GPU Merge Path, 2012.
 */
import type { Gpu } from '../../device/device.js';
import type { Scratch } from '../../device/pool.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays, keysOf, valueBindings } from '../key-sort.js';
import { cutOf, type MergedElements, type MergeKernels, partitionBytes, slicePasses, submitMerge } from './passes.js';
import { loadMerge, type MergePathTuning, mergeKernels, mergeTuning, SEARCH } from './tuning.js';

/** A stable merge of sorted runs of fixed-size keys. */
export interface RunMerge {
  /** Compiles the kernels needed to merge by `spec`. */
  load(gpu: Gpu, spec: FixedKeySpec): Promise<unknown>;
  /**
   * Submits the merge of adjacent sorted runs. Run i is keys [bounds[i], bounds[i + 1]) of `from`; bounds[0] is 0, and
   * runs may be empty. Among equal keys those of earlier runs come first. Runs are merged four at a time, pass by pass,
   * between `from` and `spare`, which has room for as many. Returns whichever of the two holds the result; the other's
   * contents are undefined. Throws `out-of-device-memory`, before it submits anything, if all keys together exceed one
   * binding (gpu.maxBindingBytes).
   */
  merge(
    scratch: Scratch,
    spec: FixedKeySpec,
    from: KeyArrays,
    spare: KeyArrays,
    bounds: readonly number[],
  ): Promise<KeyArrays>;
}

/** A merge of runs, tuned for the device unless `tuning` says otherwise. */
export function runMerge(tuning: Partial<MergePathTuning> = {}): RunMerge {
  // A pass over two runs reads their tiles, and finds where these begin, faster than one over four.
  const ofTwo = tuning.kernel === undefined && tuning.search === undefined ? { ...tuning, search: SEARCH } : tuning;
  const kernelsOf = (gpu: Gpu, spec: FixedKeySpec, runs: number): MergeKernels =>
    mergeKernels(gpu, spec, mergeTuning(gpu, spec, runs > 2 ? tuning : ofTwo));
  return {
    load: (gpu, spec) => Promise.all([2, 4].map((runs) => loadMerge(kernelsOf(gpu, spec, runs)))),
    merge: async (scratch, spec, from, spare, bounds) => {
      const { gpu } = scratch;
      const count = bounds[bounds.length - 1];
      checkKeyCount(gpu, spec, count);
      const runs = bounds.filter((bound, i) => i > 0 && bound > bounds[i - 1]).length;
      const kernels = kernelsOf(gpu, spec, runs);
      const passes = slicePasses(bounds, cutOf(kernels));
      if (passes.length === 0) return from;
      const partitions = await scratch.take(partitionBytes(passes), 'merge partitions');
      const merge = { gpu, kernels, elements: mergedKeys(spec, count), passes, partitions };
      const atOnce = passesAtOnce(count);
      const merged = submitMerge(merge, from, spare, { stage: 'combine', label: 'merge runs', atOnce });
      scratch.drop(partitions);
      return merged;
    },
  };
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
