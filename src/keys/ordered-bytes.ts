/**
 * The bytes that order a record, as one string: its key, then, where the last resort applies, the whole record.
 * (Kernels have the same definition in kernels/shared/record.wgsl.) Keys of a job that has both are of one length.
 */
import type { Ordering } from '../job.js';

/** The first `limit` ordered bytes of a record (given without its delimiter). */
export function orderedBytes(ordering: Ordering, record: Uint8Array, limit: number): Uint8Array {
  const key = ordering.key;
  if (key.kind === 'record') return record.subarray(0, limit);
  const keyBytes = record.subarray(key.offset, key.offset + key.length);
  if (!ordering.lastResort || key.length >= limit) return keyBytes.subarray(0, limit);
  return Buffer.concat([keyBytes, record]).subarray(0, limit);
}

/** How many leading bytes two byte strings share. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i < limit && a[i] === b[i]) i++;
  return i;
}
