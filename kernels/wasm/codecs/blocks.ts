/**
 * Decodes the blocks of DEFLATE (RFC 1951) to bytes, or to symbols of 16 bits, which can also stand for a byte before
 * the beginning whose value is not yet known. Accepts and refuses what zlib does. The fast loop is like libdeflate's
 * (decompress_template.h): 64 bits of input in a register, and no check within a step.
 */
import { copyMatch } from './copy';
import { bitsAt, headerEnd, readDynamic, useFixed } from './header';
import { Status } from './status';
import { CONSUMED, COUNT_SHIFT, DISTANCE_BITS, DISTANCES, END, LITERAL, LITERAL_BITS, LITERALS } from './tables';
import { pairLiterals, SPECIAL, SUBTABLE } from './tables';

const LITERAL_MASK: u64 = (1 << LITERAL_BITS) - 1;
const DISTANCE_MASK: u64 = (1 << DISTANCE_BITS) - 1;
const LONGEST_MATCH: u32 = 258;
/** Input that a step of the fast loop may read, and output that it may write, past a match of the longest length. */
const INPUT_MARGIN: usize = 16;
const OUTPUT_MARGIN: usize = 48;

/** The bit of the next symbol, and the end of the output, after a call. */
export let nextBit: u32 = 0;
export let outputEnd: usize = 0;
/** The bit where the block that a call has left unfinished begins, NO_BLOCK or OTHER_INPUT. */
export let blockBit: u32 = -1;
/** The bytes that are left of a stored block. */
export let storedLeft: u32 = 0;
/** The most symbols before the output that a match has reached back, since setOutput. */
export let reached: u32 = 0;

/** No block is unfinished; the one that is began in another input. */
const NO_BLOCK: u32 = -1;
const OTHER_INPUT: u32 = -2;
let isLast: bool = false;
let isStored: bool = false;
let input: usize = 0;
/** Bits of the input. Zeros follow. */
let inputBits: u32 = 0;
/** The first byte of text that a match may copy. */
let windowBegin: usize = 0;
/** Where the output began. */
let outputBegin: usize = 0;
/** Where output must end. It may be written for OUTPUT_MARGIN bytes beyond. */
let roomEnd: usize = 0;

/** Sets the input. The 16 bytes after it are zero. */
export function setInput(at: usize, bytes: u32): void {
  input = at;
  inputBits = bytes << 3;
}

/** Sets where output is written next, where it must end, and the first address of the text before it. */
export function setOutput(window: usize, at: usize, end: usize): void {
  windowBegin = window;
  outputBegin = at;
  outputEnd = at;
  roomEnd = end;
  reached = 0;
}

/** No match may copy text from before the output of this moment: a member begins. */
export function forgetText(): void {
  windowBegin = outputEnd;
}

/** Goes to bit `at`, where a block begins. */
export function seekBlock(at: u32): void {
  blockBit = NO_BLOCK;
  nextBit = at;
}

/** Reads the header of the block at bit `at`, and builds its tables. */
export function openBlock(at: u32): Status {
  blockBit = NO_BLOCK;
  nextBit = at;
  if (at + 3 > inputBits) return Status.NeedsInput;
  const head = <u32>bitsAt(input, at);
  const type = (head >> 1) & 3;
  if (type == 3) return Status.BadBlockType;
  isLast = (head & 1) != 0;
  isStored = type == 0;
  let begin = at + 3;
  if (isStored) {
    begin = (begin + 7) & ~7;
    if (begin + 32 > inputBits) return Status.NeedsInput;
    const both = <u32>bitsAt(input, begin);
    storedLeft = both & 0xffff;
    if (storedLeft != ((both >> 16) ^ 0xffff)) return Status.BadStoredLength;
    begin += 32;
  } else {
    if (type == 1) useFixed();
    else {
      const status = readDynamic(input, begin, inputBits);
      if (status != Status.Block) return status;
      begin = headerEnd;
    }
    pairLiterals();
  }
  blockBit = at;
  nextBit = begin;
  return Status.Block;
}

/** Continues a block that openBlock has opened in another input, at bit `at` of this one. */
export function resumeBlock(at: u32, stored: u32): void {
  blockBit = OTHER_INPUT;
  nextBit = at;
  storedLeft = stored;
}

/** Decodes from the next bit to the first block that begins at or after bit `stop`. */
// @ts-ignore: decorator
@inline
function decode<T>(stop: u32): Status {
  while (true) {
    if (blockBit == NO_BLOCK) {
      if (nextBit >= stop) return Status.Block;
      const status = openBlock(nextBit);
      if (status != Status.Block) return status;
    }
    const status = isStored ? copyStored<T>() : decodeCodes<T>();
    if (status != Status.Block) return status;
    blockBit = NO_BLOCK;
    if (isLast) return Status.Final;
  }
}

