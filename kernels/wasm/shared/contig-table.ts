/**
 * A list of contigs: names found by open addressing, and by their number. Used for keys, and for converting alignments.
 */
const NEWLINE: u8 = 10;
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;

/** A table: the number of names, a word for its user, slots less 1; the address of each name; the slots. */
const COUNT: usize = 0;
export const USER_WORD: usize = 4;
const MASK: usize = 8;
const NAMES: usize = 12;

/** The bytes of a table of `count` names. */
export function contigTableBytes(count: u32): u32 { return <u32>NAMES + 4 * (count + 1) + 4 * slotsFor(count); }

/** A power of two, at least twice the count. */
function slotsFor(count: u32): u32 { return 4 << (31 - clz(count | 1)); }

/**
 * Makes a table at `table` of the names in [at, end), each followed by a newline. Among equal names, the first counts.
 */
export function makeNameTable(table: usize, count: u32, at: u32, end: u32): void {
  const mask = slotsFor(count) - 1;
  store<u32>(table, count, COUNT);
  store<u32>(table, mask, MASK);
  const slots = slotsOf(table);
  memory.fill(slots, 0, 4 * (<usize>mask + 1));
  for (let rank: u32 = 0; at < end; rank++) {
    let stop = at;
    while (load<u8>(stop) != NEWLINE) stop++;
    store<u32>(table + 4 * <usize>rank, at, NAMES);
    // The next name begins here; `rankOf` needs it for the length of this one.
    store<u32>(table + 4 * <usize>rank + 4, stop + 1, NAMES);
    if (rankOf(table, at, stop) == count) {
      let slot = hashOf(at, stop) & mask;
      while (load<u32>(slots + 4 * <usize>slot) != 0) slot = slot + 1 & mask;
      store<u32>(slots + 4 * <usize>slot, rank + 1);
    }
    at = stop + 1;
  }
}

// @ts-ignore: decorator
@inline
function slotsOf(table: usize): usize { return table + NAMES + 4 * <usize>load<u32>(table, COUNT) + 4; }

/** The number of names in the table. */
// @ts-ignore: decorator
@inline
export function contigCount(table: usize): u32 { return load<u32>(table, COUNT); }

/** Where the name number `rank` begins, and where it ends. */
// @ts-ignore: decorator
@inline
export function nameBegin(table: usize, rank: u32): u32 { return load<u32>(table + 4 * <usize>rank, NAMES); }
// @ts-ignore: decorator
@inline
export function nameEnd(table: usize, rank: u32): u32 { return load<u32>(table + 4 * <usize>rank, NAMES + 4) - 1; }

/** The number of the name [at, end), from 0; the number of names if it is not listed. */
export function rankOf(table: usize, at: u32, end: u32): u32 {
  const mask = load<u32>(table, MASK);
  const slots = slotsOf(table);
  let slot = hashOf(at, end) & mask;
  let found = load<u32>(slots + 4 * <usize>slot);
  while (found != 0) {
    if (isName(nameBegin(table, found - 1), nameEnd(table, found - 1), at, end)) return found - 1;
    slot = slot + 1 & mask;
    found = load<u32>(slots + 4 * <usize>slot);
  }
  return load<u32>(table, COUNT);
}

/** Whether the name [begin, stop) is [at, end). */
// @ts-ignore: decorator
@inline
function isName(begin: u32, stop: u32, at: u32, end: u32): bool {
  if (stop - begin != end - at) return false;
  for (; end - at >= 8; at += 8, begin += 8) if (load<u64>(at) != load<u64>(begin)) return false;
  return end == at || (load<u64>(at) ^ load<u64>(begin)) << (64 - 8 * <u64>(end - at)) == 0;
}

/** A hash of [at, end); reads up to 7 bytes past it. */
// @ts-ignore: decorator
@inline
export function hashOf(at: u32, end: u32): u32 {
  let hash: u64 = end - at;
  for (; end - at >= 8; at += 8) hash = mixed(hash ^ load<u64>(at));
  if (end > at) hash = mixed(hash ^ load<u64>(at) << (64 - 8 * <u64>(end - at)));
  return <u32>hash;
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64): u64 {
  hash *= MULTIPLIER;
  return hash ^ hash >> 32;
}
