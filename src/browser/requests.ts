/**
 * Checks requests to sort or merge before anything is submitted, so that a mistake gives a clear message and not a
 * validation error on the caller's device.
 */
import { USAGE } from '../engines/gpu/device/device.js';
import { type FixedKeySpec, type KeyArrays, keyWords } from '../engines/gpu/keys/key-sort.js';
import type { MergePathTuning } from '../engines/gpu/keys/merge-path/tuning.js';
import { RADIX_TUNING, type RadixSortTuning } from '../engines/gpu/keys/radix-sort/shapes.js';
import { GpusortError } from '../system/errors.js';
import type { KeyBuffers, MergeTuning, RadixTuning, SorterOptions, TileTuning } from './types.js';

/** Usages of all buffers of keys and values: kernels bind them, and results may have to be copied. */
const USAGES = ['STORAGE', 'COPY_SRC', 'COPY_DST'] as const;

const KEY_TYPES: readonly string[] = ['u32', 'i32', 'f32', 'u64', 'i64', 'f64', 'u128'];

export function requestError(message: string, hint?: string): GpusortError {
  return new GpusortError('usage', message, hint === undefined ? {} : { hint });
}

export function specOf({ key = 'u32', values = false, descending = false }: SorterOptions): FixedKeySpec {
  if (!KEY_TYPES.includes(key))
    throw requestError(`unknown type of keys: '${key}'`, `Use one of ${KEY_TYPES.join(', ')}.`);
  return { type: key, values, descending };
}

const SWEEPS: readonly string[] = ['auto', 'one', 'two'];

/** An option that is undefined gets its default. */
export function checkedRadixTuning({
  sweep = RADIX_TUNING.sweep,
  subgroups = RADIX_TUNING.subgroups,
  skipFrom = RADIX_TUNING.skipFrom,
}: RadixTuning = {}): RadixSortTuning {
  if (!SWEEPS.includes(sweep)) throw requestError(`unknown sweep: '${sweep}'`, `Use one of ${SWEEPS.join(', ')}.`);
  if (!(skipFrom >= 0)) throw requestError(`skipFrom is not a number of keys: ${skipFrom}`);
  return { ...RADIX_TUNING, sweep, subgroups, skipFrom };
}

const TILES: readonly number[] = [64, 128, 256, 512, 1024, 2048];

export function checkedTileTuning({ tile }: TileTuning = {}): { readonly tile?: number } {
  if (tile === undefined) return {};
  if (!TILES.includes(tile)) throw requestError(`no tile has ${tile} keys`, `Use one of ${TILES.join(', ')}.`);
  return { tile };
}

const SEARCHES: readonly string[] = ['binary', 'wide', 'parts'];

export function checkedMergeTuning({ search, windows = false }: MergeTuning = {}): Partial<MergePathTuning> {
  if (search !== undefined && !SEARCHES.includes(search))
    throw requestError(`unknown search: '${search}'`, `Use one of ${SEARCHES.join(', ')}.`);
  // Without types a program may give anything.
  if (typeof windows !== 'boolean') throw requestError(`windows is neither true nor false: ${windows}`);
  return { ...(search !== undefined && { search }), ...(windows && { kernel: 'merge-windows' }) };
}

/** Whether `given` is a Uint32Array, perhaps of another frame or context of the program. */
export function isWords(given: unknown): given is Uint32Array {
  return ArrayBuffer.isView(given) && (given as Uint32Array)[Symbol.toStringTag] === 'Uint32Array';
}

/** Keys that a buffer has room for. */
export function roomOf(spec: FixedKeySpec, { keys }: KeyBuffers): number {
  checkBuffer(keys, 0, 'keys');
  return Math.floor(keys.size / (4 * keyWords(spec)));
}

/** The buffers of `given` if they have room for `count` keys. `name`: how messages call them. */
export function checkedArrays(spec: FixedKeySpec, given: KeyBuffers, count: number, name = ''): KeyArrays {
  const { keys } = given;
  const values = given.values ?? null;
  checkBuffer(keys, 4 * keyWords(spec) * count, `${name}keys`);
  if (!spec.values) {
    if (values === null) return { keys, values };
    throw requestError(`${name}values: this sorter has none`, 'Make it with the option values: true.');
  }
  if (values === null) throw requestError(`${name}values is missing`, 'Or make the sorter without values.');
  checkBuffer(values, 4 * count, `${name}values`);
  return { keys, values };
}

/** Throws if a buffer is to be read and written as two things at once. */
export function checkDistinct(arrays: readonly KeyArrays[], others: readonly GPUBuffer[]): void {
  const buffers = [...arrays.flatMap(({ keys, values }) => (values === null ? [keys] : [keys, values])), ...others];
  if (new Set(buffers).size < buffers.length)
    throw requestError('the same buffer is given twice', 'To sort in place, leave out output.');
}

export function checkCount(count: number, name: string): void {
  if (!Number.isInteger(count) || count < 0) throw requestError(`${name} is not a number of keys: ${count}`);
}

/** Throws unless `buffer` is a buffer (`or` what else may be given) of `bytes` bytes with all of `usages`, unmapped. */
export function checkBuffer(
  buffer: GPUBuffer,
  bytes: number,
  name: string,
  usages: readonly (keyof typeof USAGE)[] = USAGES,
  or = '',
): void {
  // Without types a program may give anything.
  if (typeof (buffer as Partial<GPUBuffer> | null | undefined)?.usage !== 'number')
    throw requestError(`${name} is no GPUBuffer${or === '' ? '' : ` ${or}`}`);
  const missing = usages.filter((usage) => (buffer.usage & USAGE[usage]) === 0);
  if (missing.length > 0)
    throw requestError(
      `${name}: the buffer lacks the usage ${missing.join(', ')}`,
      `Create it with ${usages.map((usage) => `GPUBufferUsage.${usage}`).join(' | ')}.`,
    );
  if (buffer.size < bytes) throw requestError(`${name}: the buffer has ${buffer.size} bytes, and ${bytes} are needed`);
  // Older browsers lack this property.
  if ((buffer.mapState ?? 'unmapped') !== 'unmapped')
    throw requestError(`${name}: the buffer is mapped`, 'Call its unmap() first.');
}
