/**
 * Radix-refine: sorts packed prefixes of strings, then refines only tied records, in rounds. Bytes that occur are
 * numbered, so that a 64-bit key packs as many symbols as possible; what all records share is skipped. A stable sort
 * orders (key, record number). Neighbors with equal keys whose records continue form tie groups. In each round a group
 * skips what its members share and sorts its next keys; it always splits or ends. Deshpande and Narayanan: Can GPUs
 * Sort Strings Efficiently?, 2013; shorter alphabets: Drozd and Matsuoka: MSD Radix String Sort on GPU, 2014.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, submitPass } from '../../device/dispatch.js';
import { type DevicePool, Scratch } from '../../device/pool.js';
import type { KeyArrays, KeySort } from '../../keys/key-sort.js';
import type { LocalitySort, NearSort } from '../../keys/locality-sort/locality-sort.js';
import { radixSort } from '../../keys/radix-sort/radix-sort.js';
import { type Records, vectorBindings } from '../../records/records.js';
import type { Precondition, TieGroups } from '../ties/tie-groups.js';
import {
  keepFlags,
  loadRounds,
  type OnMerges,
  placeAndSelect,
  REFINE_TUNING,
  type Refinement,
  type RefineTuning,
  refineGroups,
  type SortedKeys,
  settledOrder,
  takePacked,
} from './rounds.js';
import { constantsOf, loadSurvey, PACKED, packedBindings, type Survey, survey, WORKGROUP } from './survey.js';

/** Parameters that affect speed but not results. */
export interface RadixRefineTuning extends RefineTuning {
  /**
   * Sorts the packed keys of all records: a radix sort, or a locality sort for nearly sorted input. Tie groups are
   * sorted the same way in either case.
   */
  readonly firstSort: KeySort | LocalitySort;
}

export const RADIX_REFINE_TUNING: RadixRefineTuning = { ...REFINE_TUNING, firstSort: radixSort() };

export function loadRadixRefine(
  gpu: Gpu,
  ordering: Ordering,
  { firstSort }: Pick<RadixRefineTuning, 'firstSort'> = RADIX_REFINE_TUNING,
): Promise<unknown> {
  return Promise.all([
    loadSurvey(gpu, ordering),
    recordKeys(gpu, ordering).load(),
    loadRounds(gpu, ordering),
    firstSort.load(gpu, PACKED),
  ]);
}

function recordKeys(gpu: Gpu, ordering: Ordering): Kernel {
  return new Kernel(gpu, 'strings/radix-refine/record-keys', constantsOf(ordering).records);
}

/** How records are sorted. All of them are known to share `commonPrefix` ordered bytes. */
interface RefineOptions {
  readonly commonPrefix: number;
  readonly tuning?: RadixRefineTuning;
  readonly merges?: OnMerges | undefined;
}

/**
 * The record numbers in sorted order, as u32 in a buffer of the pool that the caller returns. Under `unique` only the
 * first of records with equal ordered bytes is kept.
 */
export async function radixRefine(
  gpu: Gpu,
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  { commonPrefix, tuning = RADIX_REFINE_TUNING, merges }: RefineOptions,
): Promise<{ order: GPUBuffer; count: number }> {
  const { count } = records;
  if (count === 0) return { order: await pool.take(16, 'order'), count };
  const scratch = new Scratch(pool);
  let near: NearSort | null = null;
  try {
    const found = await survey(scratch, records, ordering, commonPrefix);
    const [first, second] = [await takePacked(scratch, count), await takePacked(scratch, count)];
    packRecords(gpu, records, ordering, found, first);
    // A locality sort first goes only as far as nearly sorted input needs. Whether that sufficed is read back together
    // with the number of ties.
    if ('sortNear' in tuning.firstSort) near = await tuning.firstSort.sortNear(scratch, PACKED, first, second, count);
    const sorted = near?.result ?? (await tuning.firstSort.sort(scratch, PACKED, first, second, count));
    const other = sorted === first ? second : first;
    // The values of round 0 become the order that is returned.
    const refinement: Refinement = {
      gpu,
      scratch,
      records,
      constants: constantsOf(ordering).records,
      ordering,
      survey: found,
      tuning,
      merges,
      order: sorted.values!,
      keep: await keepFlags(scratch, ordering, count),
    };
    const groups = await firstGroups(refinement, sorted, near);
    if (groups !== null) {
      await refineGroups(
        refinement,
        groups,
        { keys: sorted.keys, values: other.values },
        { keys: other.keys, values: await scratch.take(groups.count * 4, 'numbers') },
      );
    }
    return await settledOrder(refinement);
  } finally {
    near?.end();
    scratch.end();
  }
}

/** Submits the creation of the packed keys of all records. */
function packRecords(
  gpu: Gpu,
  records: Records,
  ordering: Ordering,
  { alphabet, symbols, depth }: Survey,
  to: KeyArrays,
): void {
  const { count } = records;
  submitPass(gpu, 'prefix', 'packed keys', (pass) => {
    recordKeys(gpu, ordering).dispatch(
      pass,
      { ...vectorBindings(records), symbols: bind(symbols, 1024), ...packedBindings(to, count) },
      { n: count, depth, symbol_bits: alphabet.symbolBits, key_symbols: alphabet.keySymbols },
      Math.ceil(count / WORKGROUP),
    );
  });
}

/** The ties of sorted packed keys. If the sort was a near one that did not suffice, it is finished first. */
async function firstGroups(
  refinement: Refinement,
  sorted: KeyArrays,
  near: NearSort | null,
): Promise<TieGroups | null> {
  const { records, survey: found, merges } = refinement;
  const packed: SortedKeys = {
    ...sorted,
    count: records.count,
    old: null,
    depth: found.depth + found.alphabet.keySymbols,
  };
  if (near === null) return placeAndSelect(refinement, packed);
  let isSorted = true;
  const unless: Precondition = {
    zero: near.left,
    onAnswer: (holds) => {
      isSorted = holds;
    },
  };
  let groups = await placeAndSelect(refinement, packed, unless);
  if (!isSorted) {
    near.finish();
    groups = await placeAndSelect(refinement, packed);
  }
  merges?.(await near.statistics());
  return groups;
}
