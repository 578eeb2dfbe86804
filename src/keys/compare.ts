/**
 * Defines how two records in the engines' form compare: by key bytes, then length, then (last resort) by all bytes; or
 * by a collation. The main thread uses it for samples, at cuts, where blocks meet, and in merges record by record.
 * Kernels and workers must agree with it. The kernels of --verify have separate code.
 */
import type { Ordering } from '../job/ordering.js';
import { collationOf, isCollated } from './collation/collation.js';
import { keyHeaderBytes, keyLength } from './keyed.js';

/** Compares byte strings as memcmp does, then by length. Negative, 0 or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

/**
 * The key of a record (without its delimiter). For a keyed line with last-resort comparison,
 * everything after its header.
 */
export function keyOf(ordering: Ordering, record: Uint8Array): Uint8Array {
  const key = ordering.key;
  switch (key.kind) {
    case 'record':
      return record;
    case 'bytes':
      return record.subarray(key.offset, key.offset + key.length);
    case 'collated':
      return record.subarray(0, 0); // none of its bytes serve as a key
    case 'normalized': {
      const begin = keyHeaderBytes(ordering);
      return record.subarray(begin, ordering.lastResort ? record.length : begin + keyLength(ordering, record));
    }
  }
}

/** Where the key begins in a record. */
export function keyOffset(ordering: Ordering): number {
  const { key } = ordering;
  return key.kind === 'bytes' ? key.offset : key.kind === 'normalized' ? keyHeaderBytes(ordering) : 0;
}

/** Compares two records (without delimiters). 0 if only their input positions decide. */
export function compareRecords(ordering: Ordering, a: Uint8Array, b: Uint8Array): number {
  if (isCollated(ordering)) return collationOf(ordering).compare(a, b);
  let sign = compareBytes(keyOf(ordering, a), keyOf(ordering, b));
  if (sign === 0 && ordering.lastResort && ordering.key.kind === 'bytes') sign = compareBytes(a, b);
  return ordering.reverse ? -sign : sign;
}

/** Compares two samples (src/contract/engine.ts) by their heads. */
export function compareHeads(ordering: Ordering, a: Uint8Array, b: Uint8Array): number {
  if (isCollated(ordering)) return compareRecords(ordering, a, b);
  return ordering.reverse ? compareBytes(b, a) : compareBytes(a, b);
}

/** Whether records that compare as equal, apart from their place in the input, have the same bytes. */
export function equalsAreIdentical({ format, key, lastResort }: Ordering): boolean {
  if (lastResort || key.kind === 'record') return true;
  return key.kind === 'bytes' && format.kind === 'fixed' && key.length === format.size;
}

/**
 * The first `limit` of the bytes that order a record (without its delimiter): its key and, with last-resort comparison,
 * the whole record. Usually a view of it. Kernels use the same definition (kernels/wgsl/shared/record.wgsl). Collated
 * records have no such bytes. If a job has both, the keys are of one length or prefix-free.
 */
export function orderedBytes(ordering: Ordering, record: Uint8Array, limit = Infinity): Uint8Array {
  const key = keyOf(ordering, record);
  if (ordering.key.kind === 'bytes' && ordering.lastResort && key.length < limit)
    return Buffer.concat([key, record]).subarray(0, limit);
  return key.length > limit ? key.subarray(0, limit) : key;
}

/** The length of the common prefix of two byte strings, at most `most`. */
export function commonPrefixLength(a: Uint8Array, b: Uint8Array, most = Infinity): number {
  const limit = Math.min(a.length, b.length, most);
  let i = 0;
  while (i < limit && a[i] === b[i]) i++;
  return i;
}
