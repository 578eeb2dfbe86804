/**
 * Merges sorted runs of fixed-size keys and their values: two runs, or any number pass by pass. Green, McColl, Bader:
 * GPU Merge Path, 2012.
 */
import { type Gpu, USAGE } from '../../device/device.js';
import type { Scratch } from '../../device/pool.js';
import { checkKeyCount, type FixedKeySpec, type KeyArrays } from '../key-sort.js';
import { encodeMergePass, PARTITION_BYTES, planSlices, type SlicePass, submitMerges } from './passes.js';
import { loadMerge, type MergeKernels, type MergeTuning, mergeKernels, mergeTuning } from './tuning.js';

/** Compiles what `mergeRuns` needs with this tuning. */
export function loadMerges(gpu: Gpu, spec: FixedKeySpec, tuning: Partial<MergeTuning> = {}): Promise<unknown> {
  return loadMerge(mergeKernels(gpu, spec, mergeTuning(gpu, spec, tuning)));
}

/**
 * Submits the merge of adjacent sorted runs. Run i is keys [bounds[i], bounds[i + 1]) of `from`; bounds[0] is 0, and
 * runs may be empty. Among equal keys those of earlier runs come first. Runs are merged in pairs, pass by pass, between
 * `from` and `spare`, which has room for as many. Returns whichever of the two holds the result; the other's contents
 * are undefined. Throws `out-of-device-memory`, before it
 * submits anything, if all keys together exceed one binding (gpu.maxBindingBytes).
 */
export async function mergeRuns(
  gpu: Gpu,
  scratch: Scratch,
  spec: FixedKeySpec,
  from: KeyArrays,
  spare: KeyArrays,
  bounds: readonly number[],
  tuning: Partial<MergeTuning> = {},
): Promise<KeyArrays> {
  const kernels = mergeKernels(gpu, spec, mergeTuning(gpu, spec, tuning));
  return submitPlan(
    gpu,
    scratch,
    kernels,
    spec,
    from,
    spare,
    bounds[bounds.length - 1],
    planSlices(bounds, kernels.share),
  );
}

async function submitPlan(
  gpu: Gpu,
  scratch: Scratch,
  kernels: MergeKernels,
  spec: FixedKeySpec,
  from: KeyArrays,
  spare: KeyArrays,
  count: number,
  plan: readonly SlicePass[],
): Promise<KeyArrays> {
  checkKeyCount(gpu, spec, count);
  if (plan.length === 0) return from;
  const partitions = await scratch.take(
    PARTITION_BYTES * Math.max(...plan.map(({ tiles }) => tiles)),
    'merge partitions',
  );
  const words = new Uint32Array(plan.flatMap((p) => p.pairs.flat()));
  const pairs = gpu.device.createBuffer({
    size: words.byteLength,
    usage: USAGE.STORAGE,
    label: 'merge pairs',
    mappedAtCreation: true,
  });
  new Uint32Array(pairs.getMappedRange()).set(words);
  pairs.unmap();
  let pairBase = 0;
  let [source, target] = [from, spare];
  submitMerges(
    gpu,
    'combine',
    'merge runs',
    count,
    plan.map(({ pairs: list, tiles }) => {
      const layout = { shares: tiles, width: 0, pairs, pairBase, pairCount: list.length };
      const [a, b] = [source, target];
      pairBase += list.length;
      [source, target] = [target, source];
      return (pass: GPUComputePassEncoder) => {
        encodeMergePass(pass, kernels, spec, a, b, count, partitions, layout);
      };
    }),
  );
  // WebGPU frees the buffer only after the submitted work is done.
  pairs.destroy();
  scratch.drop(partitions);
  return source;
}
