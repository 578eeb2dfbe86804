/**
 * Reads the positions that a line of BED, VCF or GFF covers. Positions are counted from 0 and the end is exclusive. The
 * rules are those of tabix; a VCF record covers the longest interval that any rule gives, so no query misses it.
 */
import { NO_PROBLEM, NO_REFERENCE, NO_START, NO_VCF_POSITION, NOT_A_NUMBER } from './problem';

/** Formats, numbered as in src/output/index/tabix.ts. */
export const BED: u32 = 0;
export const VCF: u32 = 1;
export const GFF: u32 = 2;

/** The results of a reader: where the contig's name ends, which begins the line, and the positions. */
export let contigEnd: u32 = 0;
export let begin: u64 = 0;
export let after: u64 = 0;

const TAB: u8 = 9;
const COMMA: u8 = 0x2c;
const MINUS: u8 = 0x2d;
const ZERO: u8 = 0x30;
const COLON: u8 = 0x3a;
const SEMICOLON: u8 = 0x3b;
const LESS_THAN: u8 = 0x3c;
const GREATER_THAN: u8 = 0x3e;
/** Larger numbers stay as they are: no index holds such positions. */
const LARGE: i64 = 1_000_000_000_000_000_000;

/** Reads the line [at, end) of BED; returns its problem. Lines may be read up to 15 bytes past their ends. */
export function readBed(at: u32, end: u32): u32 {
  contigEnd = fieldEnd(at, end);
  const start = contigEnd + 1;
  const startEnd = fieldEnd(start, end);
  if (startEnd > end) return NO_START;
  const first = readNumber(start, end);
  const last = startEnd == end ? first + 1 : readNumber(startEnd + 1, end);
  return setPositions(first, last);
}

/** The same for GFF. */
export function readGff(at: u32, end: u32): u32 {
  contigEnd = fieldEnd(at, end);
  const start = fieldEnd(fieldEnd(contigEnd + 1, end) + 1, end) + 1;
  const startEnd = fieldEnd(start, end);
  if (startEnd > end) return NO_START;
  const first = readNumber(start, end);
  const last = startEnd == end ? first : readNumber(startEnd + 1, end);
  return first < 0 ? NOT_A_NUMBER : setPositions(max<i64>(first - 1, 0), last);
}

/** The same for VCF. */
export function readVcf(at: u32, end: u32): u32 {
  contigEnd = fieldEnd(at, end);
  const positionEnd = fieldEnd(contigEnd + 1, end);
  if (positionEnd > end) return NO_VCF_POSITION;
  const position = readNumber(contigEnd + 1, end);
  if (position < 0) return NOT_A_NUMBER;
  const idEnd = fieldEnd(positionEnd + 1, end);
  const referenceEnd = fieldEnd(idEnd + 1, end);
  if (referenceEnd > end) return NO_REFERENCE;
  const allelesEnd = fieldEnd(referenceEnd + 1, end);
  const info = fieldEnd(fieldEnd(allelesEnd + 1, end) + 1, end) + 1;
  // A telomere has position 0.
  const first = max<i64>(position - 1, 0);
  let last = first + <i64>(referenceEnd - idEnd - 1);
  if (info < end) last = max(last, lastByInfo(first, info, fieldEnd(info, end), referenceEnd + 1, allelesEnd));
  return setPositions(first, last);
}

function setPositions(first: i64, last: i64): u32 {
  if (first < 0 || last < 0) return NOT_A_NUMBER;
  begin = <u64>first;
  after = <u64>last;
  return NO_PROBLEM;
}

/**
 * The end of the field that begins at `at`: the next TAB, or `end`. A result after `end` means that no field begins at
 * `at`.
 */
// @ts-ignore: decorator
@inline
function fieldEnd(at: u32, end: u32): u32 {
  const pattern = i8x16.splat(TAB);
  for (let i = at; i < end; i += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(i), pattern));
    if (found != 0) return min(i + ctz(found), end);
  }
  return max(at, end);
}

/** The decimal number at the beginning of the field at `at`; -1: none. */
// @ts-ignore: decorator
@inline
function readNumber(at: u32, end: u32): i64 {
  let value: i64 = 0;
  let i = at;
  for (; i < end; i++) {
    const digit = <u32>load<u8>(i) - ZERO;
    if (digit > 9) break;
    if (value < LARGE / 10) value = value * 10 + digit;
    else value = LARGE;
  }
  return i == at ? -1 : value;
}

/**
 * The end by END and, for alternative alleles such as <DEL>, by SVLEN, in the INFO at [info, end); -1: by neither. The
 * record begins at position `first`, and its alternative alleles are at [alleles, allelesEnd).
 */
function lastByInfo(first: i64, info: u32, end: u32, alleles: u32, allelesEnd: u32): i64 {
  const pattern = i8x16.splat(SEMICOLON);
  let last: i64 = -1;
  for (let i = info; i < end; i++) {
    if (isEnd(i, end)) last = max(last, readNumber(i + 4, end));
    else if (isLength(i, end)) last = max(last, first + longestAllele(i + 6, end, alleles, allelesEnd));
    for (; i < end; i += 16) {
      const found = i8x16.bitmask(i8x16.eq(v128.load(i), pattern));
      if (found == 0) continue;
      i += ctz(found);
      break;
    }
  }
  return last;
}

/** Whether `END=` is at `at`. */
// @ts-ignore: decorator
@inline
function isEnd(at: u32, end: u32): bool { return end - at >= 4 && load<u32>(at) == 0x3d444e45; }

/** Whether `SVLEN=` is at `at`. */
// @ts-ignore: decorator
@inline
function isLength(at: u32, end: u32): bool {
  return end - at >= 6 && load<u32>(at) == 0x454c5653 && load<u16>(at, 4) == 0x3d4e;
}

/**
 * The largest of the lengths from `at` on, one for each alternative allele. Only alleles that span the reference count.
 */
function longestAllele(at: u32, end: u32, alleles: u32, allelesEnd: u32): i64 {
  let longest: i64 = 0;
  let length = at;
  let allele = alleles;
  while (length < end && allele < allelesEnd) {
    // A deletion may have a negative length.
    const value = readNumber(load<u8>(length) == MINUS ? length + 1 : length, end);
    if (spansReference(allele)) longest = max(longest, value);
    while (length < end && load<u8>(length) != COMMA && load<u8>(length) != SEMICOLON) length++;
    if (length == end || load<u8>(length) == SEMICOLON) break;
    while (allele < allelesEnd && load<u8>(allele) != COMMA) allele++;
    length++;
    allele++;
  }
  return longest;
}

/** Whether an allele is <DEL>, <DUP:TANDEM>, or another of <DEL, <DUP, <CNV and <INV: these span the reference. */
function spansReference(at: u32): bool {
  const last = load<u8>(at, 4);
  if (load<u8>(at) != LESS_THAN || (last != GREATER_THAN && last != COLON)) return false;
  const name = load<u32>(at) >> 8;
  return name == 0x4c4544 || name == 0x505544 || name == 0x564e43 || name == 0x564e49;
}
