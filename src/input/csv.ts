/**
 * Inputs of CSV: the newlines that end records are NULs from here on, as if lines ended so (src/keys/csv-text.ts), and a record may hold newlines. They are read in
 * order, files too, since only what stands before a newline tells what it is.
 */
import { RecordEnder } from '../keys/csv-text.js';
import { GpusortError } from '../report/errors.js';
import { inputChanged, type InputFile } from './files.js';
import { openStream, type StreamReader } from './stream.js';

/** A reader of an open input; of regular files that are read in order from the first byte of their extent on. */
export function openReader(fd: number, input: InputFile): StreamReader {
  const { label, name, extent, csvSeparator } = input;
  // One byte more than a small file has: the first read shows that it ends.
  const most = extent === null ? undefined : extent.end - extent.begin + 1;
  if (csvSeparator === null) return openStream(fd, label, name !== null, null, most);
  const reader = openStream(fd, label, name !== null, extent?.begin ?? null, most);
  return { read: csvRead(() => reader.read(), input, csvSeparator), close: () => reader.close() };
}

/**
 * What `read` gives of an input, from the first byte of its extent on, with the ends of its records made NULs, in place. Throws `bad-records` where it is no CSV, `input-changed` where a
 * file ends too soon.
 */
export function csvRead(read: StreamReader['read'], { label, extent }: InputFile, separator: number): StreamReader['read'] {
  const ender = new RecordEnder(separator, extent?.begin ?? 0);
  return async () => {
    const bytes = await read();
    if (bytes === null) {
      if (extent !== null && ender.place < extent.end) throw inputChanged(label, 'became shorter');
      const quote = ender.openQuote();
      if (quote === null) return null;
      throw new GpusortError('bad-records', `${label}: the quote at byte ${quote + 1} is not closed`,
        { hint: 'Close it: a quoted field ends at the next quote that is not doubled.' });
    }
    const nul = ender.end(bytes);
    if (nul !== null) throw new GpusortError('bad-records', `${label}: byte ${nul + 1} is NUL, which CSV cannot contain`);
    return bytes;
  };
}
