/**
 * The bytes that order a record, as one string: its key, then, where the last resort applies, the whole record.
 * (Kernels have the same definition in kernels/shared/record.wgsl.) Records that are collated have none. Keys of a job that has both are of one length, or begin none of the others.
 */
import type { Ordering } from '../job.js';
import { keyOf } from './compare.js';

/** The first `limit` ordered bytes of a record (given without its delimiter); mostly a view of it. */
export function orderedBytes(ordering: Ordering, record: Uint8Array, limit = Infinity): Uint8Array {
  const key = keyOf(ordering, record);
  if (ordering.key.kind === 'bytes' && ordering.lastResort && key.length < limit) return Buffer.concat([key, record]).subarray(0, limit);
  return key.length > limit ? key.subarray(0, limit) : key;
}

/** How many leading bytes two byte strings share. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i < limit && a[i] === b[i]) i++;
  return i;
}
