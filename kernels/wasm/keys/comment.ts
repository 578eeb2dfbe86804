/**
 * `comment`: blank lines, those that begin with `#`, and those whose first word is `track` or `browser` sort before all
 * others and are equal to each other, whatever their text. The row is one digit; after that of a comment, a line has no
 * further rows.
 */
import { put } from '../shared/digits';

const TAB: u8 = 9;
const RETURN: u8 = 13;
const BLANK: u8 = 32;
const HASH: u8 = 35;
/** `track` and `browser` in little-endian, and their bytes. */
const TRACK: u64 = 0x6b63617274;
const TRACK_BYTES: u32 = 5;
const BROWSER: u64 = 0x726573776f7262;
const BROWSER_BYTES: u32 = 7;

let passed: bool = false;

/** Forgets the last line. */
// @ts-ignore: decorator
@inline
export function beginLine(): void { passed = false; }

/** Whether the line has all its rows. */
// @ts-ignore: decorator
@inline
export function isComment(): bool { return passed; }

/** Writes the row of the line [at, end). */
// @ts-ignore: decorator
@inline
export function putComment(at: u32, end: u32): void {
  passed = isBlankOrComment(at, end) || isWord(at, end, TRACK, TRACK_BYTES) || isWord(at, end, BROWSER, BROWSER_BYTES);
  put(passed ? 0 : 1);
}

// @ts-ignore: decorator
@inline
function isBlankOrComment(at: u32, end: u32): bool {
  if (at < end && load<u8>(at) == HASH) return true;
  while (at < end && isSpace(load<u8>(at))) at++;
  return at == end;
}

// @ts-ignore: decorator
@inline
function isSpace(byte: u8): bool { return byte == BLANK || byte == TAB || byte == RETURN; }

/** Whether the first word of [at, end) is `word`, of `bytes` bytes. */
// @ts-ignore: decorator
@inline
function isWord(at: u32, end: u32, word: u64, bytes: u32): bool {
  if (end - at < bytes || (load<u64>(at) & (1 << <u64>(8 * bytes)) - 1) != word) return false;
  return end - at == bytes || isSpace(load<u8>(at + bytes));
}
