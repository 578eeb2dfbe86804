/**
 * A collated part of records: its text after -d, -i and -f. These work on characters, not on bytes: letters and digits
 * are those of all scripts, and -f maps to uppercase by the rules of the language. Fields are found as without a
 * language (../fields.ts), so positions count bytes. A character cut by a position is ill-formed UTF-8.
 */

import { constants } from 'node:buffer';
import type { FieldSpan, KeyPart, Ordering } from '../../job/ordering.js';
import { formatBytes } from '../../report/units.js';
import { GpusortError } from '../../system/errors.js';
import { asBuffer } from '../../system/memory.js';
import { fieldSpan } from '../fields.js';
import { KeyMaker } from '../key-maker.js';
import { KEY_HEADER_BYTES, keyLength } from '../keyed.js';
import type { Intervals, PrimaryWeights } from './primary-weights.js';

/** A step of comparing two records: a collated part, or neighboring parts with other orderings. */
export interface CollationStep {
  /** The part of a record (without its delimiter) as a string. */
  valueOf(record: Uint8Array): string;
  /**
   * The same for many lines of `text`, if that is faster. The first line begins at `from`, each other line at the end
   * of the previous one; `ends` include delimiters.
   */
  valuesOf?(text: Buffer, from: number, ends: Uint32Array): string[];
  /** Negative, 0 or positive; reversed if the part is reversed. */
  compare(a: string, b: string): number;
}

/** The characters that -d removes: all except blanks, letters with their marks, and digits. */
const NOT_DICTIONARY = /[^\t\n \p{Alphabetic}\p{M}\p{N}]/gu;
/**
 * The characters that -i removes: control and format characters, surrogates (so ill-formed bytes), and unassigned code
 * points.
 */
const NOT_PRINTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}]/gu;

export class CollatedPart implements CollationStep {
  readonly reverse: boolean;
  private readonly part: KeyPart;
  private readonly finder: KeyMaker | null;
  private readonly isWhole: boolean;
  private readonly isPlain: boolean;
  private readonly collator: Intl.Collator;
  private readonly locale: string;

  /** `finder` locates a part that is quoted or in JSON; null: the part is in the record as written. */
  constructor(part: KeyPart, collator: Intl.Collator, locale: string, finder: KeyMaker | null) {
    this.part = part;
    this.finder = finder;
    this.isWhole = finder === null && isWholeRecord(part.span);
    this.isPlain = !part.dictionary && !part.printing && !part.fold;
    this.reverse = part.reverse;
    this.collator = collator;
    this.locale = locale;
  }

  valueOf(record: Uint8Array): string {
    const part = this.isWhole ? record : this.bytesOf(record);
    return this.modified(decodeUtf8(asBuffer(part), 0, part.length));
  }

  /** The intervals of the values of lines (as in collation.ts). */
  intervalsOf(weights: PrimaryWeights, text: Buffer, from: number, ends: Uint32Array): Intervals {
    const intervals = weights.intervals(ends.length);
    for (let i = 0, begin = from; i < ends.length; i++) {
      const end = ends[i] - 1;
      if (this.isWhole && this.isPlain) weights.write(intervals, i, text, begin, end);
      else {
        const record = text.subarray(begin, end);
        const part = this.isPlain ? this.bytesOf(record) : Buffer.from(this.valueOf(record));
        weights.write(intervals, i, part, 0, part.length);
      }
      begin = end + 1;
    }
    return intervals;
  }

  compare(a: string, b: string): number {
    if (a === b) return 0;
    return this.reverse ? this.collator.compare(b, a) : this.collator.compare(a, b);
  }

  private bytesOf(record: Uint8Array): Uint8Array {
    return this.finder === null ? fieldSpan(this.part.span, record) : this.finder.firstPart(record);
  }

  private modified(text: string): string {
    if (this.isPlain) return text;
    let counts = text;
    if (this.part.dictionary) counts = counts.replace(NOT_DICTIONARY, '');
    if (this.part.printing) counts = counts.replace(NOT_PRINTING, '');
    return this.part.fold ? counts.toLocaleUpperCase(this.locale) : counts;
  }
}

