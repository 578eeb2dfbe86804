/** Where the kernel keeps its tables. Knows only their sizes. */
import { FIRST_LENGTH } from './slots';

/** Literals, the end of a block and 29 lengths; fixed codes have two more. */
export const SYMBOLS: u32 = 286;
export const FIXED_SYMBOLS: u32 = 288;
export const DISTANCES: u32 = 30;
/** The symbols that code the lengths of both codes. */
export const HEADER_SYMBOLS: u32 = 19;
/**
 * A table of 64 KiB stays in the second-level cache beside the text. A quarter of the entries would make files 0.4 to
 * 1.7 % larger, and is as fast within the noise.
 */
export const HASH_BITS: u32 = 15;
export const SHORT_HASH_BITS: u32 = 13;

/** u16 for each hash: the low bits of the last position with that hash. */
export let positions: usize = 0;
/** The same for hashes of 3 bytes. */
export let shortPositions: usize = 0;
/** u16 for each of the last 65,536 positions (links.ts). */
export let links: usize = 0;
/** u64 for each sequence (sequences.ts). */
export let sequences: usize = 0;
/** u32 for each symbol, then for each distance slot, then for each literal at an odd place of its run. */
export let symbolCounts: usize = 0;
export let distanceCounts: usize = 0;
export let oddCounts: usize = 0;
/** u8 for each symbol and distance slot. */
export let symbolBits: usize = 0;
export let distanceBits: usize = 0;
/** u32 for each symbol and distance slot: code << 8 | bits. */
export let symbolCodes: usize = 0;
export let distanceCodes: usize = 0;
/** The same for each length to 258, with its extra bits. */
export let lengthCodes: usize = 0;
/** u8 for each length to 258: its slot. */
export let lengthSlots: usize = 0;
/** u16 for each item of the header: symbol | extra bits << 5. */
export let headerItems: usize = 0;
/** Counts, bits and codes of the header's symbols. */
export let headerCounts: usize = 0;
export let headerBits: usize = 0;
export let headerCodes: usize = 0;
/** u8 for each symbol and distance slot that the header describes, in one row. */
export let headerRow: usize = 0;
/** u32 for each symbol, while a code is made. */
export let nodes: usize = 0;
/** u32 for each number of bits to 16. */
export let bitCounts: usize = 0;

/** u32 for each byte at an even place of the block, then for each at an odd one. */
export let byteCounts: usize = 0;
/** u32 for each byte and each length to 258, and u16 for each position of a block (prices.ts). */
export let bytePrices: usize = 0;
export let lengthPrices: usize = 0;
export let priceSums: usize = 0;

/** Bytes of the counts of symbols, distance slots and odd literals. */
export const COUNT_BYTES: usize = 4 * (288 + 32 + 256);
export const POSITION_BYTES: usize = (<usize>2) << HASH_BITS;
export const SHORT_POSITION_BYTES: usize = (<usize>2) << SHORT_HASH_BITS;

/** Lays out the tables from `at` on, a multiple of 16, for blocks of `blockText` bytes. Returns their end. */
export function layOut(at: usize, blockText: usize): usize {
  positions = at;
  shortPositions = positions + POSITION_BYTES;
  links = shortPositions + SHORT_POSITION_BYTES;
  sequences = links + 2 * 65536;
  // The last sequence has no match.
  symbolCounts = (sequences + 8 * (blockText / <usize>FIRST_LENGTH + 1) + 15) & ~15;
  distanceCounts = symbolCounts + 4 * 288;
  oddCounts = distanceCounts + 4 * 32;
  symbolBits = symbolCounts + COUNT_BYTES;
  distanceBits = symbolBits + 288;
  symbolCodes = distanceBits + 32;
  distanceCodes = symbolCodes + 4 * 288;
  lengthCodes = distanceCodes + 4 * 32;
  lengthSlots = lengthCodes + 4 * 260;
  headerItems = lengthSlots + 260;
  headerCounts = headerItems + 2 * 320;
  headerBits = headerCounts + 4 * 20;
  headerCodes = headerBits + 20;
  headerRow = headerCodes + 4 * 20;
  nodes = headerRow + 320;
  bitCounts = nodes + 4 * 288;
  byteCounts = bitCounts + 4 * 17;
  bytePrices = byteCounts + 4 * 512;
  lengthPrices = bytePrices + 4 * 256;
  priceSums = lengthPrices + 4 * 260;
  // Four sums are written at once.
  return priceSums + 2 * (blockText + 4);
}
