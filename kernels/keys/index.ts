/**
 * Lines into keyed lines (src/keys/keyed.ts): each with a key before it that compares, byte by byte, as its parts are to be ordered. Compiled to
 * WebAssembly by AssemblyScript in `npm run build`; one instance a thread, for one ordering.
 *
 *     setDelimiter, setSeed, addPart ... -> makeKeys, as often as there is text; or makeRow, of a long line
 *     setDelimiter -> what count.ts has, for lines in order
 *
 * A keyed line is the length of its key in four digits (digits.ts), the key, the line. The key is a row for each part, in their order: one file an
 * ordering. A further ordering needs its number in src/job.ts, its bound in src/keys/bounds.ts, a file here, and a line in `putPart`.
 */
import { partEnd, skipBytes, skipFields, TO_END } from '../cpu/fields';
import { copyRecord } from '../cpu/text';
import { csvBegin, csvEnd, findCsv } from './csv';
import { delimiter, endRow, goTo, place, setDelimiter as setMissingDigit, storeNumber } from './digits';
import { putGeneral } from './general';
import { putHuman } from './human';
import { findJson, jsonBegin, jsonEnd } from './json';
import { lineEnd } from '../cpu/lines';
import { putMonth } from './month';
import { putNumeric } from './numeric';
import { putRandom } from './random';
import { ANY, FILTER_BYTES, filterBytes, putFiltered, putText, setFilter, setMissing } from './text';
import { putVersion } from './version';

export { countedTo, countLines, endCount, holdFirst, openCount, writtenTo } from './count';
export { endLines, endRecords, openQuoteAt, setState, stateOf } from './csv';
export { setSeed } from './random';

/** Orders of parts, as src/job.ts numbers them. */
const BYTES: u32 = 0;
const NUMERIC: u32 = 1;
const GENERAL: u32 = 2;
const HUMAN: u32 = 3;
const MONTH: u32 = 4;
const VERSION: u32 = 5;

/** What the places of a part are looked for in: nothing, it is all of a line; the line; a record of CSV; the value at a path in JSON. */
const WHOLE: u32 = 0;
const FIELDS: u32 = 1;
const CSV: u32 = 2;
const JSON: u32 = 3;

/** The length of a key, before it. */
const HEADER: usize = 4;

/**
 * What is known of a part, at `parts` and from there on: the places of addPart; whether bytes are left out or changed, and only changed; where
 * it is looked for, and the path there; then its filter.
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
const FILTER: usize = 60;
const PART_BYTES: usize = FILTER + FILTER_BYTES;

let parts: usize = 0;
let partsEnd: usize = 0;

/** The first byte of memory that the kernels do not use for themselves. */
export function firstFree(): u32 { return <u32>__heap_base; }

/** Sets the byte that ends lines. */
export function setDelimiter(newDelimiter: u32): void {
  setMissingDigit(newDelimiter);
  setMissing(newDelimiter);
}

/** Where parts are kept: the memory from here on, of partBytes() each. */
export function setParts(at: u32): void { parts = partsEnd = at; }
export function partBytes(): u32 { return <u32>PART_BYTES; }

/** Adds the next part; `reverse` is relative to how whole keys are compared. */
export function addPart(
  order: u32, reverse: bool, dictionary: bool, printing: bool, fold: bool,
  beginField: u32, beginByte: u32, beginBlanks: bool, endField: u32, endByte: u32, endBlanks: bool, separator: u32, separatorBytes: u32,
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
  store<u32>(part, beginField == 0 && beginByte == 0 && !beginBlanks && endField == TO_END ? WHOLE : FIELDS, KIND);
  setFilter(part + FILTER, dictionary, printing, fold);
}

/** The fields of the part added last are those of CSV. */
export function setQuoted(): void { store<u32>(partsEnd - PART_BYTES, CSV, KIND); }

/** The part added last is one of the value at the path of `steps` steps at `path` (json.ts). */
export function setPath(path: u32, steps: u32): void {
  const part = partsEnd - PART_BYTES;
  store<u32>(part, JSON, KIND);
  store<u32>(part, path, PATH);
  store<u32>(part, steps, STEPS);
}

