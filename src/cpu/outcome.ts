/** What a task leaves: sorted text, and where its records are. */
import type { Position } from '../engine.js';
import type { Limit } from '../job.js';
import { copyOut, INDEX_STEP } from './kernels.js';
import type { Kernels } from './kernels.js';
import type { Shape } from './shape.js';

/** How records lay that were one run as they were read. */
export type Natural = 'in order' | 'in reverse';

/**
 * Where a result goes: memory for so many bytes. If the text is in order where it was read, `inPlace`, it may be there already:
 * null.
 */
export type Into = (bytes: number, inPlace: boolean) => Uint8Array | null;

/** Sorted or distributed text: how much, of how many records, and the places of every INDEX_STEP-th record. */
export interface Outcome {
  readonly bytes: number;
  readonly records: number;
  readonly index: Uint32Array;
  /** Whether a text that was merged is not in order. */
  readonly isOutOfOrder?: boolean;
  /** Whether the text was one run as it was read. */
  readonly natural?: Natural;
  /** Where each bucket ends, for texts that were distributed. */
  readonly buckets?: readonly number[];
  /** Where the first segment ends and the last one begins, for texts sorted by segments. */
  readonly segments?: { readonly firstEnd: Position; readonly lastBegin: Position };
}

/** Memory for the index of `bytes` bytes of text. */
export function indexBytes(bytes: number, shape: Shape): number {
  return Math.ceil(bytes / Math.max(1, shape.size) / INDEX_STEP) * 4;
}

/** The outcome of an output that began at `first`, with its index at `index`. */
function outcomeOf(kernels: Kernels, first: number, index: number): Outcome {
  const records = kernels.outputRecords();
  return {
    bytes: kernels.outputEnd() - first,
    records,
    index: new Uint32Array(kernels.memory.buffer, index, Math.ceil(records / INDEX_STEP)).slice(),
  };
}

/**
 * Copies the output that began at `first`, with its index at `index`, to where `into` says, as far as `limit` leaves it: its records are taken in whole steps
 * of the index, so up to INDEX_STEP - 1 more than were asked for.
 */
export function copyOutcome(kernels: Kernels, first: number, index: number, limit: Limit | null, into: Into,
  natural?: Natural): Outcome {
  const all = { ...outcomeOf(kernels, first, index), ...natural && { natural } };
  const [from, to] = stepsLeft(all, limit);
  const begin = all.index[from] ?? 0;
  const end = to < all.index.length ? all.index[to]! : all.bytes;
  const target = into(end - begin, natural === 'in order');
  if (target !== null) copyOut(kernels, first + begin, first + end, target);
  if (end - begin === all.bytes) return all;
  return { bytes: end - begin, records: Math.min(all.records, to * INDEX_STEP) - from * INDEX_STEP, index: all.index.slice(from, to).map((place) => place - begin) };
}

/** The steps of the index, first and end, whose records `limit` leaves. */
function stepsLeft({ records, index }: Outcome, limit: Limit | null): [number, number] {
  if (limit === null || records <= limit.count) return [0, index.length];
  return limit.end === 'first' ? [0, Math.ceil(limit.count / INDEX_STEP)] : [Math.floor((records - limit.count) / INDEX_STEP), index.length];
}
