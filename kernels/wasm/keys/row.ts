/** Writes the rows of key parts: finds a part in a line and encodes it with the kernel of its ordering. */
import { contigCount } from '../shared/contig-table';
import { oneField, partEnd, skipBytes, skipFields } from '../shared/fields';
import { checkFlag, readBam, readSam } from './alignment';
import { putAlleles } from './alleles';
import { bamBegin, bamEnd, bamNumber, findBam, NAME, RECORD, TAGS } from './bam';
import { putComment } from './comment';
import { putContig, putMappedContig, putMateContig, putRank } from './contig';
import { csvBegin, csvEnd, csvFound, findCsv } from './csv';
import { delimiter, endRow, place, put } from '../shared/digits';
import { withoutReturn } from '../shared/lines';
import { putPicardTemplate, putStrand, putTemplate } from './flag';
import { putGeneral } from './general';
import { putHuman } from './human';
import { numberAt, putInteger, putSigned } from './integer';
import { findJson, isJson, jsonBegin, jsonEnd, jsonFound, jsonNull } from './json';
import { putLength } from './length';
import { putMinimiser } from './minimiser';
import { putMonth } from './month';
import { putNatural } from '../shared/natural';
import { putNumeric } from './numeric';
import {
  ALLELES, BAM, BAM_FIELD, BEGIN_BLANKS, BEGIN_BYTE, BEGIN_FIELD, BYTES, COMMENT, CONTIG, CONTIGS, countInvalid, CSV,
  DROPS_RETURN, EMPTY, END_BLANKS, END_BYTE, END_FIELD, FILTER, FILTERS, FOLDS, GENERAL, GROUPS, HUMAN, INTEGER, JSON,
  KIND, LENGTH, MAPPED_CONTIG, MATE_CONTIG, MINIMISER, MONTH, NATURAL, note, NULL_IS_MISSING, NUMERIC, ONE_FIELD,
  ORDER, parts, PATH, PICARD_TEMPLATE, QUALITY, RANDOM, RANKS, REFUSES, REVERSE, SEPARATOR, SEPARATOR_BYTES, SIGNED,
  SIMILAR, SPAN, STEPS, STRAND, TAG, TAG_NAME, TEMPLATE, TEMPLATE_COORDINATE, VERSION, WHOLE,
} from './part';
import { NOT_JSON, NOT_LISTED, report } from './problem';
import { putQuality } from './quality';
import { putRandom } from './random';
import { putSimilar } from './similar';
import { putSpan } from './span';
import { putBamTag, putTag } from './tag';
import { putTemplateCoordinate } from './template-coordinate';
import { ANY, filterBytes, putFiltered, putText, setMissing } from './text';
import { putVersion } from './version';

const NEWLINE: u8 = 10;

/** The digit of a missing value; those before it are of other values, and of empty ones. */
const MISSING: u32 = 2;

/** Writes the row of a part of the line [begin, end). */
// @ts-ignore: decorator
@inline
export function putRow(part: usize, begin: u32, end: u32, spare: u32): void {
  const row = place;
  const lineBegin = begin;
  const lineStop = end;
  const kind = load<u32>(part, KIND);
  if (kind == BAM) return putBamRow(part, begin, end, spare);
  if (kind == ONE_FIELD) {
    const found = oneField(begin, end, load<u32>(part, BEGIN_FIELD), load<u32>(part, SEPARATOR));
    begin = <u32>found;
    end = <u32>(found >> 32);
  } else if (kind != WHOLE) {
    const found = findPart(part, kind, begin, end, spare);
    begin = <u32>found;
    end = <u32>(found >> 32);
    if (kind == JSON && part == parts && !jsonFound && !isJson(lineBegin, lineStop, spare)) countInvalid();
  }
  if (load<u32>(part, DROPS_RETURN) != 0 && (end == lineStop || load<u8>(end) == NEWLINE))
    end = withoutReturn(begin, end);
  // A JSON string may stand for text that contains the delimiter.
  if (kind == JSON) setMissing(ANY);
  putPart(part, begin, end, spare);
  if (kind == JSON) setMissing(delimiter);
  endRow(row, load<u32>(part, REVERSE) != 0);
}

/** Writes the row of a field of the BAM record, or of the line that encodes one, in [begin, end). */
export function putBamRow(part: usize, begin: u32, end: u32, spare: u32): void {
  const row = place;
  const order = load<u32>(part, ORDER);
  const field = load<u32>(part, BAM_FIELD);
  if (field == NAME || field == TAGS || field == RECORD) putBamText(part, order, field, begin, end, spare);
  else {
    const value = bamNumber(field, begin, end, spare);
    if (order == CONTIG || order == MATE_CONTIG) {
      const table = load<u32>(part, CONTIGS);
      const count = contigCount(table);
      const rank = <u32>value;
      if (value < -1 || (value >= 0 && rank >= count)) report(NOT_LISTED, begin, begin);
      // -1 is no contig: it sorts after all, but as the mate's before all.
      putRank(table, order == MATE_CONTIG ? rank + 1 : min(rank, count));
    } else putNumber(order, value, begin, begin);
  }
  endRow(row, load<u32>(part, REVERSE) != 0);
}

