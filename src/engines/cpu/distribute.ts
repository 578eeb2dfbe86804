/**
 * Distributes a chunk into buckets, each in input order. Tokenizes, counts and fills one tile at a time, then copies
 * the parts of each bucket together, one bucket after another.
 */
import type { DistributionLimits, Splitters } from '../../keys/splitters.js';
import { copyBytes, KERNEL_SLACK } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, copyOut, ITEM_BYTES, layOut, type PlacedText, STEP_RECORDS } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';
import { isDistributed, parts, wholeSplitters } from './sort-small.js';
import { readTile, tileSizes } from './tiles.js';

/** Bytes of an element of `sums`: a 32-bit byte count or address. */
const SUM_BYTES = 4;
/** Bytes of a small record's bucket number. */
const NUMBER_BYTES = 2;
/** Bytes of the table of cells in kernels/wasm/cpu/distribute.ts. */
const CELLS_BYTES = 32 << 10;

/** Splitters in the memory of the kernels. */
export interface PlacedSplitters {
  readonly buckets: number;
  /** Addresses: keys of 8 bytes, with room for two per bucket; the prefix; room for the table of cells. */
  readonly keys: number;
  readonly prefix: number;
  readonly prefixBytes: number;
  readonly cells: number;
}

/** Stores splitters where the free memory begins; returns the kernels with the rest of it. */
export function placeSplitters(
  kernels: CpuKernels,
  { small, reverse }: RecordShape,
  splitters: Splitters,
): { readonly kernels: CpuKernels; readonly splitters: PlacedSplitters } {
  const { prefix, keys } = small !== null && isDistributed(small) ? wholeSplitters(splitters, reverse) : splitters;
  const buckets = keys.length + 1;
  const [table, text, cells] = layOut(kernels, [2 * buckets * keys.BYTES_PER_ELEMENT, prefix.length, CELLS_BYTES]) as [
    number,
    number,
    number,
  ];
  new BigUint64Array(kernels.memory.buffer, table, keys.length).set(keys);
  new Uint8Array(kernels.memory.buffer).set(prefix, text);
  return {
    kernels: { ...kernels, free: cells + CELLS_BYTES + KERNEL_SLACK },
    splitters: { buckets, keys: table, prefix: text, prefixBytes: prefix.length, cells },
  };
}

/** Sampled records per bucket of sampleSplitters. */
const SAMPLED = 16;

/** Splitters for a text, from a sample of it, stored from `place` on; null if all of the sample's keys are equal. */
export function sampleSplitters(
  kernels: CpuKernels,
  { keyOffset }: RecordShape,
  { begin, end }: PlacedText,
  buckets: number,
  place: number,
): { readonly splitters: PlacedSplitters; readonly end: number } | null {
  const count = SAMPLED * buckets;
  const [keys, cells] = layOut(kernels, [count * BigUint64Array.BYTES_PER_ELEMENT, CELLS_BYTES], place) as [
    number,
    number,
  ];
  const prefixBytes = kernels.sampleKeys(begin, end, count, keys);
  const sampled = new BigUint64Array(kernels.memory.buffer, keys, count).sort();
  if (sampled[0] === sampled[count - 1]) return null;
  for (let i = 1; i < buckets; i++) sampled[i - 1] = sampled[SAMPLED * i];
  return {
    splitters: { buckets, keys, prefix: begin + keyOffset, prefixBytes, cells },
    end: cells + CELLS_BYTES + KERNEL_SLACK,
  };
}

function useSplitters(kernels: CpuKernels, { keys, buckets, prefix, prefixBytes, cells }: PlacedSplitters): void {
  kernels.setSplitters(keys, buckets, prefix, prefixBytes, cells);
}

/** The buckets of a text in the memory of the kernels, in several parts each. */
interface ScatteredText {
  readonly records: number;
  /** The part of each tile in each bucket: addresses. */
  readonly tiles: readonly { readonly begins: Uint32Array; readonly ends: Uint32Array }[];
  /** Where free memory begins. */
  readonly end: number;
}

