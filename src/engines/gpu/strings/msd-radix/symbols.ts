/**
 * Symbols on the device: which bytes a text has, how many bits each takes, the first entries of a sort. Knows no sort.
 */
import type { Ordering } from '../../../../job/job.js';
import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { bind, Kernel, loadKernels, send, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import { type Records, recordBindings, recordOverrides, startOverrides } from '../../records/records.js';
import type { Entries } from '../entries.js';
import { firstCounters, SHORT_BITS, type SplitKernels, widePays } from './entries.js';

/** Bytes of text per workgroup of symbols.wgsl. */
const TILE_BYTES = 16384;
/** Maximum shared bytes to look for. Longer prefixes are left to refinement, whose search is parallel over bytes. */
const PREFIX_LIMIT = 256;
/** Words of the packing before the codes; bytes of the whole packing. */
const HEADER_WORDS = 4;
const PACKING_BYTES = 4 * (HEADER_WORDS + 256);

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

/**
 * Submits the creation of each record's entry in `to`, from its first symbols and its number, and counts the first
 * digit of all entries in `counters` (countersBytes). All records are known to share `depth` ordered bytes. Returns the
 * packing (PACKING_BYTES, see packingOf) in a buffer of `scratch`.
 */
export async function packRecords(
  gpu: Gpu,
  scratch: Scratch,
  ordering: Ordering,
  split: SplitKernels,
  records: Records,
  depth: number,
  to: Entries,
  counters: GPUBuffer,
): Promise<GPUBuffer> {
  const { textBytes, count } = records;
  const kernels = kernelsOf(gpu, ordering, split);
  const found = await scratch.take(1024, 'symbols found');
  const shape = await scratch.take(16, 'shape of records');
  const packing = await scratch.take(PACKING_BYTES, 'packing');
  send(gpu, shape, 0, new Uint32Array([0xffffffff, 0, 0xffffffff]));
  const counterBytes = 4 * firstCounters(split);
  const wide = widePays(split, count) ? split.wide : null;
  const bindings = recordBindings(records);
  submitPass(
    gpu,
    'prefix',
    'packed symbols',
    (pass) => {
      kernels.symbols.dispatch(
        pass,
        { ...bindings, found: bind(found, 1024) },
        { n: count },
        Math.ceil(textBytes / TILE_BYTES),
      );
      kernels.lengths.dispatch(
        pass,
        { ...bindings, shape: bind(shape, 16) },
        { n: count, depth, limit: depth + PREFIX_LIMIT },
        Math.ceil(count / 256),
      );
      kernels.table.dispatch(
        pass,
        { found: bind(found, 1024), shape: bind(shape, 16), packing: bind(packing, PACKING_BYTES) },
        { narrow: split.digit.bits, wide: wide?.bits ?? 0, short: wide === null ? 0 : SHORT_BITS },
        1,
      );
      // Only the device knows the alphabet. The kernel for the other width does nothing.
      for (const pack of wide === null ? [kernels.pack] : [kernels.pack, kernels.packWide!]) {
        pack.dispatch(
          pass,
          {
            ...bindings,
            packing: bind(packing, PACKING_BYTES),
            keys: bind(to.keys, count * 8),
            tags: bind(to.tags, count * 4),
            counters: bind(counters, counterBytes),
          },
          { n: count },
          Math.ceil(count / split.tile),
        );
      }
    },
    (encoder) => {
      encoder.clearBuffer(found, 0, 1024);
      encoder.clearBuffer(counters, 0, counterBytes);
    },
  );
  scratch.drop(found);
  scratch.drop(shape);
  return packing;
}
