/**
 * Fixed-size keys and their values: what all sorts of numbers share. Knows no sort.
 */
import { GpusortError } from '../../../system/errors.js';
import type { KernelConstants } from '../device/compose.js';
import type { Gpu } from '../device/device.js';
import { type Binding, type Bindings, bind } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';

/**
 * Types of keys: unsigned and signed integers, and IEEE 754 numbers in the standard's total order (-NaN, -Infinity, -0,
 * 0, Infinity, NaN). All but `prefix`, a 64-bit string prefix, have their low word first. Records have only unsigned
 * keys: their other types and descending orders are encoded as such (src/keys/record-encoding.ts).
 */
export type FixedKeyType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64' | 'u128' | 'prefix';

interface KeyLayout {
  /** The number of 32-bit words of a key. */
  readonly words: 1 | 2 | 4;
  readonly kind: 'unsigned' | 'signed' | 'float';
}

const LAYOUTS: Readonly<Record<FixedKeyType, KeyLayout>> = {
  u32: { words: 1, kind: 'unsigned' },
  i32: { words: 1, kind: 'signed' },
  f32: { words: 1, kind: 'float' },
  u64: { words: 2, kind: 'unsigned' },
  i64: { words: 2, kind: 'signed' },
  f64: { words: 2, kind: 'float' },
  u128: { words: 4, kind: 'unsigned' },
  prefix: { words: 2, kind: 'unsigned' },
};

/** The kind of keys to sort, and how. */
export interface FixedKeySpec {
  readonly type: FixedKeyType;
  /** Whether each key has a 32-bit value. Sorts are stable: equal keys keep their order. */
  readonly values: boolean;
  /** Default: false. Equal keys keep their order in either case. */
  readonly descending?: boolean;
}

/** Keys in device memory, and their values (null: keys only). */
export interface KeyArrays {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | null;
  /** The bytes at which they begin in their buffers, as in BufferBinding. Default: 0. */
  readonly keysOffset?: number;
  readonly valuesOffset?: number;
}

/** A stable sort of fixed-size keys. */
export interface KeySort {
  /** Compiles the kernels needed to sort by `spec`. */
  load(gpu: Gpu, spec: FixedKeySpec): Promise<unknown>;
  /**
   * Submits the sort of the first `count` keys of `from`. `spare` has room for as many. Returns whichever of the two
   * holds the result; the other's contents are undefined. Temporary buffers are taken from `scratch` and left to it.
   * Throws `out-of-device-memory`, before it submits anything, if one binding cannot hold `count` keys (checkKeyCount).
   */
  sort(scratch: Scratch, spec: FixedKeySpec, from: KeyArrays, spare: KeyArrays, count: number): Promise<KeyArrays>;
}

export function keyWords(spec: FixedKeySpec): 1 | 2 | 4 {
  return LAYOUTS[spec.type].words;
}

/** Bits of a key. */
export function keyBits(spec: FixedKeySpec): number {
  return 32 * keyWords(spec);
}

/** The maximum number of keys that one binding holds. */
export function mostKeys(gpu: Gpu, spec: FixedKeySpec): number {
  return Math.floor(gpu.maxBindingBytes / (4 * keyWords(spec)));
}

/**
 * Throws `out-of-device-memory` if one binding cannot hold `count` keys; callers then sort fewer at once. Every sort
 * and merge calls this first. Binding more would fail validation, which looks like a lost device.
 */
export function checkKeyCount(gpu: Gpu, spec: FixedKeySpec, count: number): void {
  const most = mostKeys(gpu, spec);
  if (count <= most) return;
  throw new GpusortError(
    'out-of-device-memory',
    `too many keys at once for this GPU: ${count} of type ${spec.type}; a binding holds ${most}`,
  );
}

/** Constants of kernels that need `key-{KEY_WORDS}` and `values-{VALUES}`, with the kernel's own. */
export function keyConstants(
  spec: FixedKeySpec,
  consts: Readonly<Record<string, number>> = {},
  overrides: Readonly<Record<string, number>> = {},
): KernelConstants {
  // Other keys have one order of words in buffers (keys/key-*.wgsl).
  const order = keyWords(spec) === 2 ? { HIGH_FIRST: spec.type === 'prefix' ? 1 : 0 } : {};
  return {
    consts: { KEY_WORDS: keyWords(spec), VALUES: spec.values ? 1 : 0, ...consts },
    overrides: { ...order, ...codeConstants(spec), ...overrides },
  };
}

/**
 * The constants of a kernel in which a thread sorts eight keys (keys/sort-eight-*.wgsl). Nothing tells equal keys apart
 * if they have no values: the unstable network, of 19 steps instead of 28, then gives the same result. Pairs need the
 * stable one under -u too, which keeps the first of equal records.
 */
export function withNetwork(constants: KernelConstants, stable: boolean): KernelConstants {
  return { ...constants, variants: { ...constants.variants, NETWORK: stable ? 'stable' : 'unstable' } };
}

/** How codes differ from unsigned keys in ascending order (keys/codes.wgsl). */
function codeConstants({ type, descending = false }: FixedKeySpec): Readonly<Record<string, number>> {
  const { kind } = LAYOUTS[type];
  return {
    ...(kind === 'unsigned' ? {} : { SIGNED: 1 }),
    ...(kind === 'float' ? { FLOAT: 1 } : {}),
    ...(descending ? { DESCENDING: 1 } : {}),
  };
}

/** The binding of `count` keys. */
export function keysOf(spec: FixedKeySpec, arrays: KeyArrays, count: number): Binding {
  return bind(arrays.keys, count * 4 * keyWords(spec), arrays.keysOffset);
}

/** The binding of `count` values. The arrays must have values. */
export function valuesOf(arrays: KeyArrays, count: number): Binding {
  return bind(arrays.values!, count * 4, arrays.valuesOffset);
}

/** The bindings of `count` values read and written (keys/values-*.wgsl); none for keys only. */
export function valueBindings(from: KeyArrays, to: KeyArrays, count: number): Bindings {
  if (from.values === null) return {};
  return { values: valuesOf(from, count), sorted_values: valuesOf(to, count) };
}

/** The bindings of `count` values of two sides (keys/value-sides-*.wgsl); none for keys only. */
export function valueSideBindings(side0: KeyArrays, side1: KeyArrays, count: number): Bindings {
  if (side0.values === null) return {};
  return { values_0: valuesOf(side0, count), values_1: valuesOf(side1, count) };
}
