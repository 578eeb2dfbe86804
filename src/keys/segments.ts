/**
 * Finds the segment of a record on the host: where chunks meet, and for -c. (Kernels: kernels/wgsl/segments/heads.wgsl
 * and kernels/wasm/cpu/segments.ts.)
 */
import type { Segments } from '../job/job.js';
import { compareBytes } from './compare.js';
import { fieldSpan } from './fields.js';
import { NOWHERE, type SpanNumbers, spanNumbers } from './span-numbers.js';

/**
 * What the records of one segment have in common; null: the record is a segment of its own, for example a blank line.
 */
export type SegmentMark = Uint8Array | null;

/** A line of only these is blank. The carriage return is for lines that end in CR LF. */
const BLANKS: ReadonlySet<number> = new Set([...' \t\r\n'].map((character) => character.charCodeAt(0)));
const NOTHING = new Uint8Array();

/** The mark of a record (without its delimiter); it may be a view of the record. */
export function segmentMark(segments: Segments, record: Uint8Array): SegmentMark {
  switch (segments.kind) {
    case 'blank':
      return record.every((byte) => BLANKS.has(byte)) ? null : NOTHING;
    case 'fields':
      return fieldSpan(segments.span, record);
    case 'bytes':
      return record.subarray(segments.offset, segments.offset + segments.length);
  }
}

/** Whether neighbours with these marks belong to one segment. */
export function sameSegment(a: SegmentMark, b: SegmentMark): boolean {
  return a !== null && b !== null && compareBytes(a, b) === 0;
}

/** Segments in the kernels' form, in WGSL and in WebAssembly. */
interface SegmentNumbers extends SpanNumbers {
  /** 1: blank lines; 2: fields; 3: bytes, `endByte` of them from `beginByte` on. */
  readonly kind: number;
}

export function segmentNumbers(segments: Segments): SegmentNumbers {
  switch (segments.kind) {
    case 'blank':
      return { ...NOWHERE, kind: 1 };
    case 'fields':
      return { ...spanNumbers(segments.span), kind: 2 };
    case 'bytes':
      return { ...NOWHERE, kind: 3, beginByte: segments.offset, endByte: segments.length };
  }
}
