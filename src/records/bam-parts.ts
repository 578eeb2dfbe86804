/**
 * Frames BAM in threads. A thread gets a piece of the text, and must find out where records begin in it. Its guess may
 * be wrong; the reader of the whole input checks it (BamFramer.pieces).
 */
import { GpusortError } from '../system/errors.js';
import { copyBytes } from '../system/memory.js';
import { BamFramer, FIXED_FIELD_BYTES, type FramedPart } from './bam.js';

/** The least length of a record, without the 4 bytes of the length itself. */
const LEAST_SIZE = 32;

/**
 * Frames the whole records in a piece of BAM that may begin and end inside a record, in `target`, which has
 * mostLineBytes. Null if no records are found, or if one has a problem: only the reader of the whole input can report
 * it.
 */
export function framePart(piece: Uint8Array, references: number, target: Uint8Array): FramedPart | null {
  const found = findRecords(piece, references);
  if (found === null) return null;
  const { from, to } = found;
  const framer = new BamFramer('', { references: { length: references }, bytes: 0 });
  let lines: number;
  try {
    lines = framer.frame(piece.subarray(from, to), target.subarray(from));
  } catch (error) {
    if (error instanceof GpusortError && error.code === 'bad-records') return null;
    throw error;
  }
  copyBytes(piece.subarray(0, from), target);
  copyBytes(piece.subarray(to), target, from + lines);
  return {
    bytes: from + lines + piece.length - to,
    head: from,
    lines,
    records: framer.records,
    text: to - from,
  };
}

/** This many records in a row are no coincidence: if something else follows them, the text is damaged. */
const SURE_RECORDS = 8;

/**
 * Where the whole records in a piece of BAM begin and end, judged by their lengths, which lead from one record to the
 * next, and their fixed fields. The beginning is a guess. The reader that knows where the record before it ends must
 * check it.
 */
function findRecords(piece: Uint8Array, references: number): { readonly from: number; readonly to: number } | null {
  const view = new DataView(piece.buffer, piece.byteOffset, piece.length);
  const last = piece.length - FIXED_FIELD_BYTES;
  const isReference = (id: number): boolean => id >= -1 && id < references;
  const isRecord = (at: number): boolean =>
    view.getInt32(at, true) >= LEAST_SIZE &&
    isReference(view.getInt32(at + 4, true)) &&
    view.getUint8(at + 12) > 0 &&
    isReference(view.getInt32(at + 24, true));
  for (let from = 0; from <= last; from++) {
    let records = 0;
    let to = from;
    while (to <= last && isRecord(to)) {
      const next = to + 4 + view.getInt32(to, true);
      if (next > piece.length) {
        if (records > 0) return { from, to };
        break;
      }
      to = next;
      records++;
    }
    if (to > last && records > 0) return { from, to };
    if (records >= SURE_RECORDS) return null;
  }
  return null;
}
