/**
 * Encodes the typed keys of binary records as bytes that memcmp compares. Encoding permutes a record's bytes and
 * complements some of them, so it can be undone, and takes no space. One range of key bytes stays in its place; several
 * are moved to the beginning, in order of precedence. Equal keys have equal bytes, so the last-resort comparison gives
 * the same order for encoded records as for records as read. Knows no engine.
 */
import type { EncodingStep, Ordering, RecordEncoding, RecordPart, SegmentRule } from '../job/ordering.js';
import { growTo, KERNEL_SLACK, newMemory } from '../system/memory.js';
import { compileKeyKernels, openKeyKernels } from './key-maker.js';

/** Where keys and segments lie in encoded records. */
interface EncodedPlaces {
  /** Null: records need no encoding. */
  readonly encoding: RecordEncoding | null;
  readonly key: ByteRange;
  /** Null if no segments were given. */
  readonly segment: ByteRange | null;
}

interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const TOP_BIT = 0x80;
const ALL_BITS = 0xff;

/**
 * Plans the encoding of records of `size` bytes with the keys `parts` (at least one, inside the record), earlier ones
 * first. `reverse`: the whole order is reversed, so only keys that are not reversed are complemented. `segment`: bytes
 * that identify a segment; they keep their values and their order.
 */
export function planEncoding(
  size: number,
  parts: readonly RecordPart[],
  reverse: boolean,
  segment: ByteRange | null,
): EncodedPlaces {
  const taken = new TakenBytes(segment);
  const steps: EncodingStep[] = [];
  let place = 0;
  for (const part of parts) {
    for (const piece of piecesOf(part, part.reverse !== reverse, taken)) {
      steps.push({ ...piece, to: place });
      place += piece.bytes;
    }
    taken.add(part);
  }
  // Within a segment, its own bytes are equal.
  if (steps.length === 0) return { encoding: null, key: { offset: segment!.offset, length: 1 }, segment };
  const sources = steps.map(sourceRange);
  const lowest = sources.reduce((least, { offset }) => Math.min(least, offset), Infinity);
  const highest = sources.reduce((most, { offset, length }) => Math.max(most, offset + length), 0);
  if (highest - lowest === place) {
    const inPlace = steps.map((step) => ({ ...step, to: step.to + lowest })).filter((step) => !isIdentity(step));
    return {
      encoding: inPlace.length === 0 ? null : { size, steps: inPlace },
      key: { offset: lowest, length: place },
      segment,
    };
  }
  const others = copiesAround(size, sources, place);
  const moved = segment && others.find(({ from, bytes }) => from <= segment.offset && segment.offset < from + bytes)!;
  return {
    encoding: { size, steps: [...others, ...steps] },
    key: { offset: 0, length: place },
    segment: segment && { offset: moved!.to + segment.offset - moved!.from, length: segment.length },
  };
}

/** The segments of an ordering, with their place in records as they are read. */
export function segmentsAsRead({
  segments,
  encoding,
}: Pick<Ordering, 'segments' | 'encoding'>): SegmentRule | undefined {
  if (segments?.kind !== 'bytes' || encoding === undefined) return segments;
  const { offset } = segments;
  const moved = encoding.steps.find(({ to, bytes }) => to <= offset && offset < to + bytes);
  return moved === undefined ? segments : { ...segments, offset: offset - moved.to + moved.from };
}

/**
 * The bytes of a record of `size` bytes, as read, that are equal in two records if and only if their keys are equal.
 */
export function keyBytesAsRead({ key, encoding }: Pick<Ordering, 'key' | 'encoding'>, size: number): ByteRange[] {
  const { offset, length } = key.kind === 'bytes' ? key : { offset: 0, length: size };
  /** Where each byte of an encoded record comes from. */
  const sources = Array.from({ length: size }, (_, i) => i);
  for (const { to, from, bytes, backwards } of encoding?.steps ?? [])
    for (let i = 0; i < bytes; i++) sources[to + i] = backwards ? from - i : from + i;
  const ranges: { offset: number; length: number }[] = [];
  for (const at of sources.slice(offset, offset + length).sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && last.offset + last.length === at) last.length++;
    else ranges.push({ offset: at, length: 1 });
  }
  return ranges;
}

