/**
 * Walking over the records of one input in order, whatever it is, through a window of memory: for merging and checking, where
 * each record is looked at once.
 */
import { delimiterBytes, type RecordFinder } from '../records/format.js';
import { openReader } from './csv.js';
import { openInput, type InputFile } from './files.js';

/** Where a cursor's bytes come from; each piece is valid until the next is asked for. */
export interface ByteSource {
  readonly label: string;
  read(): Promise<Uint8Array | null>;
  close(): void;
}

/** The bytes of an input, from its beginning. */
export async function inputBytes(input: InputFile): Promise<ByteSource> {
  const fd = await openInput(input);
  const reader = openReader(fd, input);
  return { label: input.label, read: () => reader.read(), close: () => reader.close() };
}

const FIRST_WINDOW_BYTES = 256 << 10;

export class RecordCursor {
  /** The window; the current record is bytes [start, end) of it, without its delimiter. */
  window: Buffer = Buffer.allocUnsafe(FIRST_WINDOW_BYTES);
  start = 0;
  end = 0;
  readonly source: ByteSource;
  private readonly finder: RecordFinder;
  /** Bytes [0, filled) of the window are input. */
  private filled = 0;
  /** Where the next record begins. */
  private next = 0;
  private ended = false;
  private total = 0;

  constructor(source: ByteSource, finder: RecordFinder) {
    this.source = source;
    this.finder = finder;
  }

  /** Moves to the next record if the window holds all of it. */
  step(): boolean {
    const from = this.next;
    const end = this.finder.firstEnd(this.window.subarray(from, this.filled), 0);
    if (end < 0) return false;
    this.start = from;
    this.next = from + end;
    this.end = this.next - delimiterBytes(this.finder);
    return true;
  }

  /**
   * Reads on until the next record is whole and moves to it; false at the end. Bytes from `keep` on (a place in the window) stay:
   * they move to the window's beginning, so every place in it becomes smaller by `keep`.
   */
  async refill(keep: number): Promise<boolean> {
    this.window.copyWithin(0, keep, this.filled);
    this.filled -= keep;
    this.next -= keep;
    while (!this.ended) {
      const bytes = await this.source.read();
      if (bytes === null) {
        this.ended = true;
        this.finder.checkWhole(this.source.label, this.total);
        if (this.next < this.filled) this.append(Uint8Array.of(this.finder.delimiter!));
      } else this.append(bytes);
      if (this.step()) return true;
    }
    return false;
  }

  private append(bytes: Uint8Array): void {
    if (this.filled + bytes.length > this.window.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.window.length, this.filled + bytes.length));
      this.window.copy(larger, 0, 0, this.filled);
      this.window = larger;
    }
    this.window.set(bytes, this.filled);
    this.filled += bytes.length;
    this.total += bytes.length;
  }
}
