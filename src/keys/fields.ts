/**
 * Finds parts of a record by fields, as GNU sort's -k does. Kernels follow the same definition in
 * kernels/wgsl/segments/mark-fields.wgsl and kernels/wasm/shared/fields.ts.
 */

import type { FieldPosition, FieldSpan, KeyPart, PartOrder, SegmentRule } from '../job/ordering.js';
import { asBuffer } from '../system/memory.js';
import { type CsvFields, csvFieldEnd, csvFields } from './csv-fields.js';

const [TAB, NEWLINE, SPACE] = [9, 10, 32];

/** A blank of the C locale. Newlines occur in records that end in NUL, and are blanks there. */
const isBlank = (byte: number | undefined): boolean => byte === SPACE || byte === TAB || byte === NEWLINE;

/** Whether a part is in the record as written, so that this file can find it: not in quoted fields, JSON and BAM. */
export const isPlainPart = ({ span, path, bam }: KeyPart): boolean =>
  !span.quoted && path === undefined && bam === undefined;

/** The bytes of a record (without its delimiter) in `span`; empty if it ends before it begins. */
export function fieldSpan(span: FieldSpan, record: Uint8Array): Uint8Array {
  const { from, to } = fieldBounds(span, record, new PlainFields(record, span.separator));
  return record.subarray(from, Math.max(from, to));
}

/**
 * Where the fields of a record lie. Fields count from 0. A field that the record does not have lies at the record's
 * end.
 */
interface FieldBounds {
  beginOf(field: number): number;
  /** The end of a field, before its separator. */
  endOf(field: number): number;
}

/** The bounds of `span` in a record; `to` may be less than `from`. */
function fieldBounds({ begin, end }: FieldSpan, record: Uint8Array, fields: FieldBounds): { from: number; to: number } {
  const from = place(record, fields.beginOf(begin.field), begin);
  if (end === null) return { from, to: record.length };
  return { from, to: end.byte === 0 ? fields.endOf(end.field) : place(record, fields.beginOf(end.field), end) };
}

/** Fields as they are written, with their blanks if no separator is given. */
class PlainFields implements FieldBounds {
  private readonly record: Uint8Array;
  private readonly separator: Uint8Array | null;

  constructor(record: Uint8Array, separator: Uint8Array | null) {
    this.record = record;
    this.separator = separator;
  }

  beginOf(field: number): number {
    const { record, separator } = this;
    let at = 0;
    for (let left = field; left > 0 && at < record.length; left--) {
      at = this.endFrom(at);
      if (separator !== null && at < record.length) at += separator.length;
    }
    return at;
  }

  endOf(field: number): number {
    return this.endFrom(this.beginOf(field));
  }

  /** The end of the field that begins at `at`. */
  private endFrom(at: number): number {
    const { record, separator } = this;
    if (separator === null) {
      while (at < record.length && isBlank(record[at])) at++;
      while (at < record.length && !isBlank(record[at])) at++;
    } else while (at < record.length && !separator.every((byte, i) => record[at + i] === byte)) at++;
    return at;
  }
}

/** The fields of CSV in their `text`. */
class QuotedFields implements FieldBounds {
  private readonly fields: CsvFields;

  constructor(fields: CsvFields) {
    this.fields = fields;
  }

  beginOf(field: number): number {
    return this.fields.begins[field] ?? this.fields.text.length;
  }

  endOf(field: number): number {
    return csvFieldEnd(this.fields, field);
  }
}

/** The place `byte` bytes after `at`, or after the blanks at `at`; at most the record's end. */
function place(record: Uint8Array, at: number, { byte, skipBlanks }: Omit<FieldPosition, 'field'>): number {
  while (skipBlanks && at < record.length && isBlank(record[at])) at++;
  return Math.min(record.length, at + byte);
}

/** A field span in the kernels' form. */
interface SpanNumbers {
  /** Fields to skip, bytes to skip after them, and whether to skip the blanks in between. */
  readonly beginField: number;
  readonly beginByte: number;
  readonly beginBlanks: number;
  /**
   * The same for the end. If `endField` is all ones, the end is the record's end; if `endByte` is 0, it is the end of
   * the last skipped field.
   */
  readonly endField: number;
  readonly endByte: number;
  readonly endBlanks: number;
  /** The separator's bytes, the first one lowest, and their number; 0 bytes: fields begin with their leading blanks. */
  readonly separator: number;
  readonly separatorBytes: number;
}

/** The same as arguments of kernels. */
export type SpanArguments = readonly [
  beginField: number,
  beginByte: number,
  beginBlanks: number,
  endField: number,
  endByte: number,
  endBlanks: number,
  separator: number,
  separatorBytes: number,
];

const TO_END = 0xffffffff;
/** No field span. */
const NOWHERE: SpanNumbers = {
  beginField: 0,
  beginByte: 0,
  beginBlanks: 0,
  endField: 0,
  endByte: 0,
  endBlanks: 0,
  separator: 0,
  separatorBytes: 0,
};

