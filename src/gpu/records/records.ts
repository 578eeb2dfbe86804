/**
 * Records on the device, and what kernels must know of the ordering (kernels/shared/record.wgsl).
 */
import type { Ordering } from '../../job.js';
import { HEADER_BYTES, isKeyed } from '../../keys/keyed.js';
import type { KernelConstants } from '../kernels.js';

export interface Records {
  /** The text, `textBytes` long; readable (with any content) to the next multiple of 16 past its end and 16 bytes more. */
  readonly text: GPUBuffer;
  readonly textBytes: number;
  /** u32[count + 1]: where each record begins; starts[count] = textBytes. */
  readonly starts: GPUBuffer;
  readonly count: number;
}

/** Pads a text length to what kernels may read: see Records.text. */
export function textBufferBytes(textBytes: number): number {
  return Math.ceil(textBytes / 16) * 16 + 16;
}

/** Lengths of keys that are no numbers of bytes: up to the record's end, and as long as a keyed line tells. */
export const TO_END = 0xffffffff;
export const TOLD = 0xfffffffe;

/** The overrides of shared/keyed.wgsl for an ordering. */
export function keyedOverrides(ordering: Ordering): Record<string, number> {
  const { format } = ordering;
  return { KEYED: isKeyed(ordering) ? 1 : 0, DELIMITER: format.kind === 'lines' ? format.delimiter : 0 };
}

/** The overrides of shared/record.wgsl for an ordering. */
export function recordOverrides(ordering: Ordering): Record<string, number> {
  const { format, key, lastResort } = ordering;
  return {
    ...keyedOverrides(ordering),
    DELIMITER_BYTES: format.kind === 'lines' ? 1 : 0,
    KEY_OFFSET: key.kind === 'bytes' ? key.offset : isKeyed(ordering) ? HEADER_BYTES : 0,
    KEY_LENGTH: key.kind === 'bytes' ? key.length : isKeyed(ordering) && !lastResort ? TOLD : TO_END,
    LAST_RESORT: lastResort && key.kind === 'bytes' ? 1 : 0,
    REVERSE: ordering.reverse ? 1 : 0,
  };
}

/** Constants of kernels that know no more of records than where their text begins; none: nothing stands before it. */
export function textConstants(ordering: Ordering | null): KernelConstants {
  return ordering === null || !isKeyed(ordering) ? {} : { overrides: keyedOverrides(ordering) };
}
