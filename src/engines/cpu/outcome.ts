/** What a task returns: sorted text and the index of its records. */

import type { Limit } from '../../job/job.js';
import type { Resumable } from '../../system/resumable.js';
import type { Position } from '../contract.js';
import { decodeText } from './encode-text.js';
import { type CpuKernels, copyOut, INDEX_STEP } from './kernels.js';
import type { RecordShape } from './shape.js';

/** How the records of one natural run lay in the input. */
export type Natural = 'in order' | 'in reverse';

/**
 * Gives the target for so many bytes. `inPlace`: the text is in order where it was read. If the target already holds it
 * there, returns null.
 */
export type Into = (bytes: number, inPlace: boolean) => Uint8Array | null;

/** Sorted or distributed text: its bytes, its records, and the offset of every INDEX_STEP-th record. */
export interface Outcome {
  readonly bytes: number;
  readonly records: number;
  readonly index: Uint32Array;
  /** Whether a merged text was out of order. */
  readonly isOutOfOrder?: boolean;
  /** Set if the text was one run as it was read. */
  readonly natural?: Natural;
  /** The end of each bucket of distributed text, in bytes. */
  readonly buckets?: readonly number[];
  /** Of text sorted by segments. */
  readonly segments?: Segments;
}

/** The end of the first segment and the beginning of the last. */
export interface Segments {
  readonly firstEnd: Position;
  readonly lastBegin: Position;
}

/** An output of the kernels, which began at `first`, with its index at `index`. `plain`: it is decoded first. */
interface KernelOutput {
  readonly first: number;
  readonly index: number;
  readonly limit: Limit | null;
  readonly plain: boolean;
  readonly natural?: Natural;
}

/** Bytes of the index of `bytes` bytes of text. */
export function indexBytes(bytes: number, shape: RecordShape): number {
  return Math.ceil(bytes / Math.max(1, shape.size) / INDEX_STEP) * 4;
}

/** The outcome of an output that began at `first`, with its index at `index`. */
function outcomeOf(kernels: CpuKernels, first: number, index: number): Outcome {
  const records = kernels.outputRecords();
  return {
    bytes: kernels.outputEnd() - first,
    records,
    index: new Uint32Array(kernels.memory.buffer, index, Math.ceil(records / INDEX_STEP)).slice(),
  };
}

/**
 * Copies an output to the target that `into` gives. Copies only what its limit leaves, in whole steps of the index: up
 * to INDEX_STEP - 1 records too many.
 */
export function* copyOutcome(
  kernels: CpuKernels,
  shape: RecordShape,
  { first, index, limit, plain, natural }: KernelOutput,
  into: Into,
): Resumable<Outcome> {
  const all = { ...outcomeOf(kernels, first, index), ...(natural && { natural }) };
  const [from, to] = stepsLeft(all, limit);
  const begin = all.index[from] ?? 0;
  const end = to < all.index.length ? all.index[to] : all.bytes;
  if (plain) yield* decodeText(kernels, shape, { begin: first + begin, end: first + end });
  const target = into(end - begin, natural === 'in order');
  if (target !== null) copyOut(kernels, first + begin, first + end, target);
  if (end - begin === all.bytes) return all;
  return {
    bytes: end - begin,
    records: Math.min(all.records, to * INDEX_STEP) - from * INDEX_STEP,
    index: all.index.slice(from, to).map((place) => place - begin),
  };
}

/** The first step of the index that `limit` leaves, and the end of the last. */
function stepsLeft({ records, index }: Outcome, limit: Limit | null): [number, number] {
  if (limit === null || records <= limit.count) return [0, index.length];
  return limit.end === 'first'
    ? [0, Math.ceil(limit.count / INDEX_STEP)]
    : [Math.floor((records - limit.count) / INDEX_STEP), index.length];
}
