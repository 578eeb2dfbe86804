/** Writes DEFLATE data bit by bit, valid or not: RFC 1951. */

/** A code: the bits of each symbol, and how many. */
export interface Code {
  readonly lengths: readonly number[];
  readonly bits: readonly number[];
}

/** The canonical code with these lengths. */
export function codeOf(lengths: readonly number[]): Code {
  const bits: number[] = [];
  let next = 0;
  for (let length = 1; length <= 15; length++) {
    lengths.forEach((own, symbol) => {
      if (own === length) bits[symbol] = next++;
    });
    next *= 2;
  }
  return { lengths, bits };
}

/** `length` lengths: those given by symbol, and zeros. */
export function lengthsOf(length: number, given: Readonly<Record<number, number>>): number[] {
  return Array.from({ length }, (_, symbol) => given[symbol] ?? 0);
}

export const FIXED_SYMBOLS = codeOf(
  Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)),
);
export const FIXED_DISTANCES = codeOf(Array(32).fill(5));
/** The code of lengths in headers: 4 bits up to 12, 5 bits from 13 to 18. */
const HEADER = codeOf(Array.from({ length: 19 }, (_, i) => (i < 13 ? 4 : 5)));
const HEADER_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

export class BitWriter {
  private readonly all: number[] = [];

  /** Appends the lowest `count` bits of a value, the lowest first. */
  put(value: number, count: number): this {
    for (let i = 0; i < count; i++) this.all.push((value >> i) & 1);
    return this;
  }

  /** Appends codes, whose highest bits come first. */
  symbols({ bits, lengths }: Code, ...symbols: number[]): this {
    for (const symbol of symbols) for (let i = lengths[symbol] - 1; i >= 0; i--) this.all.push((bits[symbol] >> i) & 1);
    return this;
  }

  /** The beginning of a block: 0 stored, 1 fixed codes, 2 codes of its own, 3 invalid. */
  block(kind: number, isLast = true): this {
    return this.put(Number(isLast), 1).put(kind, 2);
  }

  /** A whole stored block. */
  stored(bytes: Uint8Array, isLast = true): this {
    this.block(0, isLast).align().put(bytes.length, 16).put(~bytes.length, 16);
    for (const byte of bytes) this.put(byte, 8);
    return this;
  }

  align(): this {
    while (this.all.length % 8 > 0) this.all.push(0);
    return this;
  }

  /** The header of a block with codes of its own, up to the lengths: `symbols` and `distances` of them. */
  header(symbols: number, distances: number, lengths: readonly number[] = HEADER.lengths): this {
    this.put(symbols - 257, 5)
      .put(distances - 1, 5)
      .put(15, 4);
    for (const symbol of HEADER_ORDER) this.put(lengths[symbol], 3);
    return this;
  }

  /** Lengths of codes, or from 16 on repetitions with their extra bits: [symbol, value]. */
  lengths(...all: (number | readonly [number, number])[]): this {
    for (const one of all) {
      const [symbol, extra] = typeof one === 'number' ? [one, 0] : one;
      this.symbols(HEADER, symbol);
      if (symbol > 15) this.put(extra, [2, 3, 7][symbol - 16]);
    }
    return this;
  }

  /** Header and lengths of a block with these codes. */
  codes(symbols: Code, distances: Code): this {
    return this.header(symbols.lengths.length, distances.lengths.length).lengths(
      ...symbols.lengths,
      ...distances.lengths,
    );
  }

  /** A match with the fixed codes. */
  fixedMatch(length: number, distance: number): this {
    const [lengthSlot, lengthBits, lengthRest] = length === 258 ? [28, 0, 0] : slotOf(length - 3, 4);
    const [slot, bits, rest] = slotOf(distance - 1, 2);
    this.symbols(FIXED_SYMBOLS, 257 + lengthSlot).put(lengthRest, lengthBits);
    return this.symbols(FIXED_DISTANCES, slot).put(rest, bits);
  }

  bytes(): Buffer {
    const bytes = Buffer.alloc(Math.ceil(this.all.length / 8));
    this.all.forEach((bit, i) => {
      bytes[i >> 3] |= bit << (i & 7);
    });
    return bytes;
  }
}

/** Slot, number of extra bits, and their value; each number of extra bits, from 1 on, has `perBits` slots. */
function slotOf(value: number, perBits: number): [number, number, number] {
  if (value < 2 * perBits) return [value, 0, 0];
  const bits = 31 - Math.clz32(value / perBits);
  const upper = value >> bits;
  return [perBits * bits + upper, bits, value - (upper << bits)];
}
