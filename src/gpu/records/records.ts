/**
 * Records on the device, and what kernels must know of the ordering (kernels/shared/record.wgsl).
 */
import type { Ordering } from '../../job.js';

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

/** The overrides of shared/record.wgsl for an ordering. */
export function recordOverrides(ordering: Ordering): Record<string, number> {
  const { format, key } = ordering;
  return {
    DELIMITER_BYTES: format.kind === 'lines' ? 1 : 0,
    KEY_OFFSET: key.kind === 'bytes' ? key.offset : 0,
    KEY_LENGTH: key.kind === 'bytes' ? key.length : 0xffffffff,
    LAST_RESORT: ordering.lastResort && key.kind === 'bytes' ? 1 : 0,
    REVERSE: ordering.reverse ? 1 : 0,
  };
}
