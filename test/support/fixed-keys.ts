/**
 * The plain model of sorts of fixed keys: keys as the words of a buffer, numbers that compare as the keys do, and a
 * stable sort on the host. Knows nothing of GPUs.
 */
import type { FixedKeySpec, FixedKeyType } from '../../src/engines/gpu/keys/key-sort.js';

export type KeySpec = Required<FixedKeySpec>;

const TYPES: Readonly<
  Record<FixedKeyType, { readonly words: 1 | 2 | 4; readonly kind: 'unsigned' | 'signed' | 'float' }>
> = {
  u32: { words: 1, kind: 'unsigned' },
  i32: { words: 1, kind: 'signed' },
  f32: { words: 1, kind: 'float' },
  u64: { words: 2, kind: 'unsigned' },
  i64: { words: 2, kind: 'signed' },
  f64: { words: 2, kind: 'float' },
  u128: { words: 4, kind: 'unsigned' },
  prefix: { words: 2, kind: 'unsigned' },
};

export const KEY_TYPES = Object.keys(TYPES) as FixedKeyType[];

export const wordsOf = ({ type }: FixedKeySpec): 1 | 2 | 4 => TYPES[type].words;

export const specOf = (type: FixedKeyType, values: boolean, descending = false): KeySpec => ({
  type,
  values,
  descending,
});

/** All kinds of keys of these types, ascending ones first. */
export function specsOf(types: readonly FixedKeyType[], descending: readonly boolean[] = [false]): KeySpec[] {
  return descending.flatMap((down) =>
    types.flatMap((type) => [false, true].map((values) => specOf(type, values, down))),
  );
}

export function nameOf({ type, values, descending }: FixedKeySpec): string {
  return `${type} ${values ? 'pairs' : 'keys'}${descending ? ', descending' : ''}`;
}

/** A number that compares as key i does. */
function numberOf({ type }: FixedKeySpec, keys: Uint32Array, i: number): number | bigint {
  const { words, kind } = TYPES[type];
  const size = 32 * words;
  if (words === 1 && kind === 'unsigned') return keys[i];
  let bits = 0n;
  // All but prefixes have their low word first.
  for (let w = 0; w < words; w++)
    bits = (bits << 32n) | BigInt(keys[i * words + (type === 'prefix' ? w : words - 1 - w)]);
  if (kind === 'unsigned') return bits;
  if (kind === 'signed') return BigInt.asIntN(size, bits);
  // Sign and magnitude; -0 comes before 0.
  const magnitude = BigInt.asUintN(size - 1, bits);
  return magnitude === bits ? magnitude : -magnitude - 1n;
}

/** The numbers of all keys; keys [bounds[p], bounds[p + 1]) are in their stable order, each part by itself. */
export function stableOrder(spec: FixedKeySpec, keys: Uint32Array, bounds?: readonly number[]): Uint32Array {
  const count = keys.length / wordsOf(spec);
  const numbers = Array.from({ length: count }, (_, i) => numberOf(spec, keys, i));
  const sign = spec.descending ? -1 : 1;
  const order = Uint32Array.from(numbers.keys());
  const ends = bounds ?? [0, count];
  for (let p = 1; p < ends.length; p++)
    order.subarray(ends[p - 1], ends[p]).sort((a, b) => {
      const [x, y] = [numbers[a], numbers[b]];
      return x === y ? a - b : x < y ? -sign : sign;
    });
  return order;
}

/** The keys in this order. */
export function permuted(spec: FixedKeySpec, keys: Uint32Array, order: Uint32Array): Uint32Array<ArrayBuffer> {
  const words = wordsOf(spec);
  const result = new Uint32Array(order.length * words);
  order.forEach((from, to) => {
    for (let w = 0; w < words; w++) result[to * words + w] = keys[from * words + w];
  });
  return result;
}

/**
 * The use of the parts of a sort's keys: they are ignored (`ignored`), sorted each by itself (`sorted`), or merged,
 * because each is in order (`merged`).
 */
export type Parts = 'ignored' | 'sorted' | 'merged';

/** Keys to sort. Part i is keys [bounds[i], bounds[i + 1]). By default all keys are one part, which is ignored. */
export interface Problem {
  readonly spec: FixedKeySpec;
  readonly keys: Uint32Array;
  readonly parts?: Parts;
  readonly bounds?: readonly number[];
}

export interface Solution {
  /** The keys, with the parts in order if they are to be merged. */
  readonly input: Uint32Array<ArrayBuffer>;
  readonly bounds: readonly number[];
  /** The result: keys, and their numbers in the input, which are the values. */
  readonly sorted: Uint32Array<ArrayBuffer>;
  readonly order: Uint32Array;
}

/** The model's result for a problem. */
export function solved({ spec, keys, parts = 'ignored', bounds }: Problem): Solution {
  const all = bounds ?? [0, keys.length / wordsOf(spec)];
  const input =
    parts === 'merged' ? permuted(spec, keys, stableOrder(spec, keys, all)) : (keys.slice() as Solution['input']);
  const order = stableOrder(spec, input, parts === 'sorted' ? all : undefined);
  return { input, bounds: all, sorted: permuted(spec, input, order), order };
}

/** Bounds of parts of n keys whose lengths come from `length`, rounded down, but are at least one. */
export function boundsBy(n: number, length: (part: number) => number): number[] {
  const bounds = [0];
  for (let at = 0, part = 0; at < n; part++)
    bounds.push((at = Math.min(n, at + Math.max(1, Math.floor(length(part))))));
  return n === 0 ? [0, 0] : bounds;
}