export function inflateBytes(stop: u32): Status {
  return decode<u8>(stop);
}

/** The same to symbols of 16 bits. */
export function inflateSymbols(stop: u32): Status {
  return decode<u16>(stop);
}

/** The rest of a stored block. */
function copyStored<T>(): Status {
  const available = (inputBits - nextBit) >> 3;
  const room = roomEnd > outputEnd ? <u32>(roomEnd - outputEnd) / sizeof<T>() : 0;
  const bytes = min(storedLeft, min(available, room));
  const from = input + (nextBit >> 3);
  if (sizeof<T>() == 1) memory.copy(outputEnd, from, bytes);
  else {
    for (let i: u32 = 0; i < bytes; i += 8)
      v128.store(outputEnd + (i << 1), i16x8.extend_low_i8x16_u(v128.load64_zero(from + i)));
  }
  outputEnd += bytes * sizeof<T>();
  nextBit += bytes << 3;
  storedLeft -= bytes;
  if (storedLeft == 0) return Status.Block;
  return bytes == room ? Status.NeedsRoom : Status.NeedsInput;
}

/** The entry of a table of literals, or of its second table, for the next bits. */
// @ts-ignore: decorator
@inline
function entryAt(table: usize, index: u64): u32 {
  return load<u32>(table + (<usize>index << 2));
}

/** The value of a length or distance: its base and the extra bits of `next`, which begins with its code. */
// @ts-ignore: decorator
@inline
function valueOf(entry: u32, next: u64): u32 {
  return (entry >> 16) + (((<u32>next) & ((1 << (entry & CONSUMED)) - 1)) >> ((entry >> 8) & 15));
}

/** The index into the second table that `entry` names. */
// @ts-ignore: decorator
@inline
function secondIndex(entry: u32, next: u64): u64 {
  return (entry >> 16) + (next & ((1 << ((entry >> 8) & 15)) - 1));
}

/** Writes the one or two literals of an entry; returns the end of the output. */
// @ts-ignore: decorator
@inline
function putLiterals<T>(to: usize, entry: u32): usize {
  if (sizeof<T>() == 1) store<u16>(to, <u16>(entry >> 16));
  else store<u32>(to, ((entry >> 16) & 0xff) | ((entry >> 24) << 16));
  return to + ((entry >> COUNT_SHIFT) & 3) * sizeof<T>();
}

