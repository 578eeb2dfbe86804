/**
 * Distributes records into buckets, the first half of sample sort: all records less than a splitter go into buckets
 * before it. Knows text, items and the shape, but not where splitters come from. The search has no branch that depends
 * on a key. Source: Frazer and McKellar, Samplesort: A Sampling Approach to Minimal Storage Tree Sorting, 1970; the
 * search: Sanders and Winkel, Super Scalar Sample Sort, ESA 2004, section 2.
 */
import { beginOf, endOf, ITEM, ITEM_SHIFT, keyOf, setKey } from './item';
import { comparedBegin, comparedEnd, flip, KEY } from './shape';
import { copyRecord, sharedBytes } from '../shared/text';
import { keyAt } from './compare';

/** Bytes of a splitter, as a shift: a key (compare.ts) of the bytes after the prefix. */
const SPLITTER_SHIFT: usize = 3;
/**
 * Bytes between two buckets, at most KERNEL_SLACK (src/system/memory.ts): copies of records write up to 16 bytes past
 * their ends.
 */
const GAP: u32 = 16;

let splitters: usize = 0;
/** Half the number of buckets, a power of two from 2 to 256. There is one splitter less than there are buckets. */
let half: u32 = 0;
/** The prefix that most keys begin with; splitters do not include it. */
let prefix: usize = 0;
let prefixBytes: u32 = 0;

/**
 * Sets the splitters, `buckets` - 1 of 8 bytes each in ascending order at `newSplitters`,
 * and the prefix before them at `newPrefix`.
 */
export function setSplitters(newSplitters: usize, buckets: u32, newPrefix: usize, newPrefixBytes: u32): void {
  splitters = newSplitters;
  half = buckets >> 1;
  prefix = newPrefix;
  prefixBytes = newPrefixBytes;
}

export function splitterAt(number: u32): u64 { return load<u64>(splitters + (<usize>number << SPLITTER_SHIFT)); }

export function lastSplitter(): u32 { return (half << 1) - 2; }

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
 * The number of splitters not greater than `key`. Branches depend on the bucket count only, so they are well predicted.
 */
// @ts-ignore: decorator
@inline
export function bucketOf(key: u64): u32 {
  let bucket: u32 = 0;
  if (half >= 128) bucket = searchOn(bucket, 128, key);
  if (half >= 64) bucket = searchOn(bucket, 64, key);
  if (half >= 32) bucket = searchOn(bucket, 32, key);
  if (half >= 16) bucket = searchOn(bucket, 16, key);
  if (half >= 8) bucket = searchOn(bucket, 8, key);
  if (half >= 4) bucket = searchOn(bucket, 4, key);
  if (half >= 2) bucket = searchOn(bucket, 2, key);
  return searchOn(bucket, 1, key);
}

/** Skips `step` buckets if the splitter before bucket `bucket` + `step` is not greater than `key`. */
// @ts-ignore: decorator
@inline
function searchOn(bucket: u32, step: u32, key: u64): u32 {
  return bucket + (step & -u32(load<u64>(splitters + (<usize>(bucket + step - 1) << SPLITTER_SHIFT)) <= key));
}
