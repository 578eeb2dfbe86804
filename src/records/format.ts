/**
 * Where records end, for the host: one file a format. (On the engines it is the tokenize stage that knows.)
 */
import type { RecordFormat } from '../job.js';
import { fixedFinder } from './fixed.js';
import { linesFinder } from './lines.js';

/** Finds record ends in windows of text. Ends are counted from the window's beginning and lie after the delimiter. */
export interface RecordFinder {
  /** The byte after each record that is no part of it, added where the last record of an input lacks it; null: none. */
  readonly delimiter: number | null;
  /** The last record end in (0, bytes.length]; -1 if there is none. `offset`: bytes between a record's beginning and the window. */
  lastEnd(bytes: Buffer, offset: number): number;
  /** The first record end in (0, bytes.length]; -1 if there is none. */
  firstEnd(bytes: Buffer, offset: number): number;
  /** Throws `bad-records` where an input of `bytes` in all cannot be cut into records. */
  checkWhole(label: string, bytes: number): void;
}

export function recordFinder(format: RecordFormat): RecordFinder {
  return format.kind === 'lines' ? linesFinder(format.delimiter) : fixedFinder(format.size);
}

/** Bytes of the delimiter after each record: 1 or 0. */
export function delimiterBytes(finder: RecordFinder): number {
  return finder.delimiter === null ? 0 : 1;
}
