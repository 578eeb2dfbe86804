/**
 * Whole records of a text that arrives in blocks, which may split records anywhere. Only the unfinished end of a block
 * is copied; everything else is passed on without a copy. Knows no order and no files.
 */
import { asBuffer } from '../system/memory.js';
import type { RecordFinder } from './record-finder.js';

/** The records that a block completes. */
interface Completed {
  /** The record that began in earlier blocks, in pieces; empty: there is none, or the block does not end it. */
  readonly spanning: Buffer[];
  /** The other whole records: a view of the block, which may be empty. */
  readonly whole: Buffer;
}

export class WholeRecords {
  private readonly finder: RecordFinder;
  /** The unfinished record, in pieces, and its bytes. */
  private open: Buffer[] = [];
  private bytes = 0;

  constructor(finder: RecordFinder) {
    this.finder = finder;
  }

  /** Bytes of the record that is not complete. */
  get openBytes(): number {
    return this.bytes;
  }

  /** Takes the next block, which may change once its records are handled. */
  take(block: Uint8Array): Completed {
    const text = asBuffer(block);
    const first = this.bytes === 0 ? 0 : this.finder.firstEnd(text, this.bytes);
    if (first < 0) {
      this.keep(text);
      return { spanning: [], whole: text.subarray(0, 0) };
    }
    const spanning = first > 0 ? [...this.rest(), text.subarray(0, first)] : [];
    const end = first + Math.max(0, this.finder.lastEnd(text.subarray(first), 0));
    if (end < text.length) this.keep(text.subarray(end));
    return { spanning, whole: text.subarray(first, end) };
  }

  /** The same in at most two texts, neither of them empty. */
  texts(block: Uint8Array): Buffer[] {
    const { spanning, whole } = this.take(block);
    return [...(spanning.length === 0 ? [] : [Buffer.concat(spanning)]), ...(whole.length === 0 ? [] : [whole])];
  }

  /** The incomplete record, in pieces. The next block begins another one. */
  rest(): Buffer[] {
    const pieces = this.open;
    [this.open, this.bytes] = [[], 0];
    return pieces;
  }

  private keep(text: Buffer): void {
    if (text.length === 0) return;
    // A copy outside Node's pool of small buffers, where it would keep much more memory alive.
    this.open.push(Buffer.from(new Uint8Array(text).buffer));
    this.bytes += text.length;
  }
}

/** The lines of a text of whole lines, with their delimiters. */
export function* linesIn(text: Buffer, delimiter: number): Generator<Buffer> {
  let begin = 0;
  for (let end = text.indexOf(delimiter); end >= 0; end = text.indexOf(delimiter, begin)) {
    yield text.subarray(begin, end + 1);
    begin = end + 1;
  }
}
