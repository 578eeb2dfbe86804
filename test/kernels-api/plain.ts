/** The plain reference of gpusort/kernels: keys as words, their numbers as BigInts, and a stable sort on the host. */
import type { KeyType } from '../../src/kernels-api.js';
import { randomBelow } from '../support/random.js';

/** What each type of keys consists of. */
const TYPES: Readonly<Record<KeyType, { readonly words: 1 | 2 | 4; readonly kind: 'unsigned' | 'signed' | 'float' }>> =
  {
    u32: { words: 1, kind: 'unsigned' },
    i32: { words: 1, kind: 'signed' },
    f32: { words: 1, kind: 'float' },
    u64: { words: 2, kind: 'unsigned' },
    i64: { words: 2, kind: 'signed' },
    f64: { words: 2, kind: 'float' },
    u128: { words: 4, kind: 'unsigned' },
  };

export const KEY_TYPES = Object.keys(TYPES) as KeyType[];

export const wordsOf = (type: KeyType): number => TYPES[type].words;

/** `count` keys as words, the low one of each first: many equal ones, extremes, zeros and NaNs of both signs. */
export function makeKeys(type: KeyType, count: number, seed: number): Uint32Array<ArrayBuffer> {
  const { words } = TYPES[type];
  const next = randomBelow(seed);
  const keys = new Uint32Array(count * words);
  for (let i = 0; i < keys.length; i++) keys[i] = next(4) === 0 ? next(3) : next(2 ** 32);
  for (let i = 0; i < count; i++) {
    if (next(3) > 0) continue;
    const key = keys.subarray(i * words, (i + 1) * words);
    key.fill([0, 0xffffffff][next(2)]!);
    // Of one word: 0, -0, 1, -1, Infinity, -Infinity, NaN.
    key[words - 1] = [0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff][next(8)]!;
  }
  return keys;
}

/** A number that compares as key i does. */
function numberOf(type: KeyType, keys: Uint32Array, i: number): bigint {
  const { words, kind } = TYPES[type];
  let bits = 0n;
  for (let w = words - 1; w >= 0; w--) bits = (bits << 32n) | BigInt(keys[i * words + w]!);
  const size = 32 * words;
  if (kind === 'unsigned') return bits;
  if (kind === 'signed') return BigInt.asIntN(size, bits);
  // Sign and magnitude; -0 comes before 0.
  const magnitude = BigInt.asUintN(size - 1, bits);
  return magnitude === bits ? magnitude : -magnitude - 1n;
}

/** The numbers of keys [begin, end) in their stable order. */
export function plainOrder(
  type: KeyType,
  keys: Uint32Array,
  descending: boolean,
  begin: number,
  end: number,
): number[] {
  const numbers = new Map<number, bigint>();
  for (let i = begin; i < end; i++) numbers.set(i, numberOf(type, keys, i));
  const sign = descending ? -1 : 1;
  return [...numbers.keys()].sort((a, b) => {
    const [x, y] = [numbers.get(a)!, numbers.get(b)!];
    return x === y ? a - b : x < y ? -sign : sign;
  });
}

/** Keys in another order. */
export function permuted(type: KeyType, keys: Uint32Array, order: readonly number[]): Uint32Array<ArrayBuffer> {
  const { words } = TYPES[type];
  return Uint32Array.from(
    { length: order.length * words },
    (_, i) => keys[order[Math.floor(i / words)]! * words + (i % words)]!,
  );
}
