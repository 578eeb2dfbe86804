/**
 * Merging sorted runs of fixed keys, and the values that go with them: two, or any number of them pass by pass.
 * Green, McColl, Bader: GPU Merge Path, 2012.
 */
import { USAGE, type Gpu } from '../device/device.js';
import { checkKeyCount, type KeyArrays, type KeySpec } from '../keys.js';
import { planSlices, type SlicePass } from '../string-merge/merges.js';
import type { Scratch } from '../device/pool.js';
import { encodeMergePass, PART_BYTES, submitMerges } from './passes.js';
import { loadMerge, mergeKernels, mergeTuning, type MergeKernels, type MergeTuning } from './tuning.js';

/** Compiles what `mergeTwo` and `mergeRuns` need with this tuning. */
export function loadMerges(gpu: Gpu, spec: KeySpec, tuning: Partial<MergeTuning> = {}): Promise<unknown> {
  return loadMerge(gpu, mergeKernels(spec, mergeTuning(gpu, spec, tuning)));
}

/**
 * Submits the merge of the first `first` keys of `from` with the `second` keys behind them into `to`, which is another pair of buffers
 * with room for all. Both are sorted as `spec` says and may be of any lengths; of equal keys the former's come first. All keys
 * together may fill one binding (gpu.maxBindingBytes); where they are more, throws `out-of-device-memory` and has submitted nothing.
 */
export async function mergeTwo(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, to: KeyArrays, first: number, second: number,
  tuning: Partial<MergeTuning> = {}): Promise<void> {
  const count = first + second;
  if (count === 0) return;
  const kernels = mergeKernels(spec, mergeTuning(gpu, spec, tuning));
  await submitPlan(gpu, scratch, kernels, spec, from, to, count, [{ pairs: [[0, 0, first, count]], tiles: Math.ceil(count / kernels.share) }]);
}

/**
 * Submits the merge of neighbouring sorted runs, run i being keys [bounds[i], bounds[i + 1]) of `from`; bounds[0] is 0, runs may be
 * empty. Of equal keys those of earlier runs come first. Runs are merged two and two, pass by pass, between `from` and `spare`, which
 * has room for as many; returns which of the two holds the result. The other's content is lost. All keys together may fill one
 * binding, as with mergeTwo.
 */
export async function mergeRuns(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, bounds: readonly number[],
  tuning: Partial<MergeTuning> = {}): Promise<KeyArrays> {
  const kernels = mergeKernels(spec, mergeTuning(gpu, spec, tuning));
  return submitPlan(gpu, scratch, kernels, spec, from, spare, bounds[bounds.length - 1]!, planSlices(bounds, kernels.share));
}

async function submitPlan(gpu: Gpu, scratch: Scratch, kernels: MergeKernels, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number,
  plan: readonly SlicePass[]): Promise<KeyArrays> {
  checkKeyCount(gpu, spec, count);
  if (plan.length === 0) return from;
  const parts = await scratch.take(PART_BYTES * Math.max(...plan.map(({ tiles }) => tiles)), 'merge parts');
  const words = new Uint32Array(plan.flatMap((p) => p.pairs.flat()));
  const pairs = gpu.device.createBuffer({ size: words.byteLength, usage: USAGE.STORAGE, label: 'merge pairs', mappedAtCreation: true });
  new Uint32Array(pairs.getMappedRange()).set(words);
  pairs.unmap();
  let pairBase = 0;
  let [source, target] = [from, spare];
  submitMerges(gpu, 'combine', 'merge runs', count, plan.map(({ pairs: list, tiles }) => {
    const layout = { shares: tiles, width: 0, pairs, pairBase, pairCount: list.length };
    const [a, b] = [source, target];
    pairBase += list.length;
    [source, target] = [target, source];
    return (pass: GPUComputePassEncoder) => { encodeMergePass(gpu, pass, kernels, spec, a, b, count, parts, layout); };
  }));
  // Destroyed once the submitted work no longer needs it, as WebGPU promises.
  pairs.destroy();
  scratch.drop(parts);
  return source;
}
