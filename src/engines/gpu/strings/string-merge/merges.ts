/**
 * Merge passes over sorted runs of entries, by merge path (Green, McColl, Bader: GPU Merge Path, 2012). Knows entries
 * and how their ties are settled (kernels/wgsl/strings/compare.wgsl), but not where entries come from.
 */
import type { DeviceStage } from '../../../../report/recorder.js';
import { type Gpu, USAGE } from '../../device/device.js';
import { type Binding, bind, Kernel, loadKernels, submitPass } from '../../device/dispatch.js';
import type { SlicePass } from '../../keys/merge-path/passes.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';

/** Tiles per dispatch, few enough for a small GPU's watchdog (2^24 entries, 400 MB moved). */
export const LAUNCH_TILES = 16384;
const WORKGROUP = 64;

/** Where kernels that count, in a sort without groups, write how many comparisons read the text. */
export interface TextReads {
  /** The words for the next pass over entries, one for each of its `tiles`. */
  nextPass(tiles: number): Binding;
}

export function loadMergePath(kernels: SortKernels): Promise<unknown> {
  return loadKernels(kernelsOf(kernels));
}

function kernelsOf({ gpu, records, tiled }: SortKernels) {
  return {
    partition: new Kernel(gpu, 'strings/string-merge/merge-partition', records),
    mergeTile: new Kernel(gpu, 'strings/string-merge/merge-tile', tiled),
  };
}

/** Bytes of the tile table for a merge of `count` entries in at most `pairs` pairs of runs. */
export function partitionBytes(count: number, pairs: number, tile: number): number {
  return (Math.ceil(count / tile) + pairs) * 16;
}

interface Layout {
  readonly tiles: number;
  /** The length of all runs, or 0: runs are as `pairs` says. */
  readonly width: number;
  readonly pairs: GPUBuffer | null;
  readonly pairBase: number;
  readonly pairCount: number;
  readonly reads: Binding | null;
}

function encodePass(
  pass: GPUComputePassEncoder,
  kernels: SortKernels,
  rule: KeyRule,
  from: Entries,
  to: Entries,
  count: number,
  partitions: GPUBuffer,
  layout: Layout,
): void {
  const { partition, mergeTile } = kernelsOf(kernels);
  const shared = { ...ruleBindings(rule, layout.reads), ...entryBindings(from, count) };
  const merged = entryBindings(to, count);
  const table = bind(partitions, layout.tiles * 16);
  const { tiles, width, pairBase, pairCount } = layout;
  // Without a table of pairs, any read-only buffer takes its place.
  partition.dispatch(
    pass,
    { ...shared, pairs: layout.pairs ?? shared.keys, partitions: table },
    { ...ruleWords(rule), n: count, tiles, tile: kernels.tile, width, pair_base: pairBase, pair_count: pairCount },
    Math.ceil(tiles / WORKGROUP),
  );
  for (let first = 0; first < tiles; first += LAUNCH_TILES) {
    mergeTile.dispatch(
      pass,
      { ...shared, partitions: table, merged_keys: merged.keys, merged_tags: merged.tags },
      { ...ruleWords(rule), tiles, first_tile: first },
      Math.min(LAUNCH_TILES, tiles - first),
    );
  }
}

/**
 * Submits passes over `tiles` tiles. If they are little work they go together, because a submission costs the host
 * about a millisecond. Otherwise they go one by one, so that a small GPU is not busy for too long.
 */
function submitMerges(
  gpu: Gpu,
  stage: DeviceStage,
  label: string,
  tiles: number,
  passes: readonly ((pass: GPUComputePassEncoder) => void)[],
): void {
  if (tiles > LAUNCH_TILES) for (const encode of passes) submitPass(gpu, stage, label, encode);
  else
    submitPass(gpu, stage, label, (pass) => {
      for (const encode of passes) encode(pass);
    });
}

/**
 * Submits merges of runs of one tile, then two, then four ... until one run is left. Returns whichever of `from` and
 * `other` holds it; the other's contents are undefined. `partitions` has partitionBytes(count, 0).
 */
export function mergeTiles(
  kernels: SortKernels,
  rule: KeyRule,
  from: Entries,
  other: Entries,
  count: number,
  partitions: GPUBuffer,
  reads: TextReads | null = null,
): Entries {
  const tiles = Math.ceil(count / kernels.tile);
  const passes: ((pass: GPUComputePassEncoder) => void)[] = [];
  let [source, target] = [from, other];
  for (let width = kernels.tile; width < count; width *= 2) {
    const layout = { tiles, width, pairs: null, pairBase: 0, pairCount: 0, reads: reads?.nextPass(tiles) ?? null };
    const [a, b] = [source, target];
    passes.push((pass) => {
      encodePass(pass, kernels, rule, a, b, count, partitions, layout);
    });
    [source, target] = [target, source];
  }
  if (passes.length > 0) submitMerges(kernels.gpu, 'sort', 'merge', tiles, passes);
  return source;
}

/**
 * Submits planned passes. Returns whichever of `from` and `other` holds the result. `partitions` has 16 bytes per tile
 * of the largest pass.
 */
export function mergeSlices(
  kernels: SortKernels,
  rule: KeyRule,
  from: Entries,
  other: Entries,
  count: number,
  partitions: GPUBuffer,
  passes: readonly SlicePass[],
  reads: TextReads | null = null,
): Entries {
  if (passes.length === 0) return from;
  const words = new Uint32Array(passes.flatMap((p) => p.pairs.flat()));
  const { gpu } = kernels;
  const pairs = gpu.device.createBuffer({
    size: words.byteLength,
    usage: USAGE.STORAGE,
    label: 'slice pairs',
    mappedAtCreation: true,
  });
  new Uint32Array(pairs.getMappedRange()).set(words);
  pairs.unmap();
  let pairBase = 0;
  let [source, target] = [from, other];
  submitMerges(
    gpu,
    'combine',
    'merge slices',
    Math.max(...passes.map(({ tiles }) => tiles)),
    passes.map(({ pairs: list, tiles }) => {
      const layout = {
        tiles,
        width: 0,
        pairs,
        pairBase,
        pairCount: list.length,
        reads: reads?.nextPass(tiles) ?? null,
      };
      const [a, b] = [source, target];
      pairBase += list.length;
      [source, target] = [target, source];
      return (pass: GPUComputePassEncoder) => {
        encodePass(pass, kernels, rule, a, b, count, partitions, layout);
      };
    }),
  );
  // WebGPU frees the buffer only after the submitted work is done.
  pairs.destroy();
  return source;
}
