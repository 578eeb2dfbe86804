/**
 * Items stand for records of BAM while these are sorted: the key, 8 bytes; an address, 4; the record's bytes, 4. The
 * address is where the record begins or, in a sort by rows, where its entry does. An entry is where the record begins,
 * 4 bytes; bytes of the entry up to the row's end, 4; the row, a normalized key. Entries begin at multiples of 4.
 */
export const ITEM_BYTES: usize = 16;
export const ADDRESS_AT: usize = 8;
export const LENGTH_AT: usize = 12;
/** Where an entry has its bytes and its row. */
export const BYTES_AT: usize = 4;
export const ROW_AT: u32 = 8;

/** Where the entry begins that follows one whose row ends at `end`. */
// @ts-ignore: decorator
@inline
export function entryAfter(end: usize): usize { return (end + 3) & ~3; }
