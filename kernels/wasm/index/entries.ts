/**
 * Entries of an index: the records that may change it, because the contig, the bin or the order changes, or because
 * they reach a window of positions that no record before them has reached. All others are only counted. Each call
 * begins anew, so its first record has an entry.
 *
 * The trees of bins are those of the specifications of SAM (section 5) and CSI. An entry has 56 bytes:
 *   0   mapped records before it that have no entry    4  unmapped ones
 *   8   where the record before it ends, an address; 0: before this call
 *   12  where it ends
 *   16  its contig's number, or where the contig's name begins
 *   20  where the contig's name ends
 *   24  flags: 1: it is mapped, 2: the record before it in this call has the same contig
 *   32  its first position, from 0, as f64            40  the position after its last one, as f64
 *   48  the first position of the record before it, as f64
 */

const ENTRY_BYTES: usize = 56;
/** A smallest bin, and a window of the linear index, have 2 ** SHIFT positions. */
const SHIFT: u32 = 14;

let place: usize = 0;
let room: usize = 0;
let levels: u32 = 0;
let firstOfSmallest: u64 = 0;

let mapped: u32 = 0;
let unmapped: u32 = 0;
let passed: u32 = 0;
/** The first position and the bin of the record before, and the windows up to the last one that a record is in. */
let lastBegin: u64 = 0;
let lastBin: u64 = 0;
let furthest: u64 = 0;

/** Entries go to [at, end). The tree of bins has `treeLevels` levels below bin 0. */
export function openEntries(at: usize, end: usize, treeLevels: u32): void {
  place = at;
  room = end;
  levels = treeLevels;
  firstOfSmallest = ((<u64>1 << (3 * treeLevels)) - 1) / 7;
  mapped = unmapped = passed = 0;
  lastBegin = 0;
}

export function entriesEnd(): u32 { return <u32>place; }

/** The records after the last entry, where the last of them ends (0: before this call), and its first position. */
export function passedMapped(): u32 { return mapped; }
export function passedUnmapped(): u32 { return unmapped; }
export function passedEnd(): u32 { return passed; }
export function passedPosition(): f64 { return <f64>lastBegin; }

export function isFull(): bool { return place + ENTRY_BYTES > room; }

/** Notes where a header line ends. */
export function pass(end: u32): void { passed = end; }

/**
 * Takes the next record: positions [begin, end), counted from 0, and where it ends in the memory. `isSame`: its contig
 * is that of the record before it in this call. There must be room for an entry.
 */
// @ts-ignore: decorator
@inline
export function take(contig: u32, nameEnd: u32, isSame: bool, begin: u64, end: u64, isMapped: bool, to: u32): void {
  if (!isSame) furthest = 0;
  // An interval before the first position, or an empty one there, counts as that position.
  const after = max<u64>(end, 1);
  const bin = binOf(begin, after - 1);
  const far = (max(after - 1, begin) >> SHIFT) + 1;
  if (isSame && begin >= lastBegin && end >= begin && bin == lastBin && far <= furthest) {
    if (isMapped) mapped++;
    else unmapped++;
  } else {
    put(contig, nameEnd, isSame, begin, end, isMapped, to);
    furthest = max(furthest, far);
  }
  lastBegin = begin;
  lastBin = bin;
  passed = to;
}

/** Counts a record without a contig; `isSame`: the one before it in this call has none either. */
export function takeWithoutContig(isSame: bool, to: u32): void {
  if (isSame) unmapped++;
  else put(u32.MAX_VALUE, 0, false, 0, 0, false, to);
  passed = to;
}

function put(contig: u32, nameEnd: u32, isSame: bool, begin: u64, end: u64, isMapped: bool, to: u32): void {
  store<u32>(place, mapped);
  store<u32>(place, unmapped, 4);
  store<u32>(place, passed, 8);
  store<u32>(place, to, 12);
  store<u32>(place, contig, 16);
  store<u32>(place, nameEnd, 20);
  store<u32>(place, <u32>isMapped | <u32>isSame << 1, 24);
  store<f64>(place, <f64>begin, 32);
  store<f64>(place, <f64>end, 40);
  store<f64>(place, <f64>lastBegin, 48);
  place += ENTRY_BYTES;
  mapped = unmapped = 0;
}

/** The smallest bin that holds the positions from `begin` to `last`. */
// @ts-ignore: decorator
@inline
function binOf(begin: u64, last: u64): u64 {
  let first = firstOfSmallest;
  let a = begin >> SHIFT;
  let b = last >> SHIFT;
  for (let level = levels; level > 0; level--) {
    if (a == b) return first + a;
    a >>= 3;
    b >>= 3;
    first = (first - 1) >> 3;
  }
  return 0;
}
