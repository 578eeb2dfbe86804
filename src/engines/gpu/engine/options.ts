/** The options of a GPU engine, and the sizes that follow from them and from the device. */

import type { FormatName, Limit } from '../../../job/job.js';
import type { Ordering } from '../../../job/ordering.js';
import { longestLine, mostKeyed } from '../../../keys/keyed.js';
import type { Recorder } from '../../../report/recorder.js';
import type { Gpu } from '../device/device.js';

export interface GpuEngineOptions {
  readonly ordering: Ordering;
  /**
   * The records of the whole sort to keep. A chunk may drop others; a merge may drop the records after the first ones
   * requested. Null or absent: all.
   */
  readonly limit?: Limit | null;
  /** Maximum bytes of text read into one chunk. Reduced to what the device can bind, including keys. */
  readonly chunkBytes: number;
  /**
   * Maximum bytes of text, including keys, sorted or merged at once. Reduced in the same way. Absent: the size that one
   * line of chunkBytes can reach with its key.
   */
  readonly mergeBytes?: number;
  /** Bytes of an upload buffer. Rounded down to a multiple of 256. */
  readonly pieceBytes: number;
  /** Bytes of text given to one merge. */
  readonly rangeBytes: number;
  /** Maximum records sorted at once; null: as many as the device can bind. */
  readonly mostRecords: number | null;
  /**
   * Whether the device makes the keys, which it must support (src/engines/gpu/records/keyed-lines/key-support.ts).
   * Absent: no.
   */
  readonly deviceKeys?: boolean;
  /**
   * The device inflates inputs of BGZF. `source`: their format, if any. `leastRate`: bytes of text that it must
   * inflate in a second. Null or absent: it does not. Keys of lines must then be made by the device.
   */
  readonly inflates?: { readonly source: FormatName | null; readonly leastRate: number } | null;
  /** The level at which the device compresses what it merges; null or absent: it does not. */
  readonly deflateLevel?: number | null;
  /** Threads for the host's part of the work; absent: only the calling thread. */
  readonly keyThreads?: number;
  /** Maximum bytes of memory that runs may keep; null: as long as memory for the work remains. */
  readonly residentBytes: number | null;
  /** Whether the engine hashes the records that it orders. */
  readonly verify?: boolean;
  readonly recorder: Recorder;
}

/** Kernels number bytes in u32, and tiles may extend past the end of the text. */
const MOST_TEXT_BYTES = 2 ** 32 - 2 ** 16;
/** Bytes per record in the widest array that a sort binds: the list of tied records, which may hold all records. */
const WIDEST_RECORD_ITEM = 16;
/** Sorts number records in 28 bits. */
const MOST_RECORDS = 2 ** 28 - 1;

/** What one chunk, piece and sort may hold. */
export interface DeviceSizes {
  readonly recordLimit: number;
  readonly textBytes: number;
  readonly chunkBytes: number;
  readonly pieceBytes: number;
}

/** `mostTextBytes`: the bytes of a text that fit where the engine holds it. */
export function deviceSizesOf(gpu: Gpu, options: GpuEngineOptions, mostTextBytes: number): DeviceSizes {
  const { format, key } = options.ordering;
  const recordLimit = Math.min(
    options.mostRecords ?? MOST_RECORDS,
    MOST_RECORDS,
    Math.floor(gpu.maxBindingBytes / WIDEST_RECORD_ITEM) - 1,
  );
  const textBytes = Math.min(
    options.mergeBytes ?? mostKeyed(key, options.chunkBytes),
    mostTextBytes,
    MOST_TEXT_BYTES,
    // Fixed records of a text are sorted all at once.
    format.kind === 'fixed' ? recordLimit * format.size : Infinity,
  );
  const mostPieceBytes = Math.min(options.pieceBytes, gpu.facts.maxBufferBytes);
  return {
    recordLimit,
    textBytes,
    chunkBytes: Math.min(options.chunkBytes, longestLine(key, textBytes)),
    pieceBytes: Math.max(256, Math.floor(mostPieceBytes / 256) * 256),
  };
}
