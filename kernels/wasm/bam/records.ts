/** Finds the records of BAM (SAM specification, section 4.2) in a text, and makes an item of each (./items.ts). */
import { ITEM_BYTES } from '../shared/item';
import { putItem } from './items';

/** Bytes of a record up to its name, its length included. */
const FIXED_BYTES: usize = 36;
/** The least length that a record may have, itself not included, and the most. */
const LEAST_LENGTH: u32 = 32;
const MOST_LENGTH: u32 = 0x7fffffff;
const NO_REFERENCE: u32 = -1;
const NO_POSITION: u32 = -1;
/** This many records in a row are no coincidence. */
const SURE_RECORDS: u32 = 8;
const REVERSE_STRAND: u32 = 16;

/** After readRecords: the number of records, whether they are in order, and whether other text follows them. */
export let count: u32 = 0;
export let isInOrder: bool = true;
export let isMalformed: bool = false;
/** Whether a record has a reference and no position. */
export let hasUnplaced: bool = false;

// @ts-ignore: decorator
@inline
function isReference(id: u32, references: u32): bool {
  return id == NO_REFERENCE || id < references;
}

/**
 * The bytes of the record at `at`, whose first FIXED_BYTES can be read; 0 if none is there. A record is known by its
 * length, its references, and its name, which has at least its final NUL.
 */
// @ts-ignore: decorator
@inline
function recordBytes(at: usize, references: u32): u32 {
  const length = load<u32>(at);
  if (length < LEAST_LENGTH || length > MOST_LENGTH || load<u8>(at, 12) == 0) return 0;
  if (!isReference(load<u32>(at, 4), references) || !isReference(load<u32>(at, 24), references)) return 0;
  return length + 4;
}

/** Whether records follow one another from `at` on, in text up to `end`. */
function beginsRecords(at: usize, end: usize, references: u32): bool {
  for (let records: u32 = 0; records < SURE_RECORDS; records++) {
    if (end - at < FIXED_BYTES) return records > 0;
    const bytes = recordBytes(at, references);
    if (bytes == 0) return false;
    if (bytes > <u32>(end - at)) return records > 0;
    at += bytes;
  }
  return true;
}

/** Where the first record of the text [from, end) probably begins; `end` if none does. */
export function findFirst(from: usize, end: usize, references: u32): usize {
  for (let at = from; at < end; at++) if (beginsRecords(at, end, references)) return at;
  return end;
}

/**
 * Writes an item at `items` for each record that the text [from, end) holds whole, from the one at `from` on. Returns
 * where the first one begins that it does not hold.
 */
export function readRecords(from: usize, end: usize, references: u32, items: usize): usize {
  let at = from;
  let before: u64 = 0;
  let to = items;
  isInOrder = true;
  isMalformed = false;
  hasUnplaced = false;
  while (end - at >= FIXED_BYTES) {
    const bytes = recordBytes(at, references);
    // Positions are from -1 on; the last one would leave no bit for the strand.
    if (bytes == 0 || !fits(at, bytes) || load<u32>(at, 8) + 1 > MOST_LENGTH) {
      isMalformed = true;
      break;
    }
    if (bytes > <u32>(end - at)) break;
    const key = keyAt(at, references);
    if (key < before) isInOrder = false;
    before = key;
    putItem(to, key, at, bytes);
    to += ITEM_BYTES;
    at += bytes;
  }
  count = <u32>((to - items) / ITEM_BYTES);
  return at;
}

/** Whether name, CIGAR, bases and qualities fit into the record at `at`. */
// @ts-ignore: decorator
@inline
function fits(at: usize, bytes: u32): bool {
  const bases = <u64>load<u32>(at, 20);
  return FIXED_BYTES + <u64>load<u8>(at, 12) + 4 * <u64>load<u16>(at, 16) + ((bases + 1) >> 1) + bases <= bytes;
}

/** Reference (none comes last), position and strand, as samtools sorts. Below 2 ** 53 with up to 2 ** 21 references. */
// @ts-ignore: decorator
@inline
function keyAt(at: usize, references: u32): u64 {
  const reference = min(load<u32>(at, 4), references);
  if (load<u32>(at, 8) == NO_POSITION && reference != references) hasUnplaced = true;
  const strand: u32 = (load<u16>(at, 18) & REVERSE_STRAND) != 0 ? 1 : 0;
  const position: u32 = load<u32>(at, 8) + 1;
  const place: u32 = (position << 1) | strand;
  return ((<u64>reference) << 32) | place;
}
