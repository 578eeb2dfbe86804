/**
 * Deflates in WebAssembly (AssemblyScript): level 1 of BGZF and gzip, as fast as a single candidate for each match
 * allows, and levels 6 to 9. All state is in globals and below the text. The output depends only on text and level.
 *
 *     prepare -> where texts begin
 *     deflate, for each text -> the end of its DEFLATE data
 *
 * Text must be readable for KERNEL_SLACK bytes (src/system/memory.ts) past its end, the target writable for as many.
 */
import { findBestMatches, openBestMatches } from './best-matches';
import { endBits, openBits } from './bits';
import { writeBlock } from './block';
import { layOut, lengthSlots } from './layout';
import { findMatches, forgetText } from './matches';
import { fillLengthPrices } from './prices';
import { fillLengthSlots } from './slots';

/** Text of a block of DEFLATE: all of a BGZF block. A stored block has at most 65,535 bytes. */
const BLOCK_TEXT: usize = 0xff00;

/** Lays out the tables from `at` on. Returns the address where texts begin, a multiple of 64 KiB. */
export function prepare(at: usize): usize {
  const end = layOut(at, BLOCK_TEXT);
  fillLengthSlots(lengthSlots);
  fillLengthPrices();
  return (end + 0xffff) & ~0xffff;
}

/**
 * Deflates the text in [from, to) to `target`, at level 1 or 6 to 9. Returns the end, at most 5 bytes a block after the
 * text's length.
 */
export function deflate(from: usize, to: usize, target: usize, level: u32): usize {
  if (level == 1) forgetText();
  else openBestMatches(from, to, level);
  openBits(target);
  do {
    const end = to - from < BLOCK_TEXT ? to : from + BLOCK_TEXT;
    if (level == 1) findMatches(from, end);
    else findBestMatches(from, end);
    writeBlock(from, end, end == to);
    from = end;
  } while (from < to);
  return endBits();
}
