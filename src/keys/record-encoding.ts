/**
 * Typed keys of binary records, as bytes that compare as in memcmp. Encoding permutes a record's bytes and complements
 * some of them, so it can be undone, and takes no space. One range of key bytes stays in its place; several are moved
 * to the beginning, in order of precedence. Equal keys have equal bytes, so the last-resort comparison of encoded
 * records is that of records. Knows no engine.
 */
import type { EncodingStep, Ordering, RecordEncoding, RecordPart, Segments } from '../job/job.js';

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
 * first. `reverse`: the whole order is reversed, so that only keys that are not reversed are complemented.
 * `segment`: bytes that identify a segment; they keep their values and their order.
 */
export function planEncoding(
  size: number,
  parts: readonly RecordPart[],
  reverse: boolean,
  segment: ByteRange | null,
): EncodedPlaces {
  const taken: ByteRange[] = segment === null ? [] : [segment];
  const steps: EncodingStep[] = [];
  let place = 0;
  for (const part of parts) {
    for (const piece of piecesOf(part, part.reverse !== reverse, taken)) {
      steps.push({ ...piece, to: place });
      place += piece.bytes;
    }
    taken.push(part);
  }
  // Within a segment, its own bytes are equal.
  if (steps.length === 0) return { encoding: null, key: { offset: segment!.offset, length: 1 }, segment };
  const sources = steps.map(sourceRange);
  const lowest = Math.min(...sources.map(({ offset }) => offset));
  const highest = Math.max(...sources.map(({ offset, length }) => offset + length));
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
export function segmentsAsRead({ segments, encoding }: Pick<Ordering, 'segments' | 'encoding'>): Segments | undefined {
  if (segments?.kind !== 'bytes' || encoding === undefined) return segments;
  const { offset } = segments;
  const moved = encoding.steps.find(({ to, bytes }) => to <= offset && offset < to + bytes);
  return moved === undefined ? segments : { ...segments, offset: offset - moved.to + moved.from };
}

/**
 * A key, the most significant byte first, without the bytes in `taken`: those of keys that take precedence are equal
 * where this one counts.
 */
function piecesOf(
  { offset, length, type }: RecordPart,
  complements: boolean,
  taken: readonly ByteRange[],
): Omit<EncodingStep, 'to'>[] {
  const isLittle = type !== null && !type.bigEndian;
  const top = isLittle ? offset + length - 1 : offset;
  const rest = complements ? ALL_BITS : 0;
  const signBit = type === null || type.kind === 'unsigned' ? 0 : TOP_BIT;
  const ranges = without({ offset, length }, taken).map((range) => {
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
