/** Interfaces that find the ends of records on the host, whatever their format. */

import type { RecordFormat } from '../job/ordering.js';
import { endedByNewlines } from '../keys/csv-text.js';
import { GpusortError } from '../system/errors.js';
import { uint32 } from '../system/memory.js';

/** Finds record ends in windows of text. Ends are counted from the window's beginning and include the delimiter. */
export interface RecordFinder {
  /**
   * The byte after each record, which is not part of the record. It is added if an input's last record lacks it. Null:
   * none.
   */
  readonly delimiter: number | null;
  /**
   * The last record end in (0, bytes.length]; -1 if there is none. `offset`: bytes from a record's
   * beginning to the window.
   */
  lastEnd(bytes: Buffer, offset: number): number;
  /** The first record end after `from` (0 if absent); -1 if there is none in the window. */
  firstEnd(bytes: Buffer, offset: number, from?: number): number;
  /** Throws `bad-records` if an input of `bytes` bytes is not a whole number of records. */
  checkWhole(label: string, bytes: number): void;
}

/** The length of the delimiter after each record: 1 or 0. */
export function delimiterBytes(finder: RecordFinder): number {
  return finder.delimiter === null ? 0 : 1;
}

/** Lines: records that end in a delimiter byte. */
function linesFinder(delimiter: number): RecordFinder {
  return {
    delimiter,
    lastEnd: (bytes) => bytes.lastIndexOf(delimiter) + 1 || -1,
    firstEnd: (bytes, _, from = 0) => bytes.indexOf(delimiter, from) + 1 || -1,
    checkWhole: () => undefined,
  };
}

/** Binary records of a fixed size, without delimiters. */
function fixedFinder(size: number): RecordFinder {
  return {
    delimiter: null,
    lastEnd: (bytes, offset) => {
      const end = bytes.length - ((offset + bytes.length) % size);
      return end > 0 ? end : -1;
    },
    firstEnd: (bytes, offset, from = 0) => {
      const end = from + size - ((offset + from) % size);
      return end <= bytes.length ? end : -1;
    },
    checkWhole: (label, bytes) => {
      const remainder = bytes % size;
      if (remainder === 0) return;
      const given = bytes === 1 ? '1 byte is' : `${bytes} bytes are`;
      const left = remainder === 1 ? '1 byte is' : `${remainder} bytes are`;
      throw new GpusortError(
        'bad-records',
        `${label}: ${given} not a whole number of ${size}-byte records: ${left} left over`,
        { hint: 'Give the size that the records have, with --record-size or the type of --array.' },
      );
    },
  };
}

/** Bytes of the length with which a sized record begins. */
const LENGTH_BYTES = 4;

/** Where the sized record at `at` ends, which may be after the bytes; null: they do not hold its length. */
const sizedEnd = (bytes: Uint8Array, at: number): number | null =>
  at + LENGTH_BYTES > bytes.length ? null : at + LENGTH_BYTES + uint32(bytes, at);

/** Records that begin with their length. Windows must begin with a record. */
const SIZED_FINDER: RecordFinder = {
  delimiter: null,
  lastEnd: (bytes) => {
    let last = 0;
    for (let end = sizedEnd(bytes, 0); end !== null && end <= bytes.length; end = sizedEnd(bytes, end)) last = end;
    return last || -1;
  },
  firstEnd: (bytes, _, from = 0) => {
    const end = sizedEnd(bytes, from);
    return end !== null && end <= bytes.length ? end : -1;
  },
  checkWhole: () => undefined,
};

/** Returns the finder of record ends for a format. (Engines find record ends in their tokenize stage.) */
export function recordFinder(format: RecordFormat): RecordFinder {
  switch (format.kind) {
    case 'lines':
      return linesFinder(format.delimiter);
    case 'fixed':
      return fixedFinder(format.size);
    case 'sized':
      return SIZED_FINDER;
  }
}

/** Restores the newlines that end records of CSV, FASTQ and FASTA. */
const NOTHING = new Uint8Array(0);

export function newlineRestorer(): Restorer {
  return { next: endedByNewlines, end: () => NOTHING };
}

/** Turns the bytes of one input into lines. */
export interface Framer {
  /**
   * Takes the next bytes of the input, which it may change in place. Returns text to pass on, valid until the next
   * call; it may be empty. Throws `bad-records`.
   */
  next(bytes: Uint8Array): Uint8Array;
  /** Called at the end of the input. Returns text still to pass on. Throws `bad-records` if a record is cut off. */
  end(): Uint8Array;
}

/** Turns blocks of lines, which may split records anywhere, into the form of the format. One per output. */
export interface Restorer {
  /** Restores `block`, without changing it, in `target`, which has as many bytes; returns the part that it fills. */
  next(block: Uint8Array, target: Uint8Array): Uint8Array;
  end(): Uint8Array;
}
