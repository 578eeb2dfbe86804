/**
 * The sequences of a block, and counts of the symbols that it will need. A sequence is a run of literals and the match
 * after it:
 *
 *     literals | length << 17 | distance slot << 26 | (distance - 1) << 31        length 0: the block ends
 */
import { COUNT_BYTES, distanceCounts, lengthSlots, oddCounts, sequences, symbolCounts } from './layout';
import { distanceSlot } from './slots';

export const END_SYMBOL: usize = 256;
export const FIRST_LENGTH_SYMBOL: usize = 257;
export const LENGTH_SHIFT: u64 = 17;
export const SLOT_SHIFT: u64 = 26;
export const DISTANCE_SHIFT: u64 = 31;

let next: usize = 0;

export function openSequences(): void {
  memory.fill(symbolCounts, 0, COUNT_BYTES);
  next = sequences;
}

/** Adds the literals in [literals, at), and the match at `at`. */
// @ts-ignore: decorator
@inline
export function addSequence(literals: usize, at: usize, length: u32, distance: u32): void {
  const slot = distanceSlot(distance - 1);
  countLiterals(literals, at);
  count(distanceCounts, slot);
  count(symbolCounts, FIRST_LENGTH_SYMBOL + <usize>load<u8>(lengthSlots + length));
  const match = (<u64>length << LENGTH_SHIFT) | (<u64>slot << SLOT_SHIFT) | (<u64>(distance - 1) << DISTANCE_SHIFT);
  store<u64>(next, <u64>(at - literals) | match);
  next += 8;
}

/** Adds the literals in [literals, to), which end the block. */
export function endSequences(literals: usize, to: usize): void {
  countLiterals(literals, to);
  store<u64>(next, <u64>(to - literals));
  count(symbolCounts, END_SYMBOL);
  for (let i: usize = 0; i < 4 * 256; i += 16)
    v128.store(symbolCounts + i, i32x4.add(v128.load(symbolCounts + i), v128.load(oddCounts + i)));
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
export function count(counts: usize, symbol: usize): void {
  const counter = counts + (symbol << 2);
  store<u32>(counter, load<u32>(counter) + 1);
}
