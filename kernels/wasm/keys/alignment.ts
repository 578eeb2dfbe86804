/**
 * The fields of an alignment, from a line of SAM or a decoded record of BAM, for orders that need several of them. One
 * record at a time; the lengths in BAM have been checked (bam.ts).
 */
import { isDigit } from './bytes';
import { contigCount, rankOf } from '../shared/contig-table';
import { isStar } from './contig';
import { numberAt } from './integer';
import { BAD_TAG, NOT_LISTED, report, TOO_LARGE } from './problem';
import { bamFieldEnd } from './tag';

const TAB: u8 = 9;
const COLON: u8 = 58;
const EQUALS: u8 = 61;
const ZERO: u8 = 48;
const STAR: u8 = 42;
const Z: u8 = 90;
const H: u8 = 72;
const ARRAY: u8 = 66;
const UINTEGER: u8 = 73;
const INTEGER: u8 = 105;

const UNMAPPED: u32 = 4;
const REVERSE: u32 = 16;
const MATE_REVERSE: u32 = 32;

/** The letters of BAM's operations, and some of them; CLIP is the number of SOFT. */
const LETTERS: usize = memory.data<u8>([77, 73, 68, 78, 83, 72, 80, 61, 88, 80, 80, 80, 80, 80, 80, 80]);
const SOFT: u8 = 83;
const HARD: u8 = 72;
const INSERTION: u8 = 73;
const PADDING: u8 = 80;
const CLIP: u32 = 4;
/** Numbers of a CIGAR and sums of them end here, far beyond all contigs. */
const MOST: u64 = 1 << 32;
const FAR: i64 = 1 << 36;

/** No contig. */
export const NONE: u32 = u32.MAX_VALUE;

/** Where the name and the bases are; bases are letters in SAM and halves of bytes in BAM. */
export let nameBegin: u32 = 0;
export let nameEnd: u32 = 0;
export let basesBegin: u32 = 0;
export let basesCount: u32 = 0;
export let areBasesPacked: bool = false;
export let flag: u32 = 0;
/** The numbers of contigs in the header, or NONE. Positions count from 1. */
export let contig: u32 = 0;
export let position: i64 = 0;
export let mateContig: u32 = 0;
let matePosition: i64 = 0;

/** The tags that `takeTag` takes, as their two characters, the first one lowest. */
const MC: u16 = 0x434d;
const CB: u16 = 0x4243;
const MI: u16 = 0x494d;
const RG: u16 = 0x4752;
const CG: u16 = 0x4743;

/** Where the texts of tags are; the beginning is 0 if a record lacks the tag. */
export let mateCigarBegin: u32 = 0;
let mateCigarEnd: u32 = 0;
export let cellBegin: u32 = 0;
export let cellEnd: u32 = 0;
export let moleculeBegin: u32 = 0;
export let moleculeEnd: u32 = 0;
export let groupBegin: u32 = 0;
export let groupEnd: u32 = 0;
/** A value of MC, CB or MI that is not text; 0: none. */
export let wrongBegin: u32 = 0;
export let wrongEnd: u32 = 0;

/** The CIGAR: text in SAM, operations of four bytes in BAM. */
let cigarBegin: u32 = 0;
let cigarEnd: u32 = 0;
/** The operations in the tag CG of BAM. */
let longBegin: u32 = 0;
let longEnd: u32 = 0;

const MOST_FLAG: u32 = 0xffff;

/** Reports a FLAG of more than 16 bits, [at, end) in the text. */
export function checkFlag(flag: i64, at: u32, end: u32): u32 {
  if (<u64>flag > <u64>MOST_FLAG) report(TOO_LARGE, at, end);
  return <u32>flag & MOST_FLAG;
}

/** Reads the line of SAM [at, end), without a carriage return. `table`: the contigs of the header. */
export function readSam(at: u32, end: u32, table: usize): void {
  nameBegin = at;
  nameEnd = at = fieldEnd(at, end);
  const flagBegin = at + 1;
  at = fieldEnd(flagBegin, end);
  flag = checkFlag(numberAt(min(flagBegin, end), at), min(flagBegin, end), at);
  const contigBegin = min(at + 1, end);
  const contigEnd = at = fieldEnd(contigBegin, end);
  contig = contigAt(table, contigBegin, contigEnd);
  position = numberAt(min(at + 1, end), at = fieldEnd(at + 1, end));
  at = fieldEnd(at + 1, end);
  cigarBegin = min(at + 1, end);
  cigarEnd = at = fieldEnd(cigarBegin, end);
  const mateBegin = min(at + 1, end);
  at = fieldEnd(mateBegin, end);
  mateContig = at - mateBegin == 1 && load<u8>(mateBegin) == EQUALS ? contig : contigAt(table, mateBegin, at);
  matePosition = numberAt(min(at + 1, end), at = fieldEnd(at + 1, end));
  at = fieldEnd(at + 1, end);
  basesBegin = min(at + 1, end);
  at = fieldEnd(basesBegin, end);
  basesCount = isStar(basesBegin, at) ? 0 : at - basesBegin;
  areBasesPacked = false;
  at = fieldEnd(at + 1, end);
  // A record without a contig or a CIGAR counts as unmapped, as in htslib.
  if (contig == NONE || isStar(cigarBegin, cigarEnd)) flag |= UNMAPPED;
  forgetTags();
  for (at++; at < end; ) {
    const stop = fieldEnd(at, end);
    if (stop - at >= 5 && load<u8>(at, 2) == COLON && load<u8>(at, 4) == COLON)
      takeTag(load<u16>(at), load<u8>(at, 3), at + 5, stop);
    at = stop + 1;
  }
}

