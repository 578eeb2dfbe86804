/**
 * A collated part of records: its text after -d, -i and -f. These work on characters, not on bytes: letters and digits
 * are those of all scripts, and -f maps to uppercase by the rules of the language. Fields are found as without a
 * language (../fields.ts), so positions count bytes. A character that a position cuts is ill-formed (utf8.ts).
 */
import type { FieldSpan, KeyPart } from '../../job/job.js';
import { fieldSpan } from '../fields.js';
import type { KeyMaker } from '../key-maker.js';
import type { Intervals, PrimaryWeights } from './primary-weights.js';
import type { CollationStep } from './step.js';
import { decodeUtf8 } from './utf8.js';

/** What -d removes: all but blanks, letters with their marks, and digits. */
const NOT_DICTIONARY = /[^\t\n \p{Alphabetic}\p{M}\p{N}]/gu;
/** What -i removes: control and format characters, surrogates (so ill-formed bytes), and unassigned code points. */
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
    return this.modified(decodeUtf8(Buffer.from(part.buffer, part.byteOffset, part.length), 0, part.length));
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
