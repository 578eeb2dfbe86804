/**
 * Distributes records into buckets, the first half of sample sort: all records less than a splitter go into buckets
 * before it. Knows text, items and the shape, but not where splitters come from. The range of the splitters is divided
 * into cells of equal width, so only the few splitters of a key's cell are searched. Source: Frazer and McKellar,
 * Samplesort: A Sampling Approach to Minimal Storage Tree Sorting, 1970; a search without branches: Sanders and Winkel,
 * Super Scalar Sample Sort, ESA 2004, section 2.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, keyOf, setKey } from './item';
import { comparedBegin, comparedEnd, flip, KEY } from './shape';
import { copyRecord, sharedBytes } from '../shared/text';
import { keyAt } from './compare';
import { recordEnd, recordFrom } from './tokenize';

/** Bytes of a splitter, as a shift: a key (compare.ts) of the bytes after the prefix. */
const SPLITTER_SHIFT: usize = 3;
/**
 * Bytes between two buckets, at most KERNEL_SLACK (src/system/memory.ts): copies of records write up to 16 bytes past
 * their ends.
 */
const GAP: u32 = 16;

/** Maximum bytes of the prefix of a sample. */
const PREFIX_MOST: u32 = 1024;
/** Cells of equal width that the range of the splitters is divided into. */
const CELLS: u32 = 1 << 14;
/** Bytes of an element of the table of cells, as a shift. */
const CELL_SHIFT: usize = 1;

let splitters: usize = 0;
let buckets: u32 = 0;
/** The prefix that most keys begin with; splitters do not include it. */
let prefix: usize = 0;
let prefixBytes: u32 = 0;

/** For each cell, how many splitters lie in the cells before it, 2 bytes. */
let cells: usize = 0;
/** The first splitter, where the first cell begins, and the width of a cell as a shift. */
let least: u64 = 0;
let shift: u64 = 0;
/** The first step of the search in a cell: twice this exceeds the number of splitters in any cell. */
let firstStep: u32 = 0;

/**
 * Sets the splitters, `newBuckets` - 1 of 8 bytes each in ascending order at `newSplitters`, with room for as many
 * again, and the prefix before them at `newPrefix`. Makes the table of cells at `newCells`, 32 KiB.
 */
export function setSplitters(
  newSplitters: usize,
  newBuckets: u32,
  newPrefix: usize,
  newPrefixBytes: u32,
  newCells: usize,
): void {
  splitters = newSplitters;
  buckets = newBuckets;
  prefix = newPrefix;
  prefixBytes = newPrefixBytes;
  cells = newCells;
  const last = buckets - 2;
  for (let i = last + 1; i < 2 * buckets; i++) store<u64>(splitters + (<usize>i << SPLITTER_SHIFT), u64.MAX_VALUE);
  least = splitterAt(0);
  for (shift = 0; (splitterAt(last) - least) >> shift >= CELLS; shift++);
  firstStep = 1;
  for (let cell: u32 = 0, before: u32 = 0; cell < CELLS; cell++) {
    store<u16>(cells + (<usize>cell << CELL_SHIFT), <u16>before);
    let next = before;
    while (next <= last && cellOf(splitterAt(next)) == cell) next++;
    while (firstStep << 1 <= next - before) firstStep <<= 1;
    before = next;
  }
}

function splitterAt(number: u32): u64 { return load<u64>(splitters + (<usize>number << SPLITTER_SHIFT)); }

// @ts-ignore: decorator
@inline
function cellOf(key: u64): u32 { return <u32>min((max(key, least) - least) >> shift, CELLS - 1); }

/**
 * Writes the keys of `count` records in [from, to), evenly spaced, to `keys`, 8 bytes each, to choose splitters from.
 * Returns the length of the prefix that they all begin with; the written keys do not include it.
 */
export function sampleKeys(from: u32, to: u32, count: u32, keys: usize): u32 {
  const step = (to - from) / count;
  const last = keys + (<usize>count << SPLITTER_SHIFT);
  const first = comparedBegin(from, KEY);
  let shared = min(comparedEnd(from, recordEnd(from), KEY) - first, PREFIX_MOST);
  for (let key = keys, at = from; key < last; key += 8, at += step) {
    const next = recordFrom(from, at);
    const begin = next < to ? next : from;
    const end = recordEnd(begin);
    store<u32>(key, begin);
    store<u32>(key, end, 4);
    const compared = comparedBegin(begin, KEY);
    shared = sharedBytes(first, compared, min(shared, comparedEnd(begin, end, KEY) - compared));
  }
  for (let key = keys; key < last; key += 8) {
    const begin = load<u32>(key);
    store<u64>(key, keyAt(comparedBegin(begin, KEY) + shared, comparedEnd(begin, load<u32>(key, 4), KEY)));
  }
  return shared;
}

/**
 * Sets the key of `count` items to their bucket number, and adds their bytes to the buckets' sums,
 * 4 bytes each at `sums`.
 */
export function countBuckets(items: usize, count: u32, sums: usize): void {
  for (const end = items + (<usize>count << ITEM_SHIFT); items < end; items += ITEM) {
    const begin = beginOf(items);
    const bucket = bucketOf(splitterKey(begin, endOf(items)));
    setKey(items, bucket);
    const sum = sums + (<usize>bucket << 2);
    store<u32>(sum, load<u32>(sum) + endOf(items) - begin);
  }
}

/**
 * Replaces the sizes of `buckets` buckets by their addresses: one after the other from `place`, with a gap between two.
 */
export function placeBuckets(sums: usize, buckets: u32, place: u32): void {
  for (const end = sums + (<usize>buckets << 2); sums < end; sums += 4) {
    const bytes = load<u32>(sums);
    store<u32>(sums, place);
    place += bytes + GAP;
  }
}

/** Appends the records of `count` items to their buckets, whose ends are at `ends`. */
export function fillBuckets(items: usize, count: u32, ends: usize): void {
  for (const last = items + (<usize>count << ITEM_SHIFT); items < last; items += ITEM) {
    const end = ends + (<usize>keyOf(items) << 2);
    const place = load<u32>(end);
    copyRecord(beginOf(items), endOf(items), place);
    store<u32>(end, place + endOf(items) - beginOf(items));
  }
}

/** A record's key after the prefix. If the record lacks the prefix, the smallest or the largest key. */
// @ts-ignore: decorator
@inline
function splitterKey(begin: u32, end: u32): u64 {
  const first = comparedBegin(begin, KEY);
  const stop = comparedEnd(begin, end, KEY);
  if (prefixBytes > 0) {
    const most = min(prefixBytes, stop - first);
    const shared = sharedBytes(first, prefix, most);
    if (shared < prefixBytes) {
      return (shared < most && load<u8>(first + shared) > load<u8>(prefix + shared) ? u64.MAX_VALUE : 0) ^ flip;
    }
  }
  return keyAt(first + prefixBytes, stop);
}

/**
 * The number of splitters not greater than `key`: those of earlier cells, and some of the key's own cell. No branch
 * depends on the key.
 */
// @ts-ignore: decorator
@inline
export function bucketOf(key: u64): u32 {
  let bucket = <u32>load<u16>(cells + (<usize>cellOf(key) << CELL_SHIFT));
  for (let step = firstStep; step > 0; step >>= 1) {
    bucket += select<u32>(step, 0, splitterAt(bucket + step - 1) <= key);
  }
  return min(bucket, buckets - 1);
}
