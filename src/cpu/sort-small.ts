/**
 * Sorts small records by the values of their bytes, without items: a chunk, a bucket, or sorted runs one after the
 * other, since a radix sort of them costs less than merging record by record. It is stable, so their order is that of a
 * merge.
 */
import type { Steps } from '../steps.js';
import { decodeText } from './encode-text.js';
import { type CpuKernels, copyOut, INDEX_STEP, layOut, type PlacedText, SLACK } from './kernels.js';
import type { Into, Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';
import type { SmallShape } from './small.js';

/** Counts of the values of one byte. */
const COUNTS_BYTES = 1024;
/** Records per call: V8 replaces a function's baseline code by optimized code only at its next call. */
const CALL_RECORDS = 16384;
/** Calls between two steps: about a millisecond. */
const CALLS_A_STEP = 32;

/** Sorts a text; under `unique` drops repeats. `plain`: writes records as they were read, and no index. */
export function* sortSmall(
  kernels: CpuKernels,
  shape: RecordShape,
  small: SmallShape,
  { begin, end }: PlacedText,
  plain: boolean,
  into: Into,
): Steps<Outcome> {
  if (begin === end) return { bytes: 0, records: 0, index: new Uint32Array() };
  const { size, unique } = shape;
  const isNatural = yield* isInOrder(kernels, shape, begin, end);
  const first = isNatural ? begin : yield* radixSort(kernels, size, small, begin, end);
  let last = first + (end - begin);
  if (unique && !isNatural) last = yield* dropRepeats(kernels, size, first, last);
  if (plain) yield* decodeText(kernels, shape, { begin: first, end: last });
  const target = into(last - first, isNatural);
  if (target !== null) copyOut(kernels, first, last, target);
  const records = (last - first) / size;
  return {
    bytes: last - first,
    records,
    index: plain ? new Uint32Array() : evenIndex(records, size),
    ...(isNatural && { natural: 'in order' }),
  };
}

/** The index of `records` records of one size. */
function evenIndex(records: number, size: number): Uint32Array {
  const index = new Uint32Array(Math.ceil(records / INDEX_STEP));
  for (let i = 0; i < index.length; i++) index[i] = i * INDEX_STEP * size;
  return index;
}

/** Whether the records are in order, without repeats under `unique`. Records in random order end it at once. */
function* isInOrder(kernels: CpuKernels, shape: RecordShape, begin: number, end: number): Steps<boolean> {
  const { size, unique } = shape;
  for (const [from, to] of parts(begin, end, size)) {
    // Each part is compared with the last record of the one before it.
    if (kernels.smallInOrder(Math.max(begin, from - size), to, Number(unique)) === 0) return false;
    yield;
  }
  return true;
}

/** Sorts the records in [begin, end); returns where the sorted ones begin. */
function* radixSort(
  kernels: CpuKernels,
  size: number,
  { bytes }: SmallShape,
  begin: number,
  end: number,
): Steps<number> {
  const [room, counts] = layOut(kernels, [end - begin, bytes.length * COUNTS_BYTES], end + SLACK) as [number, number];
  let differing = 0;
  for (const [from, to] of parts(begin, end, size)) differing |= kernels.differingBytes(begin, from, to);
  yield;
  const sorted = bytes.filter((byte) => (differing & (1 << byte)) !== 0).reverse();
  yield* countValues(kernels, size, sorted, begin, end, counts);
  let [source, target] = [begin, room];
  for (const [i, byte] of sorted.entries()) {
    const places = counts + i * COUNTS_BYTES;
    kernels.placeValues(places, target);
    let calls = 0;
    for (const [from, to] of parts(source, source + (end - begin), size)) {
      kernels.moveByByte(from, to, byte, places);
      if (++calls % CALLS_A_STEP === 0) yield;
    }
    yield;
    [source, target] = [target, source];
  }
  return source;
}

/** Counts the values of each of `bytes`: the counts of each one at `counts`, in their order. */
function* countValues(
  kernels: CpuKernels,
  size: number,
  bytes: readonly number[],
  begin: number,
  end: number,
  counts: number,
): Steps<void> {
  new Uint8Array(kernels.memory.buffer, counts, bytes.length * COUNTS_BYTES).fill(0);
  for (let i = 0; i < bytes.length; ) {
    const [a, b, c, d] = bytes.slice(i, i + 4);
    for (const [from, to] of parts(begin, end, size)) {
      if (d === undefined) kernels.countByte(from, to, a, counts + i * COUNTS_BYTES);
      else kernels.countFourBytes(from, to, a, b, c, d, counts + i * COUNTS_BYTES);
    }
    yield;
    i += d === undefined ? 1 : 4;
  }
}

/** Keeps the first of equal records, which are neighbours; returns where they end. */
function* dropRepeats(kernels: CpuKernels, size: number, begin: number, end: number): Steps<number> {
  let place = begin;
  for (const [from, to] of parts(begin, end, size)) {
    place = kernels.dropSmallRepeats(place === begin ? 0 : place - size, from, to, place);
    yield;
  }
  return place;
}

/** Bytes [begin, end) in parts of so many records that a call takes less than a millisecond. */
export function* parts(begin: number, end: number, size: number): Generator<[number, number]> {
  const bytes = CALL_RECORDS * size;
  for (let from = begin; from < end; from += bytes) yield [from, Math.min(from + bytes, end)];
}
