/**
 * Entries: keys of sized records apart from these. An entry is what a keyed record has before the record: the length of
 * all that follows, the key length, the key. Records in order and their entries lie in two texts.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, setRecord } from './item';
import { copyRecord } from '../shared/text';

const LENGTH: u32 = 4;
/** Records for each number pair of the index, as a shift. */
const BLOCK_SHIFT: u32 = 4;

/** Writes the entries of `count` items at `to`, and for each 16th its offset and its record's at `index`; returns the end. */
export function writeEntries(items: usize, count: u32, to: usize, index: usize): f64 {
  const begin = to;
  let bytes: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = <usize>beginOf(items + (<usize>i << ITEM_SHIFT));
    if ((i & 15) == 0) {
      store<u32>(index, <u32>(to - begin));
      store<u32>(index, bytes, 4);
      index += 8;
    }
    const key = load<u32>(entry, LENGTH);
    copyRecord(entry, entry + 2 * LENGTH + key, to);
    to += 2 * LENGTH + key;
    bytes += load<u32>(entry) - LENGTH - key;
  }
  return <f64>to;
}

/** Makes items of the entries in [from, to), whose records begin at `record`; returns their number. */
export function readEntries(from: u32, to: u32, record: u32, items: usize): u32 {
  const first = items;
  while (from < to) {
    setRecord(items, from, record);
    const key = load<u32>(from, LENGTH);
    record += load<u32>(from) - LENGTH - key;
    from += 2 * LENGTH + key;
    items += ITEM;
  }
  return <u32>((items - first) >> ITEM_SHIFT);
}

/** Writes the records of `count` items, which have the addresses of entries and records, at `to`; returns the end. */
export function gatherRecords(items: usize, count: u32, to: usize): f64 {
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    const entry = beginOf(items);
    let from = <usize>endOf(items);
    const next = to + <usize>(load<u32>(entry) - LENGTH - load<u32>(entry, LENGTH));
    for (; to < next; to += 16, from += 16) v128.store(to, v128.load(from));
    to = next;
  }
  return <f64>to;
}
