/** Lines of genomics data that are no records: blank ones, and descriptions of tracks. */

const TAB: u8 = 9;
const RETURN: u8 = 13;
const BLANK: u8 = 32;
/** `track` and `browser` in little-endian, and their bytes. */
const TRACK: u64 = 0x6b63617274;
const TRACK_BYTES: u32 = 5;
const BROWSER: u64 = 0x726573776f7262;
const BROWSER_BYTES: u32 = 7;

/** Whether the line [at, end) is blank. */
// @ts-ignore: decorator
@inline
export function isBlank(at: u32, end: u32): bool {
  while (at < end && isSpace(load<u8>(at))) at++;
  return at == end;
}

/** Whether the first word of the line [at, end) is `track` or `browser`. */
// @ts-ignore: decorator
@inline
export function isTrack(at: u32, end: u32): bool {
  return isWord(at, end, TRACK, TRACK_BYTES) || isWord(at, end, BROWSER, BROWSER_BYTES);
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
