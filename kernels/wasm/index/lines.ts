/** Finds the positions of lines of BED, VCF or GFF, by the rules of tabix. */
import { isFull, pass, take } from './entries';
import { after, BED, begin, contigEnd, GFF, readBed, readGff, readVcf, VCF } from './intervals';
import { NO_PROBLEM, setProblem } from './problem';
import { isBlank, isTrack } from '../shared/comment';
import { lineEnd } from '../shared/lines';
import { sharedBytes } from '../shared/text';

const NEWLINE: u8 = 10;
const HASH: u8 = 0x23;
const GREATER: u8 = 0x3e;
/** The line that begins the sequences of GFF: `##FASTA`, in little-endian. */
const FASTA: u64 = 0x41545341462323;
const FASTA_BYTES: u32 = 7;

/** Whether there was a record, and whether the sequences of GFF have begun, which are not indexed. */
let started: bool = false;
let over: bool = false;

export function hasRecords(): bool { return started; }
export function isOver(): bool { return over; }

/**
 * Takes the lines of `format` in [at, end); all are whole. `hasBefore`: there was a record before them; until there is
 * one, blank lines and descriptions of tracks are header lines, as all lines are that begin with `#`. Returns where it
 * stopped: before a line with a problem or before the sequences of GFF, or because the entries are full.
 */
export function takeLines(at: u32, end: u32, format: u32, hasBefore: bool): u32 {
  setProblem(NO_PROBLEM);
  started = hasBefore;
  over = false;
  let name: u32 = 0;
  let nameBytes: u32 = 0;
  while (at < end && !isFull()) {
    const next = lineEnd(at, NEWLINE);
    const last = next - 1;
    if (format == GFF && beginsSequences(at, last)) {
      over = true;
      return at;
    }
    if (load<u8>(at) == HASH || (!started && isHeader(at, last, format))) {
      if (!started) pass(next);
    } else {
      const problem = format == BED ? readBed(at, last) : format == VCF ? readVcf(at, last) : readGff(at, last);
      if (problem != NO_PROBLEM) {
        setProblem(problem);
        return at;
      }
      const bytes = contigEnd - at;
      const isSame = name != 0 && bytes == nameBytes && sharedBytes(name, at, bytes) == bytes;
      take(at, contigEnd, isSame, begin, after, true, next);
      name = at;
      nameBytes = bytes;
      started = true;
    }
    at = next;
  }
  return at;
}

function isHeader(at: u32, end: u32, format: u32): bool {
  return isBlank(at, end) || (format != VCF && isTrack(at, end));
}

/** Whether a line begins the sequences at the end of GFF (src/input/fasta-section.ts). */
// @ts-ignore: decorator
@inline
function beginsSequences(at: u32, end: u32): bool {
  const byte = load<u8>(at);
  if (byte == GREATER) return true;
  return byte == HASH && end - at >= FASTA_BYTES && (load<u64>(at) << 8) == FASTA << 8;
}
