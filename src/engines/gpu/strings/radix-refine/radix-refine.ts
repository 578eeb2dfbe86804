/**
 * Radix-refine: sorts packed prefixes of strings, then refines only tied records, in rounds. Bytes that occur are
 * numbered, so that a 64-bit key packs as many symbols as possible; what all records share is skipped. A stable sort
 * orders (key, record number). Neighbors with equal keys whose records continue form tie groups. In each round a group
 * skips what its members share and sorts its next keys; it always splits or ends. Deshpande and Narayanan: Can GPUs
 * Sort Strings Efficiently?, 2013; shorter alphabets: Drozd and Matsuoka: MSD Radix String Sort on GPU, 2013.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, submitPass } from '../../device/dispatch.js';
import { type DevicePool, Scratch } from '../../device/pool.js';
import type { KeyArrays, KeySort } from '../../keys/key-sort.js';
import type { LocalitySort, NearSort } from '../../keys/locality-sort/locality-sort.js';
import { radixSort } from '../../keys/radix-sort/radix-sort.js';
import { type Records, vectorBindings } from '../../records/records.js';
import type { SplitSort, Splits } from '../msd-radix/msd-radix.js';
import type { Precondition, TieGroups } from '../ties/tie-groups.js';
import {
  loadRounds,
  type OnMerges,
  openRefinement,
  placeAndSelect,
  REFINE_TUNING,
  type Refinement,
  type RefineTuning,
  refineGroups,
  type SortedKeys,
  settledOrder,
  takePacked,
} from './rounds.js';
import { constantsOf, loadSurvey, PACKED, PACKING_BYTES, packedBindings, survey, WORKGROUP } from './survey.js';

/** Parameters that affect speed but not results. */
export interface RadixRefineTuning extends RefineTuning {
  /**
   * Sorts the packed keys of all records: a radix sort, a locality sort for nearly sorted input, or splits from the
   * most significant digit. Tie groups are sorted the same way in all cases.
   */
  readonly firstSort: KeySort | LocalitySort | SplitSort;
}

/** Keys per workgroup that counts first digits (first-digit-counted.wgsl). */
const COUNTED_KEYS = 2048;

export const RADIX_REFINE_TUNING: RadixRefineTuning = { ...REFINE_TUNING, firstSort: radixSort() };

export function loadRadixRefine(
  gpu: Gpu,
  ordering: Ordering,
  { firstSort }: Pick<RadixRefineTuning, 'firstSort'> = RADIX_REFINE_TUNING,
): Promise<unknown> {
  const digitBits = 'openSplits' in firstSort ? firstSort.digitBits(gpu) : null;
  return Promise.all([
    loadSurvey(gpu, ordering),
    ...recordKeys(gpu, ordering, digitBits).map((kernel) => kernel.load()),
    loadRounds(gpu, ordering),
    firstSort.load(gpu, PACKED),
  ]);
}

/** Kernels that make the keys of all records. With `digitBits`, one for each width counts keys by their first digit. */
function recordKeys(gpu: Gpu, ordering: Ordering, digitBits: readonly number[] | null): readonly Kernel[] {
  const { records } = constantsOf(ordering);
  const kernel = (FIRST_DIGIT: string, consts: Record<string, number>): Kernel =>
    new Kernel(gpu, 'strings/radix-refine/record-keys', { ...records, consts, variants: { FIRST_DIGIT } });
  return digitBits?.map((bits) => kernel('counted', { DIGIT_BITS: bits })) ?? [kernel('uncounted', {})];
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
  const { firstSort } = tuning;
  const scratch = new Scratch(pool);
  let near: NearSort | null = null;
  try {
    const splits = 'openSplits' in firstSort ? await firstSort.openSplits(scratch, count) : null;
    const packing = await survey(scratch, records, ordering, commonPrefix, splits?.firstDigit);
    const [first, second] = [await takePacked(scratch, count), await takePacked(scratch, count)];
    packRecords(gpu, records, ordering, { packing, splits }, first);
    let sorted = first;
    let mayTie = true;
    if (splits !== null) {
      mayTie = (await splits.sort(first, second, packing)).unresolved;
    } else if ('sortNear' in firstSort) {
      // A locality sort first goes only as far as nearly sorted input needs. Whether that sufficed is read back
      // together with the number of ties.
      near = await firstSort.sortNear(scratch, PACKED, first, second, count);
      sorted = near.result;
    } else {
      sorted = await (firstSort as KeySort).sort(scratch, PACKED, first, second, count);
    }
    // The values of round 0 become the order that is returned.
    if (!mayTie && !ordering.unique) return { order: scratch.keep(sorted.values!), count };
    const refinement = await openRefinement(scratch, records, ordering, {
      packing,
      tuning,
      merges,
      order: sorted.values!,
    });
    const groups = await firstGroups(refinement, sorted, near);
    if (groups !== null) {
      const other = sorted === first ? second : first;
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

/** Submits the creation of the packed keys of all records, and counts their first digit for `splits`. */
function packRecords(
  gpu: Gpu,
  records: Records,
  ordering: Ordering,
  { packing, splits }: { readonly packing: GPUBuffer; readonly splits: Splits | null },
  to: KeyArrays,
): void {
  const { count } = records;
  submitPass(
    gpu,
    'prefix',
    'packed keys',
    (pass) => {
      // Only the device knows the alphabet. The kernel for the other width of the first digit does nothing.
      for (const kernel of recordKeys(gpu, ordering, splits?.digitBits ?? null)) {
        kernel.dispatch(
          pass,
          {
            ...vectorBindings(records),
            packing: bind(packing, PACKING_BYTES),
            ...packedBindings(to, count),
            ...(splits !== null && { counters: splits.counters }),
          },
          { n: count },
          Math.ceil(count / (splits === null ? WORKGROUP : COUNTED_KEYS)),
        );
      }
    },
    (encoder) => {
      if (splits !== null) encoder.clearBuffer(splits.counters.buffer, 0, splits.counters.size);
    },
  );
}

/** The ties of sorted packed keys. If the sort was a near one that did not suffice, it is finished first. */
async function firstGroups(
  refinement: Refinement,
  sorted: KeyArrays,
  near: NearSort | null,
): Promise<TieGroups | null> {
  const { records, merges } = refinement;
  const packed: SortedKeys = { ...sorted, count: records.count, old: null, groupBits: 0 };
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
