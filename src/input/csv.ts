/**
 * Reads CSV. A newline that ends a record becomes NUL, as if lines ended in NUL (src/keys/csv-text.ts), so a record may
 * contain newlines. CSV is read sequentially, even from files, because the meaning of a newline depends on what
 * precedes it.
 */
import { RecordEnder } from '../keys/csv-text.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { type InputFile, inputChanged } from './files.js';

/**
 * Wraps `read`, which returns an input from the first byte of its extent. Replaces the newline after each record by
 * NUL, in place. Throws `bad-records` if the input is not valid CSV, `input-changed` if a file ends early.
 */
export function csvRead(
  read: ByteSource['read'],
  { label, extent, compressed }: InputFile,
  separator: number,
): ByteSource['read'] {
  const ender = new RecordEnder(separator, extent?.begin ?? 0);
  return async (target) => {
    const bytes = await read(target);
    if (bytes === null) {
      if (extent !== null && !compressed && ender.place < extent.end) throw inputChanged(label, 'became shorter');
      const quote = ender.openQuote();
      if (quote === null) return null;
      throw new GpusortError('bad-records', `${label}: the quote at byte ${quote + 1} is not closed`, {
        hint: 'Close it: a quoted field ends at the next quote that is not doubled.',
      });
    }
    const nul = ender.end(bytes);
    if (nul !== null)
      throw new GpusortError('bad-records', `${label}: byte ${nul + 1} is NUL, which CSV cannot contain`);
    return bytes;
  };
}
