/**
 * `contig`: the place of a name in a list of contigs; `*`, for no contig, sorts last. `mapped-contig`: the same for a
 * field of SAM, and a read whose position, the next field, is 0 has no contig, as in htslib. `mate-contig`: the same for
 * the last field of a part, which may be `=` for the part's first; `*` sorts first, as in Picard.
 *
 * The row is the number in as many digits as the list needs, 1 to 4. Names are found in a table with open addressing.
 */
import { BASE, put } from './digits';
import { NOT_LISTED, report } from './problem';

const NEWLINE: u8 = 10;
const TAB: u8 = 9;
const STAR: u8 = 42;
const EQUALS: u8 = 61;
const ZERO: u8 = 48;
const MULTIPLIER: u64 = 0x9e3779b97f4a7c15;

/** A table: the number of names, the digits of a row, slots less 1; the address of each name; the slots. */
const COUNT: usize = 0;
const DIGITS: usize = 4;
const MASK: usize = 8;
const NAMES: usize = 12;

/** The bytes of a table of `count` names. */
export function contigTableBytes(count: u32): u32 { return <u32>NAMES + 4 * (count + 1) + 4 * slotsFor(count); }

/** A power of two, at least twice the count. */
function slotsFor(count: u32): u32 { return 4 << (31 - clz(count | 1)); }

/**
 * Makes a table at `table` of the names in [at, end), each followed by a newline. Among equal names, the first counts.
 */
export function makeContigTable(table: usize, count: u32, at: u32, end: u32): void {
  const mask = slotsFor(count) - 1;
  store<u32>(table, count, COUNT);
  store<u32>(table, count < BASE ? 1 : count < BASE * BASE ? 2 : count < BASE * BASE * BASE ? 3 : 4, DIGITS);
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

/** Writes the row of the name [at, end). */
export function putContig(table: usize, at: u32, end: u32): void {
  let rank = rankOf(table, at, end);
  if (rank == load<u32>(table, COUNT) && !isStar(at, end)) report(NOT_LISTED, at, end);
  putRank(table, rank);
}

/** Writes the row of the name [at, end), which a tab and the position may follow. */
export function putMappedContig(table: usize, at: u32, end: u32): void {
  const rank = rankOf(table, at, end);
  const count = load<u32>(table, COUNT);
  if (rank == count && !isStar(at, end)) report(NOT_LISTED, at, end);
  let zeros = end;
  if (load<u8>(end) == TAB) do zeros++; while (load<u8>(zeros) == ZERO);
  putRank(table, zeros > end + 1 && load<u8>(zeros) == TAB ? count : rank);
}

/** Writes the row of the mate's name, the last field of [at, end). */
export function putMateContig(table: usize, at: u32, end: u32): void {
  let mate = end;
  while (mate > at && load<u8>(mate - 1) != TAB) mate--;
  if (end - mate == 1 && load<u8>(mate) == EQUALS && mate > at) {
    mate = at;
    for (end = at; load<u8>(end) != TAB; ) end++;
  }
  const rank = rankOf(table, mate, end);
  const isListed = rank < load<u32>(table, COUNT);
  if (!isListed && !isStar(mate, end)) report(NOT_LISTED, mate, end);
  putRank(table, isListed ? rank + 1 : 0);
}

/** Writes the row of the contig number `rank`; if `rank` is the number of names, there is no contig. */
// @ts-ignore: decorator
@inline
export function putRank(table: usize, rank: u32): void {
  const digits = load<u32>(table, DIGITS);
  if (digits > 2) {
    if (digits > 3) put(rank / (BASE * BASE * BASE));
    put(rank / (BASE * BASE) % BASE);
  }
  if (digits > 1) put(rank / BASE % BASE);
  put(rank % BASE);
}

// @ts-ignore: decorator
@inline
export function isStar(at: u32, end: u32): bool { return end - at == 1 && load<u8>(at) == STAR; }

/** The number of names in the table. */
// @ts-ignore: decorator
@inline
export function contigCount(table: usize): u32 { return load<u32>(table, COUNT); }

/** The number of the name [at, end), from 0; the number of names if it is not listed. */
export function rankOf(table: usize, at: u32, end: u32): u32 {
  const mask = load<u32>(table, MASK);
  const slots = slotsOf(table);
  let slot = hashOf(at, end) & mask;
  let found = load<u32>(slots + 4 * <usize>slot);
  while (found != 0) {
    const names = table + 4 * <usize>(found - 1);
    if (isName(load<u32>(names, NAMES), load<u32>(names, NAMES + 4) - 1, at, end)) return found - 1;
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
