/** The result of a task: sorted text and the number of its records. */

import type { RecordForm } from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { EntryPlace } from '../../runs/entry-run.js';
import type { PageIndex } from '../../runs/sized-run.js';
import type { Resumable } from '../../system/resumable.js';
import { decodeText } from './encode-text.js';
import { type CpuKernels, copyOut, type PlacedText, STEP_RECORDS } from './kernels.js';
import type { RecordShape } from './shape.js';

/** The order of a natural run's records in the input. */
type Natural = 'in order' | 'in reverse';

/**
 * Returns the target for `bytes` bytes at `begin` of the kernels' memory. `inPlace`: the text is in order where it was
 * read. Returns null if no copy is needed: the target already holds the bytes, or they are used where they are.
 */
export type Into = (bytes: number, inPlace: boolean, begin: number) => Uint8Array | null;

/** Sorted or distributed text. */
export interface Outcome {
  readonly bytes: number;
  readonly records: number;
  /** Whether a merged text was out of order. */
  readonly isOutOfOrder?: boolean;
  /** Set if the text was one run as it was read. */
  readonly natural?: Natural;
  /** The checksums of its blocks (checksums.ts), if they were requested and the text is in order as it was read. */
  readonly sums?: Uint32Array;
  /** The end of each bucket of distributed text, in bytes. */
  readonly buckets?: readonly number[];
  /** Of sized records, if their runs are cut. */
  readonly index?: PageIndex;
  readonly place?: Omit<EntryPlace, 'memory'>;
  /** Of text sorted by segments. */
  readonly segments?: SegmentedOutcome;
}

/** The end of the first segment and the beginning of the last, in bytes. */
export interface SegmentedOutcome {
  readonly firstEnd: number;
  readonly lastBegin: number;
}

/** Sorted text in the memory of the kernels. */
export interface KernelOutput extends PlacedText {
  readonly records: number;
  readonly natural?: Natural;
}

/** Which records of an output to write, and in which form. */
export interface Written {
  readonly limit: Limit | null;
  readonly form: RecordForm;
}

/** The output of the kernels, which began at `begin`. */
export function outputFrom(kernels: CpuKernels, begin: number): KernelOutput {
  return { begin, end: kernels.outputEnd(), records: kernels.outputRecords() };
}

/**
 * Copies the records of an output that `limit` keeps to the target that `into` returns. Unless `form` is `run`, decodes
 * them first.
 */
export function* copyOutcome(
  kernels: CpuKernels,
  shape: RecordShape,
  output: KernelOutput,
  { limit, form }: Written,
  into: Into,
): Resumable<Outcome> {
  const { begin, end, records } = limit === null ? output : yield* wantedOf(kernels, output, limit);
  if (form !== 'run') yield* decodeText(kernels, shape, { begin, end });
  const target = into(end - begin, output.natural === 'in order', begin);
  if (target !== null) copyOut(kernels, begin, end, target);
  return { bytes: end - begin, records, ...(output.natural && { natural: output.natural }) };
}

/** The first or last records of an output, as many as `limit` keeps. */
function* wantedOf(kernels: CpuKernels, output: KernelOutput, { end, count }: Limit): Resumable<KernelOutput> {
  const { records } = output;
  if (records <= count) return output;
  let place = output.begin;
  for (let left = end === 'first' ? count : records - count; left > 0; left -= STEP_RECORDS) {
    place = kernels.recordsEnd(place, Math.min(left, STEP_RECORDS));
    yield;
  }
  return end === 'first'
    ? { begin: output.begin, end: place, records: count }
    : { begin: place, end: output.end, records: count };
}
