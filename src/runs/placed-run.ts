/**
 * A run that stays where it was read: text of an input in order. It is read once more when it is written, and its
 * checksums show whether it is still the same text.
 */
import type { CheckedText, Ends, Position, Run, Sorted } from '../engines/contract.js';
import type { Ordering } from '../job/ordering.js';
import type { GpusortError } from '../system/errors.js';
import { CheckedBlob } from './checked-blob.js';
import { BlobRun } from './stored-run.js';

/** Where text lies in an open input. */
export interface InputPlace {
  /** Fills `target` with the bytes from `byte` of the text on. */
  read(byte: number, target: Uint8Array): Promise<void>;
  /** The error if the text is no longer the same. */
  changed(): GpusortError;
}

/** The run of a text that was read at `place`, whose memory is then free; null: it is not in order as it was read. */
export function placedRun(place: InputPlace, text: Sorted, ordering: Ordering): Run | null {
  const found = text.asRead?.() ?? null;
  if (found === null) return null;
  text.release();
  return new PlacedRun(place, text.bytes, found, ordering);
}

class PlacedRun extends BlobRun {
  private readonly whole: Ends;

  constructor(place: InputPlace, bytes: number, { blockBytes, sums, checksum, ends }: CheckedText, ordering: Ordering) {
    const source = {
      read: (byte: number, target: Uint8Array) => place.read(byte, target),
      checksum,
      checksums: (first: number, count: number) => sums.subarray(first, first + count),
      damaged: () => place.changed(),
      // The reader of the inputs closes them.
      release: () => {},
    };
    super(new CheckedBlob(bytes, blockBytes, source), ordering);
    this.whole = ends;
  }

  /** Those of parts would have to be read. */
  ends(from: Position, to: Position): Ends | null {
    return from.byte === 0 && to.byte === this.end.byte ? this.whole : null;
  }
}
