/**
 * The fields of BAM records (SAM specification, 4.2), which lie in the text as they are, or as lines encoded by COBS
 * (../shared/cobs.ts). Only the bytes that a field needs are decoded. The lengths in a record are checked before they
 * are used.
 */
import { BAD_BAM, report } from './problem';

const NEWLINE: u8 = 10;
/** The code of a block that no newline follows. */
const LONGEST: u32 = 255;

/** Fields, numbered as in src/job/ordering.ts. */
export const NAME: u32 = 0;
const FLAG: u32 = 1;
const CONTIG: u32 = 2;
const POSITION: u32 = 3;
const MAPQ: u32 = 4;
const MATE_CONTIG: u32 = 5;
const MATE_POSITION: u32 = 6;
const TEMPLATE_LENGTH: u32 = 7;
export const TAGS: u32 = 8;
export const RECORD: u32 = 9;

/** Where the fields are in a record; the fields of fixed size end at HEAD_BYTES, where the name begins. */
const SIZE_AT: usize = 0;
const CONTIG_AT: usize = 4;
const POSITION_AT: usize = 8;
const NAME_BYTES_AT: usize = 12;
const MAPQ_AT: usize = 13;
const OPERATIONS_AT: usize = 16;
const FLAG_AT: usize = 18;
const BASES_AT: usize = 20;
const MATE_CONTIG_AT: usize = 24;
const MATE_POSITION_AT: usize = 28;
const TEMPLATE_LENGTH_AT: usize = 32;
const HEAD_BYTES: u32 = 36;

/** Whether records lie in the text as they are. */
let isPlain: bool = false;
export function setPlain(plain: bool): void { isPlain = plain; }

/** The result of `findBam`: the place of a name, of tags or of all, without the NUL at the end of a name. */
export let bamBegin: u32 = 0;
export let bamEnd: u32 = 0;

/** The number in a field of the record or line [at, end); 0 if it is malformed. */
// @ts-ignore: decorator
@inline
export function bamNumber(field: u32, at: u32, end: u32, spare: u32): i64 {
  const head = decodeHead(at, end, HEAD_BYTES, spare);
  if (head == 0) {
    report(BAD_BAM, at, at);
    return 0;
  }
  switch (field) {
    case FLAG: return <i64>load<u16>(head, FLAG_AT);
    case CONTIG: return <i64>load<i32>(head, CONTIG_AT);
    case POSITION: return <i64>load<i32>(head, POSITION_AT) + 1;
    case MAPQ: return <i64>load<u8>(head, MAPQ_AT);
    case MATE_CONTIG: return <i64>load<i32>(head, MATE_CONTIG_AT);
    case MATE_POSITION: return <i64>load<i32>(head, MATE_POSITION_AT) + 1;
    default: return <i64>load<i32>(head, TEMPLATE_LENGTH_AT);
  }
}

/** Finds the name, the tags or all of the record or line [at, end), there or in a copy at `spare`. */
export function findBam(field: u32, at: u32, end: u32, spare: u32): void {
  bamBegin = bamEnd = spare;
  const head = decodeHead(at, end, HEAD_BYTES, spare);
  const name = head == 0 ? 0 : <u32>load<u8>(head, NAME_BYTES_AT);
  if (name != 0 && field == NAME) {
    const named = decodeHead(at, end, HEAD_BYTES + name, spare);
    bamBegin = named + HEAD_BYTES;
    bamEnd = bamBegin + name - 1;
    if (named != 0) return;
  } else if (name != 0) {
    const bytes = <u64>load<u32>(head, SIZE_AT) + 4;
    const bases = <u64>load<u32>(head, BASES_AT);
    const tags = HEAD_BYTES + <u64>name + 4 * <u64>load<u16>(head, OPERATIONS_AT) + ((bases + 1) >> 1) + bases;
    if (tags <= bytes && bytes <= <u64>(end - at)) {
      const whole = decodeHead(at, end, <u32>bytes, spare);
      bamBegin = field == RECORD ? whole : whole + <u32>tags;
      bamEnd = whole + <u32>bytes;
      if (whole != 0) return;
    }
  }
  bamBegin = bamEnd = spare;
  report(BAD_BAM, at, at);
}

/** The address of the record's first `count` bytes, where they lie or in a copy at `spare`; 0 if it has fewer. */
// @ts-ignore: decorator
@inline
function decodeHead(at: u32, end: u32, count: u32, spare: u32): u32 {
  if (isPlain) return end - at >= count ? at : 0;
  if (end - at > count && <u32>(load<u8>(at) ^ NEWLINE) > count) return at + 1;
  return copyHead(at, end, count, spare);
}

function copyHead(at: u32, end: u32, count: u32, spare: u32): u32 {
  let target = spare;
  let isDue = false;
  while (at < end && target - spare < count) {
    if (isDue) store<u8>(target++, NEWLINE);
    const code = <u32>(load<u8>(at++) ^ NEWLINE);
    const bytes = min(code - 1, end - at);
    for (let i: u32 = 0; i < bytes; i += 16) v128.store(target + i, v128.load(at + i));
    at += bytes;
    target += bytes;
    isDue = code != LONGEST;
  }
  return target - spare < count ? 0 : spare;
}
