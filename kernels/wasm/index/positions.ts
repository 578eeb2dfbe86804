/** Takes positions of records of BAM that a device has found (kernels/wgsl/bam/positions.wgsl). */
import { isFull, take, takeWithoutContig } from './entries';

const POSITION_BYTES: u32 = 16;
/** The top bit of the size: whether the record is mapped. */
const MAPPED: u32 = 0x80000000;

/** After takePositions: where the text of the records taken ends, if it began at `textAt`. */
let text: u32 = 0;

export function textTaken(): u32 { return text; }

/**
 * Takes the positions in [at, end), of records whose text, which is not here, would begin at address `textAt`. All
 * contigs are among the header's `contigs`. Returns where it stopped: at the end, or because the entries are full.
 */
export function takePositions(at: u32, end: u32, contigs: u32, textAt: u32): u32 {
  let last: u32 = contigs;
  let isFirst = true;
  text = textAt;
  for (; at < end && !isFull(); at += POSITION_BYTES) {
    const contig = load<u32>(at);
    const position = <u64>load<u32>(at, 4);
    const sized = load<u32>(at, 12);
    const isMapped = (sized & MAPPED) != 0;
    text += sized & ~MAPPED;
    const isSame = !isFirst && contig == last;
    if (contig >= contigs) takeWithoutContig(isSame, text);
    else {
      const spanned = isMapped ? <u64>max<u32>(load<u32>(at, 8), 1) : 1;
      take(contig, 0, isSame, max<u64>(position, 1) - 1, position - 1 + spanned, isMapped, text);
    }
    last = contig;
    isFirst = false;
  }
  return at;
}