/** Reads the record of BAM [at, end). `table`: the contigs of the header. */
export function readBam(at: u32, end: u32, table: usize): void {
  nameBegin = at + 36;
  nameEnd = nameBegin + <u32>load<u8>(at, 12) - 1;
  flag = <u32>load<u16>(at, 18);
  contig = checked(load<u32>(at, 4), table, at);
  position = <i64>load<i32>(at, 8) + 1;
  mateContig = checked(load<u32>(at, 24), table, at);
  matePosition = <i64>load<i32>(at, 28) + 1;
  cigarBegin = nameEnd + 1;
  cigarEnd = cigarBegin + 4 * <u32>load<u16>(at, 16);
  basesBegin = cigarEnd;
  basesCount = load<u32>(at, 20);
  areBasesPacked = true;
  forgetTags();
  for (at = basesBegin + ((basesCount + 1) >> 1) + basesCount; end - at >= 3; ) {
    const type = load<u8>(at, 2);
    const stop = bamFieldEnd(type, at + 3, end);
    if (stop == 0) break;
    takeTag(load<u16>(at), type, at + 3, type == Z || type == H ? stop - 1 : stop);
    at = stop;
  }
  if (at != end) report(BAD_TAG, at, min(end, at + 2));
  // Too many operations for the field are in the tag CG; the field then has a clip of all bases (section 4.2.2).
  const isReplaced = longEnd - longBegin >= cigarEnd - cigarBegin && cigarEnd > cigarBegin
    && load<u32>(cigarBegin) == (basesCount << 4 | CLIP);
  if (!isReplaced) return;
  cigarBegin = longBegin;
  cigarEnd = longEnd;
}

function fieldEnd(at: u32, end: u32): u32 {
  while (at < end && load<u8>(at) != TAB) at++;
  return min(at, end);
}

function contigAt(table: usize, at: u32, end: u32): u32 {
  const rank = rankOf(table, at, end);
  if (rank < contigCount(table)) return rank;
  if (!isStar(at, end)) report(NOT_LISTED, at, end);
  return NONE;
}

function checked(number: u32, table: usize, at: u32): u32 {
  if (number != NONE && number >= contigCount(table)) report(NOT_LISTED, at, at);
  return number;
}

function forgetTags(): void {
  mateCigarBegin = cellBegin = moleculeBegin = groupBegin = longBegin = longEnd = wrongBegin = 0;
  mateCigarEnd = cellEnd = moleculeEnd = groupEnd = 0;
}

/** Takes the value [at, end) of a tag, unless an earlier one has the name. */
function takeTag(name: u16, type: u8, at: u32, end: u32): void {
  if (name == CG) {
    const isCigar = type == ARRAY && areBasesPacked && (load<u8>(at) == UINTEGER || load<u8>(at) == INTEGER);
    if (longBegin != 0 || !isCigar) return;
    longBegin = at + 5;
    longEnd = end;
    return;
  }
  if (name == RG) {
    if (groupBegin != 0 || type != Z) return;
    groupBegin = at;
    groupEnd = end;
    return;
  }
  if (name != MC && name != CB && name != MI) return;
  if (type != Z && type != H) {
    wrongBegin = at;
    wrongEnd = end;
  }
  if (name == MC) {
    if (mateCigarBegin != 0) return;
    mateCigarBegin = at;
    mateCigarEnd = end;
  } else if (name == CB) {
    if (cellBegin != 0) return;
    cellBegin = at;
    cellEnd = end;
  } else if (moleculeBegin == 0) {
    moleculeBegin = at;
    moleculeEnd = end;
  }
}

/** The clipped bases before the alignment and after it, hard clips left out, and the bases that it spans. */
let before: i64 = 0;
let after: i64 = 0;
let spanned: i64 = 0;
/** The bases from the first aligned one on, soft clips included. */
let reached: i64 = 0;
let isBefore: bool = true;

function beginCigar(): void {
  before = after = spanned = reached = 0;
  isBefore = true;
}

/** The first base of the read in its own direction, as if clipped bases were aligned. Counts from 1. */
export function ownEnd(): i64 {
  beginCigar();
  if (areBasesPacked) for (let at = cigarBegin; at < cigarEnd; at += 4) {
    const operation = load<u32>(at);
    takeOperation(load<u8>(LETTERS + <usize>(operation & 15)), operation >> 4);
  } else takeText(cigarBegin, cigarEnd);
  return (flag & REVERSE) != 0 ? position - 1 + max<i64>(spanned, 1) + after : position - before;
}

/** The same of the mate, whose CIGAR is in the tag MC. */
export function mateEnd(): i64 {
  beginCigar();
  takeText(mateCigarBegin, mateCigarEnd);
  return (flag & MATE_REVERSE) != 0 ? matePosition - 1 + reached : matePosition - before;
}

/** Takes the operations of a CIGAR as text. Without a number, an operation has one base, as in samtools. */
function takeText(at: u32, end: u32): void {
  while (at < end && load<u8>(at) != STAR) {
    let count: u64 = isDigit(load<u8>(at)) ? 0 : 1;
    for (; at < end && isDigit(load<u8>(at)); at++) count = min<u64>(10 * count + <u64>(load<u8>(at) - ZERO), MOST);
    if (at < end) takeOperation(load<u8>(at++), count);
  }
}

function takeOperation(letter: u8, count: u64): void {
  if (letter == HARD) return;
  if (letter == SOFT) {
    if (isBefore) before = min<i64>(before + count, FAR);
    else if (spanned > 0) reached = min<i64>(reached + count, FAR);
    after = min<i64>(after + count, FAR);
    return;
  }
  isBefore = false;
  after = 0;
  if (letter == INSERTION || letter == PADDING) return;
  spanned = min<i64>(spanned + count, FAR);
  reached = min<i64>(reached + count, FAR);
}
