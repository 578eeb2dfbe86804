/**
 * Sorts small records by the values of their bytes, without items: a chunk, a bucket, or several sorted runs laid end
 * to end, because a radix sort of them costs less than merging record by record. It is stable, so the result is that of
 * a merge.
 */

import type { RecordForm } from '../../contract/engine.js';
import { SMALL_BYTES, type SmallShape } from '../../keys/small-records.js';
import type { Splitters } from '../../keys/splitters.js';
import { KERNEL_SLACK } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import { decodeText } from './encode-text.js';
import { type CpuKernels, copyOut, layOut, type PlacedText } from './kernels.js';
import type { Into, Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';

/** Counts of the values of one byte. */
const COUNTS_BYTES = 1024;
/** Records per call: V8 replaces a function's baseline code by optimized code only at its next call. */
const CALL_RECORDS = 16384;
/** Bytes counted in one pass. */
const COUNTED_AT_ONCE = 4;
/** Bits beyond those that number the records: then one record in eight still has an equal before insertion sort. */
const SPARE_BITS = 3;
/** Insertion sort may move one record in INSERTED_SHARE, on average, and FEW_INSERTED more. */
const INSERTED_SHARE = 2;
const FEW_INSERTED = 64;
/** Calls between two steps: about a millisecond. */
const CALLS_PER_STEP = 32;

/**
 * Sorts records whose shape has `small`; under `unique` drops repeats. Unless `form` is `run`, writes records as they
 * were read.
 */
export function* sortSmall(
  kernels: CpuKernels,
  shape: RecordShape,
  { begin, end }: PlacedText,
  form: RecordForm,
  into: Into,
): Resumable<Outcome> {
  if (begin === end) return { bytes: 0, records: 0 };
  const { size, unique } = shape;
  const small = shape.small!;
  const isNatural = yield* isInOrder(kernels, shape, begin, end);
  const first = isNatural ? begin : yield* radixSort(kernels, size, small, begin, end);
  let last = first + (end - begin);
  if (unique && !isNatural) last = yield* dropRepeats(kernels, size, first, last);
  if (form !== 'run') yield* decodeText(kernels, shape, { begin: first, end: last });
  const target = into(last - first, isNatural, first);
  if (target !== null) copyOut(kernels, first, last, target);
  return { bytes: last - first, records: (last - first) / size, ...(isNatural && { natural: 'in order' }) };
}

/** Whether the records are in order, without repeats under `unique`. Stops early if they are in random order. */
function* isInOrder(kernels: CpuKernels, shape: RecordShape, begin: number, end: number): Resumable<boolean> {
  const { size, unique } = shape;
  for (const [from, to] of parts(begin, end, size)) {
    // Each part is compared with the last record of the one before it.
    if (kernels.smallInOrder(Math.max(begin, from - size), to, Number(unique)) === 0) return false;
    yield;
  }
  return true;
}

/**
 * Sorts the records in [begin, end); returns where the sorted ones begin. The most significant bytes usually separate
 * almost all records. Then the radix sort uses only these, and insertion sort does the rest. If that would take too
 * long, the radix sort uses all bytes.
 */
function* radixSort(
  kernels: CpuKernels,
  size: number,
  { bytes }: SmallShape,
  begin: number,
  end: number,
): Resumable<number> {
  const [room, counts] = layOut(kernels, [end - begin, bytes.length * COUNTS_BYTES], end + KERNEL_SLACK) as [
    number,
    number,
  ];
  let differing = 0;
  for (const [from, to] of parts(begin, end, size)) differing |= kernels.differingBytes(begin, from, to);
  yield;
  const places = bytes.filter((byte) => (differing & (1 << byte)) !== 0);
  const few = yield* countLeading(kernels, size, places, begin, end, counts);
  const sorted = yield* moveByBytes(kernels, size, places.slice(0, few), begin, end, room, counts);
  if (few === places.length || (yield* insertAll(kernels, size, sorted, sorted + (end - begin)))) return sorted;
  new Uint8Array(kernels.memory.buffer, counts, places.length * COUNTS_BYTES).fill(0);
  yield* countValues(kernels, size, places, sorted, sorted + (end - begin), counts);
  return yield* moveByBytes(
    kernels,
    size,
    places,
    sorted,
    sorted + (end - begin),
    sorted === begin ? room : begin,
    counts,
  );
}

/**
 * Counts the values of the first of `places`, until they separate most records or all are counted; returns how many
 * places were counted.
 */
function* countLeading(
  kernels: CpuKernels,
  size: number,
  places: readonly number[],
  begin: number,
  end: number,
  counts: number,
): Resumable<number> {
  new Uint8Array(kernels.memory.buffer, counts, places.length * COUNTS_BYTES).fill(0);
  const records = (end - begin) / size;
  const enough = Math.log2(records) + SPARE_BITS;
  let bits = 0;
  for (let counted = 0; counted < places.length; counted += COUNTED_AT_ONCE) {
    const next = places.slice(counted, counted + COUNTED_AT_ONCE);
    yield* countValues(kernels, size, next, begin, end, counts + counted * COUNTS_BYTES);
    for (const i of next.keys()) {
      bits += collisionBits(kernels, counts + (counted + i) * COUNTS_BYTES, records);
      if (bits >= enough) return counted + i + 1;
    }
  }
  return places.length;
}

/**
 * The collision entropy of a byte, in bits: two random records have the same value with a probability of 2 ** -bits.
 */
function collisionBits({ memory }: CpuKernels, counts: number, records: number): number {
  const values = new Uint32Array(memory.buffer, counts, COUNTS_BYTES / 4);
  return -Math.log2(values.reduce((sum, count) => sum + (count / records) ** 2, 0));
}

/**
 * Sorts the records in [source, end) by the bytes at `places`, whose values are counted at `counts`, the last place
 * first. Each pass moves all records to `target` or back. Returns where they begin.
 */
function* moveByBytes(
  kernels: CpuKernels,
  size: number,
  places: readonly number[],
  source: number,
  end: number,
  target: number,
  counts: number,
): Resumable<number> {
  const bytes = end - source;
  for (let i = places.length - 1; i >= 0; i--) {
    const starts = counts + i * COUNTS_BYTES;
    kernels.placeValues(starts, target);
    let calls = 0;
    for (const [from, to] of parts(source, source + bytes, size)) {
      kernels.moveByByte(from, to, places[i], starts);
      if (++calls % CALLS_PER_STEP === 0) yield;
    }
    yield;
    [source, target] = [target, source];
  }
  return source;
}

/** Orders records that are almost in order. Returns false if that would take too long. */
function* insertAll(kernels: CpuKernels, size: number, begin: number, end: number): Resumable<boolean> {
  let most = Math.floor((end - begin) / size / INSERTED_SHARE) + FEW_INSERTED;
  for (const [from, to] of parts(begin, end, size)) {
    most = kernels.insertSmall(begin, from, to, most);
    if (most < 0) return false;
    yield;
  }
  return true;
}

/** Counts the values of the bytes at `bytes`, into `counts` in their order. */
function* countValues(
  kernels: CpuKernels,
  size: number,
  bytes: readonly number[],
  begin: number,
  end: number,
  counts: number,
): Resumable<void> {
  for (let i = 0; i < bytes.length; ) {
    const [a, b, c, d] = bytes.slice(i, i + COUNTED_AT_ONCE);
    for (const [from, to] of parts(begin, end, size)) {
      if (d === undefined) kernels.countByte(from, to, a, counts + i * COUNTS_BYTES);
      else kernels.countFourBytes(from, to, a, b, c, d, counts + i * COUNTS_BYTES);
    }
    yield;
    i += d === undefined ? 1 : COUNTED_AT_ONCE;
  }
}

/** Keeps the first of equal records, which are neighbors; returns where they end. */
function* dropRepeats(kernels: CpuKernels, size: number, begin: number, end: number): Resumable<number> {
  let place = begin;
  for (const [from, to] of parts(begin, end, size)) {
    place = kernels.dropSmallRepeats(place === begin ? 0 : place - size, from, to, place);
    yield;
  }
  return place;
}

/** Bytes [begin, end) in parts, each small enough that a call takes less than a millisecond. */
export function* parts(begin: number, end: number, size: number): Generator<[number, number]> {
  const bytes = CALL_RECORDS * size;
  for (let from = begin; from < end; from += bytes) yield [from, Math.min(from + bytes, end)];
}

/** Bytes of the tables and of the spare record. */
const TABLE_BYTES = 3 * SMALL_BYTES;
/** Bytes of a number that kernels compare. */
const NUMBER_BYTES = 8;
/** Marks a byte of a number that is not taken from the record. */
const ZERO = 255;

/** Whether splitters divide such records by their whole keys. */
export function isDistributed({ keyBytes }: SmallShape): boolean {
  return keyBytes <= NUMBER_BYTES;
}

/**
 * The kernels with the tables of small records (kernels/wasm/cpu/small-record.ts), stored where their free memory
 * began.
 */
export function placeSmall(kernels: CpuKernels, { bytes, keyBytes }: SmallShape): CpuKernels {
  const [table] = layOut(kernels, [TABLE_BYTES]);
  const places = new Uint8Array(kernels.memory.buffer, table, 2 * SMALL_BYTES).fill(ZERO);
  bytes.forEach((byte, i) => {
    places[placeIn(i)] = byte;
    if (i < keyBytes) places[SMALL_BYTES + placeIn(i)] = byte;
  });
  kernels.setSmall(table!);
  return { ...kernels, free: table! + TABLE_BYTES + KERNEL_SLACK };
}

/** Where byte `i`, counted from the most significant one, lies in two little-endian numbers. */
function placeIn(i: number): number {
  return i - (i % NUMBER_BYTES) + (NUMBER_BYTES - 1 - (i % NUMBER_BYTES));
}

/** Splitters for whole keys of up to 8 bytes, without a prefix. */
export function wholeSplitters({ prefix, keys }: Splitters, reverse: boolean): Splitters {
  const bits = BigInt(8 * prefix.length);
  const begin = prefix.reduce((number, byte) => (number << 8n) | BigInt(reverse ? 255 - byte : byte), 0n);
  return {
    prefix: new Uint8Array(),
    keys: keys.map((key) => (begin << (64n - bits)) | (key >> bits)),
  };
}
