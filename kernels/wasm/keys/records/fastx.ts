/**
 * Finds the records of FASTQ and FASTA, in one pass over text that arrives in parts. FASTQ has four lines a record,
 * found by counting newlines: `@` and `+` may also begin qualities. FASTA records begin with `>` at a line's beginning.
 *
 *     countBytes: the newlines of a block, which show where in a record the next one begins; the records of any text
 *     frameReads, frameSequences: the newline that ends a record becomes NUL, in place
 *     joinReads: a read of each file, repeatedly -> records of all of them; splitReads: the opposite
 *
 * Reads up to 16 bytes past a text and writes up to 15 past one.
 */
import { copyRecord } from '../../shared/text';

const NUL: u8 = 0;
const NEWLINE: u8 = 10;
const RETURN: u8 = 13;
const SLASH: u8 = 47;
const AT: u8 = 64;
const PLUS: u8 = 43;
const GREATER: u8 = 62;
const SEMICOLON: u8 = 59;
/** All bytes below this one are rare in text, and newline and NUL are among them. */
const RARE: u8 = 11;
/** All bytes below this one end a name. */
const NAME_END: u8 = 33;

/** Reasons to stop a call; the same numbers as in src/records/fastx-kernels.ts. */
const NONE: u32 = 0;
const NO_AT: u32 = 1;
const NO_PLUS: u32 = 2;
const LENGTHS: u32 = 3;
const NUL_BYTE: u32 = 4;
const NAMES: u32 = 5;
/** An empty line instead of a record. */
const EMPTY_LINE: u32 = 6;

/**
 * The state of a FASTQ text between its parts, the same places as in src/records/fastx-kernels.ts: the line of the
 * record, the number of lines per record, the number of lines ended; of the open line: bytes so far and the last one;
 * bases of the read; the problem; bytes of the two names; the first name of the record; the beginning of the open
 * line, or the name that differs from the first one.
 */
const LINE: u32 = 0;
const LINES: u32 = 4;
const ENDED: u32 = 8;
const LENGTH: u32 = 16;
const BASES: u32 = 24;
const LAST: u32 = 32;
const PROBLEM: u32 = 36;
const NAME_BYTES: u32 = 40;
const OTHER_BYTES: u32 = 44;
const NAME: u32 = 48;
const OTHER: u32 = 1072;
/** The maximum number of bytes of a name that are compared. Each buffer has 24 more, for copies in steps. */
const NAME_MOST: u32 = 1000;

/** How many bytes in [at, end) have this value. */
export function countBytes(at: u32, end: u32, byte: u8): u32 {
  const all = i8x16.splat(byte);
  let counts = i64x2.splat(0);
  while (end - at >= 16) {
    // A lane counts to 255 at most.
    const stop = min(end - 15, at + 255 * 16);
    let lanes = i8x16.splat(0);
    for (; at < stop; at += 16) lanes = i8x16.sub(lanes, i8x16.eq(v128.load(at), all));
    const sums = i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(lanes));
    counts = i64x2.add(counts, i64x2.add(i64x2.extend_low_i32x4_u(sums), i64x2.extend_high_i32x4_u(sums)));
  }
  let count = <u32>(i64x2.extract_lane(counts, 0) + i64x2.extract_lane(counts, 1));
  for (; at < end; at++) count += u32(load<u8>(at) == byte);
  return count;
}

/** The name found last: [nameAt, nameEnd). */
let nameAt: u32 = 0;
let nameEnd: u32 = 0;

/**
 * Checks the reads of [at, end), which is not empty, and replaces the newline after each record with NUL. If `single`,
 * replaces nothing and stops after a record. `first`: the state whose first name all names must match; 0: names are not
 * compared. Returns where it stopped: at a problem, which the state holds, or at `end`.
 */
