/** The order of all records of several texts: sorts their numbers by their keys. */
import { Declined } from '../../../contract/engine.js';
import type { Gpu } from '../device/device.js';
import { copyWords } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';
import { mostKeys } from '../keys/key-sort.js';
import { radixSort } from '../keys/radix-sort/radix-sort.js';
import type { FramedText } from './texts.js';

/** The keys of keys.wgsl, each with the number of its record. */
const SPEC = { type: 'u64', values: true } as const;

/** Records of several texts: their numbers in order; by number, where each begins in its text, and its bytes. */
export interface OrderedAlignments {
  readonly count: number;
  readonly order: GPUBuffer;
  readonly starts: GPUBuffer;
  readonly sizes: GPUBuffer;
  readonly texts: readonly FramedText[];
}

/** Compiles what `orderOf` needs. */
export function loadOrderOf(gpu: Gpu): Promise<unknown> {
  return radixSort().load(gpu, SPEC);
}

/** Puts the records of all texts in one list, and sorts their numbers. All buffers belong to `scratch`. */
export async function orderOf(scratch: Scratch, texts: readonly FramedText[]): Promise<OrderedAlignments> {
  const { gpu } = scratch;
  const count = texts.reduce((sum, text) => sum + text.count, 0);
  if (count > mostKeys(gpu, SPEC)) throw new Declined('there are too many records');
  const starts = await scratch.take(count * 4, 'starts of records');
  const sizes = await scratch.take(count * 4, 'sizes of records');
  const from = { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
  const spare = { keys: await scratch.take(count * 8, 'keys'), values: await scratch.take(count * 4, 'numbers') };
  for (const text of texts) {
    const rows = [
      [text.starts, starts, 4],
      [text.sizes, sizes, 4],
      [text.numbers, from.values, 4],
      [text.keys, from.keys, 8],
    ] as const;
    for (const [buffer, all, bytes] of rows) {
      if (text.count > 0) copyWords(gpu, { buffer, at: 0 }, { buffer: all, at: text.base * bytes }, text.count * bytes);
      scratch.drop(buffer);
    }
  }
  gpu.timer?.handles(
    texts.reduce((sum, { textBytes }) => sum + textBytes, 0),
    'sort',
  );
  const sorted = await radixSort().sort(scratch, SPEC, from, spare, count);
  const order = sorted.values!;
  for (const buffer of [from.keys, spare.keys, from.values, spare.values]) if (buffer !== order) scratch.drop(buffer);
  return { count, order, starts, sizes, texts };
}
