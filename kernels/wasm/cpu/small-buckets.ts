/**
 * Distributes small records into buckets by the splitters of distribute.ts, without items. A record's bucket is found
 * once and kept as a byte until all buckets are counted. Keys between the first and the last splitter fall into cells
 * of equal width: most cells lie in one bucket, which a table knows; only in the others is the bucket searched.
 */
import { bucketOf, lastSplitter, splitterAt } from './distribute';
import { size } from './shape';
import { moveSmall, smallKey } from './small-record';

/** Cells, with one before the first splitter and some after the last. A table of them fits the first-level cache. */
const CELLS: u32 = 4096;
/** A cell that holds a splitter; no bucket has this number. */
const SEVERAL: u16 = 0xffff;

/** For each cell, the bucket of all of its keys, 2 bytes. */
let cells: usize = 0;
let least: u64 = 0;
let shift: u64 = 0;

/** Makes the table of cells for the splitters that setSplitters has set, in 8 KiB at `newCells`. */
export function openCells(newCells: usize): void {
  cells = newCells;
  least = splitterAt(0);
  const greatest = splitterAt(lastSplitter());
  for (shift = 0; (greatest - least) >> shift > CELLS - 3; shift++);
  store<u16>(cells, 0);
  for (let cell: u32 = 1; cell < CELLS; cell++) {
    const begin = least + (<u64>(cell - 1) << shift);
    const end = begin + ((<u64>1 << shift) - 1);
    const isLast = begin > greatest || begin < least;
    const bucket = bucketOf(isLast ? greatest : begin);
    store<u16>(cells + (<usize>cell << 1), isLast || bucketOf(end) == bucket ? <u16>bucket : SEVERAL);
  }
}

// @ts-ignore: decorator
@inline
function bucketOfSmall(at: usize): u32 {
  const key = smallKey(at);
  const cell = key < least ? 0 : <u32>min((key - least) >> shift, CELLS - 2) + 1;
  const bucket = load<u16>(cells + (<usize>cell << 1));
  return bucket == SEVERAL ? bucketOf(key) : bucket;
}

/**
 * Writes the bucket numbers of the records in [from, to) to `numbers`, a byte each, and adds their bytes to the sums of
 * the buckets, 4 bytes each at `sums`.
 */
export function countSmallBuckets(from: usize, to: usize, numbers: usize, sums: usize): void {
  for (let at = from; at < to; at += size, numbers++) {
    const bucket = bucketOfSmall(at);
    store<u8>(numbers, bucket);
    const sum = sums + (<usize>bucket << 2);
    store<u32>(sum, load<u32>(sum) + size);
  }
}

/** Appends the records in [from, to) to their buckets, whose ends are at `ends`. */
export function fillSmallBuckets(from: usize, to: usize, numbers: usize, ends: usize): void {
  for (let at = from; at < to; at += size, numbers++) {
    const end = ends + (<usize>load<u8>(numbers) << 2);
    const place = load<u32>(end);
    store<u32>(end, place + size);
    moveSmall(at, place);
  }
}