/**
 * A key, the most significant byte first, without the bytes in `taken`: these belong to keys that take precedence, so
 * they are equal whenever this key is compared.
 */
function piecesOf(
  { offset, length, type }: RecordPart,
  complements: boolean,
  taken: TakenBytes,
): Omit<EncodingStep, 'to'>[] {
  const isLittle = type !== null && !type.bigEndian;
  const top = isLittle ? offset + length - 1 : offset;
  const rest = complements ? ALL_BITS : 0;
  const signBit = type === null || type.kind === 'unsigned' ? 0 : TOP_BIT;
  const ranges = without({ offset, length }, taken.near({ offset, length })).map((range) => {
    const from = isLittle ? range.offset + range.length - 1 : range.offset;
    return {
      bytes: range.length,
      from,
      backwards: isLittle && range.length > 1,
      first: from === top ? rest ^ signBit : rest,
      rest,
      sign: type?.kind === 'float' ? top : null,
    };
  });
  return isLittle ? ranges.reverse() : ranges;
}

/** The bytes that earlier keys hold, as ranges in order with gaps between them: there may be many keys. */
class TakenBytes {
  private readonly ranges: ByteRange[];

  constructor(first: ByteRange | null) {
    this.ranges = first === null ? [] : [first];
  }

  /** The ranges that overlap with `range`, or touch it. */
  near(range: ByteRange): readonly ByteRange[] {
    const [from, to] = this.placesOf(range);
    return this.ranges.slice(from, to);
  }

  add(range: ByteRange): void {
    const [from, to] = this.placesOf(range);
    const joined = [range, ...this.ranges.slice(from, to)];
    const offset = joined.reduce((least, one) => Math.min(least, one.offset), Infinity);
    const end = joined.reduce((most, one) => Math.max(most, endOf(one)), 0);
    this.ranges.splice(from, to - from, { offset, length: end - offset });
  }

  /** The first of the ranges that overlap with `range` or touch it, and the first after them. */
  private placesOf(range: ByteRange): [number, number] {
    const from = this.firstThat((one) => endOf(one) >= range.offset);
    return [
      from,
      Math.max(
        from,
        this.firstThat((one) => one.offset > endOf(range)),
      ),
    ];
  }

