/**
 * BAM records as lines of SAM, as `samtools view` writes them. Sequences and qualities take 16 bytes a step. Reads and
 * writes up to 31 bytes past its texts. The lengths in the fixed fields were checked when the record was read.
 */
import { nameBegin, nameEnd } from '../shared/contig-table';
import { nextTag, putTag } from './bam-tags';
import { findLong, longAt, longCount, OPERATIONS, readBases, UNMAPPED } from './cigar';
import { putWhole } from './numbers';
import { BROKEN_TAG, CIGAR_LENGTH, fail } from './problem';

const TAB: u8 = 9;
const NEWLINE: u8 = 10;
const STAR: u8 = 42;
const EQUALS: u8 = 61;
const HEAD_BYTES: u32 = 36;
const NO_QUALITIES: u8 = 0xff;

/** Writes the line of the record [at, end), its newline included; returns its end, or 0 if there is a problem. */
export function putLine(at: u32, end: u32, target: u32, contigs: usize): u32 {
  const nameBytes = <u32>load<u8>(at, 12);
  const flag = <u32>load<u16>(at, 18);
  const bases = load<u32>(at, 20);
  const name = at + HEAD_BYTES;
  let operations = <u32>load<u16>(at, 16);
  let cigar = name + nameBytes;
  const sequence = cigar + 4 * operations;
  const qualities = sequence + (bases + 1 >> 1);
  const tags = qualities + bases;
  const isLong = findLong(at, tags, end);
  const long = isLong ? longAt : 0;
  if (isLong) {
    operations = longCount;
    cigar = longAt + 8;
  }
  // The NUL that ends a name may be missing.
  target = putBytes(name, name + nameBytes - u32(load<u8>(name + nameBytes - 1) == 0), target);
  target = putTab(putWhole(flag, putTab(target)));
  const contig = load<i32>(at, 4);
  target = putTab(putContig(contig, target, contigs));
  target = putTab(putWhole(<i64>load<i32>(at, 8) + 1, target));
  target = putTab(putWhole(load<u8>(at, 13), target));
  if (operations > 0 && bases > 0 && (flag & UNMAPPED) == 0 && readBases(cigar, operations) != bases) {
    return fail(CIGAR_LENGTH, cigar, cigar);
  }
  target = putTab(putCigar(cigar, operations, target));
  const mate = load<i32>(at, 24);
  if (mate >= 0 && mate == contig) store<u8>(target++, EQUALS);
  else target = putContig(mate, target, contigs);
  target = putTab(putWhole(<i64>load<i32>(at, 28) + 1, putTab(target)));
  target = putTab(putWhole(load<i32>(at, 32), target));
  if (bases == 0) {
    store<u8>(target++, STAR);
    target = putTab(target);
    store<u8>(target++, STAR);
  } else {
    target = putTab(putSequence(sequence, bases, target));
    target = putQualities(qualities, bases, target);
  }
  for (let tag = tags; end - tag >= 4; ) {
    const next = nextTag(tag, end);
    if (next == 0) return fail(BROKEN_TAG, tag, tag + 2);
    if (tag != long) {
      target = putTag(tag, next, target);
      if (target == 0) return fail(BROKEN_TAG, tag, tag + 2);
    }
    tag = next;
  }
  store<u8>(target, NEWLINE);
  return target + 1;
}

// @ts-ignore: decorator
@inline
function putTab(target: u32): u32 {
  store<u8>(target, TAB);
  return target + 1;
}

// @ts-ignore: decorator
@inline
function putBytes(at: u32, end: u32, target: u32): u32 {
  const bytes = end - at;
  for (let i: u32 = 0; i < bytes; i += 16) v128.store(target + i, v128.load(at + i));
  return target + bytes;
}

// @ts-ignore: decorator
@inline
function putContig(contig: i32, target: u32, contigs: usize): u32 {
  if (contig >= 0) return putBytes(nameBegin(contigs, contig), nameEnd(contigs, contig), target);
  store<u8>(target, STAR);
  return target + 1;
}

// @ts-ignore: decorator
@inline
function putCigar(at: u32, operations: u32, target: u32): u32 {
  if (operations == 0) {
    store<u8>(target, STAR);
    return target + 1;
  }
  for (const end = at + 4 * operations; at < end; at += 4) {
    const operation = load<u32>(at);
    target = putWhole(operation >> 4, target);
    store<u8>(target++, load<u8>(OPERATIONS + <usize>(operation & 15)));
  }
  return target;
}

/** Writes the letters of `bases` bases, two to a byte. */
// @ts-ignore: decorator
@inline
function putSequence(at: u32, bases: u32, target: u32): u32 {
  // =ACMGRSVTWYHKDBN
  const letters = i8x16(61, 65, 67, 77, 71, 82, 83, 86, 84, 87, 89, 72, 75, 68, 66, 78);
  const low = i8x16.splat(15);
  for (let i: u32 = 0; i < bases; i += 32, at += 16) {
    const codes = v128.load(at);
    const first = i8x16.swizzle(letters, i8x16.shr_u(codes, 4));
    const second = i8x16.swizzle(letters, v128.and(codes, low));
    v128.store(target + i, v128.shuffle<u8>(first, second, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    v128.store(
      target + i, v128.shuffle<u8>(first, second, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), 16,
    );
  }
  return target + bases;
}

// @ts-ignore: decorator
@inline
function putQualities(at: u32, bases: u32, target: u32): u32 {
  if (load<u8>(at) == NO_QUALITIES) {
    store<u8>(target, STAR);
    return target + 1;
  }
  const zero = i8x16.splat(33);
  for (let i: u32 = 0; i < bases; i += 16) v128.store(target + i, i8x16.add(v128.load(at + i), zero));
  return target + bases;
}
