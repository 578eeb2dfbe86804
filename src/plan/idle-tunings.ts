/** Requested tunings that will change nothing, as far as that is known before the sort. Pure. */
import { keyForm } from '../engines/gpu/engine/fixed-keys/form.js';
import { DEEP_PASSES, DIGIT_BITS, MERGE_TILE, SPLIT_TILE } from '../engines/gpu/thresholds.js';
import type { Tuning } from '../job/algorithm-table.js';
import type { PlannedJob } from '../job/job.js';
import type { InputFacts } from './facts.js';

/** Up to this many records, merges settle ties anyway (src/engines/gpu/strings/string-merge/order.ts). */
const SETTLED_IN_MERGES = MERGE_TILE * 2 ** DEEP_PASSES;
/**
 * Up to this many records, a wide first digit saves no level, whatever the device's workgroup memory (savesLevel in
 * src/engines/gpu/strings/msd-radix/entries.ts).
 */
const WITHOUT_WIDE_DIGITS = (SPLIT_TILE / 2) * 2 ** DIGIT_BITS;

/** A sentence for each requested tuning that changes nothing. `chunkBytes`: the maximum bytes of a chunk. */
export function idleTunings(
  { ordering, resources: { tunings } }: PlannedJob,
  { bytes }: InputFacts,
  chunkBytes: number,
): string[] {
  // A line has at least its delimiter. Merges of several chunks can have more passes than a sort of one.
  const size = ordering.format.kind === 'fixed' ? ordering.format.size : 1;
  const records = bytes === null || bytes > chunkBytes ? Infinity : Math.ceil(bytes / size);
  const reasons: Partial<Record<Tuning, string | false>> = {
    'stable-network': keyForm(ordering)?.spec.values === true && 'keys with values always take this network',
    'narrow-digits': 'all digits have 8 bits by default',
    'wide-digits': records <= WITHOUT_WIDE_DIGITS && 'so few records need no second level of large buckets',
    'ties-in-merges': records <= SETTLED_IN_MERGES && 'merges settle the ties of so few records anyway',
  };
  return tunings.flatMap((tuning) => {
    const reason = reasons[tuning];
    return reason ? [`tuning ${tuning} changes nothing: ${reason}`] : [];
  });
}
