/**
 * String merge sort: entries of a key and a pointer, sorted tile by tile, then merged. Does not know what happens to
 * unresolved ties. Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys,
 * 2012.
 */

import { Kernel, submitPass } from '../../device/dispatch.js';
import { partitionBytes } from '../../keys/merge-path/passes.js';
import { recordBindings } from '../../records/records.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';
import type { SortEntries } from '../ties/entry-ties.js';
import { type EntrySort, launchTiles, loadMergePath, mergeEntries, tilePasses } from './merges.js';

const WORKGROUP = 256;
/** Comparisons of an entry in a block sort, except those whose text is in a cache by then. */
const BLOCK_COMPARISONS = 4;

export function loadStringMergeSort(kernels: SortKernels): Promise<unknown> {
  return Promise.all([
    new Kernel(kernels.gpu, 'strings/string-merge/prefix', kernels.records).load(),
    loadTileSort(kernels),
  ]);
}

/** Compiles what `sortEntries` needs. */
export function loadTileSort(kernels: SortKernels): Promise<unknown> {
  return Promise.all([blockSort(kernels).load(), loadMergePath(kernels)]);
}

const blockSort = ({ gpu, tiled }: SortKernels): Kernel => new Kernel(gpu, 'strings/string-merge/block-sort', tiled);

/** Submits the creation of each record's entry, with its prefix of 8 or 4 bytes (rule.keyBytes) at the rule's depth. */
export function prefixEntries(kernels: SortKernels, rule: KeyRule, to: Entries): void {
  const { gpu } = kernels;
  const { count } = rule.records;
  submitPass(gpu, 'prefix', 'prefix', (pass) => {
    new Kernel(gpu, 'strings/string-merge/prefix', kernels.records).dispatch(
      pass,
      { ...recordBindings(rule.records), ...entryBindings(to, count) },
      { depth: rule.depth, key_bytes: rule.keyBytes, n: count },
      Math.ceil(count / WORKGROUP),
    );
  });
}

/**
 * Submits a sort of entries: of tiles in place, then the merges. Returns whichever of `entries` and `other` holds the
 * result.
 */
export function sortEntries(sort: EntrySort, entries: Entries, other: Entries): Entries {
  const { kernels, rule, count, reads } = sort;
  const tiles = Math.ceil(count / kernels.tile);
  const atOnce = launchTiles(kernels.tile, rule, BLOCK_COMPARISONS);
  const bindings = { ...ruleBindings(rule, reads?.nextPass(tiles)), ...entryBindings(entries, count) };
  submitPass(kernels.gpu, 'sort', 'block sort', (pass) => {
    for (let first = 0; first < tiles; first += atOnce) {
      blockSort(kernels).dispatch(
        pass,
        bindings,
        { ...ruleWords(rule), n: count, tiles, first_tile: first },
        Math.min(atOnce, tiles - first),
      );
    }
  });
  return mergeEntries(sort, entries, other, { stage: 'sort', label: 'merge' });
}

/** The string merge sort, in the form that refinement rounds use. */
export function mergeSortEntries(kernels: SortKernels): SortEntries {
  return async (scratch, rule, entries, other, count) => {
    const passes = tilePasses(count, kernels, rule);
    const partitions = await scratch.take(partitionBytes(passes), 'merge partitions');
    const sorted = sortEntries({ kernels, rule, count, passes, partitions, reads: null }, entries, other);
    scratch.drop(partitions);
    return sorted;
  };
}
