/**
 * Makes keyed lines (src/keys/keyed.ts): lines with a key in front that compares, byte by byte, in the order of their
 * parts. Compiled to WebAssembly by AssemblyScript in `npm run build`; one instance per thread, for one ordering.
 *
 *     setDelimiter, setSeed, addPart ... -> makeKeys, for each text; or makeRow, for a long line
 *     setPlain, addPart ... -> makeEntries, for records of BAM as they are
 *     setDelimiter -> the functions of records/, for lines in order
 *     setEncoding -> encodeRecords, decodeRecords, for binary records
 *     resumeEncoding -> encodeBam; resumeDecoding -> decodeLines, for BAM records
 *
 * A keyed line is its key length in four digits (../shared/digits.ts), the key, the line. The key is a row for each
 * part, in order (part.ts, row.ts); each ordering has its own file. A new ordering needs a number in
 * src/job/ordering.ts and in part.ts, a bound in src/keys/keyed.ts, a file here, and a line in row.ts.
 */
import { ADDRESS_AT, BYTES_AT, entryAfter, ITEM_BYTES, ROW_AT } from '../shared/item';
import { lineEnd } from '../shared/lines';
import { copyRecord } from '../shared/text';
import { beginLine, isComment } from './comment';
import { delimiter, goTo, place, setDelimiter as setMissingDigit, storeNumber } from '../shared/digits';
import { KIND, PART_BYTES, parts, partsEnd } from './part';
import { problemOf } from './problem';
import { findPart, putBamRow, putRow } from './row';
import { setMissing } from './text';

export { contigTableBytes } from '../shared/contig-table';
export { makeContigTable } from './contig';
export { clearProblem, problemBegin, problemEnd, problemOf } from './problem';
export { countLines, countedTo, endCount, openCount, openWeights, writtenTo } from './records/count';
export { endLast, openSplit, splitEqual, splitLast } from './records/duplicates';
export { holdFirst } from './records/equal';
export {
  decodeLines, encodeBam, lastRecord, missingBytes, newlineDue, openBytes, recordProblem, recordsBegun, restOfBlock,
  resumeDecoding, resumeEncoding, stoppedAt,
} from './records/cobs';
export { countBytes, frameReads, frameSequences, joinReads, passedLines, splitReads } from './records/fastx';
export { endLines, endRecords, openQuoteAt, setState, stateOf } from './csv';
export { findLateParent, groupBegin, parentTableBytes } from './records/parents';
export {
  addPlaces, dropPlaces, numberAt, placeLeft, recordNumber, setRecordNumber, setShuffleSeed,
} from './records/shuffle';
export { setSeed } from './random';
export { setPlain } from './bam';
export { decodeRecords, encodeRecords, setEncoding, setShuffles } from '../shared/record-encoding';
export {
  addPart, partBytes, presenceOf, setBam, setContigs, setDropsReturn, setLibraries, setParts, setPath, setQuoted,
  setTag,
} from './part';

/** Bytes of the key length, which precedes the key. */
const HEADER: usize = 4;
/** Bytes of the length with which a record of BAM begins. */
const LENGTH: u32 = 4;

/** The first byte of memory that the kernels do not use themselves. */
export function firstFree(): u32 { return <u32>__heap_base; }

/** Sets the byte that ends lines. */
export function setDelimiter(newDelimiter: u32): void {
  setMissingDigit(newDelimiter);
  setMissing(newDelimiter);
}

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
    beginLine();
    for (let part = parts; part < partsEnd && !isComment(); part += PART_BYTES) putRow(part, source, next - 1, spare);
    if (problemOf() != 0) return;
    storeNumber(target, <u32>(place - key));
    copyRecord(source, next, place);
    target = place + (next - source);
    source = next;
  }
}

/** After makeEntries: the end of the items. */
let items: usize = 0;
export function itemsEnd(): f64 { return <f64>items; }

/**
 * Makes entries (../shared/item.ts), whose rows are keys, of the records of BAM at `from`, and has their items point to
 * them. Stops as makeKeys does: an entry takes at most `factor` times the record's length plus `constant` bytes.
 */
export function makeEntries(
  from: u32, to: u32, at: u32, room: u32, most: u32, factor: u32, constant: u32, spare: u32, firstItem: u32,
): void {
  source = from;
  target = at;
  items = firstItem;
  for (; most > 0 && source < to; most--) {
    const next = source + LENGTH + load<u32>(source);
    if (<u64>target + <u64>factor * <u64>(next - source) + <u64>constant > <u64>room) return;
    goTo(target + ROW_AT);
    for (let part = parts; part < partsEnd; part += PART_BYTES) putBamRow(part, source, next, spare);
    if (problemOf() != 0) return;
    store<u32>(target, source);
    store<u32>(target, <u32>(place - target), BYTES_AT);
    store<u32>(items, <u32>target, ADDRESS_AT);
    items += ITEM_BYTES;
    target = entryAfter(place);
    source = next;
  }
}

/**
 * Writes the row of part number `index` of the line [begin, end) at `at`; returns its end. The line's delimiter must
 * follow the line. `spare` as in makeKeys.
 */
export function makeRow(index: u32, begin: u32, end: u32, at: u32, spare: u32): f64 {
  goTo(at);
  if (index == 0) beginLine();
  if (!isComment()) putRow(parts + <usize>index * PART_BYTES, begin, end, spare);
  return <f64>place;
}

/**
 * Locates the first part of the line [begin, end): its beginning in the lower half, its end in the upper half. The
 * line's delimiter must follow the line.
 */
export function findFirst(begin: u32, end: u32, spare: u32): u64 {
  return findPart(parts, load<u32>(parts, KIND), begin, end, spare);
}
