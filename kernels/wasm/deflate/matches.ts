/**
 * Finds matches as LZ4 does: a hash of 4 bytes has one candidate, the first match is taken, and steps grow where there
 * is none. Counts the symbols that the block will need. A sequence is a run of literals and the match after it:
 *
 *     literals | length << 17 | distance slot << 26 | (distance - 1) << 31        length 0: the block ends
 *
 * Text begins at a multiple of 64 KiB, so the low 16 bits of a position name one byte of the last 64 KiB. A cleared
 * entry names the beginning of the text or a later 64 KiB: a candidate like any other, because its bytes are compared.
 */
import { COUNT_BYTES, distanceCounts, HASH_BITS, lengthSlots, oddCounts, POSITION_BYTES, positions } from './layout';
import { sequences, symbolCounts } from './layout';
import { distanceSlot, LONGEST_MATCH, SHORTEST_MATCH } from './slots';

export const END_SYMBOL: usize = 256;
export const FIRST_LENGTH_SYMBOL: usize = 257;
export const LENGTH_SHIFT: u64 = 17;
export const SLOT_SHIFT: u64 = 26;
export const DISTANCE_SHIFT: u64 = 31;

/** The largest distance. */
const WINDOW: usize = 32768;
/** After 2 ** MISS_SHIFT bytes without a match, every second position is tried, then every third. */
const MISS_SHIFT: u32 = 6;
/** No match begins in the last bytes of a block: positions there read past its end. */
const MARGIN: usize = 8;

/** Call it before each text. */
export function forgetText(): void {
  memory.fill(positions, 0, POSITION_BYTES);
}

/** Writes the sequences of the block in [from, to), and counts symbols. */
export function findMatches(from: usize, to: usize): void {
  memory.fill(symbolCounts, 0, COUNT_BYTES);
  let sequence = sequences;
  let at = from;
  let literals = from;
  const end = to - from > MARGIN ? to - MARGIN : from;
  while (at < end) {
    const word = load<u32>(at);
    const entry = entryOf(word);
    const earlier = at - ((at - <usize>load<u16>(entry)) & 0xffff);
    store<u16>(entry, <u16>at);
    // A distance of 0 wraps.
    if (at - earlier - 1 >= WINDOW || load<u32>(earlier) != word) {
      at += 1 + ((at - literals) >> MISS_SHIFT);
      continue;
    }
    const length = matchLength(at, earlier, to);
    const distance = <u32>(at - earlier) - 1;
    const slot = distanceSlot(distance);
    countLiterals(literals, at);
    count(distanceCounts, slot);
    count(symbolCounts, FIRST_LENGTH_SYMBOL + <usize>load<u8>(lengthSlots + length));
    const match = (<u64>length << LENGTH_SHIFT) | (<u64>slot << SLOT_SHIFT) | (<u64>distance << DISTANCE_SHIFT);
    store<u64>(sequence, <u64>(at - literals) | match);
    sequence += 8;
    literals = at + length;
    // All positions would make files up to 2 % smaller and take up to 30 % longer; none, 2 to 16 % larger.
    if (literals < end) {
      remember(at + 1);
      remember(literals - 2);
      remember(literals - 1);
    }
    at = literals;
  }
  countLiterals(literals, to);
  store<u64>(sequence, <u64>(to - literals));
  count(symbolCounts, END_SYMBOL);
  for (let i: usize = 0; i < 4 * 256; i += 16)
    v128.store(symbolCounts + i, i32x4.add(v128.load(symbolCounts + i), v128.load(oddCounts + i)));
}

/** Where the position of 4 bytes is kept. */
// @ts-ignore: decorator
@inline
function entryOf(word: u32): usize { return positions + (<usize>((word * 0x9e3779b1) >> (32 - HASH_BITS)) << 1); }

// @ts-ignore: decorator
@inline
function remember(at: usize): void { store<u16>(entryOf(load<u32>(at)), <u16>at); }

/** The common bytes of the texts at `at` and `earlier`, of which SHORTEST_MATCH are known, within the block. */
// @ts-ignore: decorator
@inline
function matchLength(at: usize, earlier: usize, to: usize): u32 {
  const most = to - at < <usize>LONGEST_MATCH ? <u32>(to - at) : LONGEST_MATCH;
  for (let length = <u32>SHORTEST_MATCH; length < most; length += 8) {
    const differing = load<u64>(at + length) ^ load<u64>(earlier + length);
    if (differing != 0) {
      length += <u32>ctz(differing) >> 3;
      return length < most ? length : most;
    }
  }
  return most;
}

/** Two tables, because runs of one letter would wait for one counter. */
// @ts-ignore: decorator
@inline
function countLiterals(from: usize, to: usize): void {
  let at = from;
  for (; at + 1 < to; at += 2) {
    count(symbolCounts, load<u8>(at));
    count(oddCounts, load<u8>(at + 1));
  }
  if (at < to) count(symbolCounts, load<u8>(at));
}

// @ts-ignore: decorator
@inline
function count(counts: usize, symbol: usize): void {
  const counter = counts + (symbol << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}
