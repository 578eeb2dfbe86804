/**
 * Merges of sorted runs of entries, by merge path (Green, McColl, Bader: GPU Merge Path, 2012) or by moving windows
 * (Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys, 2012). Knows
 * entries and how their ties are settled (kernels/wgsl/strings/compare.wgsl), but not where entries come from.
 */
import { type Binding, Kernel } from '../../device/dispatch.js';
import { KEPT, windowPerThread } from '../../keys/merge-path/moving-windows.js';
import {
  cutOf,
  evenPasses,
  type MergedElements,
  type MergeKernels,
  type MergePass,
  slicePasses,
  submitMerge,
} from '../../keys/merge-path/passes.js';
import { loadMerge } from '../../keys/merge-path/tuning.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';

/** Tiles per dispatch, few enough for a small GPU's watchdog (2^24 entries, 400 MB moved). */
const LAUNCH_TILES = 16384;
/** Bytes of text that the comparisons of a dispatch may read, for the same reason: 50 ms at 20 GB/s. */
const LAUNCH_TEXT = 2 ** 30;
/** Shares that a workgroup of merge-partition.wgsl handles. */
const SEARCH_SHARES = 64;

/** Comparisons of an entry in a merge: the step to it, and its share of searches. */
const MERGE_COMPARISONS = 2;
/** Entries of a tile per thread, as in tile.wgsl. Workgroups that move windows have as many threads. */
const TILE_PER_THREAD = 8;
/** Entries that a workgroup may merge alone, with the text of ties: 65 ms at a million a second. */
const MOST_ALONE = 2 ** 16;
/** Bytes of an entry, and of workgroup memory for windows: more would lower occupancy. */
const ENTRY_BYTES = 12;
const MOST_BYTES = 24 * 1024;

/** The words in which counting kernels write how many comparisons read the text, in a sort without groups. */
export interface TextReads {
  /** The words for the next pass over entries, one for each of its `tiles`. */
  nextPass(tiles: number): Binding;
}

/** A sort of entries by `rule`. */
export interface EntrySort {
  readonly kernels: SortKernels;
  readonly rule: KeyRule;
  readonly count: number;
  /** The merges: of sorted tiles (tilePasses), or of slices that are already in order (entrySlicePasses). */
  readonly passes: readonly MergePass[];
  /** Room for partitionBytes(passes). */
  readonly partitions: GPUBuffer;
  /** For kernels that count, provides one pass for sorting the tiles, if they are sorted, then one for each merge. */
  readonly reads: TextReads | null;
}

/** Compiles what `mergeEntries` needs. */
export function loadMergePath(kernels: SortKernels): Promise<unknown> {
  return loadMerge(kernelsOf(kernels, LAUNCH_TILES));
}

/** Kernels that merge up to `tiles` tiles in a dispatch. */
function kernelsOf(kernels: SortKernels, tiles: number): MergeKernels {
  const { gpu, tile, windows, records, tiled } = kernels;
  const search = {
    kernel: new Kernel(gpu, 'strings/string-merge/merge-partition', records),
    shares: SEARCH_SHARES,
  };
  if (windows === null) {
    const merge = new Kernel(gpu, 'strings/string-merge/merge-tile', tiled);
    return { search, ways: 2, share: tile, launchGroups: tiles, windows: null, merge };
  }
  const threads = tile / TILE_PER_THREAD;
  const perThread = windowPerThread(Math.min(gpu.workgroupBytes, MOST_BYTES), threads, ENTRY_BYTES);
  const share = threads * (KEPT + perThread);
  const consts = { ...records.consts, THREADS: threads, B_PER_THREAD: perThread };
  return {
    search,
    ways: 2,
    share,
    launchGroups: tiles,
    windows: { ...windows, leastShare: share, mostShare: MOST_ALONE, launchElements: tiles * tile },
    merge: new Kernel(gpu, 'strings/string-merge/moving-windows', { ...records, consts }),
  };
}

/** The passes that merge `count` entries by `rule` whose tiles are sorted. */
export function tilePasses(count: number, kernels: SortKernels, rule: KeyRule): MergePass[] {
  return evenPasses(count, kernels.tile, cutOf(mergeKernels(kernels, rule)));
}

/** The passes that merge slices that are in order by `rule`. */
export function entrySlicePasses(slices: readonly number[], kernels: SortKernels, rule: KeyRule): MergePass[] {
  return slicePasses(slices, cutOf(mergeKernels(kernels, rule)));
}

const mergeKernels = (kernels: SortKernels, rule: KeyRule): MergeKernels =>
  kernelsOf(kernels, launchTiles(kernels.tile, rule, MERGE_COMPARISONS));

/** Tiles per dispatch, if comparisons by `rule` may read the texts of `times` pairs of records for each entry. */
export function launchTiles(tile: number, { records, keyBytes, tieBytes }: KeyRule, times: number): number {
  if (tieBytes <= keyBytes) return LAUNCH_TILES;
  const bytes = 2 * times * Math.min(tieBytes, records.textBytes / records.count);
  return Math.min(LAUNCH_TILES, Math.max(1, Math.floor(LAUNCH_TEXT / (bytes * tile))));
}

/**
 * Submits the merges of a sort. Passes over few tiles are submitted together, others one by one. Returns whichever of
 * `from` and `other` holds the result; the other's contents are undefined.
 */
export function mergeEntries(
  sort: EntrySort,
  from: Entries,
  other: Entries,
  stage: { readonly stage: 'sort' | 'combine'; readonly label: string },
): Entries {
  const { kernels, rule, count, passes, partitions } = sort;
  const merging = mergeKernels(kernels, rule);
  const isLong = count > merging.launchGroups * kernels.tile;
  return submitMerge(
    { gpu: kernels.gpu, kernels: merging, elements: mergedEntries(sort), passes, partitions },
    from,
    other,
    { ...stage, atOnce: isLong ? 1 : Math.max(1, passes.length) },
  );
}

/** The entries of a sort, as kernels of merges bind them. */
function mergedEntries({ rule, count, reads }: EntrySort): MergedElements<Entries> {
  return {
    count,
    words: ruleWords(rule),
    inputs: (from, shares) => ({ ...ruleBindings(rule, reads?.nextPass(shares)), ...entryBindings(from, count) }),
    outputs: (_, to) => {
      const { keys, tags } = entryBindings(to, count);
      return { merged_keys: keys, merged_tags: tags };
    },
  };
}
