/**
 * The one comparison of two records on the host, as engines have them: by key bytes, then length, then (last resort) by all bytes; or by a collation.
 * Everything that orders records elsewhere (kernels, workers) must agree with it.
 */
import type { Ordering } from '../job.js';
import { collationOf, isCollated } from './collation/collation.js';
import { HEADER_BYTES, keyLength } from './keyed.js';

/** Compares byte strings as memcmp does, then by length. Negative, 0 or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/** The key of a record (without its delimiter); where the last resort applies to a keyed line, all that stands behind its header. */
export function keyOf(ordering: Ordering, record: Uint8Array): Uint8Array {
  const key = ordering.key;
  switch (key.kind) {
    case 'record': return record;
    case 'bytes': return record.subarray(key.offset, key.offset + key.length);
    case 'collated': return record.subarray(0, 0); // no bytes of it order it
    case 'normalised': return record.subarray(HEADER_BYTES, ordering.lastResort ? record.length : HEADER_BYTES + keyLength(ordering, record));
  }
}

/** Which of two records (without delimiters) comes first; 0 where only their places in the input decide. */
export function compareRecords(ordering: Ordering, a: Uint8Array, b: Uint8Array): number {
  if (isCollated(ordering)) return collationOf(ordering).compare(a, b);
  let sign = compareBytes(keyOf(ordering, a), keyOf(ordering, b));
  if (sign === 0 && ordering.lastResort && ordering.key.kind === 'bytes') sign = compareBytes(a, b);
  return ordering.reverse ? -sign : sign;
}

/** Which of two samples (engine.ts) comes first, as far as their heads tell. */
export function compareHeads(ordering: Ordering, a: Uint8Array, b: Uint8Array): number {
  if (isCollated(ordering)) return compareRecords(ordering, a, b);
  return ordering.reverse ? compareBytes(b, a) : compareBytes(a, b);
}
