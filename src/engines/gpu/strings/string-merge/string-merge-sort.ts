/**
 * String merge sort: entries of a key and a pointer, sorted tile by tile, then merged. Knows nothing of what becomes of
 * unresolved ties. Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys,
 * 2012.
 */

import { Kernel, submitPass } from '../../device/dispatch.js';
import { recordBindings } from '../../records/records.js';
import { type Entries, entryBindings, type KeyRule, ruleBindings, ruleWords, type SortKernels } from '../entries.js';
import type { SortEntries } from '../ties/entry-ties.js';
import { LAUNCH_TILES, loadMergePath, mergeTiles, partitionBytes, type TextReads } from './merges.js';

const WORKGROUP = 256;

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
 * Submits the sort of `count` entries. Returns whichever of `entries` and `other` holds the result. `partitions` has
 * partitionBytes(count, 0). Tiles are sorted in place. `reads`, for kernels that count, provides one pass for the
 * tiles, then one for each merge pass.
 */
export function sortEntries(
  kernels: SortKernels,
  rule: KeyRule,
  entries: Entries,
  other: Entries,
  count: number,
  partitions: GPUBuffer,
  reads: TextReads | null = null,
): Entries {
  const tiles = Math.ceil(count / kernels.tile);
  const bindings = { ...ruleBindings(rule, reads?.nextPass(tiles)), ...entryBindings(entries, count) };
  submitPass(kernels.gpu, 'sort', 'block sort', (pass) => {
    for (let first = 0; first < tiles; first += LAUNCH_TILES) {
      blockSort(kernels).dispatch(
        pass,
        bindings,
        { ...ruleWords(rule), n: count, tiles, first_tile: first },
        Math.min(LAUNCH_TILES, tiles - first),
      );
    }
  });
  return mergeTiles(kernels, rule, entries, other, count, partitions, reads);
}

/** The string merge sort, in the form that refinement rounds use. */
export const mergeSortEntries: SortEntries = async (scratch, kernels, rule, entries, other, count) => {
  const partitions = await scratch.take(partitionBytes(count, 0, kernels.tile), 'merge partitions');
  const result = sortEntries(kernels, rule, entries, other, count, partitions);
  scratch.drop(partitions);
  return result;
};
