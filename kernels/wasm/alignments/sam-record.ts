/**
 * Lines of SAM as BAM records, with the rules of htslib: the bin is computed, a record without a contig or a CIGAR is
 * unmapped, and a CIGAR too long for its field goes to the tag CG. Takes up to 16 bytes a step; reads and writes up to
 * 31 bytes past its texts.
 */
import { contigCount, rankOf } from '../shared/contig-table';
import {
  binOf, contigBases, findLong, longAt, longCount, longEnd, MOST_OPERATIONS, readBases, SKIP, SOFT_CLIP, UNMAPPED,
} from './cigar';
import { readWhole, whole } from './numbers';
import {
  BAD_CIGAR, BAD_FLAG, BAD_LENGTH, BAD_POSITION, BAD_QUALITIES, BAD_QUALITY, CIGAR_LENGTH, fail, FEW_FIELDS,
  LONG_CIGAR, LONG_NAME, NOT_LISTED, QUALITIES_LENGTH,
} from './problem';
import { putTags } from './sam-tags';

const TAB: u8 = 9;
const STAR: u8 = 42;
const EQUALS: u8 = 61;
const ZERO: u8 = 48;
const HEAD_BYTES: u32 = 36;
const MOST_NAME_BYTES: u32 = 254;
/** Positions are stored less 1, in 31 bits. */
const MOST_POSITION: i64 = <i64>1 << 31;
const MOST_FLAG: i64 = 0xffff;
const MOST_OPERATION: i64 = 1 << 28;
/** The tag CG before its number of operations: CGBI. */
const LONG_TAG: u32 = 0x49424743;

/** The 4 bits of each letter of a sequence. */
const BASES = memory.data<u8>([
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  1, 2, 4, 8, 15, 15, 15, 15, 15, 15, 15, 15, 15, 0, 15, 15,
  15, 1, 14, 2, 13, 15, 15, 4, 11, 15, 15, 12, 15, 3, 15, 15, 15, 15, 5, 6, 8, 8, 7, 9, 15, 10, 15, 15, 15, 15, 15, 15,
  15, 1, 14, 2, 13, 15, 15, 4, 11, 15, 15, 12, 15, 3, 15, 15, 15, 15, 5, 6, 8, 8, 7, 9, 15, 10, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
]);
/** The codes of operations, by their letters less 61; 15: none. */
const CODES = memory.data<u8>([
  7, 15, 15, 15, 15, 9, 15, 2, 15, 15, 15, 5, 1, 15, 15, 15, 0, 3, 15, 6, 15, 15, 4, 15, 15, 15, 15, 8,
]);

/** Where the field at `at` ends: at a tab, else at `end`. */
// @ts-ignore: decorator
@inline
function fieldEnd(at: u32, end: u32): u32 {
  const tabs = i8x16.splat(TAB);
  for (; at < end; at += 16) {
    const ends = i8x16.bitmask(i8x16.eq(v128.load(at), tabs));
    if (ends != 0) return min(end, at + ctz(ends));
  }
  return end;
}

// @ts-ignore: decorator
@inline
function isByte(at: u32, end: u32, byte: u8): bool { return end - at == 1 && load<u8>(at) == byte; }

/**
 * Writes the record of the line [at, end), which has no newline; returns its end, or 0 if there is a problem. A byte
 * below 32 follows the line. As much room again must follow the record.
 */
