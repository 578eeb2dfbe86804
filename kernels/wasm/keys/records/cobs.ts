/**
 * Turns BAM records into lines by COBS (../../shared/cobs.ts), and back. Both may be cut anywhere.
 */
import { BLOCK_BYTES, NEWLINE } from '../../shared/cobs';

/**
 * The fields that all BAM records have, `block_size` included, and the smallest `block_size` (SAM specification, 4.2).
 */
const FIXED_BYTES: u32 = 36;
const LEAST_SIZE: u32 = 32;
const REFERENCE: usize = 4;
const NAME_BYTES: usize = 12;
const CIGAR_OPERATIONS: usize = 16;
const SEQUENCE_BYTES: usize = 20;
const MATE_REFERENCE: usize = 24;

/** Problems of records; the same numbers as in src/records/bam.ts. */
const SIZE_PROBLEM: u32 = 1;
const NAME_PROBLEM: u32 = 2;
const FIT_PROBLEM: u32 = 3;
const REFERENCE_PROBLEM: u32 = 4;

/** The encoder's state: bytes of the record still to come, and bytes in the block that is not yet closed. */
let missing: u32 = 0;
let open: u32 = 0;
/**
 * After encodeBam: where it stopped; the records that began, and where the last did; the problem of the next; 0: none.
 */
let stop: u32 = 0;
let begun: u32 = 0;
let lastBegin: u32 = 0;
let problem: u32 = 0;

export function missingBytes(): u32 { return missing; }
export function openBytes(): u32 { return open; }
export function stoppedAt(): u32 { return stop; }
export function recordsBegun(): u32 { return begun; }
export function lastRecord(): u32 { return lastBegin; }
export function recordProblem(): u32 { return problem; }

/** Resumes an input. The `openCount` bytes of its open block must be at the next target, after room for a code. */
export function resumeEncoding(missingCount: u32, openCount: u32): void {
  missing = missingCount;
  open = openCount;
}

/**
 * Encodes the BAM records in [at, end) at `target`, each as a line; returns the end of the lines. The last record may
 * be incomplete. Then the block that is open begins at the returned address, with its code still unwritten. Stops
 * before a record whose fixed fields are incomplete, and before one with a problem: it must refer to fewer than
 * `references` references. Takes up to 16 bytes a step; reads and writes up to 15 bytes past its texts.
 */
export function encodeBam(at: u32, end: u32, target: u32, references: u32): u32 {
  begun = 0;
  problem = 0;
  while (at < end) {
    if (missing == 0) {
      if (end - at < FIXED_BYTES) break;
      problem = problemAt(at, references);
      if (problem != 0) break;
      missing = load<u32>(at) + 4;
      lastBegin = at;
      begun++;
    }
    const part = min(missing, end - at);
    target = encodeBytes(at, at + part, target);
    at += part;
    missing -= part;
    if (missing != 0) break;
    store<u8>(target, <u8>(open + 1) ^ NEWLINE);
    target += open + 1;
    store<u8>(target++, NEWLINE);
    open = 0;
  }
  stop = at;
  return target;
}

/** Checks that the lengths in the fixed fields at `at` agree with the record's. */
// @ts-ignore: decorator
@inline
function problemAt(at: u32, references: u32): u32 {
  const size = load<u32>(at);
  if (<i32>size < <i32>LEAST_SIZE) return SIZE_PROBLEM;
  const name = <u32>load<u8>(at, NAME_BYTES);
  if (name == 0) return NAME_PROBLEM;
  const bases = load<u32>(at, SEQUENCE_BYTES);
  const needed = <u64>LEAST_SIZE + name + 4 * <u64>load<u16>(at, CIGAR_OPERATIONS) + ((<u64>bases + 1) >> 1) + bases;
  if (needed > <u64>size) return FIT_PROBLEM;
  // -1, no reference, becomes 0.
  if (load<u32>(at, REFERENCE) + 1 > references || load<u32>(at, MATE_REFERENCE) + 1 > references) {
    return REFERENCE_PROBLEM;
  }
  return 0;
}

/** Encodes [at, end) after the bytes of the block that is open at `code`; returns where the last block begins. */
// @ts-ignore: decorator
@inline
function encodeBytes(at: u32, end: u32, code: u32): u32 {
  const newlines = i8x16.splat(NEWLINE);
  while (at < end) {
    const first = code + 1 + open - at;
    const last = min(at + BLOCK_BYTES - open, end);
    const begin = at;
    let ends: i32 = 0;
    for (; at < last; at += 16) {
      const bytes = v128.load(at);
      v128.store(at + first, bytes);
      ends = i8x16.bitmask(i8x16.eq(bytes, newlines));
      if (ends != 0) break;
    }
    at = min(ends != 0 ? at + ctz(ends) : at, last);
    open += at - begin;
    if (at < end && load<u8>(at) == NEWLINE && open < BLOCK_BYTES) at++;
    else if (open < BLOCK_BYTES) break;
    store<u8>(code, <u8>(open + 1) ^ NEWLINE);
    code += open + 1;
    open = 0;
  }
  return code;
}

/** The decoder's state: bytes of the block still to come, and whether a newline follows the block. */
let rest: u32 = 0;
let due: bool = false;
export function restOfBlock(): u32 { return rest; }
export function newlineDue(): bool { return due; }

/** Resumes a text that may have been cut anywhere. */
export function resumeDecoding(restBytes: u32, isDue: bool): void {
  rest = restBytes;
  due = isDue;
}

/**
 * Decodes the lines in [at, end), newlines included, at `target`; returns the end of the records. The last line may be
 * incomplete. Takes up to 16 bytes a step; reads and writes up to 15 bytes past its texts.
 */
export function decodeLines(at: u32, end: u32, target: u32): u32 {
  while (at < end) {
    if (rest == 0) {
      const code = load<u8>(at++);
      if (code == NEWLINE) {
        due = false;
        continue;
      }
      if (due) store<u8>(target++, NEWLINE);
      rest = <u32>(code ^ NEWLINE) - 1;
      due = rest != BLOCK_BYTES;
    }
    const part = min(rest, end - at);
    for (let i: u32 = 0; i < part; i += 16) v128.store(target + i, v128.load(at + i));
    at += part;
    target += part;
    rest -= part;
  }
  return target;
}
