/**
 * Refinement rounds: groups of records that are equal so far skip what their members share, take their next packed keys
 * and are sorted group by group, until no ties are left. Does not know how groups arise.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { MergeStatistics } from '../../../../report/merges.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, loadKernels } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { KeyArrays } from '../../keys/key-sort.js';
import { radixSort } from '../../keys/radix-sort/radix-sort.js';
import { segmentedSort } from '../../keys/segmented-sort/segmented-sort.js';
import { type Records, vectorBindings } from '../../records/records.js';
import { RADIX_GROUP, RADIX_GROUPED_RECORDS } from '../../thresholds.js';
import { dropEqual, loadDropEqual } from '../ties/drop-equal.js';
import { loadRefineTies, refineTies } from '../ties/refine.js';
import { type Depth, type Precondition, selectTied, type TieContext, type TieGroups } from '../ties/tie-groups.js';
import { constantsOf, PACKED, PACKING, PACKING_BYTES, packedBindings, WORKGROUP } from './survey.js';

/** Parameters that affect speed but not results. */
export interface RefineTuning {
  /**
   * Average group size from which one radix sort of all groups is faster than a segmented sort, because merging their
   * tiles would take a few passes.
   */
  readonly radixGroup: number;
  /** Minimum number of members of all groups for such a radix sort. */
  readonly radixCount: number;
}

export const REFINE_TUNING: RefineTuning = { radixGroup: RADIX_GROUP, radixCount: RADIX_GROUPED_RECORDS };

const RADIX = radixSort();
const SEGMENTED = segmentedSort();

export function loadRounds(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return Promise.all([
    loadRefineTies(gpu, constantsOf(ordering).records, { tagged: false }),
    loadKernels(kernelsOf(gpu, ordering)),
    loadDropEqual(gpu),
    RADIX.load(gpu, PACKED),
    SEGMENTED.load(gpu, PACKED),
  ]);
}

function kernelsOf(gpu: Gpu, ordering: Ordering) {
  const { records, reverse } = constantsOf(ordering);
  return {
    itemKeys: new Kernel(gpu, 'strings/radix-refine/item-keys', records),
    place: new Kernel(gpu, 'strings/radix-refine/place', reverse),
  };
}

/** Receives statistics of merges. Forces a wait for the device, so pass it only with --stats. */
export type OnMerges = (merges: MergeStatistics) => void;

/** What the steps of one sort share. */
export interface Refinement extends TieContext {
  readonly ordering: Ordering;
  /** How keys are packed (survey.ts). */
  readonly packing: GPUBuffer;
  readonly tuning: RefineTuning;
  /** Receives statistics of the merges of each sort by tiles; undefined: not wanted. */
  readonly merges: OnMerges | undefined;
  /** The record numbers, in order as far as they are sorted. */
  readonly order: GPUBuffer;
  /** Under `unique` a u32 per place: 0 if the record is equal to the one before it. Otherwise unused, a few words. */
  readonly keep: GPUBuffer;
}

/** A refinement of all `records`, whose numbers are in `order`. */
export async function openRefinement(
  scratch: Scratch,
  records: Records,
  ordering: Ordering,
  parts: Pick<Refinement, 'packing' | 'order' | 'merges'> & { readonly tuning?: RefineTuning },
): Promise<Refinement> {
  const keepBytes = ordering.unique ? (records.count + 1) * 4 : 16;
  return {
    gpu: scratch.gpu,
    scratch,
    records,
    constants: constantsOf(ordering).records,
    ordering,
    tuning: REFINE_TUNING,
    ...parts,
    keep: await scratch.take(keepBytes, 'keep flags'),
  };
}

