/**
 * Finds records of GFF that come before their parents, among adjacent records with equal contigs and starts (a group).
 * `Parent` of a record names the `ID` of another. Hashes of the parents named so far in a group are compared with the
 * IDs that follow, so a group may be found that is in order; none is missed.
 */
import { lineEnd, withoutReturn } from '../../shared/lines';
import { hashOf } from '../../shared/contig-table';

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const BLANK: u8 = 32;
const COMMA: u8 = 44;
const EQUALS: u8 = 61;
const SEMICOLON: u8 = 59;
/** Columns before the attributes; the contig is the first, the start is number START, from 0. */
const COLUMNS: u32 = 8;
const START: u32 = 3;
/** `ID` and `Pare`, `nt` as numbers, the first byte lowest. */
const ID: u16 = 0x4449;
const PARE: u32 = 0x65726150;
const NT: u16 = 0x746e;

/** Hashes of the current group, each with the number of the group above it. A group with more is found anyway. */
const SLOTS: u32 = 4096;
const MOST: u32 = SLOTS / 2;
let group: u32 = 0;
let hashes: u32 = 0;
let slots: usize = 0;
let isLate: bool = false;

/** The contig and start of the group. */
let contigBegin: u32 = 0;
let contigEnd: u32 = 0;
let startBegin: u32 = 0;
let startEnd: u32 = 0;

let foundBegin: u32 = 0;

export function parentTableBytes(): u32 { return SLOTS * 8; }

/** Where the group that `findLateParent` returned begins, or the last group. */
export function groupBegin(): u32 { return foundBegin; }

/**
 * Finds the first group in the lines [at, end) in which a record may come before its parent, and returns its end; 0 if
 * there is none before the last group. The last one counts only if `isAll`. Uses parentTableBytes at `table`.
 */
export function findLateParent(at: u32, end: u32, isAll: bool, table: u32): u32 {
  slots = table;
  beginGroup(at);
  contigBegin = contigEnd = startBegin = startEnd = at;
  while (at < end) {
    const next = lineEnd(at, NEWLINE);
    const lineStop = withoutReturn(at, next - 1);
    const firstEnd = columnEnd(at, lineStop, 1);
    const fourthBegin = min(columnEnd(firstEnd + 1, lineStop, START - 1) + 1, lineStop);
    const fourthEnd = columnEnd(fourthBegin, lineStop, 1);
    const attributes = columnEnd(fourthEnd + 1, lineStop, COLUMNS - START - 1) + 1;
    if (!isSame(at, firstEnd, contigBegin, contigEnd) || !isSame(fourthBegin, fourthEnd, startBegin, startEnd)) {
      if (isLate) return at;
      beginGroup(at);
      contigBegin = at;
      contigEnd = firstEnd;
      startBegin = fourthBegin;
      startEnd = fourthEnd;
    }
    takeAttributes(attributes, lineStop);
    at = next;
  }
  return isLate && isAll ? end : 0;
}

/** Where `count` columns of [at, end) end, at a separator or at the end. Reads up to 15 bytes past the end. */
// @ts-ignore: decorator
@inline
function columnEnd(at: u32, end: u32, count: u32, separator: u8 = TAB): u32 {
  const pattern = i8x16.splat(separator);
  for (; at < end; at += 16) {
    for (let found = i8x16.bitmask(i8x16.eq(v128.load(at), pattern)); found != 0; found &= found - 1)
      if (--count == 0) return min(at + ctz(found), end);
  }
  return end;
}

function beginGroup(at: u32): void {
  foundBegin = at;
  isLate = false;
  hashes = 0;
  group++;
}

function isSame(at: u32, end: u32, other: u32, otherEnd: u32): bool {
  if (end - at != otherEnd - other) return false;
  for (; at < end; at++, other++) if (load<u8>(at) != load<u8>(other)) return false;
  return true;
}

/** Takes the ID and the parents among the attributes [at, end). */
function takeAttributes(at: u32, end: u32): void {
  let parents: u32 = 0;
  let parentsEnd: u32 = 0;
  while (at < end) {
    while (at < end && load<u8>(at) == BLANK) at++;
    const stop = columnEnd(at, end, 1, SEMICOLON);
    if (stop - at > 3 && load<u16>(at) == ID && load<u8>(at, 2) == EQUALS) {
      if (isNamed(hashOf(at + 3, stop))) isLate = true;
    } else if (stop - at > 7 && load<u32>(at) == PARE && load<u16>(at, 4) == NT && load<u8>(at, 6) == EQUALS) {
      parents = at + 7;
      parentsEnd = stop;
    }
    at = stop + 1;
  }
  // A record is not its own parent, so its parents count after its ID.
  while (parents < parentsEnd) {
    const stop = columnEnd(parents, parentsEnd, 1, COMMA);
    addParent(hashOf(parents, stop));
    parents = stop + 1;
  }
}

function isNamed(hash: u32): bool {
  const entry = <u64>group << 32 | hash;
  let slot = hash & SLOTS - 1;
  let found = load<u64>(slots + 8 * <usize>slot);
  while (<u32>(found >> 32) == group) {
    if (found == entry) return true;
    slot = slot + 1 & SLOTS - 1;
    found = load<u64>(slots + 8 * <usize>slot);
  }
  return false;
}

function addParent(hash: u32): void {
  if (hashes == MOST) {
    isLate = true;
    return;
  }
  let slot = hash & SLOTS - 1;
  let found = load<u64>(slots + 8 * <usize>slot);
  const entry = <u64>group << 32 | hash;
  while (<u32>(found >> 32) == group) {
    if (found == entry) return;
    slot = slot + 1 & SLOTS - 1;
    found = load<u64>(slots + 8 * <usize>slot);
  }
  store<u64>(slots + 8 * <usize>slot, entry);
  hashes++;
}
