/** What a task leaves: sorted text, and where its records are. */
import type { Position } from '../engine.js';
import { INDEX_STEP } from './kernels.js';
import type { Kernels } from './kernels.js';
import type { Shape } from './shape.js';

/** Sorted text: how much, of how many records, and the places of every INDEX_STEP-th record. */
export interface Outcome {
  readonly bytes: number;
  readonly records: number;
  readonly index: Uint32Array;
  /** Where the first segment ends and the last one begins, for texts sorted by segments. */
  readonly segments?: { readonly firstEnd: Position; readonly lastBegin: Position };
}

/** Memory for the index of `bytes` bytes of text. */
export function indexBytes(bytes: number, shape: Shape): number {
  return Math.ceil(bytes / Math.max(1, shape.size) / INDEX_STEP) * 4;
}

/** The outcome of an output that began at `first`, with its index at `index`. */
export function outcomeOf(kernels: Kernels, first: number, index: number): Outcome {
  const records = kernels.outputRecords();
  return {
    bytes: kernels.outputEnd() - first,
    records,
    index: new Uint32Array(kernels.memory.buffer, index, Math.ceil(records / INDEX_STEP)).slice(),
  };
}