export function frameReads(state: u32, first: u32, at: u32, end: u32, single: bool): u32 {
  const lines = load<u32>(state, LINES);
  let line = load<u32>(state, LINE);
  let ended = load<u64>(state, ENDED);
  /** Where the open line begins, which may be before the memory. */
  let begin = <i64>at - load<i64>(state, LENGTH);
  let bases = load<i64>(state, BASES);
  let stop = end;
  let problem: u32 = NONE;
  if (begin == at) problem = lineProblem(at, line);
  if (problem != NONE) stop = at;
  for (let block = at; block < stop; block += 16) {
    let found = i8x16.bitmask(i8x16.lt_u(v128.load(block), i8x16.splat(RARE)));
    if (end - block < 16) found &= (1 << (end - block)) - 1;
    for (; found != 0; found &= found - 1) {
      const place = block + ctz(found);
      const byte = load<u8>(place);
      if (byte == NUL) problem = NUL_BYTE;
      if (byte == NEWLINE) {
        let length = <i64>place - begin;
        const last = place > at ? load<u8>(place - 1) : load<u8>(state, LAST);
        if (length > 0 && last == RETURN) length--;
        const kind = line & 3;
        if (kind == 1) bases = length;
        else if (kind == 3) {
          if (length != bases) {
            problem = LENGTHS;
            begin = <i64>at - length;
          }
        } else if (kind == 0 && first != 0) {
          findName(state, begin, at, place);
          if (line == 0 && state == first) holdName(state, NAME, NAME_BYTES);
          else if (!agrees(first)) {
            holdName(state, OTHER, OTHER_BYTES);
            problem = NAMES;
          }
        }
        if (problem == NONE) {
          ended++;
          begin = place + 1;
          if (++line == lines) {
            line = 0;
            if (single) {
              stop = place + 1;
              break;
            }
            store<u8>(place, NUL);
          }
          if (place + 1 < end) problem = lineProblem(place + 1, line);
          if (problem != NONE) stop = place + 1;
        } else stop = place;
      } else if (problem != NONE) stop = place;
      if (problem != NONE) break;
    }
  }
  if (problem == NONE && stop > at) {
    if (first != 0 && (line & 3) == 0) holdLine(state, begin, at, stop);
    store<u32>(state, load<u8>(stop - 1), LAST);
  }
  store<u32>(state, line, LINE);
  store<u64>(state, ended, ENDED);
  store<i64>(state, <i64>(problem == LENGTHS ? at : stop) - begin, LENGTH);
  store<i64>(state, bases, BASES);
  store<u32>(state, problem, PROBLEM);
  return stop;
}

/** The problem of the beginning of a line. */
// @ts-ignore: decorator
@inline
function lineProblem(at: u32, line: u32): u32 {
  const byte = load<u8>(at);
  if ((line & 3) == 2) return byte == PLUS ? NONE : NO_PLUS;
  if ((line & 3) != 0 || byte == AT) return NONE;
  return line == 0 && (byte == NEWLINE || byte == RETURN) ? EMPTY_LINE : NO_AT;
}

/** Keeps the first bytes of an open line that contains a read's name, from the part [at, end). */
function holdLine(state: u32, begin: i64, at: u32, end: u32): void {
  const from = <u32>max(begin, <i64>at);
  const held = <u32>min(<i64>from - begin, <i64>NAME_MOST);
  memory.copy(state + OTHER + held, from, min(end - from, NAME_MOST - held));
}

/** Locates the name in the first line of a read, [begin, end), of which the bytes before `at` are held. */
function findName(state: u32, begin: i64, at: u32, end: u32): void {
  let from = <u32>begin;
  if (begin < <i64>at) {
    holdLine(state, begin, at, end);
    from = state + OTHER;
    end = from + <u32>min(<i64>end - begin, <i64>NAME_MOST);
  }
  nameAt = ++from;
  end = min(end, from + NAME_MOST - 1);
  nameEnd = end;
  for (; from < end; from += 16) {
    const found = i8x16.bitmask(i8x16.lt_u(v128.load(from), i8x16.splat(NAME_END)));
    if (found == 0) continue;
    nameEnd = min(end, from + ctz(found));
    return;
  }
}

function holdName(state: u32, at: u32, bytesAt: u32): void {
  memory.copy(state + at, nameAt, nameEnd - nameAt);
  store<u32>(state + bytesAt, nameEnd - nameAt);
}

/** Whether the name found last is the one in the state, except for `/` and a digit at their ends. */
function agrees(state: u32): bool {
  const name = state + NAME;
  const bytes = bareBytes(name, load<u32>(state, NAME_BYTES));
  if (bareBytes(nameAt, nameEnd - nameAt) != bytes) return false;
  for (let i: u32 = 0; i < bytes; i += 16) {
    let same = i8x16.bitmask(i8x16.eq(v128.load(name + i), v128.load(nameAt + i)));
    if (bytes - i < 16) same |= -1 << (bytes - i);
    if ((same & 0xffff) != 0xffff) return false;
  }
  return true;
}

function bareBytes(at: u32, bytes: u32): u32 {
  if (bytes < 2 || load<u8>(at + bytes - 2) != SLASH) return bytes;
  return <u32>load<u8>(at + bytes - 1) - 48 < 10 ? bytes - 2 : bytes;
}

/** Newlines that the last `frameSequences` call passed before it stopped. */
let passed: u32 = 0;
export function passedLines(): u32 { return passed; }

