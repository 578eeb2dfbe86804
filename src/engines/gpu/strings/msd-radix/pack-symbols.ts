/**
 * Packs the first symbols of records in host memory, as kernels/wgsl/strings/msd-radix/pack.wgsl does on the device.
 * Plain functions over typed arrays; knows no device and no thread.
 */

import { TO_END } from '../../records/records.js';
import { type HostOrder, JOINED, NEW, SAME } from './host-groups.js';
import { type HostRecords, orderedByte, orderedLength } from './multikey-quicksort.js';

/**
 * The code of tags whose records continue (kernels/wgsl/strings/entry.wgsl). Under reverse, codes are subtracted from
 * 15.
 */
const LONG = 9;
const NUMBER_BITS = 28;

/** Which ordered bytes occur in records (1: occurs), the range of their number, and how many all records share. */
export interface Alphabet {
  readonly found: Uint8Array;
  readonly least: number;
  readonly most: number;
  readonly shared: number;
}

/** How symbols are packed. */
export interface SymbolCodes {
  /** The symbol number of each byte. */
  readonly codes: Uint32Array;
  /** Bits of a symbol, 1 to 9, and symbols in 64 bits. */
  readonly bits: number;
  readonly symbols: number;
  /** The ordered byte at which they begin. Before it all records are equal. */
  readonly base: number;
}

/** The words of packed records. */
export interface PackedWords {
  /** Two words per record, high word first. */
  readonly keys: Uint32Array;
  /** A 4-bit code above the record's number. */
  readonly tags: Uint32Array;
}

/** Longer shared prefixes are left to the sort of the remainder, which skips what a group shares. */
const PREFIX_LIMIT = 256;

/** Reads all ordered bytes of the records [from, to), and compares their beginnings with that of record 0. */
export function findAlphabet(records: HostRecords, from: number, to: number): Alphabet {
  const found = new Uint8Array(256);
  const { text, starts, keyLength, keyOffset, delimiterBytes } = records;
  let least = Infinity;
  let most = 0;
  let shared = Math.min(PREFIX_LIMIT, orderedLength(records, 0));
  for (let i = from; i < to; i++) {
    const length = orderedLength(records, i);
    if (length < least) least = length;
    if (length > most) most = length;
    if (keyLength === TO_END) {
      const end = starts[i + 1] - delimiterBytes;
      for (let at = starts[i] + keyOffset; at < end; at++) found[text[at]] = 1;
    } else for (let at = 0; at < length; at++) found[orderedByte(records, i, at)] = 1;
    let same = 0;
    while (same < shared && orderedByte(records, i, same) === orderedByte(records, 0, same)) same++;
    shared = same;
  }
  return { found, least, most, shared };
}

/** The codes of all bytes that occur in `alphabets`. If lengths differ, the end of a record takes a code too. */
export function symbolCodes(alphabets: readonly Alphabet[]): SymbolCodes {
  const least = Math.min(...alphabets.map((one) => one.least));
  const most = Math.max(...alphabets.map((one) => one.most));
  let next = least === most ? 0 : 1;
  const codes = Uint32Array.from({ length: 256 }, (_, byte) =>
    alphabets.some(({ found }) => found[byte] === 1) ? next++ : next,
  );
  const bits = 32 - Math.clz32(Math.max(2, next) - 1);
  return { codes, bits, symbols: Math.floor(64 / bits), base: Math.min(...alphabets.map((one) => one.shared)) };
}

/** The tag code of records that continue after their packed symbols. */
export function longCode(reverse: boolean): number {
  return reverse ? 15 - LONG : LONG;
}

/** Packs the records [from, to). */
export function packRange(
  records: HostRecords,
  from: number,
  to: number,
  { codes, bits, symbols, base }: SymbolCodes,
  { keys, tags }: PackedWords,
): void {
  const { reverse } = records;
  const rest = 64 - symbols * bits;
  for (let i = from; i < to; i++) {
    let high = 0;
    let low = 0;
    for (let s = 0; s < symbols; s++) {
      const byte = orderedByte(records, i, base + s);
      high = (high << bits) | (low >>> (32 - bits));
      low = (low << bits) | (byte < 0 ? 0 : codes[byte]);
    }
    if (rest > 0) {
      high = (high << rest) | (low >>> (32 - rest));
      low <<= rest;
    }
    keys[2 * i] = reverse ? ~high : high;
    keys[2 * i + 1] = reverse ? ~low : low;
    const code = orderedLength(records, i) > base + symbols ? LONG : 0;
    tags[i] = ((reverse ? 15 - code : code) << NUMBER_BITS) | i;
  }
}

/**
 * Unpacks places [from, to) of the sorted tags: record numbers into `order`, and into `states` how each record compares
 * to the one before it.
 */
export function markRange(
  { records, order, states }: HostOrder,
  from: number,
  to: number,
  { keys, tags }: PackedWords,
  sorted: Uint32Array,
): void {
  const long = longCode(records.reverse);
  const mask = 2 ** NUMBER_BITS - 1;
  for (let i = from; i < to; i++) {
    const b = sorted[i] & mask;
    order[i] = b;
    if (i === 0) {
      states[i] = NEW;
      continue;
    }
    const a = sorted[i - 1] & mask;
    const equal =
      keys[2 * a] === keys[2 * b] &&
      keys[2 * a + 1] === keys[2 * b + 1] &&
      tags[a] >>> NUMBER_BITS === tags[b] >>> NUMBER_BITS;
    states[i] = !equal ? NEW : sorted[i] >>> NUMBER_BITS === long ? JOINED : SAME;
  }
}
