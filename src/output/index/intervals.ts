/**
 * Reads the positions that a line of BED, VCF or GFF covers. Positions are counted from 0 and the end is exclusive. The
 * rules are those of tabix; a VCF record covers the longest interval that any rule gives, so no query misses it.
 */

/** The positions of a record, and the byte at which the contig's name, which begins the line, ends. */
export interface Interval {
  contigEnd: number;
  begin: number;
  end: number;
}

/** Reads the line from `at` to `end` into `interval`. Returns the problem of the line, or an empty string. */
export type IntervalReader = (bytes: Uint8Array, at: number, end: number, interval: Interval) => string;

const NOT_A_NUMBER = 'a position is not a number';
const TAB = 9;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const COLON = 0x3a;
const ZERO = 0x30;

export function readBed(bytes: Uint8Array, at: number, end: number, interval: Interval): string {
  const contigEnd = fieldEnd(bytes, at, end);
  const startEnd = fieldEnd(bytes, contigEnd + 1, end);
  if (startEnd > end) return 'it has no start';
  interval.contigEnd = contigEnd;
  interval.begin = readNumber(bytes, contigEnd + 1, end);
  interval.end = startEnd === end ? interval.begin + 1 : readNumber(bytes, startEnd + 1, end);
  return interval.begin < 0 || interval.end < 0 ? NOT_A_NUMBER : '';
}

export function readGff(bytes: Uint8Array, at: number, end: number, interval: Interval): string {
  const contigEnd = fieldEnd(bytes, at, end);
  const begin = fieldEnd(bytes, fieldEnd(bytes, contigEnd + 1, end) + 1, end) + 1;
  const beginEnd = fieldEnd(bytes, begin, end);
  if (beginEnd > end) return 'it has no start';
  const first = readNumber(bytes, begin, end);
  const last = beginEnd === end ? first : readNumber(bytes, beginEnd + 1, end);
  interval.contigEnd = contigEnd;
  interval.begin = Math.max(first - 1, 0);
  interval.end = last;
  return first < 0 || last < 0 ? NOT_A_NUMBER : '';
}

export function readVcf(bytes: Uint8Array, at: number, end: number, interval: Interval): string {
  const contigEnd = fieldEnd(bytes, at, end);
  const positionEnd = fieldEnd(bytes, contigEnd + 1, end);
  if (positionEnd > end) return 'it has no position';
  const position = readNumber(bytes, contigEnd + 1, end);
  if (position < 0) return NOT_A_NUMBER;
  const idEnd = fieldEnd(bytes, positionEnd + 1, end);
  const referenceEnd = fieldEnd(bytes, idEnd + 1, end);
  if (referenceEnd > end) return 'it has no reference allele';
  const allelesEnd = fieldEnd(bytes, referenceEnd + 1, end);
  const info = fieldEnd(bytes, fieldEnd(bytes, allelesEnd + 1, end) + 1, end) + 1;
  interval.contigEnd = contigEnd;
  // A telomere has position 0.
  interval.begin = Math.max(position - 1, 0);
  interval.end = interval.begin + referenceEnd - idEnd - 1;
  if (info < end) extendByInfo(bytes, [info, fieldEnd(bytes, info, end)], [referenceEnd + 1, allelesEnd], interval);
  return '';
}

/**
 * The end of the field that begins at `at`: the next TAB, or `end`. A result after `end` means that no field begins at
 * `at`.
 */
function fieldEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at;
  while (i < end && bytes[i] !== TAB) i++;
  return i;
}

/** The decimal number at the beginning of a field; -1: none. */
function readNumber(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  let i = at;
  for (; i < end; i++) {
    const digit = bytes[i] - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  return i === at ? -1 : value;
}

/** The first byte of a field, and the byte after it. */
type FieldExtent = readonly [begin: number, end: number];

/** Extends the interval by END and, for alternative alleles such as <DEL>, by SVLEN. */
function extendByInfo(bytes: Uint8Array, [info, infoEnd]: FieldExtent, alleles: FieldExtent, interval: Interval): void {
  for (let i = info; i < infoEnd; i++) {
    if (startsWith(bytes, i, END)) {
      interval.end = Math.max(interval.end, readNumber(bytes, i + END.length, infoEnd));
    } else if (startsWith(bytes, i, LENGTHS)) {
      const length = longestAllele(bytes, i + LENGTHS.length, infoEnd, alleles);
      interval.end = Math.max(interval.end, interval.begin + length);
    }
    while (i < infoEnd && bytes[i] !== SEMICOLON) i++;
  }
}

const END = Buffer.from('END=');
const LENGTHS = Buffer.from('SVLEN=');
/** Alternative alleles whose length is measured on the reference. */
const SPANNING = ['DEL', 'DUP', 'CNV', 'INV'].map((name) => Buffer.from(name));

/**
 * The largest of the lengths from `at` on, one for each alternative allele. Only alleles that span the reference count.
 */
function longestAllele(bytes: Uint8Array, at: number, end: number, [alleles, allelesEnd]: FieldExtent): number {
  let longest = 0;
  let length = at;
  let allele = alleles;
  while (length < end && allele < allelesEnd) {
    // A deletion may have a negative length.
    const value = readNumber(bytes, bytes[length] === 0x2d ? length + 1 : length, end);
    if (spansReference(bytes, allele)) longest = Math.max(longest, value);
    while (length < end && bytes[length] !== COMMA && bytes[length] !== SEMICOLON) length++;
    if (bytes[length] === SEMICOLON) break;
    while (allele < allelesEnd && bytes[allele] !== COMMA) allele++;
    length++;
    allele++;
  }
  return longest;
}

/** Whether an allele is <DEL>, <DUP:TANDEM> or another whose length is measured on the reference. */
function spansReference(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === LESS_THAN &&
    (bytes[at + 4] === GREATER_THAN || bytes[at + 4] === COLON) &&
    SPANNING.some((name) => startsWith(bytes, at + 1, name))
  );
}

/** `text` may not contain TAB or newline, so a match cannot extend beyond a field. */
function startsWith(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
  return true;
}
