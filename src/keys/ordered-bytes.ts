/**
 * The bytes that order a record, as one string: its key and, with last-resort comparison, the whole record. Kernels use
 * the same definition (kernels/wgsl/shared/record.wgsl). Collated records have none. If a job has both, the keys are of
 * one length or prefix-free.
 */
import type { Ordering } from '../job/job.js';
import { keyOf } from './compare.js';

/** The first `limit` ordered bytes of a record (without its delimiter); usually a view of it. */
export function orderedBytes(ordering: Ordering, record: Uint8Array, limit = Infinity): Uint8Array {
  const key = keyOf(ordering, record);
  if (ordering.key.kind === 'bytes' && ordering.lastResort && key.length < limit)
    return Buffer.concat([key, record]).subarray(0, limit);
  return key.length > limit ? key.subarray(0, limit) : key;
}

/** The length of the common prefix of two byte strings. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i < limit && a[i] === b[i]) i++;
  return i;
}
