/**
 * Where records end in a regular file, found in small windows of ordinary memory: upload memory is slow to read (only the last byte of a part is, to see that it is still a delimiter).
 */
import { type RecordFinder } from '../records/format.js';
import { readFully } from './files.js';

/** First window looked at; most records are far shorter. */
const WINDOW_BYTES = 64 << 10;
/** Windows grow to this for long records. */
const MAX_WINDOW_BYTES = 4 << 20;

/** An open regular file and the end of what is read of it. */
export interface OpenFile {
  readonly fd: number;
  readonly label: string;
  readonly end: number;
}

/**
 * The last place in (from, limit] where a record ends, or -1 if the record at `from` reaches beyond `limit`. `from` begins a
 * record. limit <= file.end; a missing last delimiter is not seen here: the end of the file ends a record anyway.
 */
export async function lastRecordEnd(file: OpenFile, finder: RecordFinder, from: number, limit: number): Promise<number> {
  if (limit >= file.end) return file.end;
  let window = WINDOW_BYTES;
  for (let high = limit; high > from;) {
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

/** The end (after its delimiter) of the record that begins at byte `from`; file.end if it is the last. */
export async function nextRecordEnd(file: OpenFile, finder: RecordFinder, from: number): Promise<number> {
  let window = WINDOW_BYTES;
  for (let low = from; low < file.end;) {
    const bytes = Buffer.allocUnsafe(Math.min(window, file.end - low));
    await readFully(file.fd, bytes, low, file.label);
    const end = finder.firstEnd(bytes, low - from);
    if (end >= 0) return low + end;
    low += bytes.length;
    window = Math.min(2 * window, MAX_WINDOW_BYTES);
  }
  return file.end;
}

/** Whether the file's last record is complete, so that no delimiter must be added. */
export async function endsComplete(file: OpenFile, finder: RecordFinder): Promise<boolean> {
  if (finder.delimiter === null) return true;
  const last = Buffer.allocUnsafe(1);
  await readFully(file.fd, last, file.end - 1, file.label);
  return last[0] === finder.delimiter;
}
