/**
 * Checks requests to sort or merge before anything is submitted, so that a mistake gives a clear message and not a
 * validation error on the caller's device.
 */
import { type Gpu, USAGE } from '../engines/gpu/device/device.js';
import { type FixedKeySpec, type KeyArrays, keyWords } from '../engines/gpu/keys/key-sort.js';
import type { MergePathTuning } from '../engines/gpu/keys/merge-path/tuning.js';
import { RADIX_TUNING, type RadixSortTuning } from '../engines/gpu/keys/radix-sort/shapes.js';
import { GpusortError } from '../system/errors.js';
import type { BufferPart, KeyBuffers, MergeTuning, RadixTuning, SorterOptions, TileTuning } from './types.js';

/** The required usages of all buffers with keys and values: kernels bind them, and results may have to be copied. */
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

/** Returns the checked tuning. An option that is undefined gets its default. */
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
  if (!TILES.includes(tile)) throw requestError(`unknown tile size: ${tile}`, `Use one of ${TILES.join(', ')}.`);
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

/** Whether `given` is a Uint32Array, perhaps from another frame or context of the program. */
export function isWords(given: unknown): given is Uint32Array {
  return ArrayBuffer.isView(given) && (given as Uint32Array)[Symbol.toStringTag] === 'Uint32Array';
}

/** A buffer, or a part of one, that a request gives. */
export interface GivenPart {
  /** The name of the part in messages. */
  readonly name: string;
  readonly buffer: GPUBuffer;
  readonly offset: number;
  /** The size of the part in bytes. */
  readonly size: number;
  /** Whether the request gives a whole buffer, without an offset or a size. */
  readonly isWhole: boolean;
}

/** The number of keys for which a buffer, or its part, has room. */
export function roomOf(spec: FixedKeySpec, { keys }: KeyBuffers): number {
  return Math.floor(partOf(keys, 'keys').size / (4 * keyWords(spec)));
}

/** The parts of `given`. Throws unless they have room for `count` keys. `name`: their name in messages. */
export function checkedParts(gpu: Gpu, spec: FixedKeySpec, given: KeyBuffers, count: number, name = ''): GivenPart[] {
  const keys = checkedPart(gpu, given.keys, 4 * keyWords(spec) * count, `${name}keys`);
  const values = given.values ?? null;
  if (!spec.values) {
    if (values === null) return [keys];
    throw requestError(`${name}values: this sorter has none`, 'Make it with the option values: true.');
  }
  if (values === null) throw requestError(`${name}values is missing`, 'Or make the sorter without values.');
  return [keys, checkedPart(gpu, values, 4 * count, `${name}values`)];
}

/** The arrays of parts that `checkedParts` returned. */
export function partArrays([keys, values]: readonly GivenPart[]): KeyArrays {
  return {
    keys: keys.buffer,
    keysOffset: keys.offset,
    ...(values === undefined ? { values: null } : { values: values.buffer, valuesOffset: values.offset }),
  };
}

/**
 * Throws if parts overlap, because bytes would then be used for two purposes at once. The sizes are those of the bytes
 * to be used.
 */
export function checkDistinct(parts: readonly GivenPart[]): void {
  for (const [i, part] of parts.entries())
    for (const other of parts.slice(0, i)) {
      if (part.buffer !== other.buffer) continue;
      const hint = 'To sort in place, leave out output.';
      if (part.isWhole && other.isWhole) throw requestError('the same buffer is given twice', hint);
      if (part.offset < other.offset + other.size && other.offset < part.offset + part.size)
        throw requestError(
          `${other.name} and ${part.name} overlap: ${bytesOf(other)} and ${bytesOf(part)} of one buffer`,
          hint,
        );
    }
}

export function checkCount(count: number, name: string): void {
  if (!Number.isInteger(count) || count < 0) throw requestError(`${name} is not a number of keys: ${count}`);
}

/**
 * The first `bytes` bytes of a buffer or part. Throws unless it has that many, the buffer has all of `usages` and is
 * unmapped, and kernels can bind the part. `or`: what else may be given, for messages.
 */
export function checkedPart(
  gpu: Gpu,
  given: GPUBuffer | BufferPart,
  bytes: number,
  name: string,
  usages: readonly (keyof typeof USAGE)[] = USAGES,
  or = '',
): GivenPart {
  const part = partOf(given, name, or);
  const { buffer, offset, size, isWhole } = part;
  const missing = usages.filter((usage) => (buffer.usage & USAGE[usage]) === 0);
  if (missing.length > 0)
    throw requestError(
      `${name}: the buffer lacks the usage ${missing.join(', ')}`,
      `Create it with ${usages.map((usage) => `GPUBufferUsage.${usage}`).join(' | ')}.`,
    );
  if (size < bytes)
    throw requestError(`${name}: the ${isWhole ? 'buffer' : 'part'} has ${size} bytes, and ${bytes} are needed`);
  // Older browsers lack this property.
  if ((buffer.mapState ?? 'unmapped') !== 'unmapped')
    throw requestError(`${name}: the buffer is mapped`, 'Call its unmap() first.');
  const step = gpu.device.limits.minStorageBufferOffsetAlignment;
  if (offset % step !== 0)
    throw requestError(
      `${name}: the offset is ${offset}, not a multiple of ${step} bytes`,
      `Kernels bind parts, and the device's limit minStorageBufferOffsetAlignment is ${step}.`,
    );
  return { ...part, size: bytes };
}

/** The given buffer and range of bytes. Throws unless the bytes exist. */
export function partOf(given: GPUBuffer | BufferPart, name: string, or = ''): GivenPart {
  const isWhole = isBuffer(given);
  // Without types a program may give anything.
  const { buffer, offset = 0, size } = isWhole ? { buffer: given } : ((given ?? {}) as Partial<BufferPart>);
  if (!isBuffer(buffer))
    throw requestError(
      `${name} is not a GPUBuffer${or === '' ? '' : ` ${or}`}`,
      'For a part of a buffer give { buffer, offset, size }, in bytes.',
    );
  for (const [field, value] of Object.entries({ offset, size: size ?? 0 }))
    if (!Number.isInteger(value) || value < 0)
      throw requestError(`${name}.${field} is not a number of bytes: ${value}`);
  const part = { name, buffer, offset, size: size ?? Math.max(buffer.size - offset, 0), isWhole };
  if (offset + part.size > buffer.size)
    throw requestError(`${name}: the buffer has ${buffer.size} bytes, and the part is ${bytesOf(part)}`);
  return part;
}

function isBuffer(given: unknown): given is GPUBuffer {
  return typeof (given as Partial<GPUBuffer> | null | undefined)?.usage === 'number';
}

/** The bytes of a part, for messages. */
function bytesOf({ offset, size }: GivenPart): string {
  return `bytes ${offset} to ${offset + size}`;
}
