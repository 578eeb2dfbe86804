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
/** Bytes of the table of kernels/wasm/cpu/small-buckets.ts. */
const CELLS_BYTES = 8 << 10;

/** The kernels with splitters to distribute by, stored where their free memory began. */
export function placeSplitters(kernels: CpuKernels, { small, reverse }: RecordShape, splitters: Splitters): CpuKernels {
  const hasCells = small !== null && isDistributed(small);
  const { prefix, keys } = hasCells ? wholeSplitters(splitters, reverse) : splitters;
  const [table, text, cells] = layOut(kernels, [keys.byteLength, prefix.length, hasCells ? CELLS_BYTES : 0]);
  new BigUint64Array(kernels.memory.buffer, table!, keys.length).set(keys);
  new Uint8Array(kernels.memory.buffer).set(prefix, text!);
  kernels.setSplitters(table!, keys.length + 1, text!, prefix.length);
  if (hasCells) kernels.openCells(cells!);
  return { ...kernels, free: cells! + (hasCells ? CELLS_BYTES : 0) + KERNEL_SLACK };
}

/** Distributes a text. `into` returns the target for a number of bytes. */
export function* distributeText(
  kernels: CpuKernels,
  shape: RecordShape,
  { begin, end }: PlacedText,
  buckets: number,
  into: (bytes: number) => Uint8Array,
): Resumable<Outcome> {
  const target = into(end - begin);
  if (begin === end) return { bytes: 0, records: 0, buckets: new Array<number>(buckets).fill(0) };
  const { tileBytes, tileRecords, mostTiles } = tileSizes(shape, end - begin);
  const [items, text, sums] = layOut(
    kernels,
    [tileRecords * ITEM_BYTES, end - begin + mostTiles * buckets * KERNEL_SLACK, buckets * SUM_BYTES],
    end + KERNEL_SLACK,
  ) as [number, number, number];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets);
  const tiles: { begins: Uint32Array; ends: Uint32Array }[] = [];
  let place = text;
  let records = 0;
  for (let from = begin; from < end; ) {
    ends.fill(0);
    const count = readTile(kernels, shape, { items, tileBytes, tileRecords }, from, end, (at, step) =>
      kernels.countBuckets(at, step, sums),
    );
    from = kernels.textEnd(items, count);
    yield;
    records += count;
    kernels.placeBuckets(sums, buckets, place);
    const begins = ends.slice();
    for (let at = 0; at < count; at += STEP_RECORDS)
      kernels.fillBuckets(items + at * ITEM_BYTES, Math.min(STEP_RECORDS, count - at), sums);
    tiles.push({ begins, ends: ends.slice() });
    place = ends[buckets - 1] + KERNEL_SLACK;
  }
  let at = 0;
  const bucketEnds = Array.from({ length: buckets }, (_, bucket) => {
    for (const tile of tiles) {
      const part = new Uint8Array(kernels.memory.buffer, tile.begins[bucket], tile.ends[bucket] - tile.begins[bucket]);
      copyBytes(part, target, at);
      at += part.length;
    }
    return at;
  });
  return { bytes: at, records, buckets: bucketEnds };
}

/** Distributes a text. `into` returns the target for a number of bytes. */
export function* distributeSmall(
  kernels: CpuKernels,
  { size }: RecordShape,
  { begin, end }: PlacedText,
  buckets: number,
  into: (bytes: number) => Uint8Array,
): Resumable<Outcome> {
  const records = (end - begin) / size;
  const [sums, numbers, room] = layOut(kernels, [buckets * SUM_BYTES, records, end - begin], end + KERNEL_SLACK) as [
    number,
    number,
    number,
  ];
  const ends = new Uint32Array(kernels.memory.buffer, sums, buckets).fill(0);
  for (const [from, to] of parts(begin, end, size))
    kernels.countSmallBuckets(from, to, numbers + (from - begin) / size, sums);
  yield;
  let place = room;
  for (const [bucket, bytes] of ends.entries()) {
    ends[bucket] = place;
    place += bytes;
  }
  for (const [from, to] of parts(begin, end, size))
    kernels.fillSmallBuckets(from, to, numbers + (from - begin) / size, sums);
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
