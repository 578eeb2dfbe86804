/** Parts of records by fields as numbers, for kernels in WGSL and in WebAssembly. */
import type { FieldSpan } from '../job.js';

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

const TO_END = 0xffffffff;
/** No part by fields. */
export const NOWHERE: SpanNumbers = { beginField: 0, beginByte: 0, beginBlanks: 0, endField: 0, endByte: 0, endBlanks: 0, separator: 0, separatorBytes: 0 };

export function spanNumbers({ begin, end, separator }: FieldSpan): SpanNumbers {
  return {
    beginField: begin.field, beginByte: begin.byte, beginBlanks: Number(begin.skipBlanks),
    endField: end === null ? TO_END : end.byte === 0 ? end.field + 1 : end.field, endByte: end?.byte ?? 0, endBlanks: Number(end?.skipBlanks ?? false),
    separator: separator === null ? 0 : Buffer.from(separator).readUIntLE(0, separator.length), separatorBytes: separator?.length ?? 0,
  };
}
