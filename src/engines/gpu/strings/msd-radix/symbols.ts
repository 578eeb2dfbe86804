/**
 * Symbols on the device: which bytes a text has, how many bits each takes, the first entries of a sort. Knows no sort.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, loadKernels, send, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import {
  type Records,
  recordBindings,
  recordOverrides,
  startOverrides,
  vectorBindings,
} from '../../records/records.js';
import { type Entries, entryBindings } from '../entries.js';
import { firstCounters, SHORT_BITS, type SplitKernels, savesLevel } from './entries.js';

/** Bytes of text per workgroup of symbols.wgsl. */
const TILE_BYTES = 16384;
/** Maximum shared bytes to look for. Longer prefixes are left to refinement, whose search is parallel over bytes. */
const PREFIX_LIMIT = 256;
/** Words of the packing before the codes; bytes of the whole packing. */
const HEADER_WORDS = 4;
const PACKING_BYTES = 4 * (HEADER_WORDS + 256);
/** A word per byte that occurs; the least and the greatest length, and what all records share. */
const FOUND_BYTES = 4 * 256;
const SHAPE_BYTES = 16;

/** How the first symbols of records are packed. */
interface Packing {
  /** Bits of a symbol, 1 to 9. */
  readonly bits: number;
  /** Symbols in a 64-bit key. */
  readonly symbols: number;
  /** The ordered byte at which they begin. Before it all records are equal. */
  readonly base: number;
}

/** Decodes what symbol-table.wgsl wrote. */
export function packingOf(words: Uint32Array): Packing {
  return { bits: words[0], symbols: words[1], base: words[2] };
}

function kernelsOf(gpu: Gpu, ordering: Ordering, split: SplitKernels) {
  const { format, key } = ordering;
  const overrides = recordOverrides(ordering);
  const delimiter = format.kind === 'lines' ? { HAS_DELIMITER: 1, DELIMITER: format.delimiter } : { HAS_DELIMITER: 0 };
  // With a last-resort comparison, all bytes are ordered bytes.
  const keys = key.kind === 'bytes' && !ordering.lastResort ? { KEY_AT: key.offset, KEY_SIZE: key.length } : {};
  const pack = (constants: KernelConstants): Kernel =>
    new Kernel(gpu, 'strings/msd-radix/pack', { ...constants, overrides });
  return {
    symbols: new Kernel(gpu, 'strings/msd-radix/symbols', {
      overrides: { ...delimiter, ...startOverrides(format), ...keys },
    }),
    lengths: new Kernel(gpu, 'strings/msd-radix/lengths', { overrides }),
    table: new Kernel(gpu, 'strings/msd-radix/symbol-table'),
    pack: pack(split.digit.constants),
    /** The same for a wide first digit; null: there is none. */
    packWide: split.wide && pack(split.wide.constants),
  };
}

export function loadSymbols(gpu: Gpu, ordering: Ordering, split: SplitKernels): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, ordering, split));
}

/** Entries to be made, and where their first digits are counted (countersBytes). */
interface CountedEntries {
  readonly entries: Entries;
  readonly counters: GPUBuffer;
}

/**
 * Submits the creation of each record's entry, from its first symbols and its number, and counts the first digit of all
 * entries. All records are known to share `commonPrefix` ordered bytes. Returns the packing (PACKING_BYTES, see
 * packingOf) in a buffer of `scratch`.
 */
export async function packRecords(
  scratch: Scratch,
  ordering: Ordering,
  split: SplitKernels,
  { records, commonPrefix }: { readonly records: Records; readonly commonPrefix: number },
  to: CountedEntries,
): Promise<GPUBuffer> {
  const { gpu } = scratch;
  const { textBytes, count } = records;
  const kernels = kernelsOf(gpu, ordering, split);
  const foundBuffer = await scratch.take(FOUND_BYTES, 'symbols found');
  const shapeBuffer = await scratch.take(SHAPE_BYTES, 'shape of records');
  const packingBuffer = await scratch.take(PACKING_BYTES, 'packing');
  send(gpu, shapeBuffer, 0, new Uint32Array([0xffffffff, 0, 0xffffffff]));
  const [found, shape] = [bind(foundBuffer, FOUND_BYTES), bind(shapeBuffer, SHAPE_BYTES)];
  const packing = bind(packingBuffer, PACKING_BYTES);
  const counters = bind(to.counters, 4 * firstCounters(split));
  const wide = savesLevel(split, count) ? split.wide : null;
  const text = recordBindings(records);
  const encode = (pass: GPUComputePassEncoder): void => {
    kernels.symbols.dispatch(pass, { ...text, found }, { n: count }, Math.ceil(textBytes / TILE_BYTES));
    const words = { n: count, depth: commonPrefix, limit: commonPrefix + PREFIX_LIMIT };
    kernels.lengths.dispatch(pass, { ...text, shape }, words, Math.ceil(count / 256));
    const widths = { narrow: split.digit.bits, wide: wide?.bits ?? 0, short: wide === null ? 0 : SHORT_BITS };
    kernels.table.dispatch(pass, { found, shape, packing }, widths, 1);
    const made = { ...vectorBindings(records), packing, ...entryBindings(to.entries, count), counters };
    // Only the device knows the alphabet. The kernel for the other width does nothing.
    for (const pack of wide === null ? [kernels.pack] : [kernels.pack, kernels.packWide!])
      pack.dispatch(pass, made, { n: count }, Math.ceil(count / split.tile));
  };
  submitPass(gpu, 'prefix', 'packed symbols', encode, (encoder) => {
    encoder.clearBuffer(found.buffer, 0, found.size);
    encoder.clearBuffer(counters.buffer, 0, counters.size);
  });
  scratch.drop(foundBuffer);
  scratch.drop(shapeBuffer);
  return packingBuffer;
}