export function spanNumbers({ begin, end, separator }: FieldSpan): SpanNumbers {
  return {
    beginField: begin.field,
    beginByte: begin.byte,
    beginBlanks: Number(begin.skipBlanks),
    endField: end === null ? TO_END : end.byte === 0 ? end.field + 1 : end.field,
    endByte: end?.byte ?? 0,
    endBlanks: Number(end?.skipBlanks ?? false),
    separator: separator === null ? 0 : Buffer.from(separator).readUIntLE(0, separator.length),
    separatorBytes: separator?.length ?? 0,
  };
}

export function spanArguments(span: SpanNumbers): SpanArguments {
  const { beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes } = span;
  return [beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes];
}

/** Bytes [from, to) of a record. */
export interface LineExtent {
  readonly from: number;
  readonly to: number;
}

const DECIMAL = '-?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)';
/** The bytes that count at the beginning of a part, after its blanks. Parts with other orderings count as a whole. */
const COUNTED: Readonly<Partial<Record<PartOrder, RegExp>>> = {
  numeric: new RegExp(`^${DECIMAL}`),
  'human-numeric': new RegExp(`^${DECIMAL}[KkMGTPEZY]?`),
  // A number as strtold reads it in the C locale, including its own leading white space.
  'general-numeric': new RegExp(
    '^[ \\t-\\r]*[+-]?(?:' +
      '0x(?:[0-9a-f]+\\.?[0-9a-f]*|\\.[0-9a-f]+)(?:p[+-]?[0-9]+)?|' +
      '(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:e[+-]?[0-9]+)?|' +
      'inf(?:inity)?|nan(?:\\([0-9a-z_]*\\))?)',
    'i',
  ),
  month: /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i,
};

/**
 * The bytes of `record` (without its delimiter) that count for `part`, as `sort --debug` shows them: its fields or, for
 * numbers and months, only the bytes that are read as one; empty if the record has no such part. In CSV, the bytes lie
 * inside the quotes. Only kernels/wasm/keys/ knows the values of keys.
 */
export function partExtent(part: KeyPart, record: Uint8Array): LineExtent {
  const { quoted, separator } = part.span;
  if (!quoted) return extentIn(part, record, new PlainFields(record, separator));
  const fields = csvFields(record, separator![0]);
  const { from, to } = extentIn(part, fields.text, new QuotedFields(fields));
  return { from: fields.places[from], to: from === to ? fields.places[from] : fields.places[to - 1] + 1 };
}

/** `text` may be the text of fields without their quotes. */
function extentIn({ span, order }: KeyPart, text: Uint8Array, fields: FieldBounds): LineExtent {
  const { begin } = span;
  const fromLineBegin = begin.field === 0 && begin.byte === 0;
  // An empty extent is still shown where GNU sort shows it. Blanks at the beginning of a line are skipped only up to
  // the part's end. Other blanks before a number are skipped even if the part ends before it begins.
  const whole = fromLineBegin ? { ...span, begin: { ...begin, skipBlanks: false } } : span;
  const { from, to } = fieldBounds(whole, text, fields);
  const counted = COUNTED[order];
  if (counted === undefined && !(fromLineBegin && begin.skipBlanks)) return { from, to: Math.max(from, to) };
  const characters = asBuffer(text).toString('latin1', from, to < from ? text.length : to);
  const blanks = /^[ \t\n]*/.exec(characters)![0].length;
  const bytes =
    to < from
      ? 0
      : counted === undefined
        ? characters.length - blanks
        : (counted.exec(characters.slice(blanks))?.[0].length ?? 0);
  return { from: from + blanks, to: from + blanks + bytes };
}

/**
 * The bytes that the records of one segment have in common; null: the record is a segment of its own, for example a
 * blank line.
 */
export type SegmentMark = Uint8Array | null;

/** A line with only these bytes is blank. The carriage return is for lines that end in CR LF. */
const BLANKS: ReadonlySet<number> = new Set([...' \t\r\n'].map((character) => character.charCodeAt(0)));
const NOTHING = new Uint8Array();

/**
 * The mark of a record (without its delimiter), which identifies its segment on the host: where chunks meet, and for
 * -c. It may be a view of the record. Kernels follow the same definition in kernels/wgsl/segments/heads.wgsl and
 * kernels/wasm/cpu/segments.ts.
 */
export function segmentMark(segments: SegmentRule, record: Uint8Array): SegmentMark {
  switch (segments.kind) {
    case 'blank':
      return record.every((byte) => BLANKS.has(byte)) ? null : NOTHING;
    case 'fields':
      return fieldSpan(segments.span, record);
    case 'bytes':
      return record.subarray(segments.offset, segments.offset + segments.length);
  }
}

/** Whether neighbors with these marks belong to one segment. */
export function sameSegment(a: SegmentMark, b: SegmentMark): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0;
}

/** Segments in the kernels' form, in WGSL and in WebAssembly. */
interface SegmentNumbers extends SpanNumbers {
  /** 1: blank lines; 2: fields; 3: bytes, `endByte` of them from `beginByte` on. */
  readonly kind: number;
}

export function segmentNumbers(segments: SegmentRule): SegmentNumbers {
  switch (segments.kind) {
    case 'blank':
      return { ...NOWHERE, kind: 1 };
    case 'fields':
      return { ...spanNumbers(segments.span), kind: 2 };
    case 'bytes':
      return { ...NOWHERE, kind: 3, beginByte: segments.offset, endByte: segments.length };
  }
}
