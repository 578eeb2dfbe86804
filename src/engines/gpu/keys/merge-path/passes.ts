/**
 * One pass of merges over sorted runs of fixed-size keys, by merge path (Green, McColl, Bader: GPU Merge Path, 2012).
 * It finds where the inputs of each workgroup's share of the output begin, then writes the output. Knows nothing of
 * where runs come from.
 */
import type { DeviceStage } from '../../../../report/recorder.js';
import type { Gpu } from '../../device/device.js';
import { bind, submitPass } from '../../device/dispatch.js';
import { type FixedKeySpec, type KeyArrays, keysOf, valueBindings } from '../key-sort.js';
import type { MergeKernels } from './tuning.js';

/** The pairs of adjacent runs that one pass merges. */
interface MergeLayout {
  /** Workgroups that write the output. Each pair of runs begins with a new one. */
  readonly shares: number;
  /** The length of all runs (the last may be shorter), or 0: runs are as `pairs` says. */
  readonly width: number;
  /** (first share, begin, middle, end) for each pair of runs, as u32 words; null if `width` is not 0. */
  readonly pairs: GPUBuffer | null;
  readonly pairBase: number;
  readonly pairCount: number;
}

/** Bytes per share in the table of input positions. */
export const PARTITION_BYTES = 16;

/** Runs of `width` keys each, merged in pairs, in shares of `share` keys. */
export function evenLayout(count: number, width: number, share: number): MergeLayout {
  const pairs = Math.floor(count / (2 * width));
  const shares = pairs * Math.ceil((2 * width) / share) + Math.ceil((count - pairs * 2 * width) / share);
  return { shares, width, pairs: null, pairBase: 0, pairCount: 0 };
}

/** Records one pass over `count` keys. `partitions` has PARTITION_BYTES for each share of the layout. */
export function encodeMergePass(
  pass: GPUComputePassEncoder,
  kernels: MergeKernels,
  spec: FixedKeySpec,
  from: KeyArrays,
  to: KeyArrays,
  count: number,
  partitions: GPUBuffer,
  layout: MergeLayout,
): void {
  const { share, launchGroups, search, searchShares, merge } = kernels;
  const { shares, width, pairBase, pairCount } = layout;
  const keys = keysOf(spec, from, count);
  const table = bind(partitions, shares * PARTITION_BYTES);
  // Without a table of pairs, any read-only buffer takes its place.
  search.dispatch(
    pass,
    { keys, pairs: layout.pairs ?? keys, partitions: table },
    { n: count, tiles: shares, tile: share, width, pair_base: pairBase, pair_count: pairCount },
    Math.ceil(shares / searchShares),
  );
  for (let first = 0; first < shares; first += launchGroups) {
    merge.dispatch(
      pass,
      { keys, partitions: table, merged_keys: keysOf(spec, to, count), ...valueBindings(from, to, count) },
      { tiles: shares, first_tile: first },
      Math.min(launchGroups, shares - first),
    );
  }
}

/**
 * Keys moved per submission: less than a second on a small GPU, which may also have to draw. A submission costs the
 * host a millisecond.
 */
const SUBMISSION_KEYS = 2 ** 31;

/** Submits passes over `count` keys each, several per submission. */
export function submitMerges(
  gpu: Gpu,
  stage: DeviceStage,
  label: string,
  count: number,
  passes: readonly ((pass: GPUComputePassEncoder) => void)[],
): void {
  const atOnce = Math.max(1, Math.floor(SUBMISSION_KEYS / count));
  for (let first = 0; first < passes.length; first += atOnce) {
    submitPass(gpu, stage, label, (pass) => {
      for (const encode of passes.slice(first, first + atOnce)) encode(pass);
    });
  }
}

/**
 * Plans the merge of adjacent sorted runs of any length in passes over pairs of neighbours. Knows no keys.
 */

/** A pass over runs of any length: pairs of neighbours as (first tile, begin, middle, end), and the number of tiles. */
export interface SlicePass {
  readonly pairs: readonly (readonly [number, number, number, number])[];
  readonly tiles: number;
}

/** The passes that merge neighbouring runs with these bounds (0, ..., count; empty runs allowed) into one. */
export function planSlices(bounds: readonly number[], tile: number): SlicePass[] {
  const passes: SlicePass[] = [];
  let at = bounds.filter((b, i) => i === 0 || b !== bounds[i - 1]);
  while (at.length > 2) {
    const pairs: [number, number, number, number][] = [];
    const next = [at[0]];
    let tiles = 0;
    for (let i = 0; i + 1 < at.length; i += 2) {
      const end = at[i + 2] ?? at[i + 1];
      pairs.push([tiles, at[i], at[i + 1], end]);
      next.push(end);
      tiles += Math.ceil((end - at[i]) / tile);
    }
    passes.push({ pairs, tiles });
    at = next;
  }
  return passes;
}
