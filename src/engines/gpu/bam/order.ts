/** The order of all records of several texts: lists them, and sorts their numbers by coordinate or by name. */
import { Declined } from '../../../contract/engine.js';
import type { Ordering } from '../../../job/ordering.js';
import type { Gpu } from '../device/device.js';
import { bind, copyWords, Kernel, submitPass } from '../device/dispatch.js';
import type { DevicePool, Scratch } from '../device/pool.js';
import { mostKeys } from '../keys/key-sort.js';
import { radixSort } from '../keys/radix-sort/radix-sort.js';
import { textBufferBytes } from '../records/records.js';
import { loadNames, orderByName, WORDS_BY_NAME } from './names.js';
import type { FramedText } from './texts.js';

/** Keys of 8 bytes, those by coordinate or of strings, each with the number of its record. */
const SPEC = { type: 'u64', values: true } as const;
/** Words for each record in the arrays of a sort by coordinate. */
const WORDS_BY_COORDINATE = [2, 2, 1, 1, 1, 1];

/** Records of several texts: their numbers in order; by number, where each begins in its text, and its bytes. */
export interface OrderedAlignments {
  readonly count: number;
  readonly order: GPUBuffer;
  readonly starts: GPUBuffer;
  readonly sizes: GPUBuffer;
  readonly texts: readonly FramedText[];
}

const coordinateKeys = (gpu: Gpu): Kernel => new Kernel(gpu, 'bam/coordinate-keys');

/** Compiles what `orderOf` needs. `rows`: see BamInput. */
export function loadOrderOf(gpu: Gpu, rows: Ordering | null): Promise<unknown> {
  if (rows !== null) return loadNames(gpu, rows);
  return Promise.all([coordinateKeys(gpu).load(), radixSort().load(gpu, SPEC)]);
}

/** Words for each record in the arrays of a sort. */
export function wordsOfRecord(rows: Ordering | null): readonly number[] {
  return rows === null ? WORDS_BY_COORDINATE : WORDS_BY_NAME;
}

/** Puts the records of all texts in one list, and sorts their numbers. All buffers belong to `scratch`. */
export async function orderOf(
  pool: DevicePool,
  scratch: Scratch,
  texts: readonly FramedText[],
  rows: Ordering | null,
): Promise<OrderedAlignments> {
  const { gpu } = scratch;
  const count = texts.reduce((sum, text) => sum + text.count, 0);
  if (count > mostKeys(gpu, SPEC)) throw new Declined('there are too many records');
  const starts = await scratch.take(count * 4, 'starts of records');
  const sizes = await scratch.take(count * 4, 'sizes of records');
  for (const text of texts) {
    const lists = [
      [text.starts, starts],
      [text.sizes, sizes],
    ] as const;
    for (const [buffer, all] of lists) {
      if (text.count > 0) copyWords(gpu, { buffer, at: 0 }, { buffer: all, at: text.base * 4 }, text.count * 4);
      scratch.drop(buffer);
    }
  }
  gpu.timer?.handles(
    texts.reduce((sum, { textBytes }) => sum + textBytes, 0),
    ...(['keys', 'prefix', 'sort'] as const),
  );
  const records = { count, starts, texts };
  const order =
    rows === null ? await orderByCoordinate(scratch, records) : await orderByName(pool, scratch, records, rows);
  return { count, order, starts, sizes, texts };
}

async function orderByCoordinate(
  scratch: Scratch,
  { count, starts, texts }: Pick<OrderedAlignments, 'count' | 'starts' | 'texts'>,
): Promise<GPUBuffer> {
  const { gpu } = scratch;
  const from = { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
  const spare = { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
  submitPass(gpu, 'keys', 'keys by coordinate', (pass) => {
    for (const { text, textBytes, base, count: inText } of texts)
      coordinateKeys(gpu).dispatch(
        pass,
        {
          text: bind(text, textBufferBytes(textBytes)),
          starts: bind(starts, count * 4),
          keys: bind(from.keys, count * 8),
          numbers: bind(from.values, count * 4),
        },
        { base, count: inText },
        Math.ceil(inText / 256),
      );
  });
  const order = (await radixSort().sort(scratch, SPEC, from, spare, count)).values!;
  for (const buffer of [from.keys, spare.keys, from.values, spare.values]) if (buffer !== order) scratch.drop(buffer);
  return order;
}
