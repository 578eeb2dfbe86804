/**
 * A run in shared memory: sorted text and the offset of every INDEX_STEP-th record. Locates records; knows no threads
 * and no merges.
 *
 * Other records are found by scanning from the index. That costs a microsecond per sample or cut, and saves a third of
 * the memory of short records.
 */

import type { Ordering } from '../../job/ordering.js';
import { isCollated } from '../../keys/collation/collation.js';
import { compareRecords, keyOf } from '../../keys/compare.js';
import { sampleHead } from '../../runs/run-index.js';
import { lastIndex } from '../../system/binary-search.js';
import { rest } from '../../system/promises.js';
import type { Bounds, DistributedRun, Position, Run, SampledRecord } from '../contract.js';
import { INDEX_STEP } from './kernels.js';
import type { Outcome } from './outcome.js';
import type { RecordShape } from './shape.js';

/** What lies at the beginning of a shared buffer. */
export interface InSharedMemory {
  readonly kind: 'resident';
  readonly buffer: SharedArrayBuffer;
}

/**
 * Minimum bytes per sample, apart from the first few samples. With 22 runs and ranges of 3 MiB, the sizes of ranges
 * then differ by 4 %. Each sample costs 2 us.
 */
const SAMPLE_SPACING = 128 << 10;
const FEW_SAMPLES = 16;
/** Bytes of a record examined one by one. For so few, this takes less than a runtime call, which handles the rest. */
const FIRST_BYTES = 32;

interface RunRecords {
  readonly text: Buffer;
  readonly outcome: Outcome;
  readonly shape: RecordShape;
  readonly ordering: Ordering;
}

/** A run of the sorted text at the beginning of `buffer`. `release` is called once, when the run is released. */
export function createSharedRun(
  buffer: SharedArrayBuffer,
  outcome: Outcome,
  shape: RecordShape,
  ordering: Ordering,
  release: () => void,
): Run & InSharedMemory {
  const records: RunRecords = { text: Buffer.from(buffer), outcome, shape, ordering };
  return {
    kind: 'resident',
    buffer,
    end: { index: outcome.records, byte: outcome.bytes },
    sample: async (from, to, count) => sampleRecords(records, from, to, count),
    record: async (at) => recordAt(records, at.byte),
    cut: (from, to, targets) => cutAt(records, from, to, targets),
    ends: (from, to) => ({
      first: recordAt(records, from.byte),
      last: recordAt(records, lastBegin(records, from.byte, to.byte)),
    }),
    release: once(release),
  };
}

/**
 * A run of `bytes` bytes of distributed text at the beginning of `buffer`, with buckets ending at `buckets`. `release`
 * is called once.
 */
export function createDistributedRun(
  buffer: SharedArrayBuffer,
  bytes: number,
  buckets: readonly number[],
  release: () => void,
): DistributedRun & InSharedMemory {
  return { kind: 'resident', buffer, buckets, end: { index: bytes, byte: bytes }, release: once(release) };
}

function once(release: () => void): () => void {
  let released = false;
  return () => {
    if (released) return;
    released = true;
    release();
  };
}

/** The end of the record that begins at `byte`. */
function recordEnd({ text, shape: { size, delimiter } }: RunRecords, byte: number): number {
  if (size > 0) return byte + size;
  for (let at = byte; at < byte + FIRST_BYTES; at++) if (text[at] === delimiter) return at + 1;
  return text.indexOf(delimiter, byte + FIRST_BYTES) + 1;
}

/** The beginning of the last record in bytes [from, to). */
function lastBegin({ text, shape: { size, delimiter } }: RunRecords, from: number, to: number): number {
  return size > 0 ? to - size : from + text.subarray(from, to - 1).lastIndexOf(delimiter) + 1;
}

/**
 * A position in step `step` of the index: starts at its first record, and moves on while the step has another record
 * and `goesOn` accepts that.
 */
function positionIn(records: RunRecords, step: number, goesOn: (byte: number, index: number) => boolean): Position {
  const { outcome } = records;
  let index = step * INDEX_STEP;
  let byte = outcome.index[step];
  for (const last = Math.min(index + INDEX_STEP, outcome.records) - 1; index < last; index++) {
    const next = recordEnd(records, byte);
    if (!goesOn(next, index + 1)) break;
    byte = next;
  }
  return { index, byte };
}

/** The record that begins at `byte`, without its delimiter: a view of the run's memory. */
function recordAt(records: RunRecords, byte: number): Uint8Array {
  return records.text.subarray(byte, recordEnd(records, byte) - (records.shape.size > 0 ? 0 : 1));
}

