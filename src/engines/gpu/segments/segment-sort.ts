/**
 * Sorts records inside segments by radix-refine's rounds, with segments as the initial tie groups. Each round is a
 * segmented sort (Baxter: Segmented Sort and Locality Sort, moderngpu 1). Without segments all records form one.
 */
import type { Ordering } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel } from '../device/dispatch.js';
import { type DevicePool, Scratch } from '../device/pool.js';
import type { Records } from '../records/records.js';
import {
  loadRounds,
  type OnMerges,
  openRefinement,
  REFINE_TUNING,
  type RefineTuning,
  refineGroups,
  settledOrder,
  takePacked,
} from '../strings/radix-refine/rounds.js';
import { loadSurvey, PACKING, survey, WORKGROUP } from '../strings/radix-refine/survey.js';
import { selectTied } from '../strings/ties/tie-groups.js';
import { loadHeads, segmentHeads } from './heads.js';

const membersKernel = (gpu: Gpu): Kernel => new Kernel(gpu, 'segments/members');

export function loadSegmentSort(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return Promise.all([
    loadHeads(gpu, ordering),
    membersKernel(gpu).load(),
    loadSurvey(gpu, ordering),
    loadRounds(gpu, ordering),
  ]);
}

/** As for radixRefine. */
interface SegmentOptions {
  readonly commonPrefix: number;
  readonly tuning?: RefineTuning;
  readonly merges?: OnMerges | undefined;
}

/** Like radixRefine, but each segment is sorted by itself; segments keep their places. */
export async function segmentSort(
  gpu: Gpu,
  pool: DevicePool,
  records: Records,
  ordering: Ordering,
  { commonPrefix, tuning = REFINE_TUNING, merges }: SegmentOptions,
): Promise<{ order: GPUBuffer; count: number }> {
  const { count } = records;
  if (count === 0) return { order: await pool.take(16, 'order'), count };
  const scratch = new Scratch(pool);
  try {
    const heads = await segmentHeads(scratch, records, ordering);
    const packing = await survey(scratch, records, ordering, commonPrefix);
    const order = await scratch.take(count * 4, 'order');
    const refinement = await openRefinement(scratch, records, ordering, { packing, order, tuning, merges });
    const { keep } = refinement;
    const depth = { words: [{ buffer: packing, at: PACKING.base }], of: ([base]: readonly number[]) => base };
    const groups = await selectTied(
      refinement,
      { numbers: order, tagged: false, count, old: null, depth },
      (pass, members, groupHeads) => {
        membersKernel(gpu).dispatch(
          pass,
          {
            heads: bind(heads, count * 4),
            members: bind(members, count * 4),
            group_heads: bind(groupHeads, count * 4),
            order: bind(order, count * 4),
            keep: bind(keep, ordering.unique ? count * 4 : 16),
          },
          { n: count, keep_heads: ordering.unique ? 1 : 0 },
          Math.ceil(count / WORKGROUP),
        );
      },
    );
    scratch.drop(heads);
    if (groups !== null)
      await refineGroups(
        refinement,
        groups,
        await takePacked(scratch, groups.count),
        await takePacked(scratch, groups.count),
      );
    return await settledOrder(refinement);
  } finally {
    scratch.end();
  }
}