/** Room for `count` packed keys and their record numbers. */
export async function takePacked(scratch: Scratch, count: number): Promise<KeyArrays> {
  return { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
}

/** Sorted packed keys with record numbers. */
export interface SortedKeys extends KeyArrays {
  readonly count: number;
  /** The groups in which they were sorted; null in round 0, whose numbers are the order. */
  readonly old: TieGroups | null;
  /** The highest bits of a key, which are the number of its group. */
  readonly groupBits: number;
}

/** Puts sorted keys into their places and lists those that are still tied; null if there are none. */
export async function placeAndSelect(
  refinement: Refinement,
  sorted: SortedKeys,
  unless?: Precondition,
): Promise<TieGroups | null> {
  const { count, old, groupBits } = sorted;
  const { gpu, scratch, records, ordering, packing, order, keep } = refinement;
  const depth: Depth = {
    words: [PACKING.symbolBits, PACKING.base].map((at) => ({ buffer: packing, at })),
    of: ([symbolBits, base]) => (old === null ? base : 0) + Math.floor((64 - groupBits) / symbolBits),
  };
  const none = await scratch.take(16, 'nothing');
  const unwritten = await scratch.take(16, 'nothing');
  const groups = await selectTied(
    refinement,
    { numbers: sorted.values!, tagged: false, count, old, depth },
    (pass, members, heads) => {
      kernelsOf(gpu, ordering).place.dispatch(
        pass,
        {
          ...packedBindings(sorted, count),
          items: old === null ? none : bind(old.items, count * 16),
          packing: bind(packing, PACKING_BYTES),
          order: old === null ? unwritten : bind(order, records.count * 4),
          keep: bind(keep, ordering.unique ? records.count * 4 : 16),
          members: bind(members, count * 4),
          heads: bind(heads, count * 4),
        },
        {
          n: count,
          round: old === null ? 0 : 1,
          group_bits: groupBits,
          keep_heads: ordering.unique ? 1 : 0,
        },
        Math.ceil(count / WORKGROUP),
      );
    },
    { unless },
  );
  scratch.drop(none);
  scratch.drop(unwritten);
  return groups;
}

/** Settles all ties, round by round. `from` and `spare` have room for all members and are overwritten. */
export function refineGroups(
  refinement: Refinement,
  first: TieGroups,
  from: KeyArrays,
  spare: KeyArrays,
): Promise<unknown> {
  const { gpu, scratch, records, ordering, packing, merges } = refinement;
  const { itemKeys } = kernelsOf(gpu, ordering);
  return refineTies(refinement, first, (groups) => {
    const { items, count, depths } = groups;
    const groupBits = groupBitsOf(refinement, groups);
    return {
      encodeKeys: (pass) => {
        itemKeys.dispatch(
          pass,
          {
            ...vectorBindings(records),
            packing: bind(packing, PACKING_BYTES),
            items: bind(items, count * 16),
            depths: bind(depths, count * 4),
            ...packedBindings(from, count),
          },
          { n: count, group_bits: groupBits },
          Math.ceil(count / WORKGROUP),
        );
      },
      sortAndSelect: async () => {
        const segments = { begins: groups.begins!, segments: groups.groups };
        const result =
          groupBits > 0
            ? await RADIX.sort(scratch, PACKED, from, spare, count)
            : await SEGMENTED.sort(scratch, PACKED, from, spare, { count, segments, statistics: merges });
        return placeAndSelect(refinement, { ...result, count, old: groups, groupBits });
      },
    };
  });
}

/**
 * How a round sorts its groups. If groups are large, merging their tiles would take more passes than one radix sort of
 * all groups. Keys of the radix sort begin with the group's number, which leaves room for fewer symbols; returns the
 * bits of that number. Returns 0 if a segmented sort sorts each group by itself.
 */
function groupBitsOf({ tuning }: Refinement, { count, groups }: TieGroups): number {
  if (count < tuning.radixGroup * groups || count < tuning.radixCount) return 0;
  return Math.max(1, Math.ceil(Math.log2(groups)));
}

/**
 * The order and its length when all ties are settled; the caller owns the buffer. Under `unique` it omits records that
 * are equal to the one before them.
 */
export async function settledOrder({
  scratch,
  records: { count },
  ordering,
  order,
  keep,
}: Refinement): Promise<{ order: GPUBuffer; count: number }> {
  return ordering.unique ? dropEqual(scratch, order, keep, count) : { order: scratch.keep(order), count };
}
