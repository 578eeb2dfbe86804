/**
 * Makes keyed lines (src/keys/keyed.ts): lines with a key in front that compares, byte by byte, in the order of their
 * parts. Compiled to WebAssembly by AssemblyScript in `npm run build`; one instance per thread, for one ordering.
 *
 *     setDelimiter, setSeed, addPart ... -> makeKeys, for each text; or makeRow, for a long line
 *     setDelimiter -> the functions of count.ts, for lines in order
 *     setEncoding -> encodeRecords, decodeRecords, for binary records
 *     resumeEncoding -> encodeBam; resumeDecoding -> decodeLines, for BAM records
 *
 * A keyed line is its key length in four digits (digits.ts), the key, the line. The key is a row for each part, in
 * order; each ordering has its own file. A new ordering needs a number in src/job.ts, a bound in src/keys/bounds.ts, a
 * file here, and a line in `putPart`.
 */
import { oneField, partEnd, skipBytes, skipFields, TO_END } from '../shared/fields';
import { lineEnd } from '../shared/lines';
import { copyRecord } from '../shared/text';
import { putAlleles } from './alleles';
import { bamBegin, bamEnd, bamNumber, findBam, NAME, TAGS } from './bam';
import { contigCount, putContig, putMateContig, putRank } from './contig';
import { csvBegin, csvEnd, findCsv } from './csv';
import { delimiter, endRow, goTo, place, setDelimiter as setMissingDigit, storeNumber } from './digits';
import { checkFlag, putPicardTemplate, putStrand, putTemplate } from './flag';
import { putGeneral } from './general';
import { putHuman } from './human';
import { numberAt, putInteger, putSigned } from './integer';
import { findJson, jsonBegin, jsonEnd } from './json';
import { putLength } from './length';
import { putMonth } from './month';
import { putNatural } from './natural';
import { putNumeric } from './numeric';
import { NOT_LISTED, problemOf, report } from './problem';
import { putQuality } from './quality';
import { putRandom } from './random';
import { putSimilar } from './similar';
import { putBamTag, putTag } from './tag';
import { ANY, FILTER_BYTES, filterBytes, putFiltered, putText, setFilter, setMissing } from './text';
import { putVersion } from './version';

export { contigTableBytes, makeContigTable } from './contig';
export { clearProblem, problemBegin, problemEnd, problemOf } from './problem';
export { countedTo, countLines, endCount, holdFirst, openCount, writtenTo } from './count';
export {
  decodeLines, encodeBam, lastRecord, missingBytes, newlineDue, openBytes, recordProblem, recordsBegun, restOfBlock,
  resumeDecoding, resumeEncoding, stoppedAt,
} from './cobs';
export { countNewlines, frameReads, frameSequences, joinReads, passedLines, splitReads } from './fastx';
export { endLines, endRecords, openQuoteAt, setState, stateOf } from './csv';
export { setSeed } from './random';
export { decodeRecords, encodeRecords, setEncoding, setShuffles } from '../shared/record-encoding';

/** Orderings of parts, numbered as in src/job.ts. */
const BYTES: u32 = 0;
const NUMERIC: u32 = 1;
const GENERAL: u32 = 2;
const HUMAN: u32 = 3;
const MONTH: u32 = 4;
const VERSION: u32 = 5;
const RANDOM: u32 = 6;
const NATURAL: u32 = 7;
const LENGTH: u32 = 8;
const QUALITY: u32 = 9;
const SIMILAR: u32 = 10;
const CONTIG: u32 = 11;
const MATE_CONTIG: u32 = 12;
const INTEGER: u32 = 13;
const SIGNED: u32 = 14;
const STRAND: u32 = 15;
const TEMPLATE: u32 = 16;
const PICARD_TEMPLATE: u32 = 17;
const TAG: u32 = 18;
const ALLELES: u32 = 19;

/**
 * What a part is looked for in: the part is the whole line; a line's fields; a CSV record; the value at a path in JSON;
 * a BAM record. ONE_FIELD: the part is a field, and a byte separates fields.
 */
const WHOLE: u32 = 0;
const FIELDS: u32 = 1;
const CSV: u32 = 2;
const JSON: u32 = 3;
const BAM: u32 = 4;
const ONE_FIELD: u32 = 5;

/** Bytes of the key length, which precedes the key. */
const HEADER: usize = 4;

/**
 * The layout of a part, from `parts`: the arguments of addPart; whether bytes are dropped or folded, and whether only
 * folded; where to look for the part, and the path there; the field of BAM; the table of contigs; the name of a tag;
 * its filter.
 */