/** Locates any part, in the line or in a copy at `spare`. */
export function findPart(part: usize, kind: u32, begin: u32, end: u32, spare: u32): u64 {
  if (kind == CSV) {
    findCsv(begin, end,
      load<u32>(part, BEGIN_FIELD), load<u32>(part, BEGIN_BYTE), load<u32>(part, BEGIN_BLANKS) != 0,
      load<u32>(part, END_FIELD), load<u32>(part, END_BYTE), load<u32>(part, END_BLANKS) != 0,
      load<u8>(part, SEPARATOR), spare);
    note(part, csvFound);
    return csvBegin | <u64>csvEnd << 32;
  }
  if (kind != JSON) return findFields(part, begin, end);
  if (load<u32>(part, REFUSES) != 0 && !isJson(begin, end, spare)) report(NOT_JSON, begin, begin);
  findJson(begin, end, load<u32>(part, PATH), load<u32>(part, STEPS), spare);
  note(part, jsonFound);
  const isMissing = jsonNull && load<u32>(part, NULL_IS_MISSING) != 0;
  return findFields(part, isMissing ? jsonEnd : jsonBegin, jsonEnd);
}

/** Locates a part by fields in [begin, end). */
function findFields(part: usize, begin: u32, end: u32): u64 {
  const separator = load<u32>(part, SEPARATOR);
  const separatorBytes = load<u32>(part, SEPARATOR_BYTES);
  const beginField = load<u32>(part, BEGIN_FIELD);
  const first = skipFields(begin, end, beginField, separator, separatorBytes, true);
  const from = skipBytes(first, end, load<u32>(part, BEGIN_BYTE), load<u32>(part, BEGIN_BLANKS) != 0);
  const to = partEnd(begin, end, beginField, first,
    load<u32>(part, END_FIELD), load<u32>(part, END_BYTE), load<u32>(part, END_BLANKS) != 0,
    separator, separatorBytes);
  return from | <u64>max(from, to) << 32;
}

/** Writes the row of [at, end). */
// @ts-ignore: decorator
@inline
function putPart(part: usize, at: u32, end: u32, spare: u32): void {
  const order = load<u32>(part, ORDER);
  const filters = load<u32>(part, FILTERS) != 0;
  if (order == BYTES) {
    const folds = load<u32>(part, FOLDS) != 0;
    if (filters && !folds) putFiltered(at, end, part + FILTER);
    else putText(at, end, folds);
    return;
  }
  if (filters) {
    end = filterBytes(at, end, part + FILTER, spare);
    at = spare;
  }
  switch (order) {
    case NUMERIC: return putNumeric(at, end);
    case GENERAL: return putGeneral(at, end);
    case HUMAN: return putHuman(at, end);
    case MONTH: return putMonth(at, end);
    case VERSION: return putVersion(at, end);
    case RANDOM: return putRandom(at, end);
    case NATURAL: return putNatural(at, end);
    case LENGTH: return putLength(at, end);
    case QUALITY: return putQuality(at, end);
    case SIMILAR: return putSimilar(at, end);
    case CONTIG: return putContig(load<u32>(part, CONTIGS), at, end);
    case MATE_CONTIG: return putMateContig(load<u32>(part, CONTIGS), at, end);
    case TAG: return note(part, putTag(at, end, load<u32>(part, TAG_NAME)));
    case ALLELES: return putAlleles(at, end, spare);
    case COMMENT: return putComment(at, end);
    case MAPPED_CONTIG: return putMappedContig(load<u32>(part, CONTIGS), at, end);
    case EMPTY: return put(load<u32>(part, KIND) == JSON && (jsonNull || !jsonFound) ? MISSING : u32(at == end));
    case SPAN: return putSpan(at, end, load<u32>(part, SEPARATOR_BYTES) == 0);
    case TEMPLATE_COORDINATE:
    case MINIMISER: {
      readSam(at, end, load<u32>(part, CONTIGS));
      return putAlignment(part, order);
    }
    default: return putNumber(order, numberAt(at, end), at, end);
  }
}

/** Writes the row of a number, which is [at, end) in the text. */
// @ts-ignore: decorator
@inline
function putNumber(order: u32, value: i64, at: u32, end: u32): void {
  switch (order) {
    case INTEGER: return putInteger(value, at, end);
    case SIGNED: return putSigned(value, at, end);
    case STRAND: return putStrand(checkFlag(value, at, end));
    case TEMPLATE: return putTemplate(checkFlag(value, at, end));
    case PICARD_TEMPLATE: return putPicardTemplate(checkFlag(value, at, end));
  }
}

/** Writes the row of the record that alignment.ts has read. */
function putAlignment(part: usize, order: u32): void {
  if (order == MINIMISER) putMinimiser();
  else putTemplateCoordinate(load<u32>(part, GROUPS), load<u32>(part, RANKS));
}

/** Writes the row of a name, tags, or several fields of the BAM record in [begin, end). */
function putBamText(part: usize, order: u32, field: u32, begin: u32, end: u32, spare: u32): void {
  findBam(field, begin, end, spare);
  // A record may contain the delimiter.
  setMissing(ANY);
  if (order == TAG) note(part, putBamTag(bamBegin, bamEnd, load<u32>(part, TAG_NAME)));
  else if (field == RECORD) {
    // Without a record, bam.ts has reported why.
    if (bamEnd != bamBegin) {
      readBam(bamBegin, bamEnd, load<u32>(part, CONTIGS));
      putAlignment(part, order);
    }
  } else putPart(part, bamBegin, bamEnd, spare);
  setMissing(delimiter);
}
