/**
 * An ordering flattened to numbers, for the kernels and for messages to workers. Knows records and keys, no memory and no threads.
 */
import type { Ordering, Segments } from '../job.js';
import { HEADER_BYTES } from '../keys/keyed.js';
import { segmentNumbers } from '../keys/segments.js';

/** Plain data: it is posted to workers. */
export interface Shape {
  /** The byte that ends a record and belongs to it; -1 where records have a fixed size. */
  readonly delimiter: number;
  /** Bytes of a record; 0 where a delimiter ends it. */
  readonly size: number;
  /** First byte of the key in a record. */
  readonly keyOffset: number;
  /** Bytes of the key; -1: up to the record's end (without its delimiter); -2: as many as a keyed line tells. */
  readonly keyLength: number;
  /** Larger keys first. */
  readonly reverse: boolean;
  readonly unique: boolean;
  /** Records are keyed lines (src/keys/keyed.ts). */
  readonly keyed: boolean;
  /** Records with equal keys are ordered by all their bytes; only ever true where the key is a part of the record. */
  readonly lastResort: boolean;
  /** Null: all records are one segment. */
  readonly segments: SegmentShape | null;
}

/** The arguments of setSegments (kernels/cpu/segments.ts), in their order. */
export type SegmentShape = readonly [kind: number, beginField: number, beginByte: number, beginBlanks: number, endField: number, endByte: number, endBlanks: number,
  separator: number, separatorBytes: number];

/** Whether records of equal keys are the same bytes, so that it does not matter which comes first. */
export function equalsAreAlike({ keyLength, size, lastResort }: Shape): boolean {
  return lastResort || keyLength === (size > 0 ? size : -1);
}

function segmentShape(segments: Segments): SegmentShape {
  const { kind, beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes } = segmentNumbers(segments);
  return [kind, beginField, beginByte, beginBlanks, endField, endByte, endBlanks, separator, separatorBytes];
}

export function shapeOf(ordering: Ordering): Shape {
  const { format, key } = ordering;
  const part = key.kind === 'bytes';
  const keyed = key.kind === 'normalised';
  return {
    delimiter: format.kind === 'lines' ? format.delimiter : -1,
    size: format.kind === 'fixed' ? format.size : 0,
    keyOffset: part ? key.offset : keyed ? HEADER_BYTES : 0,
    keyLength: part ? key.length : format.kind === 'fixed' ? format.size : keyed && !ordering.lastResort ? -2 : -1,
    keyed,
    reverse: ordering.reverse,
    unique: ordering.unique,
    lastResort: ordering.lastResort && part,
    segments: ordering.segments === undefined ? null : segmentShape(ordering.segments),
  };
}
