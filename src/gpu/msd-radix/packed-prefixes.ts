/**
 * Only first symbols sent to the device (Drozd and Matsuoka, section 4): the host chops them off and packs them, the device sorts them and gives
 * back the order and the bounds of buckets, the host goes on inside those. It pays where text lies in host memory and is long: a record
 * costs 12 bytes there and 4 back, whatever its length.
 */
import type { Ordering } from '../../job.js';
import type { Gpu } from '../device.js';
import { readBack } from '../dispatch.js';
import { Scratch, type BufferPool } from '../pool.js';
import { loadSplit, splitEntries, splitKernels, SPLIT_TUNING, type SplitTuning } from './entries.js';
import { sortGroups } from './host-remainder.js';
import { hostRecords, orderedByte, orderedLength, type HostRecords } from './multikey-quicksort.js';
import type { Packing } from './symbols.js';

/** Code of tags whose records go on (kernels/shared/entry.wgsl). */
const LONG = 9;
const NUMBER_BITS = 28;
const NEW = 0;
const SAME = 1;
const JOINED = 2;

/** First symbols of records, packed as kernels/msd-radix/pack.wgsl does. */
export interface PackedPrefixes extends Packing {
  /** Two words a record, the high one first. */
  readonly keys: Uint32Array<ArrayBuffer>;
  /** A code of 4 bits over the record's number. */
  readonly tags: Uint32Array<ArrayBuffer>;
  readonly reverse: boolean;
}

/** Packs the first symbols of `count` records (below 2^28). Reads the ordered bytes twice: all for the alphabet, then as many as are packed. */
export function packPrefixes(r: HostRecords, count: number): PackedPrefixes {
  const codes = new Uint32Array(256);
  let least = Infinity;
  let most = 0;
  for (let i = 0; i < count; i++) {
    const length = orderedLength(r, i);
    least = Math.min(least, length);
    most = Math.max(most, length);
    for (let at = 0; at < length; at++) codes[orderedByte(r, i, at)] = 1;
  }
  let next = least === most ? 0 : 1;
  for (let byte = 0; byte < 256; byte++) {
    const present = codes[byte]!;
    codes[byte] = next;
    next += present;
  }
  const bits = 32 - Math.clz32(Math.max(2, next) - 1);
  const symbols = Math.floor(64 / bits);
  const keys = new Uint32Array(2 * count);
  const tags = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    let [high, low] = [0, 0];
    for (let s = 0; s < symbols; s++) {
      const byte = orderedByte(r, i, s);
      high = (high << bits) | (low >>> (32 - bits));
      low = (low << bits) | (byte < 0 ? 0 : codes[byte]!);
    }
    const rest = 64 - symbols * bits;
    if (rest > 0) { high = (high << rest) | (low >>> (32 - rest)); low <<= rest; }
    keys[2 * i] = r.reverse ? ~high : high;
    keys[2 * i + 1] = r.reverse ? ~low : low;
    const code = orderedLength(r, i) > symbols ? LONG : 0;
    tags[i] = ((r.reverse ? 15 - code : code) << NUMBER_BITS) | i;
  }
  return { keys, tags, bits, symbols, base: 0, reverse: r.reverse };
}

export interface SortedPrefixes {
  /** Record numbers in the order of their packed symbols; of equal ones that go on in any order, of those that end in that of their numbers. */
  readonly order: Uint32Array<ArrayBuffer>;
  /** A word a place: 0 where a bucket begins, 1 where the record is equal to the one before it, 2 where it is so far and both go on. */
  readonly states: Uint32Array<ArrayBuffer>;
  /** What crossed to the device and back, for statistics. */
  readonly sentBytes: number;
  readonly readBytes: number;
}

/** Compiles what sortPackedPrefixes needs. */
export function loadPackedPrefixes(gpu: Gpu, tuning: SplitTuning = SPLIT_TUNING): Promise<unknown> {
  return loadSplit(gpu, splitKernels(gpu, tuning));
}

/** Sorts packed prefixes on the device. */
export async function sortPackedPrefixes(gpu: Gpu, pool: BufferPool, prefixes: PackedPrefixes, tuning: SplitTuning = SPLIT_TUNING): Promise<SortedPrefixes> {
  const { keys, tags, reverse } = prefixes;
  const count = tags.length;
  if (count === 0) return { order: new Uint32Array(0), states: new Uint32Array(0), sentBytes: 0, readBytes: 0 };
  const long = reverse ? 15 - LONG : LONG;
  const scratch = new Scratch(pool);
  try {
    const [entries, other] = [
      { keys: await scratch.take(count * 8, 'keys'), tags: await scratch.take(count * 4, 'tags') },
      { keys: await scratch.take(count * 8, 'keys'), tags: await scratch.take(count * 4, 'tags') },
    ];
    gpu.device.queue.writeBuffer(entries.keys, 0, keys);
    gpu.device.queue.writeBuffer(entries.tags, 0, tags);
    await splitEntries(gpu, scratch, splitKernels(gpu, tuning), entries, other, count, { long, order: null, counted: null });
    // The keys are known here: the order is enough to tell which neighbours are equal.
    const order = new Uint32Array((await readBack(gpu, entries.tags, 0, count * 4)).buffer as ArrayBuffer);
    const states = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const code = order[i]! >>> NUMBER_BITS;
      order[i]! &= 2 ** NUMBER_BITS - 1;
      if (i === 0) continue;
      const [a, b] = [order[i - 1]!, order[i]!];
      const equal = keys[2 * a] === keys[2 * b] && keys[2 * a + 1] === keys[2 * b + 1] && tags[a]! >>> NUMBER_BITS === code;
      states[i] = !equal ? NEW : code === long ? JOINED : SAME;
    }
    return { order, states, sentBytes: keys.byteLength + tags.byteLength, readBytes: order.byteLength };
  } finally {
    scratch.end();
  }
}

/** Sorts `count` records in host memory so that only first symbols go to the device; what those leave is sorted by multikey quicksort. */
export async function sortByPrefixes(gpu: Gpu, pool: BufferPool, text: Uint8Array, starts: Uint32Array, count: number, ordering: Ordering,
  tuning: SplitTuning = SPLIT_TUNING): Promise<SortedPrefixes & { readonly remainder: number }> {
  const records = hostRecords(text, starts, ordering);
  const prefixes = packPrefixes(records, count);
  const sorted = await sortPackedPrefixes(gpu, pool, prefixes, tuning);
  const remainder = sortGroups(records, sorted.order, sorted.states, prefixes.symbols);
  if (!ordering.unique) return { ...sorted, remainder };
  const kept = sorted.order.filter((_, i) => sorted.states[i] !== SAME);
  return { ...sorted, order: kept, remainder };
}
