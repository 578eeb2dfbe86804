/** Writes a block from its sequences, stored or with fixed or dynamic codes, whichever is shortest. */
import { endBits, nextByte, openBits, putBits, setWaiting, waiting, waitingBits } from './bits';
import { setBits, setCodes } from './codes';
import { planHeader, writeHeader } from './header';
import { distanceBits, distanceCodes, distanceCounts, DISTANCES, FIXED_SYMBOLS, lengthCodes } from './layout';
import { lengthSlots, sequences, symbolBits, symbolCodes, symbolCounts, SYMBOLS } from './layout';
import { DISTANCE_SHIFT, END_SYMBOL, FIRST_LENGTH_SYMBOL, LENGTH_SHIFT, SLOT_SHIFT } from './sequences';
import { distanceBase, distanceExtra, FIRST_LENGTH, lengthBase, lengthExtra, LONGEST_MATCH } from './slots';

/** Four literals fit into 64 bits beside 7 bits that wait. */
const MOST_SYMBOL_BITS: u32 = 14;
const MOST_DISTANCE_BITS: u32 = 15;
/** Types of blocks, in bits 1 and 2. */
const FIXED: u32 = 1 << 1;
const DYNAMIC: u32 = 2 << 1;
const LENGTH_SLOTS: u32 = 29;

/** Writes the block of the text in [from, to), of at most 65,535 bytes. */
export function writeBlock(from: usize, to: usize, isLast: bool): void {
  const extra = extraBits();
  setFixedBits();
  const fixed = codedBits(extra);
  setBits(symbolCounts, SYMBOLS, MOST_SYMBOL_BITS, symbolBits);
  store<u16>(symbolBits + SYMBOLS, 0);
  setBits(distanceCounts, DISTANCES, MOST_DISTANCE_BITS, distanceBits);
  const dynamic = codedBits(extra) + planHeader();
  // The header of a stored block ends with a whole byte.
  const stored = ((waitingBits + 3 + 7) & ~7) - waitingBits - 3 + 8 * (4 + <u64>(to - from));
  if (stored <= min(fixed, dynamic)) return writeStored(from, to, isLast);
  if (fixed <= dynamic) {
    putBits(FIXED | <u32>isLast, 3);
    setFixedBits();
  } else {
    putBits(DYNAMIC | <u32>isLast, 3);
    writeHeader();
  }
  setCodes(symbolBits, FIXED_SYMBOLS, symbolCodes);
  setCodes(distanceBits, DISTANCES, distanceCodes);
  setLengthCodes();
  writeSequences(from);
}

/** The extra bits of all lengths and distances. */
function extraBits(): u64 {
  let bits: u64 = 0;
  for (let slot: u32 = 0; slot < LENGTH_SLOTS; slot++)
    bits += <u64>lengthExtra(slot) * load<u32>(symbolCounts + ((<u32>FIRST_LENGTH_SYMBOL + slot) << 2));
  for (let slot: u32 = 0; slot < DISTANCES; slot++)
    bits += <u64>distanceExtra(slot) * load<u32>(distanceCounts + (slot << 2));
  return bits;
}

/** The bits of the block without its header. */
function codedBits(extra: u64): u64 {
  return extra + bitsOf(symbolCounts, symbolBits, SYMBOLS) + bitsOf(distanceCounts, distanceBits, DISTANCES);
}

function bitsOf(counts: usize, codeBits: usize, n: u32): u64 {
  let bits: u64 = 0;
  for (let i: u32 = 0; i < n; i++) bits += <u64>load<u32>(counts + (i << 2)) * load<u8>(codeBits + i);
  return bits;
}

/** RFC 1951, section 3.2.6. */
function setFixedBits(): void {
  memory.fill(symbolBits, 8, 144);
  memory.fill(symbolBits + 144, 9, 112);
  memory.fill(symbolBits + 256, 7, 24);
  memory.fill(symbolBits + 280, 8, 8);
  memory.fill(distanceBits, 5, DISTANCES);
}

function setLengthCodes(): void {
  for (let length = FIRST_LENGTH; length <= LONGEST_MATCH; length++) {
    const slot = <u32>load<u8>(lengthSlots + length);
    const code = load<u32>(symbolCodes + ((<u32>FIRST_LENGTH_SYMBOL + slot) << 2));
    const bits = code & 255;
    const more = length - lengthBase(slot);
    store<u32>(lengthCodes + (length << 2), (((code >> 8) | (more << bits)) << 8) | (bits + lengthExtra(slot)));
  }
}

function writeStored(from: usize, to: usize, isLast: bool): void {
  putBits(<u32>isLast, 3);
  const at = endBits();
  const bytes = <u32>(to - from);
  store<u32>(at, bytes | (~bytes << 16));
  memory.copy(at + 4, from, bytes);
  openBits(at + 4 + bytes);
}

/**
 * Writes the sequences of the text at `from`, and the end of the block. `count` has the number of bits that wait in its
 * low 6 bits; whole codes are added to it, because a shift ignores the bits above.
 */
function writeSequences(from: usize): void {
  let text = from;
  let at = nextByte;
  let bits = waiting;
  let count = waitingBits;
  for (let sequence = sequences; ; sequence += 8) {
    const entry = load<u64>(sequence);
    const literalsEnd = text + <usize>(entry & ((1 << LENGTH_SHIFT) - 1));
    for (; text + 4 <= literalsEnd; text += 4) {
      const four = load<u32>(text);
      let code = codeOf(four & 255);
      bits |= (code >> 8) << count;
      count += code;
      code = codeOf((four >> 8) & 255);
      bits |= (code >> 8) << count;
      count += code;
      code = codeOf((four >> 16) & 255);
      bits |= (code >> 8) << count;
      count += code;
      code = codeOf(four >> 24);
      bits |= (code >> 8) << count;
      count = (count + code) & 63;
      store<u64>(at, bits);
      at += <usize>(count >> 3);
      bits >>= count & 56;
      count &= 7;
    }
    for (; text < literalsEnd; text++) {
      const code = codeOf(load<u8>(text));
      bits |= (code >> 8) << count;
      count += code;
    }
    count &= 63;
    store<u64>(at, bits);
    at += <usize>(count >> 3);
    bits >>= count & 56;
    count &= 7;
    const length = <usize>(entry >> LENGTH_SHIFT) & 511;
    if (length == 0) break;
    text += length;
    // At most 19 bits of the length and 28 of the distance.
    const lengthCode = <u64>load<u32>(lengthCodes + (length << 2));
    bits |= (lengthCode >> 8) << count;
    count += lengthCode & 255;
    const slot = <u32>(entry >> SLOT_SHIFT) & 31;
    const distanceCode = <u64>load<u32>(distanceCodes + (slot << 2));
    bits |= (distanceCode >> 8) << count;
    count += distanceCode & 255;
    bits |= ((entry >> DISTANCE_SHIFT) - distanceBase(slot)) << count;
    count += distanceExtra(slot);
    store<u64>(at, bits);
    at += <usize>(count >> 3);
    bits >>= count & 56;
    count &= 7;
  }
  setWaiting(at, bits, count);
  const end = codeOf(<u32>END_SYMBOL);
  putBits(<u32>end >> 8, <u32>end & 255);
}

// @ts-ignore: decorator
@inline
function codeOf(symbol: u32): u64 { return load<u32>(symbolCodes + (symbol << 2)); }
