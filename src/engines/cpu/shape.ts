/**
 * An ordering flattened to numbers, for the kernels and for messages to workers. Knows records and keys, but no memory
 * and no threads.
 */
import type { Ordering, SegmentRule } from '../../job/ordering.js';
import { equalsAreIdentical, keyOffset } from '../../keys/compare.js';
import { type SpanArguments, segmentNumbers, spanArguments } from '../../keys/fields.js';
import { type SmallShape, smallShape } from '../../keys/small-records.js';

/** Plain data, because it is posted to workers. */
export interface RecordShape {
  /** The byte that ends a record and is part of it; -1: none does. */
  readonly delimiter: number;
  /** Bytes of a record; 0 if records differ in size. */
  readonly size: number;
  /** Whether records begin with their length. */
  readonly sized: boolean;
  /** Offset of the key in a record. */
  readonly keyOffset: number;
  /** Bytes of the key; -1: up to the end of the record, without its delimiter; -2: given by the keyed record. */
  readonly keyLength: number;
  /** Larger keys first. */
  readonly reverse: boolean;
  readonly unique: boolean;
  /** Records have a key in front (src/keys/keyed.ts). */
  readonly keyed: boolean;
  /** Whether all bytes of records with equal keys are compared. Only true if the key is a part of the record. */
  readonly lastResort: boolean;
  /** Whether equal records have the same bytes, so that their order does not matter. */
  readonly equalsAreIdentical: boolean;
  /** Whether records have an encoding, which merges undo. */
  readonly encoded: boolean;
  /** Null: records are not small, or are sorted by segments. */
  readonly small: SmallShape | null;
  /** Null: all records are one segment. */
  readonly segments: SegmentShape | null;
}

/** The arguments of setSegments (kernels/wasm/cpu/segments.ts), in order. */
export type SegmentShape = readonly [kind: number, ...SpanArguments];

function segmentShape(segments: SegmentRule): SegmentShape {
  const numbers = segmentNumbers(segments);
  return [numbers.kind, ...spanArguments(numbers)];
}

export function shapeOf(ordering: Ordering): RecordShape {
  const { format, key } = ordering;
  const part = key.kind === 'bytes';
  const keyed = key.kind === 'normalized';
  const delimiter = format.kind === 'lines' ? format.delimiter : -1;
  return {
    delimiter,
    size: format.kind === 'fixed' ? format.size : 0,
    sized: format.kind === 'sized',
    keyOffset: keyOffset(ordering),
    keyLength: part ? key.length : format.kind === 'fixed' ? format.size : keyed && !ordering.lastResort ? -2 : -1,
    keyed,
    reverse: ordering.reverse,
    unique: ordering.unique,
    lastResort: ordering.lastResort && part,
    equalsAreIdentical: equalsAreIdentical(ordering),
    encoded: ordering.encoding !== undefined,
    small: smallShape(ordering),
    segments: ordering.segments === undefined ? null : segmentShape(ordering.segments),
  };
}
