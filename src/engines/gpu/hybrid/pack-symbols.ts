/**
 * Packs the first symbols of records in host memory, as kernels/wgsl/strings/radix-refine/ does on the device. Plain
 * functions over typed arrays; knows no device and no thread.
 */

import { type Alphabet, alphabetOf } from '../../../keys/alphabet.js';
import { TO_END } from '../records/records.js';
import { JOINED, type MarkedOrder, NEW, SAME } from './host-groups.js';
import { type HostRecords, orderedByte, orderedLength } from './multikey-quicksort.js';

/**
 * Which ordered bytes occur in records (1: occurs); the least and most of them in a record; how many all records share.
 */
export interface Survey {
  readonly found: Uint8Array;
  readonly least: number;
  readonly most: number;
  readonly shared: number;
}

/** Keys that contain the end of their record: the masked bits of their low word have this value. */
interface KeyEnds {
  readonly mask: number;
  readonly value: number;
}

/** How symbols are packed. */
export interface Packing extends Alphabet {
  /** The ordered byte at which they begin. Before it all records are equal. */
  readonly base: number;
  readonly ends: KeyEnds;
}

/** The words of packed records. */
export interface PackedWords {
  /** Two words per record, high word first. */
  readonly keys: Uint32Array;
  readonly numbers: Uint32Array;
}

/** Longer shared prefixes are left to the sort of the remainder, which skips what a group shares. */
const PREFIX_LIMIT = 256;

/** Reads all ordered bytes of the records [from, to), and compares their beginnings with that of record 0. */
export function surveyRange(records: HostRecords, from: number, to: number): Survey {
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

/** The packing of records that were surveyed in parts. */
export function packingOf(surveys: readonly Survey[], reverse: boolean): Packing {
  const least = Math.min(...surveys.map((one) => one.least));
  const oneLength = least === Math.max(...surveys.map((one) => one.most));
  const base = Math.min(...surveys.map((one) => one.shared));
  const found = Uint8Array.from({ length: 256 }, (_, byte) => Math.max(...surveys.map((one) => one.found[byte])));
  const alphabet = alphabetOf(found, null, { oneLength });
  const { symbolBits, keySymbols } = alphabet;
  // The last symbol is zeros if lengths differ. Otherwise all keys contain the end or none does.
  const mask = oneLength ? 0 : (2 ** symbolBits - 1) << (64 - keySymbols * symbolBits);
  const value = oneLength ? Number(least > base + keySymbols) : reverse ? mask : 0;
  return { ...alphabet, base, ends: { mask, value } };
}

/** Packs the records [from, to). */
export function packRange(
  records: HostRecords,
  from: number,
  to: number,
  { numbers: codes, symbolBits: bits, keySymbols, base }: Packing,
  { keys, numbers }: PackedWords,
): void {
  const { reverse } = records;
  const rest = 64 - keySymbols * bits;
  for (let i = from; i < to; i++) {
    let high = 0;
    let low = 0;
    for (let s = 0; s < keySymbols; s++) {
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
    numbers[i] = i;
  }
}

/**
 * Writes into `states` how each of the places [from, to) of the order compares to the one before it.
 */
export function markRange(
  { order, states }: MarkedOrder,
  from: number,
  to: number,
  { mask, value }: KeyEnds,
  { keys }: PackedWords,
): void {
  for (let i = from; i < to; i++) {
    const b = order[i];
    const a = i === 0 ? b : order[i - 1];
    const equal = i > 0 && keys[2 * a] === keys[2 * b] && keys[2 * a + 1] === keys[2 * b + 1];
    states[i] = !equal ? NEW : (keys[2 * b + 1] & mask) === value ? SAME : JOINED;
  }
}