export function putRecord(at: u32, end: u32, target: u32, contigs: usize): u32 {
  let stop = fieldEnd(at, end);
  const nameBytes = stop - at;
  if (nameBytes > MOST_NAME_BYTES) return fail(LONG_NAME, at, stop);
  for (let i: u32 = 0; i < nameBytes; i += 16) v128.store(target + HEAD_BYTES + i, v128.load(at + i));
  const cigar = target + HEAD_BYTES + nameBytes + 1;
  store<u8>(cigar - 1, 0);
  if (stop >= end) return fail(FEW_FIELDS, at, at);

  at = stop + 1;
  stop = readWhole(at);
  // A flag that begins with 0 would be octal for htslib.
  const isOctal = load<u8>(at) == ZERO && stop > at + 1;
  if (stop == 0 || isOctal || load<u8>(stop) != TAB || whole < 0 || whole > MOST_FLAG) {
    return bad(BAD_FLAG, at, end);
  }
  let flag = <u32>whole;

  at = stop + 1;
  stop = fieldEnd(at, end);
  if (stop >= end) return fail(FEW_FIELDS, at, at);
  let contig: i32 = -1;
  if (!isByte(at, stop, STAR)) {
    contig = rankOf(contigs, at, stop);
    if (<u32>contig == contigCount(contigs)) return fail(NOT_LISTED, at, stop);
  }

  at = stop + 1;
  stop = readWhole(at);
  if (stop == 0 || load<u8>(stop) != TAB || whole < 0 || whole > MOST_POSITION) {
    return bad(BAD_POSITION, at, end);
  }
  const position = <i32>(whole - 1);
  if (contig < 0) flag |= UNMAPPED;

  at = stop + 1;
  stop = readWhole(at);
  if (stop == 0 || load<u8>(stop) != TAB || whole < 0 || whole > 255) return bad(BAD_QUALITY, at, end);
  const quality = <u32>whole;

  at = stop + 1;
  let rest = cigar;
  let spanned: u64 = 1;
  const cigarAt = at;
  if (load<u8>(at) != STAR || load<u8>(at, 1) != TAB) {
    rest = putCigar(at, end, cigar);
    if (rest == 0) return 0;
    stop = cigarEnd;
    if ((flag & UNMAPPED) == 0) spanned = max(1, contigBases(cigar, (rest - cigar) / 4));
  } else {
    flag |= UNMAPPED;
    stop = at + 1;
  }
  const operations = (rest - cigar) / 4;

  at = stop + 1;
  stop = fieldEnd(at, end);
  if (stop >= end) return fail(FEW_FIELDS, at, at);
  let mate: i32 = -1;
  if (isByte(at, stop, EQUALS)) mate = contig;
  else if (!isByte(at, stop, STAR)) {
    mate = rankOf(contigs, at, stop);
    if (<u32>mate == contigCount(contigs)) return fail(NOT_LISTED, at, stop);
  }

  at = stop + 1;
  stop = readWhole(at);
  if (stop == 0 || load<u8>(stop) != TAB || whole < 0 || whole > MOST_POSITION) {
    return bad(BAD_POSITION, at, end);
  }
  const matePosition = <i32>(whole - 1);
  if (matePosition < 0) mate = -1;

  at = stop + 1;
  stop = readWhole(at);
  if (stop == 0 || load<u8>(stop) != TAB || whole < -2147483648 || whole > 2147483647) {
    return bad(BAD_LENGTH, at, end);
  }
  const templateLength = <i32>whole;

  at = stop + 1;
  stop = fieldEnd(at, end);
  if (stop >= end) return fail(FEW_FIELDS, at, at);
  const bases = isByte(at, stop, STAR) ? 0 : stop - at;
  if (bases > 0 && operations > 0 && readBases(cigar, operations) != bases) {
    return fail(CIGAR_LENGTH, cigarAt, fieldEnd(cigarAt, end));
  }
  // A CIGAR that is too long makes way for its stand-in, and follows the tags.
  const isLong = operations > MOST_OPERATIONS;
  const span = isLong ? contigBases(cigar, operations) : 0;
  if (span >= <u64>MOST_OPERATION) return fail(LONG_CIGAR, cigarAt, cigarAt);
  let long: u32 = 0;
  if (isLong) {
    // Parsed again at the end: the tags have their place before it.
    long = cigarAt;
    store<u32>(cigar, bases << 4 | SOFT_CLIP);
    store<u32>(cigar, <u32>span << 4 | SKIP, 4);
    rest = cigar + 8;
  }
  rest = packBases(at, bases, rest);

  at = stop + 1;
  if (load<u8>(at) == STAR && (at + 1 == end || load<u8>(at, 1) == TAB)) {
    memory.fill(rest, 0xff, bases);
    stop = at + 1;
  } else {
    stop = at + bases;
    if (stop > end || (stop < end && load<u8>(stop) != TAB) || bases == 0) {
      stop = fieldEnd(at, end);
      return fail(stop == at ? FEW_FIELDS : QUALITIES_LENGTH, at, stop);
    }
    if (!copyQualities(at, bases, rest)) return fail(BAD_QUALITIES, at, stop);
  }
  const tags = rest + bases;
  rest = stop < end ? putTags(stop + 1, end, tags) : tags;
  if (rest == 0) return 0;
  if (long != 0) {
    store<u32>(rest, LONG_TAG);
    store<u32>(rest, operations, 4);
    rest = putCigar(long, end, rest + 8);
  }
  store<u32>(target, rest - target - 4);
  store<i32>(target, contig, 4);
  store<i32>(target, position, 8);
  store<u32>(target, nameBytes + 1 | quality << 8 | binOf(position, spanned) << 16, 12);
  store<u32>(target, (isLong ? 2 : operations) | flag << 16, 16);
  store<u32>(target, bases, 20);
  store<i32>(target, mate, 24);
  store<i32>(target, matePosition, 28);
  store<i32>(target, templateLength, 32);
  return !isLong && findLong(target, tags, rest) ? moveLong(target, tags, rest) : rest;
}

/** A problem with the field at `at`, or that the line ends in it: more columns must follow. */
function bad(what: u32, at: u32, end: u32): u32 {
  const stop = fieldEnd(at, end);
  return stop >= end ? fail(FEW_FIELDS, at, at) : fail(what, at, stop);
}

/** After putCigar: where the text ends, at a tab. */
let cigarEnd: u32 = 0;

