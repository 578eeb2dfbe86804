/**
 * Merge sort of fixed-size keys: each workgroup sorts a block, then all workgroups together merge runs, four at a time.
 * Stable. Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys, 2012,
 * section 3.
 */

import type { Gpu } from '../../device/device.js';
import { Kernel, submitPass } from '../../device/dispatch.js';
import {
  checkKeyCount,
  type FixedKeySpec,
  type KeySort,
  keyConstants,
  keysOf,
  valueBindings,
  withNetwork,
} from '../key-sort.js';
import { mergedKeys, passesAtOnce } from '../merge-path/merge.js';
import { cutOf, evenPasses, partitionBytes, submitMerge } from '../merge-path/passes.js';
import { loadMerge, type MergePathTuning, mergeKernels, mergeTuning, tileShape } from '../merge-path/tuning.js';

interface BlockTuning {
  /** Threads per workgroup: a power of two up to 256. */
  readonly threads: number;
  /** Keys that a thread sorts and merges. */
  readonly perThread: 8 | 16;
}

export interface MergeSortTuning {
  readonly block?: BlockTuning;
  readonly merge?: Partial<MergePathTuning>;
  /** True: keys without values are sorted by the stable network too, to compare the two. */
  readonly stableNetwork?: boolean;
}

/** Blocks per dispatch, few enough for a small GPU's watchdog (2^27 keys). */
const LAUNCH_BLOCKS = 32768;

/** A merge sort, tuned for the device unless `tuning` says otherwise. */
export function mergeSort(tuning: MergeSortTuning = {}): KeySort {
  const plan = (gpu: Gpu, spec: FixedKeySpec) => {
    const { threads, perThread } = tuning.block ?? tileShape(gpu, spec);
    return {
      block: threads * perThread,
      sorting: new Kernel(
        gpu,
        'keys/merge-sort/block-sort',
        withNetwork(
          keyConstants(spec, { THREADS: threads, PER_THREAD: perThread }),
          spec.values || tuning.stableNetwork === true,
        ),
      ),
      merging: mergeKernels(gpu, spec, mergeTuning(gpu, spec, tuning.merge)),
    };
  };

  return {
    load: (gpu, spec) => {
      const { sorting, merging } = plan(gpu, spec);
      return Promise.all([sorting.load(), loadMerge(merging)]);
    },

    sort: async (scratch, spec, from, spare, count) => {
      const { gpu } = scratch;
      checkKeyCount(gpu, spec, count);
      if (count < 2) return from;
      const { block, sorting, merging } = plan(gpu, spec);
      const passes = evenPasses(count, block, cutOf(merging));
      const partitions = await scratch.take(partitionBytes(passes), 'merge partitions');

      const blocks = Math.ceil(count / block);
      submitPass(gpu, 'sort', 'block sort', (pass) => {
        for (let first = 0; first < blocks; first += LAUNCH_BLOCKS) {
          sorting.dispatch(
            pass,
            {
              keys: keysOf(spec, from, count),
              sorted_keys: keysOf(spec, spare, count),
              ...valueBindings(from, spare, count),
            },
            { n: count, blocks, first_block: first },
            Math.min(LAUNCH_BLOCKS, blocks - first),
          );
        }
      });

      const merge = { gpu, kernels: merging, elements: mergedKeys(spec, count), passes, partitions };
      const atOnce = passesAtOnce(count);
      const sorted = submitMerge(merge, spare, from, { stage: 'sort', label: 'merge', atOnce });
      scratch.drop(partitions);
      return sorted;
    },
  };
}