  /** The index of the first range for which `holds` is true; it must be true for all later ranges. */
  private firstThat(holds: (one: ByteRange) => boolean): number {
    let [low, high] = [0, this.ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.ranges[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

const endOf = ({ offset, length }: ByteRange): number => offset + length;

/** The parts of a range outside all of `others`, in order. */
function without(range: ByteRange, others: readonly ByteRange[]): ByteRange[] {
  const ends = others.toSorted((a, b) => a.offset - b.offset);
  const parts: ByteRange[] = [];
  const end = range.offset + range.length;
  let at = range.offset;
  for (const other of ends) {
    if (other.offset > at && at < end) parts.push({ offset: at, length: Math.min(other.offset, end) - at });
    at = Math.max(at, other.offset + other.length);
  }
  if (at < end) parts.push({ offset: at, length: end - at });
  return parts;
}

function sourceRange({ from, bytes, backwards }: Omit<EncodingStep, 'to'>): ByteRange {
  return { offset: backwards ? from - bytes + 1 : from, length: bytes };
}

function isIdentity({ to, from, backwards, first, rest, sign }: EncodingStep): boolean {
  return to === from && !backwards && first === 0 && rest === 0 && sign === null;
}

/** Copies of all bytes outside `keys`, in their order, to the places from `to` on. */
function copiesAround(size: number, keys: readonly ByteRange[], to: number): EncodingStep[] {
  return without({ offset: 0, length: size }, keys).map(({ offset, length }) => {
    to += length;
    return { bytes: length, to: to - length, from: offset, backwards: false, first: 0, rest: 0, sign: null };
  });
}

/**
 * The functions of a module that includes the kernels of kernels/wasm/shared/record-encoding.ts. Their arguments are
 * addresses and counts below 2 ** 32.
 */
export interface EncodingKernels {
  setEncoding(table: number, steps: number, size: number, low: number, high: number, scratch: number): void;
  encodeRecords(from: number, to: number): void;
  decodeRecords(from: number, to: number): void;
  setShuffles(shuffles: number): void;
}

const STEP_BYTES = 32;
const BACKWARDS = 1;
const HAS_SIGN = 2;

/** Bytes of memory that an encoding takes. */
export function encodingBytes(encoding: RecordEncoding): number {
  const { low, high } = touched(encoding.steps);
  return encoding.steps.length * STEP_BYTES + high - low + KERNEL_SLACK + SHUFFLES_BYTES;
}

/** Sets the encoding of `kernels`, with its table in encodingBytes of `memory` at `place`, a multiple of 8. */
export function placeEncoding(
  kernels: EncodingKernels,
  memory: WebAssembly.Memory,
  encoding: RecordEncoding,
  place: number,
): void {
  const { size, steps } = encoding;
  const view = new DataView(memory.buffer, place, steps.length * STEP_BYTES);
  steps.forEach(({ bytes, to, from, backwards, first, rest, sign }, i) => {
    const at = i * STEP_BYTES;
    view.setUint32(at, bytes, true);
    view.setUint32(at + 4, to, true);
    view.setUint32(at + 8, from, true);
    view.setUint32(at + 12, (backwards ? BACKWARDS : 0) | (sign === null ? 0 : HAS_SIGN), true);
    for (let byte = 0; byte < 7; byte++) view.setUint8(at + 16 + byte, rest);
    view.setUint8(at + 23, first);
    view.setUint32(at + 24, sign ?? 0, true);
  });
  const { low, high } = touched(steps);
  const scratch = place + steps.length * STEP_BYTES;
  kernels.setEncoding(place, steps.length, size, low, high, scratch);
  const shuffles = shufflesOf(encoding);
  if (shuffles === null) return;
  const placed = scratch + high - low + KERNEL_SLACK;
  new Uint8Array(memory.buffer).set(shuffles, placed);
  kernels.setShuffles(placed);
}

/** A vector: one byte for each of 16 bytes of records. */
const VECTOR_BYTES = 16;
const VECTORS = 5;
const SHUFFLES_BYTES = 2 * VECTORS * VECTOR_BYTES;
const NO_SIGN = 255;
/** The mask that a byte is XORed with if its number is negative; the sign bit stays. */
const BELOW_SIGN = 0x7f;

/**
 * The vectors that encode and decode (kernels/wasm/shared/record-encoding.ts). Null if the encoding spans more than one
 * vector, or if the sign of a number can be decoded only after that of another.
 */
function shufflesOf({ size, steps }: RecordEncoding): Uint8Array | null {
  const { low, high } = touched(steps);
  const together = VECTOR_BYTES % size === 0;
  // Checked before the bytes are listed, because a step may have as many bytes as a large record.
  if (!together && high - low > VECTOR_BYTES) return null;
  const signOf = new Map(steps.flatMap((step) => placesOf(step).map(({ from }) => [from, step.sign])));
  const isChained = (sign: number | null): boolean => {
    const other = sign === null ? null : (signOf.get(sign) ?? null);
    return other !== null && other !== sign;
  };
  if (steps.some(({ sign }) => isChained(sign))) return null;
  const all = new Uint8Array(SHUFFLES_BYTES);
  const [places, , after, signs, ifNegative, placesBack, beforeBack, , signsBack, ifNegativeBack] = Array.from(
    { length: 2 * VECTORS },
    (_, i) => all.subarray(i * VECTOR_BYTES, (i + 1) * VECTOR_BYTES),
  ) as [Uint8Array, ...Uint8Array[]];
  for (const vector of [places, placesBack!]) vector.forEach((_, i) => (vector[i] = i));
  for (const vector of [signs!, signsBack!]) vector.fill(NO_SIGN);
  const encodedPlace = new Map(steps.flatMap((step) => placesOf(step).map(({ from, to }) => [from, to])));
  // Relative to the vector's first byte.
  const starts = together ? Array.from({ length: VECTOR_BYTES / size }, (_, i) => i * size) : [-low];
  for (const start of starts) {
    for (const step of steps) {
      for (const { from, to, inversion } of placesOf(step)) {
        places[start + to] = start + from;
        placesBack![start + from] = start + to;
        after![start + to] = beforeBack![start + to] = inversion;
        if (step.sign === null) continue;
        signs![start + to] = start + step.sign;
        signsBack![start + from] = start + (encodedPlace.get(step.sign) ?? step.sign);
        ifNegative![start + to] = ifNegativeBack![start + from] = from === step.sign ? BELOW_SIGN : ALL_BITS;
      }
    }
  }
  return all;
}

/** For each byte of a step, its source, its target and the mask that it is XORed with. */
function placesOf(step: EncodingStep): { from: number; to: number; inversion: number }[] {
  return Array.from({ length: step.bytes }, (_, i) => ({
    from: step.backwards ? step.from - i : step.from + i,
    to: step.to + i,
    inversion: i === 0 ? step.first : step.rest,
  }));
}

/** Bytes of records that are copied to the kernels' memory and encoded at once: they fit a processor's own cache. */
const BATCH_BYTES = 1 << 18;

/** Encodes records for -m, -c, --verify and samples. The engines encode their chunks themselves. */
export class RecordEncoder {
  /** The first byte of the memory that may hold text. */
  readonly free: number;
  private readonly kernels: EncodingKernels & { firstFree(): number };
  private readonly memory: WebAssembly.Memory;
  private readonly batchBytes: number;

  constructor(encoding: RecordEncoding, module = compileKeyKernels(), memory = newMemory()) {
    this.memory = memory;
    this.kernels = openKeyKernels(module, memory);
    const place = Math.ceil(this.kernels.firstFree() / 8) * 8;
    this.free = Math.ceil((place + encodingBytes(encoding)) / 16) * 16;
    this.batchBytes = Math.max(1, Math.floor(BATCH_BYTES / encoding.size)) * encoding.size;
    growTo(memory, this.free);
    placeEncoding(this.kernels, memory, encoding, place);
  }

  /** Encodes the whole records in bytes [from, to) of the memory. */
  encodeAt(from: number, to: number): void {
    this.kernels.encodeRecords(from, to);
  }

  /** Encodes whole records in place. */
  encode(records: Uint8Array): void {
    this.inBatches(records, (from, to) => {
      this.encodeAt(from, to);
    });
  }

  /** Undoes `encode`. */
  decode(records: Uint8Array): void {
    this.inBatches(records, (from, to) => {
      this.kernels.decodeRecords(from, to);
    });
  }

  private inBatches(records: Uint8Array, work: (from: number, to: number) => void): void {
    const { memory, free, batchBytes } = this;
    growTo(memory, free + Math.min(batchBytes, records.length));
    for (let at = 0; at < records.length; at += batchBytes) {
      const batch = records.subarray(at, at + batchBytes);
      new Uint8Array(memory.buffer).set(batch, free);
      work(free, free + batch.length);
      batch.set(new Uint8Array(memory.buffer, free, batch.length));
    }
  }
}

/** The bytes of a record that steps read or write: [low, high). */
function touched(steps: readonly EncodingStep[]): { low: number; high: number } {
  let [low, high] = [Infinity, 0];
  for (const { bytes, to, from, backwards, sign } of steps) {
    const begin = backwards ? from - bytes + 1 : from;
    low = Math.min(low, to, begin, sign ?? to);
    high = Math.max(high, to + bytes, begin + bytes, (sign ?? 0) + 1);
  }
  return { low, high };
}