/** Writes the operations of the field at `at`, one or more; returns their end, or 0 if there is a problem. */
// @ts-ignore: decorator
@inline
function putCigar(at: u32, end: u32, target: u32): u32 {
  const begin = at;
  while (load<u8>(at) != TAB) {
    const stop = readWhole(at);
    const letter = stop == 0 ? 0 : <u32>load<u8>(stop) - 61;
    const code = stop == 0 || letter >= 28 ? 15 : <u32>load<u8>(CODES + <usize>letter);
    if (code == 15 || whole < 0 || whole >= MOST_OPERATION) return bad(BAD_CIGAR, begin, end);
    store<u32>(target, <u32>whole << 4 | code);
    target += 4;
    at = stop + 1;
  }
  cigarEnd = at;
  return at == begin ? fail(BAD_CIGAR, begin, begin) : target;
}

/** Writes `bases` letters as codes, two to a byte; returns their end. */
// @ts-ignore: decorator
@inline
function packBases(at: u32, bases: u32, target: u32): u32 {
  const upper = i8x16.splat(0x40);
  const kind = i8x16.splat(<i8>0xc0);
  const low = i8x16.splat(15);
  const second = i8x16.splat(0x10);
  // The codes of @ABC...O, and of P...Z and what follows.
  const first16 = i8x16(15, 1, 14, 2, 13, 15, 15, 4, 11, 15, 15, 12, 15, 3, 15, 15);
  const last16 = i8x16(15, 15, 5, 6, 8, 8, 7, 9, 15, 10, 15, 15, 15, 15, 15, 15);
  const end = at + bases;
  for (; end - at >= 16; at += 16, target += 8) {
    const letters = v128.load(at);
    let codes: v128;
    if (i8x16.all_true(i8x16.eq(v128.and(letters, kind), upper))) {
      const index = v128.and(letters, low);
      codes = v128.bitselect(
        i8x16.swizzle(last16, index), i8x16.swizzle(first16, index),
        i8x16.eq(v128.and(letters, second), second),
      );
      // The first of two codes goes to the upper half of their byte.
      codes = v128.and(v128.or(i16x8.shl(codes, 4), i16x8.shr_u(codes, 8)), i16x8.splat(0xff));
      v128.store(target, i8x16.narrow_i16x8_u(codes, codes));
    } else for (let i: u32 = 0; i < 16; i += 2) store<u8>(target + (i >> 1), codeOf(at + i) << 4 | codeOf(at + i + 1));
  }
  for (; end - at >= 2; at += 2) store<u8>(target++, codeOf(at) << 4 | codeOf(at + 1));
  if (at < end) store<u8>(target++, codeOf(at) << 4);
  return target;
}

// @ts-ignore: decorator
@inline
function codeOf(at: u32): u8 { return load<u8>(BASES + <usize>load<u8>(at)); }

/** Writes qualities less 33; false if a character is below `!` or 33 + 128 and above. */
// @ts-ignore: decorator
@inline
function copyQualities(at: u32, bases: u32, target: u32): bool {
  const zero = i8x16.splat(33);
  let high = i8x16.splat(0);
  let i: u32 = 0;
  for (; i + 16 <= bases; i += 16) {
    const qualities = i8x16.sub(v128.load(at + i), zero);
    high = v128.or(high, qualities);
    v128.store(target + i, qualities);
  }
  let last: u8 = 0;
  for (; i < bases; i++) {
    const quality = load<u8>(at + i) - 33;
    last |= quality;
    store<u8>(target + i, quality);
  }
  return i8x16.bitmask(high) == 0 && last < 128;
}

/**
 * Gives the record [at, end) the CIGAR of its tag CG, which findLong found; returns the new end. If it is still too
 * long for its field, the tag becomes the last one. The new record is made after the old one.
 */
function moveLong(at: u32, tags: u32, end: u32): u32 {
  const copy = end + 16;
  const count = <u32>load<u16>(at, 16);
  const cigar = HEAD_BYTES + <u32>load<u8>(at, 12);
  const bases = load<u32>(at, 20);
  const operations = longAt + 8;
  const isLong = longCount > MOST_OPERATIONS;
  const span = contigBases(operations, longCount);
  memory.copy(copy, at, cigar);
  let target = copy + cigar;
  if (isLong) {
    if (span >= <u64>MOST_OPERATION) return fail(LONG_CIGAR, at, at);
    store<u32>(target, bases << 4 | SOFT_CLIP);
    store<u32>(target, <u32>span << 4 | SKIP, 4);
    target += 8;
  } else target = appended(operations, longEnd, target);
  target = appended(at + cigar + 4 * count, longAt, target);
  target = appended(longEnd, end, target);
  if (isLong) {
    store<u32>(target, LONG_TAG);
    store<u32>(target, longCount, 4);
    target = appended(operations, longEnd, target + 8);
  }
  const flag = <u32>load<u16>(at, 18);
  store<u32>(copy, target - copy - 4);
  store<u16>(copy, <u16>(isLong ? 2 : longCount), 16);
  store<u16>(copy, <u16>binOf(load<i32>(at, 8), (flag & UNMAPPED) != 0 ? 1 : max(1, span)), 14);
  memory.copy(at, copy, target - copy);
  return at + (target - copy);
}

function appended(from: u32, end: u32, target: u32): u32 {
  memory.copy(target, from, end - from);
  return target + (end - from);
}
