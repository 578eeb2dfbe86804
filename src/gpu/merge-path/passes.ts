/**
 * One pass of merges over sorted runs of fixed keys by merge path (Green, McColl, Bader: GPU Merge Path, 2012): where the inputs
 * of each workgroup's share of the output begin, then the output. Knows nothing of where runs come from.
 */
import type { DeviceStage } from '../../report/stats.js';
import { dispatch, submitPass } from '../device/dispatch.js';
import type { Gpu } from '../device/device.js';
import { keysOf, valueBindings, type KeyArrays, type KeySpec } from '../keys.js';
import { part } from '../device/part.js';
import type { MergeKernels } from './tuning.js';

/** Which neighbouring runs one pass merges, two and two. */
export interface MergeLayout {
  /** Workgroups that make the output; each pair of runs begins with one of its own. */
  readonly shares: number;
  /** All runs are this long (the last may be shorter), or 0: by the table. */
  readonly width: number;
  /** (first share, begin, middle, end) for each pair of runs, in u32 words; null where `width` tells. */
  readonly pairs: GPUBuffer | null;
  readonly pairBase: number;
  readonly pairCount: number;
}

/** Bytes a share in the table of where inputs begin. */
export const PART_BYTES = 16;

/** Runs of `width` keys each, merged two and two in shares of `share` keys. */
export function evenLayout(count: number, width: number, share: number): MergeLayout {
  const pairs = Math.floor(count / (2 * width));
  const shares = pairs * Math.ceil((2 * width) / share) + Math.ceil((count - pairs * 2 * width) / share);
  return { shares, width, pairs: null, pairBase: 0, pairCount: 0 };
}

/** Records one pass over `count` keys; `parts` has PART_BYTES for each share of the layout. */
export function encodeMergePass(gpu: Gpu, pass: GPUComputePassEncoder, kernels: MergeKernels, spec: KeySpec, from: KeyArrays, to: KeyArrays,
  count: number, parts: GPUBuffer, layout: MergeLayout): void {
  const { share, launchGroups, search, merge } = kernels;
  const { shares, width, pairBase, pairCount } = layout;
  const keys = keysOf(spec, from, count);
  const table = part(parts, shares * PART_BYTES);
  // Without a table of pairs that place is filled with something else that is read only.
  dispatch(gpu, pass, search.name, search.constants, [keys, layout.pairs ?? keys, table], [count, shares, share, width, pairBase, pairCount],
    Math.ceil(shares / search.shares));
  for (let first = 0; first < shares; first += launchGroups) {
    dispatch(gpu, pass, merge.name, merge.constants, [keys, table, keysOf(spec, to, count), ...valueBindings(from, to, count)],
      [shares, first], Math.min(launchGroups, shares - first));
  }
}

/** Keys moved a submission: below a second on a small GPU, which may have to draw besides; each submission costs the host a millisecond. */
const SUBMISSION_KEYS = 2 ** 31;

/** Submits passes over `count` keys each, several in a submission. */
export function submitMerges(gpu: Gpu, stage: DeviceStage, label: string, count: number,
  passes: readonly ((pass: GPUComputePassEncoder) => void)[]): void {
  const atOnce = Math.max(1, Math.floor(SUBMISSION_KEYS / count));
  for (let first = 0; first < passes.length; first += atOnce) {
    submitPass(gpu, stage, label, (pass) => { for (const encode of passes.slice(first, first + atOnce)) encode(pass); });
  }
}
