/**
 * BAM records as lines: consistent overhead byte stuffing (COBS; Cheshire, Baker 1997) with newline in place of zero.
 *
 * A line is COBS(record XOR 10) XOR 10: no byte of it is a newline, all other bytes of the record stay as they are. It
 * is a sequence of blocks: a code, XOR 10, then code - 1 bytes of the record. After each block follows a newline of the
 * record, unless the code is 255 or the line ends. A line is longer than its record by one byte, and one for each 254.
 */

export const NEWLINE: u8 = 10;
/** Bytes of the record in the longest block. Its code means that no newline follows. */
export const BLOCK_BYTES: u32 = 254;

/**
 * Decodes the line [at, end), which is whole, at `target`; returns the end of the record. Takes 16 bytes a step; reads
 * and writes up to 15 bytes past its texts.
 */
export function decodeLine(at: u32, end: u32, target: usize): usize {
  const last = end - 1;
  while (at < last) {
    const bytes = <u32>(load<u8>(at++) ^ NEWLINE) - 1;
    for (let i: u32 = 0; i < bytes; i += 16) v128.store(target + i, v128.load(at + i));
    at += bytes;
    target += bytes;
    if (bytes != BLOCK_BYTES && at < last) store<u8>(target++, NEWLINE);
  }
  return target;
}
