/**
 * Merges of sorted runs of entries, by merge path (Green, McColl, Bader: GPU Merge Path, 2012). Knows entries and how
 * their ties are settled (kernels/wgsl/strings/compare.wgsl), but not where entries come from.
 */
import { type Binding, Kernel } from '../../device/dispatch.js';
import {
  evenPasses,
  type MergedElements,
  type MergeKernels,
  type MergePass,
  submitMerge,
} from '../../keys/merge-path/passes.js';
import { loadMerge } from '../../keys/merge-path/tuning.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';

/** Tiles per dispatch, few enough for a small GPU's watchdog (2^24 entries, 400 MB moved). */
export const LAUNCH_TILES = 16384;
/** Shares that a workgroup of merge-partition.wgsl handles. */
const SEARCH_SHARES = 64;

/** Where kernels that count, in a sort without groups, write how many comparisons read the text. */
export interface TextReads {
  /** The words for the next pass over entries, one for each of its `tiles`. */
  nextPass(tiles: number): Binding;
}

/** A sort of entries by `rule`. */
export interface EntrySort {
  readonly kernels: SortKernels;
  readonly rule: KeyRule;
  readonly count: number;
  /** The merges: of sorted tiles (tilePasses), or of slices that are already in order (slicePasses). */
  readonly passes: readonly MergePass[];
  /** Room for partitionBytes(passes). */
  readonly partitions: GPUBuffer;
  /** For kernels that count, provides one pass for sorting the tiles, if they are sorted, then one for each merge. */
  readonly reads: TextReads | null;
}

/** Compiles what `mergeEntries` needs. */
export function loadMergePath(kernels: SortKernels): Promise<unknown> {
  return loadMerge(kernelsOf(kernels));
}

function kernelsOf({ gpu, tile, records, tiled }: SortKernels): MergeKernels {
  return {
    share: tile,
    launchGroups: LAUNCH_TILES,
    windows: null,
    search: new Kernel(gpu, 'strings/string-merge/merge-partition', records),
    searchShares: SEARCH_SHARES,
    merge: new Kernel(gpu, 'strings/string-merge/merge-tile', tiled),
  };
}

/** The passes that merge `count` entries whose tiles are sorted. */
export function tilePasses(count: number, { tile }: SortKernels): MergePass[] {
  return evenPasses(count, tile, tile);
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
  const { kernels, passes, partitions } = sort;
  const isLong = passes.some(({ shares }) => shares > LAUNCH_TILES);
  return submitMerge(
    { gpu: kernels.gpu, kernels: kernelsOf(kernels), elements: mergedEntries(sort), passes, partitions },
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
