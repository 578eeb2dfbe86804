/** The part of a record that a run's sample holds. */
import { COLLATED_SAMPLE_BYTES, SAMPLE_BYTES } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { isCollated } from '../keys/collation/collation.js';
import { orderedBytes } from '../keys/compare.js';

/** The length of heads that are cut off. */
export const sampleBytes = (ordering: Ordering): number =>
  isCollated(ordering) ? COLLATED_SAMPLE_BYTES : SAMPLE_BYTES;

/** The head (engine.ts) of a record given without its delimiter; usually a view of it. */
export function sampleHead(ordering: Ordering, record: Uint8Array, most = sampleBytes(ordering)): Uint8Array {
  return isCollated(ordering) ? record.subarray(0, most) : orderedBytes(ordering, record, most);
}
