/** Finds the positions of records of BAM (SAM specification, section 4.2). */
import { isFull, take, takeWithoutContig } from './entries';
import { BAD_CIGAR, BAD_CONTIG, BAD_POSITION, BAD_SIZE, NO_PROBLEM, setProblem } from './problem';

/** Bytes of a record before its name, its length included. */
const FIXED_BYTES: u64 = 36;
const NO_CONTIG: i32 = -1;
const UNMAPPED: u32 = 4;
/** Operations of a CIGAR that advance on the contig: M, D, N, = and X, as bits. */
const ADVANCING: u32 = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 8;

/**
 * Takes the whole records in [at, end), whose header lists `contigs` contigs. Returns where it stopped: before an
 * incomplete record or one with a problem, or because the entries are full.
 */
export function takeBam(at: u32, end: u32, contigs: i32): u32 {
  let last: i32 = i32.MIN_VALUE;
  setProblem(NO_PROBLEM);
  while (end - at >= 4 && !isFull()) {
    const size = <u64>(<i64>load<i32>(at) + 4);
    if (<i64>size < <i64>FIXED_BYTES) return stop(at, BAD_SIZE);
    if (size > <u64>(end - at)) break;
    const contig = load<i32>(at, 4);
    const position = load<i32>(at, 8);
    const operations = <u32>load<u16>(at, 16);
    const isMapped = (<u32>load<u16>(at, 18) & UNMAPPED) == 0;
    const cigar = FIXED_BYTES + <u64>load<u8>(at, 12);
    if (contig >= contigs || contig < NO_CONTIG) return stop(at, BAD_CONTIG);
    if (position < -1) return stop(at, BAD_POSITION);
    if (cigar + 4 * operations > size) return stop(at, BAD_CIGAR);
    const next = at + <u32>size;
    const isSame = contig == last;
    if (contig == NO_CONTIG) takeWithoutContig(isSame, next);
    else {
      const spanned = isMapped ? spannedBases(at + <u32>cigar, operations) : 0;
      const after = <i64>position + <i64>max<u64>(spanned, 1);
      take(<u32>contig, 0, isSame, <u64>max(position, 0), <u64>after, isMapped, next);
    }
    last = contig;
    at = next;
  }
  return at;
}

function stop(at: u32, problem: u32): u32 {
  setProblem(problem);
  return at;
}

/**
 * The number of bases of the contig that a CIGAR spans. If it has too many operations for its field, they are in the
 * tag CG, and the field holds two operations instead, the second of which skips the same number of bases (section
 * 4.2.2).
 */
// @ts-ignore: decorator
@inline
function spannedBases(cigar: u32, operations: u32): u64 {
  let sum: u64 = 0;
  for (const end = cigar + 4 * operations; cigar < end; cigar += 4) {
    const operation = load<u32>(cigar);
    if ((ADVANCING >> (operation & 15) & 1) != 0) sum += operation >> 4;
  }
  return sum;
}
