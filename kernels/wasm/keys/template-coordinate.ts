/**
 * `template-coordinate`: alignments by their templates, as samtools 1.23 and fgbio order them. The row is the contigs
 * of both ends, the earlier end first; their places and strands; the library; the tags CB and MI; the name; and whether
 * the record is the later end. An unmapped end sorts last.
 */
import {
  cellBegin, cellEnd, contig, flag, groupBegin, groupEnd, mateCigarBegin, mateContig, mateEnd, moleculeBegin,
  moleculeEnd, nameBegin, nameEnd, ownEnd, wrongBegin, wrongEnd,
} from './alignment';
import { contigCount, rankOf } from '../shared/contig-table';
import { put, putNumber } from '../shared/digits';
import { putSigned } from './integer';
import { BAD_TAG, NO_MATE_CIGAR, report } from './problem';
import { putText } from './text';

const PAIRED: u32 = 1;
const UNMAPPED: u32 = 4;
const MATE_UNMAPPED: u32 = 8;
const REVERSE: u32 = 16;
const MATE_REVERSE: u32 = 32;
const SLASH: u8 = 47;

/** The contig and the place of an unmapped end: after all others. Contigs count from 1; 0 is none. */
const LAST_CONTIG: u32 = 1 << 31;
const LAST_PLACE: i64 = (1 << 38) - 1;

/**
 * Writes the row of the record that alignment.ts has read. `groups`: the table of read groups that have a library;
 * `ranks`: a number of four bytes for each, by which libraries are ordered.
 */
export function putTemplateCoordinate(groups: usize, ranks: usize): void {
  if (wrongBegin != 0) report(BAD_TAG, wrongBegin, wrongEnd);
  let contig1 = LAST_CONTIG, contig2 = LAST_CONTIG;
  let place1 = LAST_PLACE, place2 = LAST_PLACE;
  let isReverse1 = false, isReverse2 = false;
  if ((flag & UNMAPPED) == 0) {
    contig1 = contig + 1;
    place1 = ownEnd();
    isReverse1 = (flag & REVERSE) != 0;
  }
  if ((flag & PAIRED) != 0 && (flag & MATE_UNMAPPED) == 0) {
    if (mateCigarBegin == 0) report(NO_MATE_CIGAR, nameBegin, nameBegin);
    contig2 = mateContig + 1;
    place2 = mateEnd();
    isReverse2 = (flag & MATE_REVERSE) != 0;
  }
  const isEarlier = contig1 != contig2 ? contig1 < contig2 : place1 != place2 ? place1 < place2 : !isReverse1;
  if (isEarlier) putEnds(contig1, contig2, place1, place2, isReverse1, isReverse2);
  else putEnds(contig2, contig1, place2, place1, isReverse2, isReverse1);
  const group = rankOf(groups, groupBegin, groupEnd);
  putNumber(group < contigCount(groups) ? load<u32>(ranks + 4 * <usize>group) + 1 : 0);
  putText(cellBegin, cellEnd, false);
  // A slash and a character after it, which name the strand of a duplex, do not count.
  const hasSlash = moleculeEnd - moleculeBegin >= 2 && load<u8>(moleculeEnd - 2) == SLASH;
  putText(moleculeBegin, hasSlash ? moleculeEnd - 2 : moleculeEnd, false);
  putText(nameBegin, nameEnd, false);
  put(isEarlier ? 0 : 1);
}

function putEnds(contig1: u32, contig2: u32, place1: i64, place2: i64, isReverse1: bool, isReverse2: bool): void {
  putNumber(contig1);
  putNumber(contig2);
  putSigned(place1, nameBegin, nameBegin);
  putSigned(place2, nameBegin, nameBegin);
  put(isReverse1 ? 0 : 1);
  put(isReverse2 ? 0 : 1);
}
