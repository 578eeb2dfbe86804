/**
 * What packed keys depend on: the alphabet of a text, and the prefix that all its records share.
 */
import type { Ordering } from '../../../../job/ordering.js';
import { type Alphabet, alphabetOf } from '../../../../keys/alphabet.js';
import type { KernelConstants } from '../../device/compose.js';
import type { Gpu } from '../../device/device.js';
import { type Bindings, bind, Kernel, loadKernels, readWords, send, submitPass } from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { FixedKeySpec, KeyArrays } from '../../keys/key-sort.js';
import { type Records, recordBindings, recordOverrides } from '../../records/records.js';

/** Bytes of text per workgroup of alphabet.wgsl, and records per workgroup of common-prefix.wgsl. */
const ALPHABET_BYTES = 65536;
const PREFIX_RECORDS = 4096;
/**
 * Maximum bytes of a shared prefix to look for: one thread compares a record, and megabytes would take seconds.
 * Refinement finds the rest.
 */
const PREFIX_BYTES = 4096;

export function loadSurvey(gpu: Gpu, ordering: Ordering): Promise<unknown> {
  return loadKernels(kernelsOf(gpu, ordering));
}

function kernelsOf(gpu: Gpu, ordering: Ordering) {
  return {
    alphabet: new Kernel(gpu, 'strings/radix-refine/alphabet'),
    commonPrefix: new Kernel(gpu, 'strings/radix-refine/common-prefix', constantsOf(ordering).records),
  };
}

/** How records become packed keys. */
export interface Survey {
  readonly alphabet: Alphabet;
  /** u32[256] on the device: the symbol number of each byte. */
  readonly symbols: GPUBuffer;
  /** Number of leading ordered bytes that all records share. */
  readonly depth: number;
}

/** Examines all of the text; waits for the device. All records are known to share `commonPrefix` ordered bytes. */
export async function survey(
  scratch: Scratch,
  records: Records,
  ordering: Ordering,
  commonPrefix: number,
): Promise<Survey> {
  const { gpu } = scratch;
  const { textBytes, count } = records;
  const kernels = kernelsOf(gpu, ordering);
  const present = await scratch.take(32, 'alphabet');
  const shared = await scratch.take(16, 'common prefix');
  send(gpu, shared, 0, Uint32Array.of(commonPrefix + PREFIX_BYTES));
  submitPass(
    gpu,
    'prefix',
    'survey',
    (pass) => {
      const tiles = Math.ceil(textBytes / ALPHABET_BYTES);
      kernels.alphabet.dispatch(
        pass,
        { text: recordBindings(records).text, present: bind(present, 32) },
        { bytes: textBytes, tiles },
        tiles,
      );
      kernels.commonPrefix.dispatch(
        pass,
        { ...recordBindings(records), shared_bytes: bind(shared, 16) },
        { n: count, depth: commonPrefix },
        Math.ceil(count / PREFIX_RECORDS),
      );
    },
    (encoder) => {
      encoder.clearBuffer(present, 0, 32);
    },
  );
  const words = await readWords(gpu, [
    ...Array.from({ length: 8 }, (_, at) => ({ buffer: present, at })),
    { buffer: shared, at: 0 },
  ]);
  scratch.drop(present);
  scratch.drop(shared);
  const { format } = ordering;
  const alphabet = alphabetOf(words.subarray(0, 8), format.kind === 'lines' ? format.delimiter : null);
  const symbols = await scratch.take(1024, 'symbols');
  send(gpu, symbols, 0, alphabet.numbers);
  return { alphabet, symbols, depth: words[8] };
}

/**
 * Constants and bindings of radix-refine's kernels.
 */
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
