/**
 * An item: a record during ordering, in 16 bytes that move at once. 8 of its compared bytes as a number (the key), then
 * the addresses of its beginning and end.
 */

/** Bytes of an item, and their binary logarithm. */
export const ITEM: usize = 16;
export const ITEM_SHIFT: usize = 4;

export function keyOf(item: usize): u64 { return load<u64>(item); }

export function setKey(item: usize, key: u64): void { store<u64>(item, key); }

export function beginOf(item: usize): u32 { return load<u32>(item, 8); }

export function endOf(item: usize): u32 { return load<u32>(item, 12); }

export function setRecord(item: usize, begin: u32, end: u32): void {
  store<u32>(item, begin, 8);
  store<u32>(item, end, 12);
}

export function moveItem(from: usize, to: usize): void { v128.store(to, v128.load(from)); }

/** Drops the record of an item under `unique`: the item stays, with no bytes. No other record is empty. */
export function drop(item: usize): void { store<u32>(item, endOf(item), 8); }

export function isDropped(item: usize): bool { return beginOf(item) == endOf(item); }
