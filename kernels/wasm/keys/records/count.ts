/**
 * Counts adjacent lines with equal keys, for lines in order. Writes the first line of each key after its count, in the
 * format of GNU `uniq -c`: the number in seven columns, or more if it has more digits, a space, the line. Keyed lines
 * are written without their keys. Reads of FASTQ and FASTA instead have ` count=N` at the end of their first line, and
 * records of CSV have the number as their first field.
 *
 *     openCount -> countLines for each text -> holdFirst, before its memory is reused -> ... -> endCount
 */
import { copyRecord } from '../../shared/text';
import { firstEnd, firstText, isEqual, openLines, recordEnd, takeFirst } from './equal';

/** Columns of a number; the smallest number that is wider; spaces to fill it. */
const WIDTH: u32 = 7;
const WIDEST: u64 = 10_000_000;
const SPACES: u64 = 0x2020202020202020;
/** ` count=`, the first byte lowest, and its bytes. */
const LABEL: u64 = 0x3d746e756f6320;
const LABEL_BYTES: u32 = 7;
/** Bytes of the largest number, below 2 ** 64, and a label. */
const NUMBER_MOST: u32 = 27;

const NEWLINE: u8 = 10;
const RETURN: u8 = 13;

/** Where counts are written: the same numbers as in src/output/count.ts. */
const LABEL_FORM: u32 = 1;
const FIELD_FORM: u32 = 2;
const QUOTE: u8 = 34;
let form: u32 = 0;
/** The byte that separates fields. */
let separator: u8 = 0;
/** The number of lines counted so far that equal the first one; 0 at the beginning. */
let count: u64 = 0;
/** How often each of the next lines occurred, 8 bytes each; 0: once. */
let weights: u32 = 0;
/** Where the next line to count begins, and the end of the output. */
let source: u32 = 0;
let target: u32 = 0;

export function openCount(keyed: bool, newForm: u32, newSeparator: u32): void {
  openLines(keyed);
  form = newForm;
  separator = <u8>newSeparator;
  count = 0;
  weights = 0;
}

/** The next lines are distinct ones; each occurred as often as the next 8 bytes from `newWeights` on say. */
export function openWeights(newWeights: u32): void { weights = newWeights; }

export function countedTo(): f64 { return <f64>source; }
export function writtenTo(): f64 { return <f64>target; }

/**
 * Counts the whole lines [from, to). Writes at `at` each line that is not followed by an equal one, if there is room
 * before `room`. If countedTo() is then before `to`, there was no room for the next line.
 */
export function countLines(from: u32, to: u32, at: u32, room: u32): void {
  source = from;
  target = at;
  while (source < to) {
    const next = recordEnd(source);
    if (count != 0 && isEqual(source, next)) count += takeWeight();
    else {
      if (count != 0 && <u64>target + NUMBER_MOST + (firstEnd() - firstText()) > <u64>room) return;
      put();
      takeFirst(source, next);
      count = takeWeight();
    }
    source = next;
  }
}

/** How often the next line occurred. */
// @ts-ignore: decorator
@inline
function takeWeight(): u64 {
  if (weights == 0) return 1;
  const weight = load<u64>(weights);
  weights += 8;
  return weight;
}

/** Writes the last line at `at`. */
export function endCount(at: u32): void {
  target = at;
  put();
  count = 0;
}

/** Writes the first of the lines being counted, if any. */
function put(): void {
  if (count == 0) return;
  const text = firstText();
  const end = firstEnd();
  if (form == FIELD_FORM) {
    putField();
    copyRecord(text, end, target);
    target += end - text;
    return;
  }
  if (form == LABEL_FORM) {
    const split = firstLineEnd(text, end);
    copyRecord(text, split, target);
    target += split - text;
    store<u64>(target, LABEL);
    target += LABEL_BYTES + 1;
    target += digits() - 1;
    putNumber(target);
    copyRecord(split, end, target);
    target += end - split;
    return;
  }
  let place = target + WIDTH;
  for (let rest = count / WIDEST; rest > 0; rest /= 10) place++;
  store<u64>(target, SPACES);
  store<u8>(place, 32);
  putNumber(place);
  copyRecord(text, end, place + 1);
  target = place + 1 + (end - text);
}

/** Writes the count as a field, in quotes if the separator is a digit. */
function putField(): void {
  const quoted = isDigit(separator);
  if (quoted) store<u8>(target++, QUOTE);
  target += digits();
  putNumber(target);
  if (quoted) store<u8>(target++, QUOTE);
  store<u8>(target++, separator);
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u8): bool { return byte - 48 < 10; }

/** The number of digits of the count. */
function digits(): u32 {
  let number: u32 = 1;
  for (let rest = count / 10; rest > 0; rest /= 10) number++;
  return number;
}

/** Writes the count before `at`. */
function putNumber(at: u32): void {
  for (let rest = count; rest > 0; rest /= 10) store<u8>(--at, <u8>(48 + rest % 10));
}

/** Where the first line of the record [text, end) ends, before its newline or CRLF. */
function firstLineEnd(text: u32, end: u32): u32 {
  let at = text;
  let found = 0;
  for (; at < end; at += 16) {
    found = i8x16.bitmask(i8x16.eq(v128.load(at), i8x16.splat(NEWLINE)));
    if (found != 0) break;
  }
  at = min(at + ctz(found), end - 1);
  return at > text && load<u8>(at - 1) == RETURN ? at - 1 : at;
}
