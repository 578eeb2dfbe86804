/**
 * Fixed keys and the values that go with them: what the sorts of numbers share. Knows no sort.
 */
import { GpusortError } from '../report/errors.js';
import type { Gpu } from './device/device.js';
import type { Binding } from './device/dispatch.js';
import type { KernelConstants } from './kernels.js';
import { part } from './device/part.js';
import type { Scratch } from './device/pool.js';

/**
 * Types of keys. Floating point is in IEEE 754's total order: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN. `u128` has its low
 * word first; `prefix` is 64 bits as strings have them, the high word first.
 */
export type KeyType = 'u32' | 'i32' | 'f32' | 'u64' | 'i64' | 'f64' | 'u128' | 'prefix';

/** Words of 32 bits of a key, and its KEY_KIND in kernels/shared/key-*.wgsl. */
const TYPES: Readonly<Record<KeyType, { readonly words: 1 | 2 | 4; readonly kind: number }>> = {
  u32: { words: 1, kind: 0 }, i32: { words: 1, kind: 1 }, f32: { words: 1, kind: 2 },
  u64: { words: 2, kind: 0 }, i64: { words: 2, kind: 1 }, f64: { words: 2, kind: 2 }, prefix: { words: 2, kind: 3 },
  u128: { words: 4, kind: 0 },
};

/** What is sorted. */
export interface KeySpec {
  readonly type: KeyType;
  readonly descending: boolean;
  /** Whether a value of 32 bits goes with each key. Sorts are stable: equal keys keep their order, also when descending. */
  readonly values: boolean;
}

/** Keys in device memory, and their values (null: keys alone). */
export interface KeyArrays {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | null;
}

/** A stable sort of fixed keys. */
export interface KeySort {
  /** Compiles what sorting by `spec` needs. */
  load(gpu: Gpu, spec: KeySpec): Promise<unknown>;
  /**
   * Submits the sort of the first `count` keys of `from`; `spare` has room for as many. Returns which of the two holds the result;
   * the other's content is lost. What it needs besides is taken from `scratch` and left to it. Throws `out-of-device-memory`, and
   * has submitted nothing, where one binding cannot hold as many keys (checkKeyCount).
   */
  sort(gpu: Gpu, scratch: Scratch, spec: KeySpec, from: KeyArrays, spare: KeyArrays, count: number): Promise<KeyArrays>;
}

export function keyWords(spec: KeySpec): 1 | 2 | 4 {
  return TYPES[spec.type].words;
}

/** Bits of a key. */
export function keyBits(spec: KeySpec): number {
  return 32 * keyWords(spec);
}

/**
 * For the head of every sort and merge: throws `out-of-device-memory`, on which callers take less at once, where one binding cannot hold
 * `count` keys. What a launch would bind of them were an error of validation, which reads as if the device were lost.
 */
export function checkKeyCount(gpu: Gpu, spec: KeySpec, count: number): void {
  const most = Math.floor(gpu.maxBindingBytes / (4 * keyWords(spec)));
  if (count <= most) return;
  throw new GpusortError('out-of-device-memory', `too many keys at once for this GPU: ${count} of type ${spec.type}; a binding holds ${most}`);
}

/** What kernels that need `key-{KEY_WORDS}` and `values-{VALUES}` are compiled with, besides `consts` and `overrides` of their own. */
export function keyConstants(spec: KeySpec, consts: Readonly<Record<string, number>> = {}, overrides: Readonly<Record<string, number>> = {}): KernelConstants {
  return {
    consts: { KEY_WORDS: keyWords(spec), VALUES: spec.values ? 1 : 0, ...consts },
    overrides: { KEY_KIND: TYPES[spec.type].kind, DESCENDING: spec.descending ? 1 : 0, ...overrides },
  };
}

/** The binding of `count` keys. */
export function keysOf(spec: KeySpec, arrays: KeyArrays, count: number): Binding {
  return part(arrays.keys, count * 4 * keyWords(spec));
}

/** The bindings of `count` values that are read and written, which come last; none for keys alone. */
export function valueBindings(from: KeyArrays, to: KeyArrays, count: number): Binding[] {
  return from.values === null ? [] : [part(from.values, count * 4), part(to.values!, count * 4)];
}
