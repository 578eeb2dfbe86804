/**
 * Small records: of one size, at most 16 bytes, in one segment. The CPU engine sorts them by the values of their bytes
 * and moves them whole. Knows which bytes order them.
 */
import type { Ordering } from '../job/ordering.js';

/** The largest small record, in bytes: kernels load 16 bytes at a time. */
export const SMALL_BYTES = 16;

/** How small records are ordered. Plain data for workers. */
export interface SmallShape {
  /** The places of the bytes that order a record, the most significant first. */
  readonly bytes: readonly number[];
  /** How many of them are the key. */
  readonly keyBytes: number;
}

/** Null if records are not small, or are sorted by segments. */
export function smallShape({ format, key, lastResort, segments }: Ordering): SmallShape | null {
  if (format.kind !== 'fixed' || format.size > SMALL_BYTES || segments !== undefined) return null;
  const all = Array.from({ length: format.size }, (_, byte) => byte);
  if (key.kind !== 'bytes') return { bytes: all, keyBytes: format.size };
  const isKey = (byte: number): boolean => byte >= key.offset && byte < key.offset + key.length;
  const rest = lastResort ? all.filter((byte) => !isKey(byte)) : [];
  return { bytes: [...all.filter(isKey), ...rest], keyBytes: key.length };
}
