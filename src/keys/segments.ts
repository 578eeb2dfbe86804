/**
 * Which segment a record belongs to, on the host: the joints of chunks, and -c. (Kernels: kernels/segments/heads.wgsl and
 * kernels/cpu/segments.ts.)
 */
import type { Segments } from '../job.js';
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

/** Segments as kernels take them, in WGSL and in WebAssembly: what tells them, and the places that name the mark. */
export interface SegmentNumbers {
  /** 1: blank lines; 2: fields; 3: bytes. */
  readonly kind: number;
  /** Fields to pass, bytes behind them, whether blanks between are passed. Of bytes: the first one. */
  readonly beginField: number;
  readonly beginByte: number;
  readonly beginBlanks: number;
  /** The same for the end: all ones are the record's end, and no bytes that of the last field that is passed. Of bytes: how many. */
  readonly endField: number;
  readonly endByte: number;
  readonly endBlanks: number;
  /** 256: fields begin where blanks do. */
  readonly separator: number;
}

const TO_END = 0xffffffff;
const NO_SEPARATOR = 256;
const NOWHERE = { beginField: 0, beginByte: 0, beginBlanks: 0, endField: 0, endByte: 0, endBlanks: 0, separator: NO_SEPARATOR };

export function segmentNumbers(segments: Segments): SegmentNumbers {
  if (segments.kind === 'blank') return { ...NOWHERE, kind: 1 };
  if (segments.kind === 'bytes') return { ...NOWHERE, kind: 3, beginByte: segments.offset, endByte: segments.length };
  const { begin, end, separator } = segments.span;
  return {
    kind: 2, beginField: begin.field, beginByte: begin.byte, beginBlanks: Number(begin.skipBlanks),
    endField: end === null ? TO_END : end.byte === 0 ? end.field + 1 : end.field, endByte: end?.byte ?? 0, endBlanks: Number(end?.skipBlanks ?? false),
    separator: separator ?? NO_SEPARATOR,
  };
}