/** The symbols of a block from `nextBit` on, with the tables of its header. */
function decodeCodes<T>(): Status {
  const inputFast = input + (inputBits >> 3) - INPUT_MARGIN;
  const outputFast = roomEnd - (LONGEST_MATCH + 8) * sizeof<T>();
  const window = windowBegin;
  let from = input + (nextBit >> 3) + 7;
  let to = outputEnd;
  let next = bitsAt(input, nextBit);
  let bits: u32 = 56 - (nextBit & 7);
  let before: u32 = nextBit;
  let lowest = outputBegin;
  if (<isize>from <= <isize>inputFast && <isize>to <= <isize>outputFast) {
    next |= load<u64>(from) << bits;
    from += (63 - bits) >> 3;
    bits |= 56;
    let entry = entryAt(LITERALS, next & LITERAL_MASK);
    for (;;) {
      if ((entry & LITERAL) != 0) {
        to = putLiterals<T>(to, entry);
        next >>= entry;
        bits -= entry & CONSUMED;
        entry = entryAt(LITERALS, next & LITERAL_MASK);
        if ((entry & LITERAL) != 0) {
          to = putLiterals<T>(to, entry);
          next >>= entry;
          bits -= entry & CONSUMED;
          entry = entryAt(LITERALS, next & LITERAL_MASK);
          if ((entry & LITERAL) != 0) {
            to = putLiterals<T>(to, entry);
            next >>= entry;
            bits -= entry & CONSUMED;
            before = <u32>((from - input) << 3) - bits;
            if (<isize>from > <isize>inputFast || <isize>to > <isize>outputFast) break;
            next |= load<u64>(from) << bits;
            from += (63 - bits) >> 3;
            bits |= 56;
            entry = entryAt(LITERALS, next & LITERAL_MASK);
            continue;
          }
        }
      }
      // The slow loop repeats what ends the fast one, and reports problems.
      before = <u32>((from - input) << 3) - bits;
      if ((entry & SPECIAL) != 0) {
        if ((entry & SUBTABLE) == 0) break;
        next >>= LITERAL_BITS;
        bits -= LITERAL_BITS;
        entry = entryAt(LITERALS, secondIndex(entry, next));
        if ((entry & LITERAL) != 0) {
          to = putLiterals<T>(to, entry);
          next >>= entry;
          bits -= entry & CONSUMED;
          before = <u32>((from - input) << 3) - bits;
          if (<isize>from > <isize>inputFast || <isize>to > <isize>outputFast) break;
          next |= load<u64>(from) << bits;
          from += (63 - bits) >> 3;
          bits |= 56;
          entry = entryAt(LITERALS, next & LITERAL_MASK);
          continue;
        }
        if ((entry & SPECIAL) != 0) break;
      }
      const length = valueOf(entry, next) * sizeof<T>();
      next >>= entry;
      bits -= entry & CONSUMED;
      // Only after literals and a long code are there fewer bits than a distance may have.
      entry = entryAt(DISTANCES, next & DISTANCE_MASK);
      next |= load<u64>(from) << bits;
      from += (63 - bits) >> 3;
      bits |= 56;
      if ((entry & SPECIAL) != 0) {
        if ((entry & SUBTABLE) == 0) break;
        next >>= DISTANCE_BITS;
        bits -= DISTANCE_BITS;
        entry = entryAt(DISTANCES, secondIndex(entry, next));
        if ((entry & SPECIAL) != 0) break;
      }
      const distance = valueOf(entry, next) * sizeof<T>();
      if (distance > <u32>(to - window)) break;
      if (sizeof<T>() == 2) lowest = min(lowest, to - distance);
      next >>= entry;
      bits -= entry & CONSUMED;
      const target = to;
      to += length;
      if (<isize>from > <isize>inputFast || <isize>to > <isize>outputFast) {
        before = <u32>((from - input) << 3) - bits;
        copyMatch(target, distance, length);
        break;
      }
      // The next entry is loaded while the match is copied.
      next |= load<u64>(from) << bits;
      from += (63 - bits) >> 3;
      bits |= 56;
      entry = entryAt(LITERALS, next & LITERAL_MASK);
      copyMatch(target, distance, length);
    }
  }
  nextBit = before;
  outputEnd = to;
  noteReach<T>(lowest);
  return decodeSlowly<T>();
}

/** Notes that a match has copied symbols from address `from` on. */
// @ts-ignore: decorator
@inline
function noteReach<T>(from: usize): void {
  if (sizeof<T>() == 2 && from < outputBegin) reached = max(reached, <u32>(outputBegin - from) >> 1);
}

/** The same with checks at each symbol. */
function decodeSlowly<T>(): Status {
  while (true) {
    let next = bitsAt(input, nextBit);
    let end = nextBit;
    let entry = entryAt(LITERALS, next & LITERAL_MASK);
    if ((entry & SUBTABLE) != 0) {
      next >>= LITERAL_BITS;
      end += LITERAL_BITS;
      entry = entryAt(LITERALS, secondIndex(entry, next));
    }
    if ((entry & LITERAL) != 0) {
      end += (entry >> 8) & 15;
      if (end > inputBits) return Status.NeedsInput;
      if (outputEnd + sizeof<T>() > roomEnd) return Status.NeedsRoom;
      store<T>(outputEnd, <T>((entry >> 16) & 0xff));
      outputEnd += sizeof<T>();
      nextBit = end;
      continue;
    }
    end += entry & CONSUMED;
    if (end > inputBits) return Status.NeedsInput;
    if ((entry & SPECIAL) != 0) {
      if ((entry & END) == 0) return Status.BadLiteral;
      nextBit = end;
      return Status.Block;
    }
    const length = valueOf(entry, next) * sizeof<T>();
    next >>= entry;
    entry = entryAt(DISTANCES, next & DISTANCE_MASK);
    if ((entry & SUBTABLE) != 0) {
      next >>= DISTANCE_BITS;
      end += DISTANCE_BITS;
      entry = entryAt(DISTANCES, secondIndex(entry, next));
    }
    end += entry & CONSUMED;
    if (end > inputBits) return Status.NeedsInput;
    if ((entry & SPECIAL) != 0) return Status.BadDistance;
    const distance = valueOf(entry, next) * sizeof<T>();
    if (distance > <u32>(outputEnd - windowBegin)) return Status.TooFarBack;
    if (outputEnd + length > roomEnd) return Status.NeedsRoom;
    noteReach<T>(outputEnd - distance);
    copyMatch(outputEnd, distance, length);
    outputEnd += length;
    nextBit = end;
  }
}
