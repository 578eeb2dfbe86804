/**
 * Which segment a record belongs to, on the host: the joints of chunks, and -c. (Kernels: kernels/segments/heads.wgsl and
 * kernels/cpu/segments.ts.)
 */
import type { FieldSpan, Segments } from '../job.js';
import { compareBytes } from './compare.js';
import { fieldSpan } from './fields.js';

/** What records of one segment have in common; null: the record is a segment of its own, as blank lines are. */
export type SegmentMark = Uint8Array | null;

/** Nothing but these: a blank line. A carriage return is one because of lines that end in two bytes. */
const BLANKS: ReadonlySet<number> = new Set([...' \t\r\n'].map((character) => character.charCodeAt(0)));
const NOTHING = new Uint8Array();

/** The mark of a record (given without its delimiter); it may be a view of it. */
export function segmentMark(segments: Segments, record: Uint8Array): SegmentMark {
  switch (segments.kind) {
    case 'blank': return record.every((byte) => BLANKS.has(byte)) ? null : NOTHING;
    case 'fields': return fieldSpan(segments.span, record);
    case 'bytes': return record.subarray(segments.offset, segments.offset + segments.length);
  }
}

/** Whether neighbours with these marks are of one segment. */
export function sameSegment(a: SegmentMark, b: SegmentMark): boolean {
  return a !== null && b !== null && compareBytes(a, b) === 0;
}

/** A part of a record by fields, as kernels take it. */
export interface SpanNumbers {
  /** Fields to pass, bytes behind them, whether blanks between are passed. */
  readonly beginField: number;
  readonly beginByte: number;
  readonly beginBlanks: number;
  /** The same for the end: all ones are the record's end, and no bytes that of the last field that is passed. */
  readonly endField: number;
  readonly endByte: number;
  readonly endBlanks: number;
  /** The bytes that part fields, the first in the lowest place, and how many there are; none: fields begin where blanks do. */
  readonly separator: number;
  readonly separatorBytes: number;
}

/** Segments as kernels take them, in WGSL and in WebAssembly. */
export interface SegmentNumbers extends SpanNumbers {
  /** 1: blank lines; 2: fields; 3: bytes, the first of which is `beginByte`, and `endByte` their number. */
  readonly kind: number;
}

const TO_END = 0xffffffff;
const NOWHERE: SpanNumbers = { beginField: 0, beginByte: 0, beginBlanks: 0, endField: 0, endByte: 0, endBlanks: 0, separator: 0, separatorBytes: 0 };

export function spanNumbers({ begin, end, separator }: FieldSpan): SpanNumbers {
  return {
    beginField: begin.field, beginByte: begin.byte, beginBlanks: Number(begin.skipBlanks),
    endField: end === null ? TO_END : end.byte === 0 ? end.field + 1 : end.field, endByte: end?.byte ?? 0, endBlanks: Number(end?.skipBlanks ?? false),
    separator: separator === null ? 0 : Buffer.from(separator).readUIntLE(0, separator.length), separatorBytes: separator?.length ?? 0,
  };
}

export function segmentNumbers(segments: Segments): SegmentNumbers {
  switch (segments.kind) {
    case 'blank': return { ...NOWHERE, kind: 1 };
    case 'fields': return { ...spanNumbers(segments.span), kind: 2 };
    case 'bytes': return { ...NOWHERE, kind: 3, beginByte: segments.offset, endByte: segments.length };
  }
}