/**
 * Replaces each newline before `>` in [at, end) with NUL. The last byte is not a newline, or the byte at `end` follows
 * it. Returns where it stopped: at a NUL, at `;` at the beginning of a line, or at `end`.
 */
export function frameSequences(at: u32, end: u32): u32 {
  passed = 0;
  for (; at < end; at += 16) {
    const bytes = v128.load(at);
    const newlines = i8x16.eq(bytes, i8x16.splat(NEWLINE));
    const after = v128.load(at, 1);
    const inside = end - at < 16 ? (1 << (end - at)) - 1 : 0xffff;
    const found = i8x16.bitmask(newlines) & inside;
    const comments = v128.and(newlines, i8x16.eq(after, i8x16.splat(SEMICOLON)));
    const refused = v128.or(comments, i8x16.eq(bytes, i8x16.splat(NUL)));
    if (v128.any_true(refused)) {
      const wrong = i8x16.bitmask(refused) & inside;
      if (wrong != 0) {
        // The newline before `;` is also passed.
        const comment = u32(load<u8>(at + ctz(wrong)) == NEWLINE);
        passed += popcnt(found & ((1 << (ctz(wrong) + comment)) - 1));
        return at + ctz(wrong) + comment;
      }
    }
    passed += popcnt(found);
    v128.store(at, v128.andnot(bytes, v128.and(newlines, i8x16.eq(after, i8x16.splat(GREATER)))));
  }
  return end;
}

/** Why `joinReads` stopped; the same numbers as in src/input/mates.ts. */
const NEEDS_TEXT: u32 = 0;
const FULL: u32 = 1;
const STOPPED: u32 = 2;

/** The state of `joinReads`: the file to read next, and the end of the result. */
const TURN: u32 = 0;
const TARGET: u32 = 4;
/** From `FILES`, for each file: the text still to read, [at, end), and the address of its state. */
const FILES: u32 = 8;
const FILE_BYTES: u32 = 12;
const FILE_END: u32 = 4;
const FILE_STATE: u32 = 8;

/**
 * Copies one read of each of `count` files to the result, repeatedly, up to `room`. The newline after the last
 * file's read becomes NUL. Stops if a file has no more text, at a problem of a file, or if the result is full.
 */
export function joinReads(table: u32, count: u32, room: u32): u32 {
  const first = load<u32>(table + FILES, FILE_STATE);
  let turn = load<u32>(table, TURN);
  let target = load<u32>(table, TARGET);
  let why = FULL;
  while (target < room) {
    const file = table + FILES + turn * FILE_BYTES;
    const at = load<u32>(file);
    const end = min(load<u32>(file, FILE_END), at + (room - target));
    if (at == end) {
      why = NEEDS_TEXT;
      break;
    }
    const state = load<u32>(file, FILE_STATE);
    const stop = frameReads(state, first, at, end, true);
    store<u32>(file, stop);
    if (load<u32>(state, PROBLEM) != NONE) {
      why = STOPPED;
      break;
    }
    copyRecord(at, stop, target);
    target += stop - at;
    if (load<u32>(state, LINE) != 0 || load<u64>(state, LENGTH) != 0) continue;
    if (++turn < count) continue;
    turn = 0;
    store<u8>(target - 1, NUL);
  }
  store<u32>(table, turn, TURN);
  store<u32>(table, target, TARGET);
  return why;
}

/**
 * Distributes the reads of [at, end) to the results of `count` files, one to each, and replaces NULs with newlines.
 * `targets`: the end of each result so far. `line`: the line of the record at `at`; returns that at `end`.
 */
export function splitReads(at: u32, end: u32, targets: u32, count: u32, line: u32): u32 {
  let begin = at;
  for (; at < end; at += 16) {
    let found = i8x16.bitmask(i8x16.lt_u(v128.load(at), i8x16.splat(RARE)));
    if (end - at < 16) found &= (1 << (end - at)) - 1;
    for (; found != 0; found &= found - 1) {
      const next = at + ctz(found) + 1;
      const byte = load<u8>(next - 1);
      if (byte != NEWLINE && byte != NUL) continue;
      if ((++line & 3) != 0) continue;
      const target = moveRead(begin, next, targets + (line - 4));
      store<u8>(target - 1, NEWLINE);
      begin = next;
      if (line == count << 2) line = 0;
    }
  }
  moveRead(begin, end, targets + (line & ~3));
  return line;
}

/** Copies [from, end) to the end of a result, which it moves and returns. */
// @ts-ignore: decorator
@inline
function moveRead(from: u32, end: u32, target: u32): u32 {
  const to = load<u32>(target);
  copyRecord(from, end, to);
  const next = to + (end - from);
  store<u32>(target, next);
  return next;
}
