/** Cuts text into pieces of whole records. Knows where records end, but no order and no hashes. */
import { delimiterOf, type RecordFormat } from '../job/ordering.js';

/** Approximate bytes of a piece: it is copied, and then read from a processor's cache. */
const PIECE_BYTES = 256 << 10;

/**
 * The end of the piece that begins at `from` of `text`, which is whole records. The piece has about PIECE_BYTES and at
 * least one record.
 */
export function pieceEnd(format: RecordFormat, text: Buffer, from: number): number {
  if (text.length - from <= PIECE_BYTES) return text.length;
  if (format.kind === 'fixed') return from + Math.max(1, Math.floor(PIECE_BYTES / format.size)) * format.size;
  const last = text.subarray(from, from + PIECE_BYTES).lastIndexOf(delimiterOf(format));
  return last >= 0 ? from + last + 1 : recordEnd(format, text, from + PIECE_BYTES);
}

/**
 * The end, after its delimiter, of the record that holds byte `at` of `text`. Fixed records are counted from byte 0.
 */
export function recordEnd(format: RecordFormat, text: Buffer, at: number): number {
  return format.kind === 'fixed'
    ? (Math.floor(at / format.size) + 1) * format.size
    : text.indexOf(delimiterOf(format), at) + 1;
}

/** The beginning of the record that ends, with its delimiter, at `end`. */
export function recordBegin(format: RecordFormat, text: Buffer, end: number): number {
  return format.kind === 'fixed'
    ? end - format.size
    : end < 2
      ? 0
      : text.subarray(0, end - 1).lastIndexOf(delimiterOf(format)) + 1;
}
