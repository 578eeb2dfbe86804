/**
 * The cutter of records: the whole records of a text that arrives in blocks, which may split records anywhere. Only the
 * unfinished end of a block is copied; everything else is passed on without a copy. Knows no order and no files.
 */
import type { ByteSource } from '../system/byte-source.js';
import { joined } from '../system/growing-buffer.js';
import { asBuffer } from '../system/memory.js';
import type { RecordFinder } from './record-finder.js';

/** The records that a block completes. */
interface CompletedRecords {
  /** The record that began in earlier blocks, in pieces; empty: there is none, or the block does not end it. */
  readonly spanning: Buffer[];
  /** The other whole records: a view of the block, which may be empty. */
  readonly whole: Buffer;
}

export class WholeRecords {
  private readonly finder: RecordFinder;
  private pieces: Buffer[] = [];
  private bytes = 0;

  constructor(finder: RecordFinder) {
    this.finder = finder;
  }

  /** The incomplete record, in pieces in memory of their own. */
  get open(): readonly Buffer[] {
    return this.pieces;
  }

  /** The bytes of the incomplete record. */
  get openBytes(): number {
    return this.bytes;
  }

  /** Takes the next block, which may change once its records are handled. */
  take(block: Uint8Array): CompletedRecords {
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

  /** The same records in at most two texts, neither of them empty. */
  texts(block: Uint8Array): Buffer[] {
    const { spanning, whole } = this.take(block);
    return [...(spanning.length === 0 ? [] : [Buffer.concat(spanning)]), ...(whole.length === 0 ? [] : [whole])];
  }

  /** Removes and returns the incomplete record, in pieces. The next block begins a new record. */
  rest(): Buffer[] {
    const { pieces } = this;
    [this.pieces, this.bytes] = [[], 0];
    return pieces;
  }

  private keep(text: Buffer): void {
    if (text.length === 0) return;
    // A copy outside Node's pool of small buffers, where it would keep much more memory alive.
    this.pieces.push(Buffer.from(new Uint8Array(text).buffer));
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

/** The whole records of `source`, in texts of one or more. Each is valid until the next one is requested. */
export async function* recordTexts(source: ByteSource, finder: RecordFinder): AsyncGenerator<Buffer, void> {
  const records = new WholeRecords(finder);
  for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) {
    const { spanning, whole } = records.take(bytes);
    if (spanning.length > 0) yield await joined(spanning);
    if (whole.length > 0) yield whole;
  }
}

/**
 * The text of `source`, which the result owns, as whole records: adds the delimiter that the last record lacks. At the
 * end, read() throws `bad-records` if the last record is not whole; `label` is the input's name in that message. The
 * result may be closed twice.
 */
export function completed(source: ByteSource, finder: RecordFinder, label: string): ByteSource {
  const { delimiter } = finder;
  let total = 0;
  let last = delimiter;
  let ended = false;
  let closed = false;
  return {
    read: async (target) => {
      if (ended) return null;
      const bytes = await source.read(target);
      if (bytes !== null) {
        total += bytes.length;
        if (delimiter !== null) last = bytes[bytes.length - 1];
        return bytes;
      }
      ended = true;
      finder.checkWhole(label, total);
      return last === delimiter ? null : Uint8Array.of(delimiter!);
    },
    close: () => {
      if (!closed) source.close();
      closed = true;
    },
  };
}
