/**
 * Records on the device, and the constants by which kernels know an ordering (kernels/wgsl/shared/record.wgsl).
 */

import type { Position } from '../../../contract/engine.js';
import type { Ordering, RecordFormat } from '../../../job/ordering.js';
import { isKeyed, KEY_HEADER_BYTES } from '../../../keys/keyed.js';
import type { KernelConstants } from '../device/compose.js';
import type { Gpu } from '../device/device.js';
import { type Binding, bind, readWords } from '../device/dispatch.js';
import type { Scratch } from '../device/pool.js';

export interface Records {
  /** The text, of `textBytes` bytes. Readable, with any contents, to the next multiple of 16 and 16 bytes beyond. */
  readonly text: GPUBuffer;
  readonly textBytes: number;
  /**
   * u32[count + 1]: the start of each record; starts[count] is the end of the last one. Null: all records have one
   * size, and the text holds nothing else.
   */
  readonly starts: GPUBuffer | null;
  readonly count: number;
}

/** A place between two records on the device: before record `index`. */
export interface DevicePosition extends Position {
  readonly index: number;
}

/** The place before record `index`, which begins at byte `byte`. */
export function placeBefore(index: number, byte: number): DevicePosition {
  return { index, byte };
}

/** The bytes of a text's buffer: kernels may read past the end, see Records.text. */
export function textBufferBytes(textBytes: number): number {
  return Math.ceil(textBytes / 16) * 16 + 16;
}

/** The bindings of kernels that read records: their text and where they begin (kernels/wgsl/shared/starts.wgsl). */
export function recordBindings({ text, textBytes, starts, count }: Records): {
  readonly text: Binding;
  readonly starts: Binding;
} {
  const bytes = bind(text, textBufferBytes(textBytes));
  // If there are no starts, kernels do not read their binding.
  return { text: bytes, starts: starts === null ? bytes : bind(starts, (count + 1) * 4) };
}

/** The same for kernels that also read the text in vectors (kernels/wgsl/strings/next-bytes.wgsl). */
export function vectorBindings(records: Records): ReturnType<typeof recordBindings> & { readonly vectors: Binding } {
  const bindings = recordBindings(records);
  return { ...bindings, vectors: bindings.text };
}

/** The overrides of shared/starts.wgsl for a format. */
export function startOverrides(format: RecordFormat): Record<string, number> {
  return { RECORD_SIZE: format.kind === 'fixed' ? format.size : 0 };
}

/** The bytes of each record, for records without starts. */
export function bytesPerRecord({ textBytes, count }: Records): number {
  return textBytes / count;
}

/**
 * The byte at which each of the records `numbers` begins; for the number `count`, the end of the last one. Waits for
 * the device.
 */
export async function startsOf(gpu: Gpu, records: Records, numbers: readonly number[]): Promise<number[]> {
  const { starts } = records;
  if (starts === null) return numbers.map((i) => i * bytesPerRecord(records));
  return [
    ...(await readWords(
      gpu,
      numbers.map((at) => ({ buffer: starts, at })),
    )),
  ];
}

/** The buffers of records. */
export function buffersOf({ text, starts }: Records): GPUBuffer[] {
  return starts === null ? [text] : [text, starts];
}

/** Special key lengths: to the end of the record, and as the header of the keyed line says. */
export const TO_END = 0xffffffff;
export const IN_HEADER = 0xfffffffe;

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
    ...startOverrides(format),
    DELIMITER_BYTES: format.kind === 'lines' ? 1 : 0,
    KEY_OFFSET: key.kind === 'bytes' ? key.offset : isKeyed(ordering) ? KEY_HEADER_BYTES : 0,
    KEY_LENGTH: key.kind === 'bytes' ? key.length : isKeyed(ordering) && !lastResort ? IN_HEADER : TO_END,
    LAST_RESORT: lastResort && key.kind === 'bytes' ? 1 : 0,
    REVERSE: ordering.reverse ? 1 : 0,
  };
}

/**
 * Constants of kernels that need to know only where a record's text begins. Null: records have no keys before their
 * text.
 */
export function textConstants(ordering: Ordering | null): KernelConstants {
  return ordering === null || !isKeyed(ordering) ? {} : { overrides: keyedOverrides(ordering) };
}

/** Record numbers in order, as u32 in a buffer of the pool that the caller returns. */
export interface RecordOrder {
  readonly order: GPUBuffer;
  readonly count: number;
}

/** Records in a form of the sort's own, in buffers of the pool that the caller returns. */
export interface HeldRecords {
  readonly buffers: readonly GPUBuffer[];
  readonly count: number;
  /** Writes the text of `count` records from number `first` on to buffers of `scratch`. */
  write(scratch: Scratch, first: number, count: number): Promise<Records>;
}

/** Records in order, as sorts hand them to the engine. */
export type OrderedRecords = RecordOrder | HeldRecords;