/** Distributes a text by `splitters`, tile by tile, to the memory from `place` on. */
export function* scatterText(
  kernels: CpuKernels,
  shape: RecordShape,
  { begin, end }: PlacedText,
  splitters: PlacedSplitters,
  place: number,
): Resumable<ScatteredText> {
  const { buckets } = splitters;
  const { tileBytes, tileRecords, mostTiles } = tileSizes(shape, end - begin);
  const [items, text, sums] = layOut(
    kernels,
    [tileRecords * ITEM_BYTES, end - begin + mostTiles * buckets * KERNEL_SLACK, buckets * SUM_BYTES],
    place,
  ) as [number, number, number];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets);
  const tiles: { begins: Uint32Array; ends: Uint32Array }[] = [];
  let to = text;
  let records = 0;
  useSplitters(kernels, splitters);
  for (let from = begin; from < end; ) {
    ends.fill(0);
    const count = readTile(kernels, shape, { items, tileBytes, tileRecords }, from, end, (at, step) =>
      kernels.countBuckets(at, step, sums),
    );
    from = kernels.textEnd(items, count);
    yield;
    records += count;
    kernels.placeBuckets(sums, buckets, to);
    const begins = ends.slice();
    for (let at = 0; at < count; at += STEP_RECORDS)
      kernels.fillBuckets(items + at * ITEM_BYTES, Math.min(STEP_RECORDS, count - at), sums);
    tiles.push({ begins, ends: ends.slice() });
    to = ends[buckets - 1] + KERNEL_SLACK;
  }
  return { records, tiles, end: to };
}

/** Copies the parts of a bucket to `target`, from `at` on; returns where they end. */
export function collectBucket(
  { memory }: CpuKernels,
  { tiles }: ScatteredText,
  bucket: number,
  target: Uint8Array,
  at: number,
): number {
  for (const { begins, ends } of tiles) {
    const part = new Uint8Array(memory.buffer, begins[bucket], ends[bucket] - begins[bucket]);
    copyBytes(part, target, at);
    at += part.length;
  }
  return at;
}

/** Distributes a text. `into` returns the target for a number of bytes. */
export function* distributeText(
  kernels: CpuKernels,
  shape: RecordShape,
  text: PlacedText,
  splitters: PlacedSplitters,
  into: (bytes: number) => Uint8Array,
): Resumable<Outcome> {
  const { begin, end } = text;
  const target = into(end - begin);
  const scattered = yield* scatterText(kernels, shape, text, splitters, end + KERNEL_SLACK);
  let bytes = 0;
  const buckets = Array.from({ length: splitters.buckets }, (_, bucket) => {
    return (bytes = collectBucket(kernels, scattered, bucket, target, bytes));
  });
  return { bytes, records: scattered.records, buckets };
}

/** Distributes small records (sort-small.ts). `into` returns the target for a number of bytes. */
export function* distributeSmall(
  kernels: CpuKernels,
  { size }: RecordShape,
  { begin, end }: PlacedText,
  splitters: PlacedSplitters,
  into: (bytes: number) => Uint8Array,
): Resumable<Outcome> {
  const { buckets } = splitters;
  const records = (end - begin) / size;
  const [sums, numbers, room] = layOut(
    kernels,
    [buckets * SUM_BYTES, records * NUMBER_BYTES, end - begin],
    end + KERNEL_SLACK,
  ) as [number, number, number];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets).fill(0);
  useSplitters(kernels, splitters);
  for (const [from, to] of parts(begin, end, size))
    kernels.countSmallBuckets(from, to, numbers + ((from - begin) / size) * NUMBER_BYTES, sums);
  yield;
  let place = room;
  for (const [bucket, bytes] of ends.entries()) {
    ends[bucket] = place;
    place += bytes;
  }
  for (const [from, to] of parts(begin, end, size))
    kernels.fillSmallBuckets(from, to, numbers + ((from - begin) / size) * NUMBER_BYTES, sums);
  yield;
  copyOut(kernels, room, place, into(end - begin));
  return { bytes: end - begin, records, buckets: Array.from(ends, (to) => to - room) };
}

/**
 * Counts the bytes distributed to each bucket, and decides while chunks are distributed whether to distribute the next
 * ones. Knows the sizes of buckets, not their text.
 */
export class Distribution {
  goesOn = true;
  private readonly limits: DistributionLimits;
  private readonly buckets: Float64Array;
  private total = 0;

  constructor(buckets: number, limits: DistributionLimits) {
    this.buckets = new Float64Array(buckets);
    this.limits = limits;
  }

  /** Adds a distributed text, given the ends of its buckets. */
  add(ends: readonly number[]): void {
    const { bucketBytes, bytes, share, judgedBytes } = this.limits;
    this.total += ends.at(-1)!;
    for (const [bucket, end] of ends.entries()) {
      const sum = (this.buckets[bucket] += end - (ends[bucket - 1] ?? 0));
      if (sum > bucketBytes || (this.total >= judgedBytes && sum > share * this.total)) this.goesOn = false;
    }
    if (this.total >= bytes) this.goesOn = false;
  }
}