function isWholeRecord({ begin, end }: FieldSpan): boolean {
  return begin.field === 0 && begin.byte === 0 && !begin.skipBlanks && end === null;
}

/**
 * Neighboring parts with orderings other than collation. Their value is the concatenation of their rows
 * (kernels/wasm/keys/), as a string with one character for each byte; strings compare as the bytes do.
 */
export class PartRows implements CollationStep {
  private readonly ordering: Ordering;
  private readonly maker: KeyMaker;

  /** `ordering`: an ordering by normalized keys with these parts. */
  constructor(ordering: Ordering, options: ConstructorParameters<typeof KeyMaker>[1]) {
    this.ordering = ordering;
    this.maker = new KeyMaker(ordering, options);
  }

  valueOf(record: Uint8Array): string {
    const { format } = this.ordering;
    const line = Buffer.allocUnsafe(record.length + 1);
    line.set(record);
    line[record.length] = format.kind === 'lines' ? format.delimiter : 0;
    return this.valuesOf(line, 0, Uint32Array.of(line.length))[0];
  }

  valuesOf(text: Buffer, from: number, ends: Uint32Array): string[] {
    const values: string[] = [];
    this.maker.make(text.subarray(from, ends.at(-1) ?? from), (block) => {
      const lines = asBuffer(block);
      for (let at = 0; at < lines.length; ) {
        const row = at + KEY_HEADER_BYTES;
        const rowEnd = row + keyLength(this.ordering, lines.subarray(at, row));
        const i = values.push(lines.toString('latin1', row, rowEnd)) - 1;
        at = rowEnd + ends[i] - (i === 0 ? from : ends[i - 1]);
      }
    });
    return values;
  }

  compare(a: string, b: string): number {
    return a < b ? -1 : a > b ? 1 : 0;
  }
}

/**
 * An ill-formed byte becomes this plus its value: a lone surrogate, which UTF-8 never yields and which collates after
 * all assigned characters.
 */
const ILL_FORMED = 0xdc00;
const REPLACEMENT = '\ufffd';

/**
 * The text of bytes [from, to). ASCII becomes a string with one byte for each character, which
 * collators compare fastest.
 */
function decodeUtf8(bytes: Buffer, from: number, to: number): string {
  if (to - from > constants.MAX_STRING_LENGTH) {
    throw new GpusortError(
      'out-of-memory',
      `memory exhausted: a line of ${formatBytes(to - from)} is too long for --locale`,
    );
  }
  if (isAscii(bytes, from, to)) return bytes.toString('latin1', from, to);
  const text = bytes.toString('utf8', from, to);
  return text.includes(REPLACEMENT) ? decodeIllFormed(bytes, from, to) : text;
}

function isAscii(bytes: Uint8Array, from: number, to: number): boolean {
  let all = 0;
  for (let at = from; at < to; at++) all |= bytes[at];
  return all < 0x80;
}

function decodeIllFormed(bytes: Buffer, from: number, to: number): string {
  const parts: string[] = [];
  let wellFormed = from;
  for (let at = from; at < to; ) {
    const length = characterBytes(bytes, at, to);
    if (length === 0) {
      parts.push(bytes.toString('utf8', wellFormed, at), String.fromCharCode(ILL_FORMED + bytes[at]));
      wellFormed = at + 1;
    }
    at += Math.max(1, length);
  }
  parts.push(bytes.toString('utf8', wellFormed, to));
  return parts.join('');
}

/**
 * The length of the well-formed character at `at` in bytes, within [at, to); 0 if there is none. (The
 * Unicode Standard, table 3-7.)
 */
function characterBytes(bytes: Uint8Array, at: number, to: number): number {
  const first = bytes[at];
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  // No overlong forms, no surrogates, nothing beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (bytes[at + 1] < least || bytes[at + 1] > most) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i] & 0xc0) !== 0x80) return 0;
  return length;
}
