/**
 * A run that stays where it was read: text of inputs that is in order. It is read once more when it is written, and its
 * checksums show whether it is still the same text.
 */
import type { CheckedText, Ends, Position, Sorted } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { lastIndex } from '../system/binary-search.js';
import type { RandomAccess } from '../system/byte-source.js';
import type { GpusortError } from '../system/errors.js';
import type { Blob } from './blob.js';
import { CheckedBlob } from './checked-blob.js';
import { BlobRun } from './stored-run.js';

/** Where text lies in an open input. */
export interface InputPlace extends RandomAccess {
  /** The error if the text is no longer the same. */
  changed(): GpusortError;
}

/** The first and last records of runs stay in memory: at most this share of the text. */
const ENDS_SHARE = 1 / 64;

/** A part of a run: a text that was read at once. */
interface PlacedPart {
  /** The bytes of the parts before it. */
  readonly begin: number;
  readonly blob: Blob;
}

/**
 * The run of a text that was read at `place`, whose memory is then free. Null: the text is not in order as it was read,
 * or has so few records that its ends would take much memory.
 */
export function placedRun(place: InputPlace, text: Sorted, ordering: Ordering): PlacedRun | null {
  const found = text.asRead?.() ?? null;
  if (found === null || found.ends.first.length + found.ends.last.length > text.bytes * ENDS_SHARE) return null;
  text.release();
  return new PlacedRun([{ begin: 0, blob: checkedText(place, text.bytes, found) }], text.bytes, found.ends, ordering);
}

function checkedText(place: InputPlace, bytes: number, { blockBytes, sums, checksum }: CheckedText): Blob {
  return new CheckedBlob(bytes, blockBytes, {
    readAt: (byte, target) => place.readAt(byte, target),
    checksum,
    checksums: (first, count) => sums.subarray(first, first + count),
    damaged: () => place.changed(),
    // The reader of the inputs closes them.
    release: () => {},
  });
}

export class PlacedRun extends BlobRun {
  private readonly parts: PlacedPart[];
  private readonly whole: Ends;
  private readonly order: Ordering;

  constructor(parts: PlacedPart[], bytes: number, ends: Ends, order: Ordering) {
    super(joinedBlob(parts, bytes), order);
    this.parts = parts;
    this.whole = ends;
    this.order = order;
  }

  /** Null for a part: its ends would have to be read. */
  ends(from: Position, to: Position): Ends | null {
    return from.byte === 0 && to.byte === this.end.byte ? this.whole : null;
  }

  /**
   * One run in place of this one and `next`, whose records follow in the input; null: they do not follow in order. This
   * run must not be used afterwards.
   */
  joined(next: PlacedRun): PlacedRun | null {
    const { parts, whole, order } = this;
    const sign = compareRecords(order, whole.last, next.whole.first);
    if (sign > 0 || (sign === 0 && order.unique)) return null;
    const { byte: bytes } = this.end;
    for (const { begin, blob } of next.parts) parts.push({ begin: bytes + begin, blob });
    return new PlacedRun(parts, bytes + next.end.byte, { first: whole.first, last: next.whole.last }, order);
  }
}

/** The text of all parts. */
function joinedBlob(parts: readonly PlacedPart[], bytes: number): Blob {
  return {
    bytes,
    blockBytes: parts[0].blob.blockBytes,
    async readAt(byte, target, memory) {
      let part = lastIndex(0, parts.length, (i) => parts[i].begin <= byte);
      for (let done = 0; done < target.length; part++) {
        const { begin, blob } = parts[part];
        const from = byte + done - begin;
        const piece = target.subarray(done, done + Math.min(target.length - done, blob.bytes - from));
        await blob.readAt(from, piece, memory);
        done += piece.length;
      }
    },
    release: () => {},
  };
}