/** Where the next line to be keyed begins, and the end of the keyed lines, after makeKeys. */
let source: u32 = 0;
let target: usize = 0;
export function sourceEnd(): f64 { return <f64>source; }
export function targetEnd(): f64 { return <f64>target; }

/**
 * Keys lines from `from` on, up to `most` of them, and those only that end by `to` and whose keyed line, for which `factor` times their length and `constant` bytes
 * are enough, ends by `room`. Memory of the longest line's length is used at `spare`.
 */
export function makeKeys(from: u32, to: u32, at: u32, room: u32, most: u32, factor: u32, constant: u32, spare: u32): void {
  source = from;
  target = at;
  for (; most > 0 && source < to; most--) {
    const next = lineEnd(source, delimiter);
    if (<u64>target + <u64>factor * <u64>(next - source) + <u64>constant > <u64>room) return;
    const key = target + HEADER;
    goTo(key);
    for (let part = parts; part < partsEnd; part += PART_BYTES) putRow(part, source, next - 1, spare);
    storeNumber(target, <u32>(place - key));
    copyRecord(source, next, place);
    target = place + (next - source);
    source = next;
  }
}

/**
 * Writes the row of part number `index` of the line [begin, end), behind which is what ends lines, at `at`; returns where it ends. `spare` as for makeKeys.
 */
export function makeRow(index: u32, begin: u32, end: u32, at: u32, spare: u32): f64 {
  goTo(at);
  putRow(parts + index * PART_BYTES, begin, end, spare);
  return <f64>place;
}

/** Writes the row of a part of the line [begin, end). */
// @ts-ignore: decorator
@inline
function putRow(part: usize, begin: u32, end: u32, spare: u32): void {
  const row = place;
  const kind = load<u32>(part, KIND);
  if (kind != WHOLE) {
    const found = findPart(part, kind, begin, end, spare);
    begin = <u32>found;
    end = <u32>(found >> 32);
  }
  // What a string of JSON stands for may be what ends lines.
  if (kind == JSON) setMissing(ANY);
  putPart(part, begin, end, spare);
  if (kind == JSON) setMissing(delimiter);
  endRow(row, load<u32>(part, REVERSE) != 0);
}

/** Where what the first part names of the line [begin, end) is then: the begin in the lower half, the end in the upper one. What ends lines stands behind the line. */
export function findFirst(begin: u32, end: u32, spare: u32): u64 { return findPart(parts, load<u32>(parts, KIND), begin, end, spare); }

/** The same of any part: in the line, or where it has been copied to, at `spare`. */
function findPart(part: usize, kind: u32, begin: u32, end: u32, spare: u32): u64 {
  if (kind == CSV) {
    findCsv(begin, end, load<u32>(part, BEGIN_FIELD), load<u32>(part, BEGIN_BYTE), load<u32>(part, BEGIN_BLANKS) != 0,
      load<u32>(part, END_FIELD), load<u32>(part, END_BYTE), load<u32>(part, END_BLANKS) != 0, load<u8>(part, SEPARATOR), spare);
    return csvBegin | <u64>csvEnd << 32;
  }
  if (kind != JSON) return findFields(part, begin, end);
  findJson(begin, end, load<u32>(part, PATH), load<u32>(part, STEPS), spare);
  return findFields(part, jsonBegin, jsonEnd);
}

/** The same by the places of a part in [begin, end). */
function findFields(part: usize, begin: u32, end: u32): u64 {
  const separator = load<u32>(part, SEPARATOR);
  const separatorBytes = load<u32>(part, SEPARATOR_BYTES);
  const beginField = load<u32>(part, BEGIN_FIELD);
  const first = skipFields(begin, end, beginField, separator, separatorBytes, true);
  const from = skipBytes(first, end, load<u32>(part, BEGIN_BYTE), load<u32>(part, BEGIN_BLANKS) != 0);
  const to = partEnd(begin, end, beginField, first, load<u32>(part, END_FIELD), load<u32>(part, END_BYTE), load<u32>(part, END_BLANKS) != 0, separator, separatorBytes);
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
    default: return putRandom(at, end);
  }
}
