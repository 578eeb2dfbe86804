/**
 * Runs the encoding of records (record-encoding.ts) with the kernels of kernels/wasm/shared/record-encoding.ts, which
 * several WebAssembly modules include. Knows addresses, but not what records are for.
 */
import type { EncodingStep, RecordEncoding } from '../job.js';

/** The functions of a module that includes the kernels. Numbers are addresses and counts below 2 ** 32. */
export interface EncodingKernels {
  setEncoding(table: number, steps: number, size: number, low: number, high: number, scratch: number): void;
  encodeRecords(from: number, to: number): void;
  decodeRecords(from: number, to: number): void;
}

const STEP_BYTES = 32;
const BACKWARDS = 1;
const HAS_SIGN = 2;
/** Kernels write up to this many bytes past what they are told to. */
const SLACK = 16;

/** Bytes of memory that an encoding takes. */
export function encodingBytes(encoding: RecordEncoding): number {
  const { low, high } = touched(encoding.steps);
  return encoding.steps.length * STEP_BYTES + high - low + SLACK;
}

/** Sets the encoding of `kernels`, with its table in encodingBytes of `memory` at `place`, a multiple of 8. */
export function placeEncoding(
  kernels: EncodingKernels,
  memory: WebAssembly.Memory,
  { size, steps }: RecordEncoding,
  place: number,
): void {
  const view = new DataView(memory.buffer, place, steps.length * STEP_BYTES);
  steps.forEach(({ bytes, to, from, backwards, first, rest, sign }, i) => {
    const at = i * STEP_BYTES;
    view.setUint32(at, bytes, true);
    view.setUint32(at + 4, to, true);
    view.setUint32(at + 8, from, true);
    view.setUint32(at + 12, (backwards ? BACKWARDS : 0) | (sign === null ? 0 : HAS_SIGN), true);
    for (let byte = 0; byte < 7; byte++) view.setUint8(at + 16 + byte, rest);
    view.setUint8(at + 23, first);
    view.setUint32(at + 24, sign ?? 0, true);
  });
  const { low, high } = touched(steps);
  kernels.setEncoding(place, steps.length, size, low, high, place + steps.length * STEP_BYTES);
}

/** The bytes of a record that steps read or write: [low, high). */
function touched(steps: readonly EncodingStep[]): { low: number; high: number } {
  let [low, high] = [Infinity, 0];
  for (const { bytes, to, from, backwards, sign } of steps) {
    const begin = backwards ? from - bytes + 1 : from;
    low = Math.min(low, to, begin, sign ?? to);
    high = Math.max(high, to + bytes, begin + bytes, (sign ?? 0) + 1);
  }
  return { low, high };
}
