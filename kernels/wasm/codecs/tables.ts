/**
 * The tables that decode Huffman codes: an index of the next bits, and tables of a second level for longer codes. Which
 * codes are accepted is zlib's rule (inftrees.c); the way to fill a table is libdeflate's (build_decode_table).
 *
 * An entry has 32 bits. The lowest 6 are the bits to consume, extra bits and a second literal included, so a shift by
 * the entry consumes them. Bits 6 and 7 are the number of literals. Bits 8 to 11 are the bits of the first code alone,
 * or of the index of a second table. Bits 12 to 15 are the flags below. Bits 16 to 31 are the base of a length or
 * distance, the place of a second table, or one or two literals.
 */

/** The bits to consume. */
export const CONSUMED: u32 = 0x3f;
/** Bits before the number of literals. */
export const COUNT_SHIFT: u32 = 6;

/** The entry is a literal, or two. */
export const LITERAL: u32 = 1 << 12;
/** The entry is not a length, a distance or a literal: one of the next two flags says more. */
export const SPECIAL: u32 = 1 << 13;
/** The entry names a second table. */
export const SUBTABLE: u32 = 1 << 14;
/** The entry ends a block. A special entry without a flag is an invalid code. */
export const END: u32 = 1 << 15;

/** Bits of the index of each table. */
export const LITERAL_BITS: u32 = 11;
export const DISTANCE_BITS: u32 = 9;
export const LENGTH_CODE_BITS: u32 = 7;

/** Most entries, second tables included: 2,342 by the program `enough` of zlib, and fewer than 832. */
export const LITERALS: usize = memory.data(2560 * 4, 16);
export const DISTANCES: usize = memory.data(1024 * 4, 16);
export const LENGTH_CODES: usize = memory.data(128 * 4, 16);

/** The kinds of codes. */
export const enum Code {
  Lengths,
  Literals,
  Distances,
}

const LONGEST: u32 = 15;
/** The number of symbols of each length, and the symbols ordered by the length of their code. */
const COUNTS: usize = memory.data(16 * 4, 16);
const PLACES: usize = memory.data(16 * 4, 16);
const ORDERED: usize = memory.data(320 * 2, 16);

/** Base and extra bits of the symbols from 257 on, and of distances (RFC 1951, section 3.2.5). */
const LENGTH_BASES: usize = memory.data<u16>([
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
]);
const LENGTH_EXTRA: usize = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const DISTANCE_BASES: usize = memory.data<u16>([
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
]);

/** The entry of a symbol whose code, or the rest of it after the first table's index, has `bits` bits. */
// @ts-ignore: decorator
@inline
function entryOf(kind: Code, symbol: u32, bits: u32): u32 {
  if (kind == Code.Lengths) return (symbol << 16) | bits;
  if (kind == Code.Distances) {
    if (symbol > 29) return SPECIAL | bits;
    const extra = symbol < 4 ? 0 : (symbol >> 1) - 1;
    return (<u32>load<u16>(DISTANCE_BASES + (symbol << 1)) << 16) | (bits << 8) | (bits + extra);
  }
  if (symbol < 256) return (symbol << 16) | LITERAL | (bits << 8) | (1 << COUNT_SHIFT) | bits;
  if (symbol == 256) return SPECIAL | END | bits;
  if (symbol > 285) return SPECIAL | bits;
  const extra = <u32>load<u8>(LENGTH_EXTRA + symbol - 257);
  return (<u32>load<u16>(LENGTH_BASES + ((symbol - 257) << 1)) << 16) | (bits << 8) | (bits + extra);
}

/**
 * Fills a table for `symbols` symbols with code lengths at `lengths`. Returns whether zlib accepts them: a code must be
 * complete. A code of distances or literals may have a single symbol of one bit, and one without symbols is accepted
 * until it is used.
 */
