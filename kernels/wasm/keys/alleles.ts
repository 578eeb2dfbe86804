/**
 * `alleles`: the columns REF and ALT of VCF, as bcftools 1.21 and later compare them: each allele as bytes, a tab
 * between alleles; an ALT of `.` is none. The row is that of the bytes.
 */
import { putText } from './text';

const TAB: u8 = 9;
const COMMA: u8 = 44;
const POINT: u8 = 46;

/** Writes the row of [at, end), the two columns with a tab between them. Uses as much memory at `spare`. */
export function putAlleles(at: u32, end: u32, spare: u32): void {
  const bytes = end - at;
  if (bytes >= 2 && load<u8>(end - 1) == POINT && load<u8>(end - 2) == TAB) {
    putText(at, end - 2, false);
    return;
  }
  for (let i: u32 = 0; i < bytes; i += 16) {
    const text = v128.load(at + i);
    const isComma = i8x16.eq(text, i8x16.splat(COMMA));
    v128.store(spare + i, v128.bitselect(i8x16.splat(TAB), text, isComma));
  }
  putText(spare, spare + bytes, false);
}
