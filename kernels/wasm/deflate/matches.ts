/**
 * Finds matches for level 1 as LZ4 does: a hash of 4 bytes has one candidate, the first match is taken, and steps grow
 * where there is none.
 *
 * Text begins at a multiple of 64 KiB, so the low 16 bits of a position name one byte of the last 64 KiB. A cleared
 * entry names the beginning of the text or a later 64 KiB: a candidate like any other, because its bytes are compared.
 */
import { HASH_BITS, POSITION_BYTES, positions } from './layout';
import { addSequence, endSequences, openSequences } from './sequences';
import { LONGEST_MATCH, SHORTEST_MATCH } from './slots';

/** The largest distance. */
export const WINDOW: usize = 32768;
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
  openSequences();
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
    addSequence(literals, at, length, <u32>(at - earlier));
    literals = at + length;
    // All positions would make files up to 2 % smaller and take up to 30 % longer; none, 2 to 16 % larger.
    if (literals < end) {
      remember(at + 1);
      remember(literals - 2);
      remember(literals - 1);
    }
    at = literals;
  }
  endSequences(literals, to);
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
export function matchLength(at: usize, earlier: usize, to: usize): u32 {
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
