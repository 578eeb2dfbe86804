/**
 * Reads the text of one input in windows of whole records, for checking. Each window but the first begins with the last
 * record of the previous one. Knows no order.
 */

import type { RecordFormat } from '../job/job.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { recordBegin } from '../verify/pieces.js';
import { appended, type ByteSource } from './record-cursor.js';

const FIRST_WINDOW_BYTES = 2 << 20;

export class RecordWindows {
  private readonly source: ByteSource;
  private readonly format: RecordFormat;
  private readonly finder: RecordFinder;
  private readonly readsAhead: boolean;
  private window: Buffer = Buffer.allocUnsafe(FIRST_WINDOW_BYTES);
  /** Bytes [0, whole) of the window are whole records; bytes [0, filled) are input. */
  private whole = 0;
  private filled = 0;
  /** Bytes of the window that the previous one did not have. */
  added = 0;
  private total = 0;
  private ended = false;
  private ahead: Promise<Uint8Array | null> | null = null;

  /**
   * `readsAhead`: reads the next bytes while the caller examines a window. The source must not block for long, because
   * `close` waits for that read.
   */
  constructor(source: ByteSource, format: RecordFormat, readsAhead: boolean) {
    this.source = source;
    this.format = format;
    this.finder = recordFinder(format);
    this.readsAhead = readsAhead;
  }

  /**
   * The next window, valid until the next call; null at the end. Throws `bad-records` if the last record is not whole.
   */
  async next(): Promise<Buffer | null> {
    this.dropAllButLast();
    const begin = this.whole;
    while (!this.ended) {
      const searched = this.filled;
      const bytes = await (this.ahead ?? this.source.read());
      this.ahead = null;
      if (bytes !== null) await this.append(bytes);
      else await this.end();
      if (this.readsAhead && !this.ended) this.readAhead();
      const end = this.finder.lastEnd(this.window.subarray(searched, this.filled), searched - this.whole);
      if (end < 0) continue;
      this.whole = searched + end;
      this.added = this.whole - begin;
      return this.window.subarray(0, this.whole);
    }
    return null;
  }

  /** Closes the input once no read is under way. */
  async close(): Promise<void> {
    await this.ahead?.catch(() => {
      /* no longer needed */
    });
    this.source.close();
  }

  private dropAllButLast(): void {
    if (this.whole === 0) return;
    const keep = recordBegin(this.format, this.window.subarray(0, this.whole), this.whole);
    this.window.copyWithin(0, keep, this.filled);
    this.whole -= keep;
    this.filled -= keep;
  }

  private readAhead(): void {
    this.ahead = this.source.read();
    this.ahead.catch(() => {
      /* handled by the next call */
    });
  }

  private async end(): Promise<void> {
    this.ended = true;
    this.finder.checkWhole(this.source.label, this.total);
    if (this.filled > this.whole) await this.append(Uint8Array.of(this.finder.delimiter!));
  }

  private async append(bytes: Uint8Array): Promise<void> {
    this.window = await appended(this.window, this.filled, bytes);
    this.filled += bytes.length;
    this.total += bytes.length;
  }
}
