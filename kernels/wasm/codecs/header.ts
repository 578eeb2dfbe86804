/** Reads the header of a dynamic block (RFC 1951, section 3.2.7), as strictly as zlib does (inflate.c). */
import { Status } from './status';
import {
  buildTable, Code, CONSUMED, DISTANCE_BITS, DISTANCES, LENGTH_CODE_BITS, LENGTH_CODES, LITERAL_BITS, LITERALS,
} from './tables';

/** The order in which the lengths of the code of lengths are stored. */
const ORDER: usize = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);
const MOST_LITERALS: u32 = 286;
const MOST_DISTANCES: u32 = 30;
const END_OF_BLOCK: u32 = 256;
/** Room for all lengths, and for the longest repeat that is refused. */
const LENGTHS: usize = memory.data(320 + 144, 16);

/** The bit after the header that was read last. */
export let headerEnd: u32 = 0;

/** The 57 or more bits from bit `at` of the input at `input`. */
// @ts-ignore: decorator
@inline
export function bitsAt(input: usize, at: u32): u64 {
  return load<u64>(input + (at >> 3)) >> (at & 7);
}

/** Builds the tables of the block whose counts are at bit `at`. The input has `bits` bits, and zeros after them. */
export function readDynamic(input: usize, at: u32, bits: u32): Status {
  if (at + 14 > bits) return Status.NeedsInput;
  const counts = <u32>bitsAt(input, at);
  const literals = (counts & 31) + 257;
  const distances = ((counts >> 5) & 31) + 1;
  const stored = ((counts >> 10) & 15) + 4;
  if (literals > MOST_LITERALS || distances > MOST_DISTANCES) return Status.TooManySymbols;
  at += 14;
  if (at + 3 * stored > bits) return Status.NeedsInput;
  const lengthBits = bitsAt(input, at);
  memory.fill(LENGTHS, 0, 19);
  for (let i: u32 = 0; i < stored; i++)
    store<u8>(LENGTHS + load<u8>(ORDER + i), <u8>((lengthBits >> (3 * i)) & 7));
  at += 3 * stored;
  if (!buildTable(Code.Lengths, LENGTHS, 19, LENGTH_CODES, LENGTH_CODE_BITS)) return Status.BadLengthCodes;
  const all = literals + distances;
  for (let i: u32 = 0; i < all; ) {
    const next = <u32>bitsAt(input, at);
    const entry = load<u32>(LENGTH_CODES + ((next & ((1 << LENGTH_CODE_BITS) - 1)) << 2));
    const codeBits = entry & CONSUMED;
    const symbol = entry >> 16;
    if (symbol < 16) {
      at += codeBits;
      if (at > bits) return Status.NeedsInput;
      store<u8>(LENGTHS + i++, <u8>symbol);
      continue;
    }
    const extra: u32 = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    at += codeBits + extra;
    if (at > bits) return Status.NeedsInput;
    if (symbol == 16 && i == 0) return Status.BadRepeat;
    const repeats = ((next >> codeBits) & ((1 << extra) - 1)) + (symbol == 18 ? 11 : 3);
    if (i + repeats > all) return Status.BadRepeat;
    memory.fill(LENGTHS + i, symbol == 16 ? load<u8>(LENGTHS + i - 1) : 0, repeats);
    i += repeats;
  }
  if (load<u8>(LENGTHS + END_OF_BLOCK) == 0) return Status.NoEndOfBlock;
  if (!buildTable(Code.Literals, LENGTHS, literals, LITERALS, LITERAL_BITS)) return Status.BadLiterals;
  if (!buildTable(Code.Distances, LENGTHS + literals, distances, DISTANCES, DISTANCE_BITS)) return Status.BadDistances;
  headerEnd = at;
  return Status.Block;
}

/** Builds the tables of fixed blocks. */
export function useFixed(): void {
  memory.fill(LENGTHS, 8, 144);
  memory.fill(LENGTHS + 144, 9, 112);
  memory.fill(LENGTHS + 256, 7, 24);
  memory.fill(LENGTHS + 280, 8, 8);
  buildTable(Code.Literals, LENGTHS, 288, LITERALS, LITERAL_BITS);
  memory.fill(LENGTHS, 5, 32);
  buildTable(Code.Distances, LENGTHS, 32, DISTANCES, DISTANCE_BITS);
}
