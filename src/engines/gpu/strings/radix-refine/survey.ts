/**
 * What packed keys depend on: the alphabet of a text, the prefix that all its records share, and whether they have one
 * length. All of it stays on the device.
 */
import type { Ordering } from '../../../../job/ordering.js';
import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { type Bindings, bind, Kernel, loadKernels, send, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { FixedKeySpec, KeyArrays } from '../../keys/key-sort.js';
import { type Records, recordBindings, recordOverrides } from '../../records/records.js';
import type { FirstDigit } from '../msd-radix/msd-radix.js';

/** Bytes of text per workgroup of alphabet.wgsl, and records per workgroup of common-prefix.wgsl. */
const ALPHABET_BYTES = 65536;
const PREFIX_RECORDS = 4096;
/**
 * Maximum bytes of a shared prefix to look for: one thread compares a record, and megabytes would take seconds.
 * Refinement finds the rest.
 */
const PREFIX_BYTES = 4096;
/** The words of a packing before the codes of the 256 bytes, and those that the host reads (packing.wgsl). */
const PACKING_HEAD = 8;
export const PACKING_BYTES = 4 * (PACKING_HEAD + 256);
export const PACKING = { symbolBits: 0, base: 1 } as const;

/** If nothing counts the first digit, it may have any width. */
const NOT_COUNTED: FirstDigit = { narrow: 0, wide: 0, short: 0 };

export function loadSurvey(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, ordering));
}

function kernelsOf(gpu: Gpu, ordering: Ordering) {
  const { records, reverse } = constantsOf(ordering);
  const delimiter = ordering.format.kind === 'lines' ? { DELIMITER: ordering.format.delimiter } : {};
  return {
    alphabet: new Kernel(gpu, 'strings/radix-refine/alphabet'),
    commonPrefix: new Kernel(gpu, 'strings/radix-refine/common-prefix', records),
    symbolTable: new Kernel(gpu, 'strings/radix-refine/symbol-table', {
      overrides: { ...reverse.overrides, ...delimiter },
    }),
  };
}

/**
 * Submits a survey of the whole text. Returns the packing of its symbols (packing.wgsl), in a buffer of `scratch`. All
 * records are known to share `commonPrefix` ordered bytes.
 */
export async function survey(
  scratch: Scratch,
  records: Records,
  ordering: Ordering,
  commonPrefix: number,
  firstDigit: FirstDigit = NOT_COUNTED,
): Promise<GPUBuffer> {
  const { gpu } = scratch;
  const { textBytes, count } = records;
  const kernels = kernelsOf(gpu, ordering);
  const presentBuffer = await scratch.take(32, 'alphabet');
  const shapeBuffer = await scratch.take(16, 'shape of records');
  const packing = await scratch.take(PACKING_BYTES, 'packing');
  const [present, shape] = [bind(presentBuffer, 32), bind(shapeBuffer, 12)];
  send(gpu, shapeBuffer, 0, Uint32Array.of(commonPrefix + PREFIX_BYTES, 0xffffffff, 0xffffffff));
  submitPass(
    gpu,
    'prefix',
    'survey',
    (pass) => {
      const tiles = Math.ceil(textBytes / ALPHABET_BYTES);
      const text = recordBindings(records);
      kernels.alphabet.dispatch(pass, { text: text.text, present }, { bytes: textBytes, tiles }, tiles);
      const workgroups = Math.ceil(count / PREFIX_RECORDS);
      kernels.commonPrefix.dispatch(pass, { ...text, shape }, { n: count, depth: commonPrefix }, workgroups);
      kernels.symbolTable.dispatch(
        pass,
        { present, shape, packing: bind(packing, PACKING_BYTES) },
        { ...firstDigit },
        1,
      );
    },
    (encoder) => {
      encoder.clearBuffer(presentBuffer, 0, 32);
    },
  );
  scratch.drop(presentBuffer);
  scratch.drop(shapeBuffer);
  return packing;
}

/** Threads of a workgroup of radix-refine's kernels. */
export const WORKGROUP = 256;
/** Packed keys with record numbers as values. */
export const PACKED: FixedKeySpec = { type: 'prefix', values: true };

/** Constants for kernels that read records, and for kernels that know only whether the order is reversed. */
export function constantsOf(ordering: Ordering): { records: KernelConstants; reverse: KernelConstants } {
  const overrides = recordOverrides(ordering);
  return { records: { overrides }, reverse: { overrides: { REVERSE: overrides.REVERSE } } };
}

/** `count` packed keys and their record numbers. */
export function packedBindings({ keys, values }: KeyArrays, count: number): Bindings {
  return { keys: bind(keys, count * 8), numbers: bind(values!, count * 4) };
}
