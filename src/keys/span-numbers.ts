/** Field spans as numbers, for kernels in WGSL and in WebAssembly. */
import type { FieldSpan } from '../job/job.js';

/** A field span in the kernels' form. */
export interface SpanNumbers {
  /** Fields to skip, bytes to skip after them, and whether to skip the blanks in between. */
  readonly beginField: number;
  readonly beginByte: number;
  readonly beginBlanks: number;
  /**
   * The same for the end. If `endField` is all ones, it is the record's end; if `endByte` is 0, the end of
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
export const NOWHERE: SpanNumbers = {
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
