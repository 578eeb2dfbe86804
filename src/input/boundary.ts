/**
 * Finds where records end in a regular file. Searches small windows of ordinary memory, because upload memory is slow
 * to read. Only the last byte of each part is read there, to check that it is still a delimiter.
 */
import type { SegmentRule } from '../job/ordering.js';
import { type SegmentMark, sameSegment, segmentMark } from '../keys/fields.js';
import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import { readFully } from './files.js';

/** The first window; most records are far shorter. */
const WINDOW_BYTES = 64 << 10;
/** Windows grow to this size for long records. */
const MAX_WINDOW_BYTES = 4 << 20;

/** An open regular file, its name in messages, and the end of the part that is read. */
export interface OpenFile {
  readonly fd: number;
  readonly label: string;
  readonly end: number;
}

/**
 * The last byte offset in (from, limit] at which a record ends; -1 if the record at `from` extends beyond `limit`.
 * `from` begins a record. limit <= file.end. A missing last delimiter does not matter: the end of file ends a record.
 */
export async function lastRecordEnd(
  file: OpenFile,
  finder: RecordFinder,
  from: number,
  limit: number,
): Promise<number> {
  if (limit >= file.end) return file.end;
  let window = WINDOW_BYTES;
  for (let high = limit; high > from; ) {
    const low = Math.max(from, high - window);
    const bytes = Buffer.allocUnsafe(high - low);
    await readFully(file.fd, bytes, low, file.label);
    const end = finder.lastEnd(bytes, low - from);
    if (end >= 0) return low + end;
    high = low;
    window = Math.min(2 * window, MAX_WINDOW_BYTES);
  }
  return -1;
}

/**
 * The last byte offset in (from, end) at which a segment ends, if one is within a window before `end`; otherwise `end`.
 * `from` begins a record and `end` ends one. Chunks that share no segment need not be merged.
 */
export async function lastSegmentEnd(
  file: OpenFile,
  finder: RecordFinder,
  segments: SegmentRule,
  from: number,
  end: number,
): Promise<number> {
  const low = Math.max(from, end - WINDOW_BYTES);
  const bytes = Buffer.allocUnsafe(end - low);
  await readFully(file.fd, bytes, low, file.label);
  const next = (at: number): number => {
    const found = finder.firstEnd(bytes.subarray(at), low + at - from);
    return found < 0 ? -1 : at + found;
  };
  // The window may begin inside a record.
  let begin = low === from ? 0 : next(0);
  let last = -1;
  let before: SegmentMark | undefined;
  while (begin >= 0 && begin < bytes.length) {
    const stop = next(begin);
    if (stop < 0) break;
    const mark = segmentMark(segments, bytes.subarray(begin, stop - delimiterBytes(finder)));
    if (before !== undefined && !sameSegment(before, mark)) last = begin;
    before = mark;
    begin = stop;
  }
  return last < 0 ? end : low + last;
}

/** The end of the record that begins at `from`, after its delimiter; file.end if it is the last record. */
export async function nextRecordEnd(file: OpenFile, finder: RecordFinder, from: number): Promise<number> {
  let low = from;
  for await (const bytes of windowsFrom(file, from)) {
    const end = finder.firstEnd(bytes, low - from);
    if (end >= 0) return low + end;
    low += bytes.length;
  }
  return file.end;
}

/** The bytes of the file from `from` on, in windows that grow. */
export async function* windowsFrom(file: OpenFile, from: number): AsyncGenerator<Buffer> {
  let window = WINDOW_BYTES;
  for (let low = from; low < file.end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(window, file.end - low));
    await readFully(file.fd, bytes, low, file.label);
    yield bytes;
    low += bytes.length;
    window = Math.min(2 * window, MAX_WINDOW_BYTES);
  }
}

/** A record without its delimiter, and where it begins; null: it is too long. */
interface RecordAt {
  readonly at: number;
  readonly bytes: Buffer | null;
}

/** Maximum bytes of a window of whole records. */
const MAX_RECORD_BYTES = 64 << 20;

/**
 * The records of the file from `from` on, where one begins. Their bytes are not overwritten later. Records that do not
 * fit in a window of `most` bytes are too long.
 */
export async function* recordsFrom(
  file: OpenFile,
  finder: RecordFinder,
  from: number,
  most = MAX_RECORD_BYTES,
): AsyncGenerator<RecordAt> {
  let window = WINDOW_BYTES;
  for (let low = from; low < file.end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(window, file.end - low));
    await readFully(file.fd, bytes, low, file.label);
    let at = 0;
    for (let end = 0; at < bytes.length; at += end) {
      end = finder.firstEnd(bytes.subarray(at), 0);
      if (end < 0) break;
      yield { at: low + at, bytes: bytes.subarray(at, at + end - delimiterBytes(finder)) };
    }
    if (at < bytes.length && low + bytes.length === file.end) {
      yield { at: low + at, bytes: bytes.subarray(at) };
      return;
    }
    low += at;
    if (at > 0) {
      window = Math.min(2 * window, MAX_WINDOW_BYTES);
      continue;
    }
    window *= 2;
    if (window <= most) continue;
    yield { at: low, bytes: null };
    low = await nextRecordEnd(file, finder, low);
    window = WINDOW_BYTES;
  }
}

/** Whether the last record of the file ends with its delimiter. */
export async function endsComplete(file: OpenFile, finder: RecordFinder): Promise<boolean> {
  if (finder.delimiter === null) return true;
  const last = Buffer.allocUnsafe(1);
  await readFully(file.fd, last, file.end - 1, file.label);
  return last[0] === finder.delimiter;
}
