/**
 * The one comparison of two whole records on the host: by key bytes, then length, then (last resort) by all bytes.
 * Everything that orders records elsewhere (kernels, workers) must agree with it.
 */
import type { Ordering } from '../job.js';

/** Compares byte strings as memcmp does, then by length. Negative, 0 or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** The key of a record (without its delimiter). */
export function keyOf(ordering: Ordering, record: Uint8Array): Uint8Array {
  const key = ordering.key;
  return key.kind === 'record' ? record : record.subarray(key.offset, key.offset + key.length);
}

/** Which of two records (without delimiters) comes first; 0 where only their places in the input decide. */
export function compareRecords(ordering: Ordering, a: Uint8Array, b: Uint8Array): number {
  let sign = compareBytes(keyOf(ordering, a), keyOf(ordering, b));
  if (sign === 0 && ordering.lastResort && ordering.key.kind !== 'record') sign = compareBytes(a, b);
  return ordering.reverse ? -sign : sign;
}
