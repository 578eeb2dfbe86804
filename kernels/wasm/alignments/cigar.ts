/** CIGARs of BAM records: their lengths, the bin of a record, and those too long for their field (tag CG). */
import { nextTag } from './bam-tags';

export const UNMAPPED: u32 = 4;
/** The letters of operations, by their codes, and whether they advance in the read and on the contig, as bits. */
export const OPERATIONS = memory.data<u8>([77, 73, 68, 78, 83, 72, 80, 61, 88, 66, 63, 63, 63, 63, 63, 63]);
const IN_READ: u32 = 1 << 0 | 1 << 1 | 1 << 4 | 1 << 7 | 1 << 8;
const ON_CONTIG: u32 = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 7 | 1 << 8;
export const SKIP: u32 = 3;
export const SOFT_CLIP: u32 = 4;
/** The most operations that the field of a record counts. */
export const MOST_OPERATIONS: u32 = 0xffff;

/** The bases of the read that the operations at `at` take. */
export function readBases(at: u32, count: u32): u64 { return sumOf(at, count, IN_READ); }
/** The bases of the contig that they span. */
export function contigBases(at: u32, count: u32): u64 { return sumOf(at, count, ON_CONTIG); }

// @ts-ignore: decorator
@inline
function sumOf(at: u32, count: u32, kinds: u32): u64 {
  let sum: u64 = 0;
  for (const end = at + 4 * count; at < end; at += 4) {
    const operation = load<u32>(at);
    sum += <u64>(operation >> 4) * (kinds >> (operation & 15) & 1);
  }
  return sum;
}

/** The bin of a record at `position` that spans `bases`, 1 or more (SAM specification, section 5.3). */
export function binOf(position: i32, bases: u64): u32 {
  const begin = <i64>position;
  const last = begin + <i64>bases - 1;
  let first: i64 = 4681;
  for (let level = 5, shift: i64 = 14; level > 0; level--, shift += 3) {
    if (begin >> shift == last >> shift) return <u32>(first + (begin >> shift)) & 0xffff;
    first -= 1 << (3 * (level - 1));
  }
  return 0;
}

/** The result of `findLong`: where the tag CG is, its end, and the number of its operations. */
export let longAt: u32 = 0;
export let longEnd: u32 = 0;
export let longCount: u32 = 0;

/**
 * Whether the CIGAR of the record [at, end) is in the tag CG: as in htslib, if its field begins with a soft clip of the
 * whole read. `tags` is where the tags begin.
 */
export function findLong(at: u32, tags: u32, end: u32): bool {
  const count = <u32>load<u16>(at, 16);
  const cigar = at + 36 + load<u8>(at, 12);
  if (count == 0 || load<u32>(cigar) != (load<u32>(at, 20) << 4 | SOFT_CLIP)) return false;
  if (load<i32>(at, 4) < 0 || load<i32>(at, 8) < 0) return false;
  for (let tag = tags; end - tag >= 4; ) {
    const next = nextTag(tag, end);
    if (next == 0) return false;
    if (load<u16>(tag) == 0x4743) {
      if (load<u8>(tag, 2) != 66 || (load<u8>(tag, 3) | 32) != 105) return false;
      longAt = tag;
      longEnd = next;
      longCount = load<u32>(tag, 4);
      return longCount >= count && longCount < 1 << 29;
    }
    tag = next;
  }
  return false;
}