/** The position of the record that holds byte `byte`. If `roughly`, that of the last indexed record up to there. */
function positionOfByte(records: RunRecords, byte: number, roughly: boolean): Position {
  const { index } = records.outcome;
  const step = lastIndex(0, index.length, (i) => index[i] <= byte);
  return roughly ? { index: step * INDEX_STEP, byte: index[step] } : positionIn(records, step, (next) => next <= byte);
}

/** The position of record `index`. */
function positionOfIndex(records: RunRecords, index: number): Position {
  return positionIn(records, Math.floor(index / INDEX_STEP), (_, next) => next <= index);
}

function sampleRecords(records: RunRecords, from: Position, to: Position, most: number): SampledRecord[] {
  const samples: SampledRecord[] = [];
  if (from.index >= to.index) return samples;
  const count = Math.min(most, Math.max(FEW_SAMPLES, Math.floor((to.byte - from.byte) / SAMPLE_SPACING)));
  // If the index alone has enough records, no text is read.
  const roughly = to.index - from.index > 4 * count * INDEX_STEP;
  let last = from.index;
  for (let i = 1; i <= count && last + 1 < to.index; i++) {
    let at = positionOfByte(records, from.byte + Math.floor((to.byte - from.byte) * (i / (count + 1))), roughly);
    // A large record may hold several sample points. It is sampled once, and the record at `from` is not.
    if (at.index <= last) {
      if (i < count || samples.length > 0) continue;
      at = positionOfIndex(records, last + 1);
    }
    last = at.index;
    samples.push(sampleAt(records, at));
  }
  if (samples.length === 0) samples.push(sampleAt(records, from));
  return samples;
}

function sampleAt(records: RunRecords, at: Position): SampledRecord {
  const record = recordAt(records, at.byte);
  return { at, head: sampleHead(records.ordering, record), bytes: record.length };
}

/**
 * Compares the record that begins at `byte` with `target`, whose key is `key`. Usually the first bytes decide, and the
 * record need not be extracted.
 */
function compareAt(records: RunRecords, byte: number, target: Uint8Array, key: Uint8Array): number {
  const { text, ordering, shape } = records;
  const begin = byte + shape.keyOffset;
  const most = isCollated(ordering) ? 0 : Math.min(key.length, FIRST_BYTES);
  for (let i = 0; i < most; i++) {
    const value = text[begin + i];
    // The line may end here.
    if (value === shape.delimiter) break;
    if (value !== key[i]) return value < key[i] !== ordering.reverse ? -1 : 1;
  }
  return compareRecords(ordering, recordAt(records, byte), target);
}

async function cutAt(
  records: RunRecords,
  from: Position,
  to: Position,
  targets: readonly Uint8Array[],
): Promise<Bounds[]> {
  const bounds: Bounds[] = [];
  let low = from;
  for (const target of targets) {
    const lower = bound(records, low, to, target, 0);
    // Few targets have equals here, so the second search is rare.
    const found =
      lower.index < to.index && compareRecords(records.ordering, recordAt(records, lower.byte), target) === 0;
    const upper = found ? bound(records, lower, to, target, 1) : lower;
    bounds.push({ lower, upper });
    low = lower;
    const due = rest();
    if (due !== undefined) await due;
  }
  return bounds;
}

/**
 * The first position in [from, to) whose record compares with `target` as at least `sign` (0: not before it, 1: after
 * it); otherwise `to`.
 */
function bound(records: RunRecords, from: Position, to: Position, target: Uint8Array, sign: number): Position {
  const { outcome } = records;
  if (from.index >= to.index) return to;
  const key = keyOf(records.ordering, target);
  // Find the last step whose first record lies before the bound. Records before `from` count as before it.
  const [first, end] = [Math.floor(from.index / INDEX_STEP), Math.ceil(to.index / INDEX_STEP)];
  const step = lastIndex(first, end, (i) => compareAt(records, outcome.index[i], target, key) < sign);
  // Scan that step. Records before `from` are known to lie before the bound.
  let byte = from.index > step * INDEX_STEP ? from.byte : outcome.index[step];
  let index = Math.max(from.index, step * INDEX_STEP);
  const last = Math.min(to.index, (step + 1) * INDEX_STEP);
  while (index < last && compareAt(records, byte, target, key) < sign) {
    byte = recordEnd(records, byte);
    index++;
  }
  return { index, byte };
}