export function buildTable(kind: Code, lengths: usize, symbols: u32, table: usize, tableBits: u32): bool {
  memory.fill(COUNTS, 0, 16 * 4);
  for (let i: u32 = 0; i < symbols; i++) {
    const count = COUNTS + (<usize>load<u8>(lengths + i) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  let used: u32 = 0;
  let left: i32 = 1;
  for (let length: u32 = 1; length <= LONGEST; length++) {
    const count = load<u32>(COUNTS + (length << 2));
    store<u32>(PLACES + (length << 2), used);
    used += count;
    left = (left << 1) - <i32>count;
    if (left < 0) return false;
  }
  const isOneBit = used == 1 && load<u32>(COUNTS, 4) == 1;
  if (left > 0 && used > 0 && (kind == Code.Lengths || !isOneBit)) return false;
  for (let i: u32 = 0; i < symbols; i++) {
    const length = <usize>load<u8>(lengths + i);
    if (length == 0) continue;
    const place = load<u32>(PLACES + (length << 2));
    store<u32>(PLACES + (length << 2), place + 1);
    store<u16>(ORDERED + (place << 1), <u16>i);
  }
  if (left > 0) {
    // zlib reads a code without symbols as the length 0, and refuses to use it for anything else.
    const invalid: u32 = kind == Code.Lengths ? 1 : SPECIAL | 1;
    const first = used == 0 ? invalid : entryOf(kind, <u32>load<u16>(ORDERED), 1);
    for (let i: u32 = 0; i < (<u32>1 << tableBits); i++) store<u32>(table + (i << 2), (i & 1) == 0 ? first : invalid);
    return true;
  }
  fill(kind, table, tableBits);
  return true;
}

/** The next code, bits reversed, of the same length: `last` is the code of only ones. */
// @ts-ignore: decorator
@inline
function nextCode(code: u32, last: u32): u32 {
  const bit = <u32>0x80000000 >> clz(code ^ last);
  return (code & (bit - 1)) | bit;
}

/** Fills a table for a complete code. */
function fill(kind: Code, table: usize, tableBits: u32): void {
  let length: u32 = 1;
  let count: u32;
  let next = ORDERED;
  while ((count = load<u32>(COUNTS + (length << 2))) == 0) length++;
  let code: u32 = 0;
  // The part of the table that is filled is copied each time codes get one bit longer.
  let end: u32 = 1 << length;
  while (length <= tableBits) {
    for (; count > 0; count--) {
      store<u32>(table + (code << 2), entryOf(kind, <u32>load<u16>(next), length));
      next += 2;
      if (code == end - 1) {
        for (; length < tableBits; length++, end <<= 1) memory.copy(table + (end << 2), table, end << 2);
        return;
      }
      code = nextCode(code, end - 1);
    }
    do {
      if (++length <= tableBits) {
        memory.copy(table + (end << 2), table, end << 2);
        end <<= 1;
      }
    } while ((count = load<u32>(COUNTS + (length << 2))) == 0);
  }
  end = 1 << tableBits;
  let prefix: u32 = -1;
  let start: u32 = 0;
  for (;;) {
    if ((code & ((1 << tableBits) - 1)) != prefix) {
      prefix = code & ((1 << tableBits) - 1);
      start = end;
      let bits = length - tableBits;
      for (let space = count; space < <u32>1 << bits; ) {
        bits++;
        space = (space << 1) + load<u32>(COUNTS + ((tableBits + bits) << 2));
      }
      end = start + (1 << bits);
      store<u32>(table + (prefix << 2), (start << 16) | SPECIAL | SUBTABLE | (bits << 8) | tableBits);
    }
    const entry = entryOf(kind, <u32>load<u16>(next), length - tableBits);
    next += 2;
    const stride: u32 = 1 << (length - tableBits);
    for (let i = start + (code >> tableBits); i < end; i += stride) store<u32>(table + (i << 2), entry);
    if (code == (<u32>1 << length) - 1) return;
    code = nextCode(code, (1 << length) - 1);
    count--;
    while (count == 0) count = load<u32>(COUNTS + (++length << 2));
  }
}

/** Lets entries of short literals also hold the next literal. */
export function pairLiterals(): void {
  // An entry's second literal is at a lower index, which still holds one.
  for (let i: i32 = (1 << LITERAL_BITS) - 1; i >= 0; i--) {
    const entry = load<u32>(LITERALS + (i << 2));
    if ((entry & LITERAL) == 0) continue;
    const bits = entry & CONSUMED;
    const second = load<u32>(LITERALS + ((<u32>i >> bits) << 2));
    const both = bits + (second & CONSUMED);
    if ((second & LITERAL) == 0 || both > LITERAL_BITS) continue;
    const literals = (entry & 0xff0000) | ((second & 0xff0000) << 8);
    store<u32>(LITERALS + (i << 2), literals | LITERAL | (bits << 8) | (2 << COUNT_SHIFT) | both);
  }
}
