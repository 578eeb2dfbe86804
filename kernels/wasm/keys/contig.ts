/**
 * `contig`: the place of a name in a list of contigs; `*`, for no contig, sorts last. `mapped-contig`: the same for a
 * field of SAM, and a read whose position, the next field, is 0 has no contig, as in htslib. `mate-contig`: the same
 * for the last field of a part, which may be `=` for the part's first; `*` sorts first, as in Picard.
 *
 * The row is the number in as many digits as the list needs, 1 to 4. USER_WORD of the table holds that number of
 * digits.
 */
import { contigCount, makeNameTable, rankOf, USER_WORD } from '../shared/contig-table';
import { BASE, put } from '../shared/digits';
import { NOT_LISTED, report } from './problem';

const TAB: u8 = 9;
const STAR: u8 = 42;
const EQUALS: u8 = 61;
const ZERO: u8 = 48;

/** Makes a table of the names in [at, end) for keys; arguments as in makeNameTable. */
export function makeContigTable(table: usize, count: u32, at: u32, end: u32): void {
  makeNameTable(table, count, at, end);
  store<u32>(table, count < BASE ? 1 : count < BASE * BASE ? 2 : count < BASE * BASE * BASE ? 3 : 4, USER_WORD);
}

/** Writes the row of the name [at, end). */
export function putContig(table: usize, at: u32, end: u32): void {
  let rank = rankOf(table, at, end);
  if (rank == contigCount(table) && !isStar(at, end)) report(NOT_LISTED, at, end);
  putRank(table, rank);
}

/** Writes the row of the name [at, end), which a tab and the position may follow. */
export function putMappedContig(table: usize, at: u32, end: u32): void {
  const rank = rankOf(table, at, end);
  const count = contigCount(table);
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
  const isListed = rank < contigCount(table);
  if (!isListed && !isStar(mate, end)) report(NOT_LISTED, mate, end);
  putRank(table, isListed ? rank + 1 : 0);
}

/** Writes the row of the contig number `rank`; if `rank` is the number of names, there is no contig. */
// @ts-ignore: decorator
@inline
export function putRank(table: usize, rank: u32): void {
  const digits = load<u32>(table, USER_WORD);
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
