/**
 * Reads the text of one input in windows of whole records, for checking and to locate a problem. Each window except the
 * first begins with the last record of the previous one. Knows no order.
 */

import type { RecordFormat } from '../job/ordering.js';
import { recordFinder } from '../records/record-finder.js';
import { WholeRecords } from '../records/whole-records.js';
import type { ByteSource } from '../system/byte-source.js';
import { appended } from '../system/growing-buffer.js';
import { quiet } from '../system/promises.js';
import { recordBegin } from '../verify/pieces.js';

const FIRST_WINDOW_BYTES = 2 << 20;

export class RecordWindows {
  private readonly source: ByteSource;
  private readonly format: RecordFormat;
  private readonly readsAhead: boolean;
  private readonly records: WholeRecords;
  /** Bytes [0, filled) of it are whole records. It grows to the longest record. */
  private window: Buffer = Buffer.allocUnsafe(FIRST_WINDOW_BYTES);
  private filled = 0;
  /** Bytes of the window that were not in the previous one. */
  added = 0;
  private ahead: Promise<Uint8Array | null> | null = null;

  /**
   * `source` has whole records. `readsAhead`: reads the next bytes while the caller examines a window. Then reads of
   * the source must not block for long, because `close` waits for the last one.
   */
  constructor(source: ByteSource, format: RecordFormat, { readsAhead }: { readonly readsAhead: boolean }) {
    this.source = source;
    this.format = format;
    this.readsAhead = readsAhead;
    this.records = new WholeRecords(recordFinder(format));
  }

  /** The next window, valid until the next call; null at the end. Throws what the source throws. */
  async next(): Promise<Buffer | null> {
    this.dropAllButLast();
    for (;;) {
      const bytes = await (this.ahead ?? this.source.read());
      this.ahead = null;
      if (bytes === null) return null;
      const { spanning, whole } = this.records.take(bytes);
      this.added = spanning.reduce((sum, { length }) => sum + length, whole.length);
      this.window = await appended(this.window, this.filled, [...spanning, whole]);
      this.filled += this.added;
      if (this.readsAhead) this.readAhead();
      if (this.added > 0) return this.window.subarray(0, this.filled);
    }
  }

  /** Closes the input once no read is under way. */
  async close(): Promise<void> {
    // No longer needed.
    await quiet(this.ahead);
    this.source.close();
  }

  private dropAllButLast(): void {
    if (this.filled === 0) return;
    const keep = recordBegin(this.format, this.window.subarray(0, this.filled), this.filled);
    this.window.copyWithin(0, keep, this.filled);
    this.filled -= keep;
  }

  private readAhead(): void {
    this.ahead = this.source.read();
    // Handled by the next call.
    quiet(this.ahead);
  }
}