const ORDER: usize = 0;
const REVERSE: usize = 4;
const BEGIN_FIELD: usize = 8;
const BEGIN_BYTE: usize = 12;
const BEGIN_BLANKS: usize = 16;
const END_FIELD: usize = 20;
const END_BYTE: usize = 24;
const END_BLANKS: usize = 28;
const SEPARATOR: usize = 32;
const SEPARATOR_BYTES: usize = 36;
const FILTERS: usize = 40;
const FOLDS: usize = 44;
const KIND: usize = 48;
const PATH: usize = 52;
const STEPS: usize = 56;
const BAM_FIELD: usize = 60;
const CONTIGS: usize = 64;
const TAG_NAME: usize = 68;
const FILTER: usize = 72;
const PART_BYTES: usize = FILTER + FILTER_BYTES;

let parts: usize = 0;
let partsEnd: usize = 0;

/** The first byte of memory that the kernels do not use themselves. */
export function firstFree(): u32 { return <u32>__heap_base; }

/** Sets the byte that ends lines. */
export function setDelimiter(newDelimiter: u32): void {
  setMissingDigit(newDelimiter);
  setMissing(newDelimiter);
}

/** Sets where parts are kept, partBytes() each. */
export function setParts(at: u32): void { parts = partsEnd = at; }
export function partBytes(): u32 { return <u32>PART_BYTES; }

/** Adds the next part; `reverse` is relative to the comparison of whole keys. */
export function addPart(
  order: u32, reverse: bool, dictionary: bool, printing: bool, fold: bool,
  beginField: u32, beginByte: u32, beginBlanks: bool, endField: u32, endByte: u32, endBlanks: bool,
  separator: u32, separatorBytes: u32,
): void {
  const part = partsEnd;
  partsEnd += PART_BYTES;
  store<u32>(part, order, ORDER);
  store<u32>(part, u32(reverse), REVERSE);
  store<u32>(part, beginField, BEGIN_FIELD);
  store<u32>(part, beginByte, BEGIN_BYTE);
  store<u32>(part, u32(beginBlanks), BEGIN_BLANKS);
  store<u32>(part, endField, END_FIELD);
  store<u32>(part, endByte, END_BYTE);
  store<u32>(part, u32(endBlanks), END_BLANKS);
  store<u32>(part, separator, SEPARATOR);
  store<u32>(part, separatorBytes, SEPARATOR_BYTES);
  store<u32>(part, u32(dictionary || printing || fold), FILTERS);
  store<u32>(part, u32(fold && !dictionary && !printing), FOLDS);
  store<u32>(part, beginByte != 0 || beginBlanks ? FIELDS
    : beginField == 0 && endField == TO_END ? WHOLE
    : separatorBytes == 1 && endField == beginField + 1 && endByte == 0 ? ONE_FIELD : FIELDS, KIND);
  setFilter(part + FILTER, dictionary, printing, fold);
}

/** Makes the fields of the last part those of CSV. */
export function setQuoted(): void { store<u32>(partsEnd - PART_BYTES, CSV, KIND); }

/** Looks for the last part in the value at the path of `steps` steps at `path` (json.ts). */
export function setPath(path: u32, steps: u32): void {
  const part = partsEnd - PART_BYTES;
  store<u32>(part, JSON, KIND);
  store<u32>(part, path, PATH);
  store<u32>(part, steps, STEPS);
}

/** Makes the last part the field number `field` of BAM records (bam.ts). */
export function setBam(field: u32): void {
  const part = partsEnd - PART_BYTES;
  store<u32>(part, BAM, KIND);
  store<u32>(part, field, BAM_FIELD);
}

/** Gives the last part its table of contigs (contig.ts). */
export function setContigs(table: u32): void { store<u32>(partsEnd - PART_BYTES, table, CONTIGS); }

/** Gives the last part the two characters of its tag, the first one lowest (tag.ts). */
export function setTag(name: u32): void { store<u32>(partsEnd - PART_BYTES, name, TAG_NAME); }

/** After makeKeys: where the next line begins, and the end of the keyed lines. */
let source: u32 = 0;
let target: usize = 0;
export function sourceEnd(): f64 { return <f64>source; }
export function targetEnd(): f64 { return <f64>target; }

/**
 * Makes keyed lines from the lines at `from`, at most `most`. Stops at `to`, and before a line whose keyed line might
 * extend beyond `room`: it takes at most `factor` times the line's length plus `constant` bytes. Uses as much memory at
 * `spare` as the longest line has. Also stops before a line with a problem (problem.ts).
 */
