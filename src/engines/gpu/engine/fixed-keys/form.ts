/**
 * How fixed records are sorted by keys of at most 128 bits (kernels/wgsl/engine/fixed-keys/layout.wgsl): what the keys
 * hold, and what moves with them. Knows no sort.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { KernelConstants } from '../../device/compose.js';
import type { FixedKeySpec } from '../../keys/key-sort.js';

/**
 * `packed`: keys are whole records, and nothing moves with them. `carried`: the other bytes of a record, at most 4,
 * move with its key. `numbered`: the record's number moves with its key, and a gather moves the record.
 */
type Kind = 'packed' | 'carried' | 'numbered';

export interface KeyForm {
  readonly kind: Kind;
  readonly spec: FixedKeySpec;
  /** Bytes of a record, and of the record's key. */
  readonly size: number;
  readonly keyLength: number;
  /** Bytes of the record that are in the sort's keys. */
  readonly keyBytes: number;
  /** Whether records with equal keys are then ordered by all their bytes. */
  readonly refines: boolean;
  /** Constants of kernels that read or make records, and of those that only compare keys. */
  readonly layout: KernelConstants;
  readonly keys: KernelConstants;
}

/** The largest key, in bytes: that of the widest sorts. */
const MOST_KEY_BYTES = 16;
const VALUE_BYTES = 4;

/** Null: lines, segments, or keys of more than 128 bits. */
export function keyForm({ format, key, reverse, unique, lastResort, segments }: Ordering): KeyForm | null {
  if (format.kind !== 'fixed' || segments !== undefined) return null;
  const { size } = format;
  const { offset, length } = key.kind === 'bytes' ? key : { offset: 0, length: size };
  const isWhole = lastResort || length === size;
  const kind: Kind =
    !unique && isWhole && size <= MOST_KEY_BYTES
      ? 'packed'
      : !unique && !lastResort && size - length <= VALUE_BYTES
        ? 'carried'
        : 'numbered';
  const keyBytes = kind === 'packed' ? size : length;
  if (keyBytes > MOST_KEY_BYTES) return null;
  const words = keyBytes <= 4 ? 1 : keyBytes <= 8 ? 2 : 4;
  const keys = { consts: { KEY_WORDS: words } };
  return {
    kind,
    spec: { type: ({ 1: 'u32', 2: 'u64', 4: 'u128' } as const)[words], values: kind !== 'packed' },
    size,
    keyLength: length,
    keyBytes,
    refines: kind === 'numbered' && lastResort && length < size,
    layout: {
      ...keys,
      overrides: {
        RECORD_SIZE: size,
        KEY_OFFSET: offset,
        KEY_LENGTH: length,
        KEY_BYTES: keyBytes,
        REVERSE: reverse ? 1 : 0,
      },
    },
    keys,
  };
}
