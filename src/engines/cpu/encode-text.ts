/** Encodes records with typed keys in a thread's memory, and decodes them (src/keys/record-encoding.ts). */

import type { RecordEncoding } from '../../job/ordering.js';
import { encodingBytes, placeEncoding } from '../../keys/record-encoding.js';
import { KERNEL_SLACK } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, layOut, type PlacedText, STEP_RECORDS } from './kernels.js';
import type { RecordShape } from './shape.js';

/** The kernels with an encoding, stored where their free memory began. */
export function placeRecordEncoding(kernels: CpuKernels, encoding: RecordEncoding): CpuKernels {
  const bytes = encodingBytes(encoding);
  const [table] = layOut(kernels, [bytes]);
  placeEncoding(kernels, kernels.memory, encoding, table!);
  return { ...kernels, free: table! + bytes + KERNEL_SLACK };
}

/** Encodes a text in place, if its records are encoded at all. */
export function* encodeText(kernels: CpuKernels, shape: RecordShape, text: PlacedText): Resumable<void> {
  if (shape.encoded) yield* inSteps(kernels.encodeRecords, shape, text);
}

/** Decodes a text in place, if its records are encoded. */
export function* decodeText(kernels: CpuKernels, shape: RecordShape, text: PlacedText): Resumable<void> {
  if (shape.encoded) yield* inSteps(kernels.decodeRecords, shape, text);
}

function* inSteps(
  run: (from: number, to: number) => void,
  { size }: RecordShape,
  { begin, end }: PlacedText,
): Resumable<void> {
  for (let at = begin; at < end; at += STEP_RECORDS * size) {
    run(at, Math.min(at + STEP_RECORDS * size, end));
    yield;
  }
}