export function makeKeys(
  from: u32, to: u32, at: u32, room: u32, most: u32, factor: u32, constant: u32, spare: u32,
): void {
  source = from;
  target = at;
  for (; most > 0 && source < to; most--) {
    const next = lineEnd(source, delimiter);
    if (<u64>target + <u64>factor * <u64>(next - source) + <u64>constant > <u64>room) return;
    const key = target + HEADER;
    goTo(key);
    for (let part = parts; part < partsEnd; part += PART_BYTES) putRow(part, source, next - 1, spare);
    if (problemOf() != 0) return;
    storeNumber(target, <u32>(place - key));
    copyRecord(source, next, place);
    target = place + (next - source);
    source = next;
  }
}

/**
 * Writes the row of part number `index` of the line [begin, end) at `at`; returns its end. The line's delimiter must
 * follow the line. `spare` as in makeKeys.
 */
export function makeRow(index: u32, begin: u32, end: u32, at: u32, spare: u32): f64 {
  goTo(at);
  putRow(parts + <usize>index * PART_BYTES, begin, end, spare);
  return <f64>place;
}

/** Writes the row of a part of the line [begin, end). */
// @ts-ignore: decorator
@inline
function putRow(part: usize, begin: u32, end: u32, spare: u32): void {
  const row = place;
  const kind = load<u32>(part, KIND);
  if (kind == BAM) {
    putBam(part, begin, end, spare);
    endRow(row, load<u32>(part, REVERSE) != 0);
    return;
  }
  if (kind == ONE_FIELD) {
    const found = oneField(begin, end, load<u32>(part, BEGIN_FIELD), load<u32>(part, SEPARATOR));
    begin = <u32>found;
    end = <u32>(found >> 32);
  } else if (kind != WHOLE) {
    const found = findPart(part, kind, begin, end, spare);
    begin = <u32>found;
    end = <u32>(found >> 32);
  }
  // A JSON string may stand for text that contains the delimiter.
  if (kind == JSON) setMissing(ANY);
  putPart(part, begin, end, spare);
  if (kind == JSON) setMissing(delimiter);
  endRow(row, load<u32>(part, REVERSE) != 0);
}

/**
 * Locates the first part of the line [begin, end): its beginning in the lower half, its end in the upper half. The
 * line's delimiter must follow the line.
 */
export function findFirst(begin: u32, end: u32, spare: u32): u64 {
  return findPart(parts, load<u32>(parts, KIND), begin, end, spare);
}

/** Locates any part, in the line or in a copy at `spare`. */
function findPart(part: usize, kind: u32, begin: u32, end: u32, spare: u32): u64 {
  if (kind == CSV) {
    findCsv(begin, end,
      load<u32>(part, BEGIN_FIELD), load<u32>(part, BEGIN_BYTE), load<u32>(part, BEGIN_BLANKS) != 0,
      load<u32>(part, END_FIELD), load<u32>(part, END_BYTE), load<u32>(part, END_BLANKS) != 0,
      load<u8>(part, SEPARATOR), spare);
    return csvBegin | <u64>csvEnd << 32;
  }
  if (kind != JSON) return findFields(part, begin, end);
  findJson(begin, end, load<u32>(part, PATH), load<u32>(part, STEPS), spare);
  return findFields(part, jsonBegin, jsonEnd);
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
    case TAG: return putTag(at, end, load<u32>(part, TAG_NAME));
    case ALLELES: return putAlleles(at, end, spare);
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
    default: return putPicardTemplate(checkFlag(value, at, end));
  }
}

/** Writes the row of a field of the BAM record in the line [begin, end). */
function putBam(part: usize, begin: u32, end: u32, spare: u32): void {
  const order = load<u32>(part, ORDER);
  const field = load<u32>(part, BAM_FIELD);
  if (field != NAME && field != TAGS) {
    const value = bamNumber(field, begin, end, spare);
    if (order == CONTIG || order == MATE_CONTIG) {
      const table = load<u32>(part, CONTIGS);
      const count = contigCount(table);
      const rank = <u32>value;
      if (value < -1 || (value >= 0 && rank >= count)) report(NOT_LISTED, begin, begin);
      // -1 is no contig: it sorts after all, but as the mate's before all.
      putRank(table, order == MATE_CONTIG ? rank + 1 : min(rank, count));
    } else putNumber(order, value, begin, begin);
    return;
  }
  findBam(field, begin, end, spare);
  // A record may contain the delimiter.
  setMissing(ANY);
  if (order == TAG) putBamTag(bamBegin, bamEnd, load<u32>(part, TAG_NAME));
  else putPart(part, bamBegin, bamEnd, spare);
  setMissing(delimiter);
}
