/**
 * Finds where a block may begin in the middle of DEFLATE data: the header of a dynamic block that is not the last one
 * has few values that zlib accepts. A found bit is a guess, which only decoding from the beginning can confirm. Source:
 * Knespel and Brunst, "Rapidgzip" (HPDC 2023), section 3.4.
 */
import { bitsAt, readDynamic } from './header';
import { Status } from './status';

const NOT_FOUND: u32 = -1;
/** Sums of 128 >> length for four lengths of three bits; a complete code has the sum 128. */
const SUMS: usize = memory.data(4096 * 2, 16);
const COMPLETE: u32 = 128;
/** Bits of a step, which a load of 64 bits covers from any bit of a byte on, with the 13 bits looked at. */
const STEP_BITS: u32 = 44;

/** Fills the table of sums. */
export function prepareSums(): void {
  for (let lengths: u32 = 0; lengths < 4096; lengths++) {
    let sum: u32 = 0;
    for (let i: u32 = 0; i < 12; i += 3) {
      const length = (lengths >> i) & 7;
      if (length > 0) sum += COMPLETE >> length;
    }
    store<u16>(SUMS + (lengths << 1), <u16>sum);
  }
}

// @ts-ignore: decorator
@inline
function sumOf(lengths: u64): u32 {
  return <u32>load<u16>(SUMS + ((<usize>lengths & 0xfff) << 1));
}

/** Whether the code of lengths whose count is at bit `at` is complete. */
// @ts-ignore: decorator
@inline
function isComplete(input: usize, at: u32): bool {
  const stored = (<u32>bitsAt(input, at) & 15) + 4;
  const lengths = bitsAt(input, at + 4) & ((<u64>1 << (3 * stored)) - 1);
  return sumOf(lengths) + sumOf(lengths >> 12) + sumOf(lengths >> 24) + sumOf(lengths >> 36) + sumOf(lengths >> 48) ==
    COMPLETE;
}

/** The first bit of [from, to) where a block may begin, in an input of `bytes` bytes. */
export function findBlock(input: usize, bytes: u32, from: u32, to: u32): u32 {
  for (let at = from; at < to; at += STEP_BITS) {
    const w = bitsAt(input, at);
    // Not the last block, of type 2 (the lower bit comes first), with at most 286 literals and 30 distances.
    let found = ~w & ~(w >> 1) & (w >> 2) & ~((w >> 4) & (w >> 5) & (w >> 6) & (w >> 7)) &
      ~((w >> 9) & (w >> 10) & (w >> 11) & (w >> 12)) & ((<u64>1 << STEP_BITS) - 1);
    while (found != 0) {
      const bit = at + <u32>ctz(found);
      found &= found - 1;
      if (bit >= to) return NOT_FOUND;
      if (isComplete(input, bit + 13) && readDynamic(input, bit + 3, bytes << 3) == Status.Block) return bit;
    }
  }
  return NOT_FOUND;
}
