/**
 * The order of records by name, as samtools sorts them: kernels write a key for each record, and a sort of strings
 * orders the keys. Keys that do not fit into one buffer are declined.
 */
import { Declined } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import { formatBytes } from '../../../report/units.js';
import type { Gpu } from '../device/device.js';
import { bind, Kernel, loadKernels, readWords, submitPass } from '../device/dispatch.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import { type Records, textBufferBytes } from '../records/records.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../records/scan.js';
import { loadRadixRefine, radixRefine } from '../strings/radix-refine/radix-refine.js';
import type { FramedText } from './texts.js';

/** The order of keys: they are lines that end in NUL (name-key.wgsl). Equal ones keep the order of the input. */
const KEYS: Ordering = {
  format: { kind: 'lines', delimiter: 0 },
  key: { kind: 'record' },
  ...{ reverse: false, unique: false, lastResort: false },
};

/**
 * Words for each record in the arrays of a sort: places of records and keys; keys, of up to 40 bytes as a rule; packed
 * keys and numbers, twice; ties before and after a round.
 */
export const WORDS_BY_NAME = [1, 1, 1, 10, 2, 2, 1, 1, 4, 4, 1, 1, 1, 1];

/** Records of several texts; by number, where each begins in its text. */
interface NamedRecords {
  readonly count: number;
  readonly starts: GPUBuffer;
  readonly texts: readonly FramedText[];
}

function kernelsOf(gpu: Gpu, { key }: Ordering) {
  const isNatural = key.kind === 'normalized' && key.parts[0].order === 'natural';
  const constants = { overrides: { NATURAL: Number(isNatural) } };
  return {
    lengths: new Kernel(gpu, 'bam/name-lengths', constants),
    keys: new Kernel(gpu, 'bam/name-keys', constants),
  };
}

/** Compiles what `orderByName` needs. `rows`: the ordering of `queryname` or `queryname-ascii`. */
export function loadNames(gpu: Gpu, rows: Ordering): Promise<unknown> {
  return Promise.all([loadKernels(kernelsOf(gpu, rows)), loadScan(gpu), loadRadixRefine(gpu, KEYS)]);
}

/** The numbers of records in order, in a buffer of `scratch`. Waits for the device. Throws Declined. */
export async function orderByName(
  pool: DevicePool,
  scratch: Scratch,
  records: NamedRecords,
  rows: Ordering,
): Promise<GPUBuffer> {
  const keys = await writeKeys(scratch, records, rows);
  const { order } = await radixRefine(scratch.gpu, pool, keys, KEYS, { commonPrefix: 0 });
  scratch.drop(keys.text);
  scratch.drop(keys.starts);
  return scratch.add(order);
}

/** The keys of all records. */
async function writeKeys(
  scratch: Scratch,
  { count, starts, texts }: NamedRecords,
  rows: Ordering,
): Promise<Records & { readonly starts: GPUBuffer }> {
  const { gpu } = scratch;
  const kernels = kernelsOf(gpu, rows);
  const keyStarts = await scratch.take((count + 1) * 4, 'starts of keys');
  const sums = await scratch.take(scanSumsBytes(count), 'scan sums');
  const places = bind(starts, count * 4);
  submitPass(gpu, 'keys', 'lengths of keys', (pass) => {
    for (const { text, textBytes, base, count: inText } of texts)
      kernels.lengths.dispatch(
        pass,
        { text: bind(text, textBufferBytes(textBytes)), starts: places, lengths: bind(keyStarts, count * 4) },
        { base, count: inText },
        Math.ceil(inText / 256),
      );
    scanExclusive(gpu, pass, keyStarts, count, sums);
  });
  scratch.drop(sums);
  const bytes = await sumOfLengths(gpu, keyStarts, [...texts.map(({ base }) => base), count]);
  if (textBufferBytes(bytes) > gpu.maxBindingBytes)
    throw new Declined(`the keys of its names, ${formatBytes(bytes)}, do not fit into one buffer of the GPU`);
  const keys = await scratch.take(textBufferBytes(bytes), 'keys of names');
  submitPass(gpu, 'keys', 'keys by name', (pass) => {
    for (const { text, textBytes, base, count: inText } of texts)
      kernels.keys.dispatch(
        pass,
        {
          text: bind(text, textBufferBytes(textBytes)),
          starts: places,
          key_starts: bind(keyStarts, count * 4),
          keys: bind(keys, textBufferBytes(bytes)),
        },
        { base, count: inText },
        Math.ceil(inText / 256),
      );
  });
  return { text: keys, textBytes: bytes, starts: keyStarts, count };
}

/**
 * The bytes of all keys. `bounds`: the number of the first record of each text, and that of the record after the last.
 * `starts` are sums modulo 2^32. The keys of one text are shorter: its records have less than 2^31 bytes, and a key has
 * at most a third more than its record.
 */
async function sumOfLengths(gpu: Gpu, starts: GPUBuffer, bounds: readonly number[]): Promise<number> {
  const words = await readWords(
    gpu,
    bounds.map((at) => ({ buffer: starts, at })),
  );
  let sum = 0;
  for (let i = 1; i < words.length; i++) sum += (words[i] - words[i - 1]) >>> 0;
  return sum;
}
