/**
 * Reads the text of one input in windows of whole records, for checking and to locate a problem. Each window except the
 * first begins with the last record of the previous one. Knows no order.
 */

import type { RecordFormat } from '../job/ordering.js';
import { recordFinder } from '../records/record-finder.js';
import { recordBegin } from '../verify/pieces.js';
import { type LabeledSource, SourceWindow } from './record-cursor.js';

const FIRST_WINDOW_BYTES = 2 << 20;

export class RecordWindows extends SourceWindow {
  private readonly format: RecordFormat;
  private readonly readsAhead: boolean;
  /** Bytes [0, whole) of the window are whole records. */
  private whole = 0;
  /** Bytes of the window that were not in the previous one. */
  added = 0;
  private ahead: Promise<Uint8Array | null> | null = null;

  /**
   * `readsAhead`: reads the next bytes while the caller examines a window. The source must not block for long, because
   * `close` waits for that read.
   */
  constructor(source: LabeledSource, format: RecordFormat, readsAhead: boolean) {
    super(source, recordFinder(format), FIRST_WINDOW_BYTES);
    this.format = format;
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
      await this.append(bytes, this.whole);
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
    this.drop(keep);
    this.whole -= keep;
  }

  private readAhead(): void {
    this.ahead = this.source.read();
    this.ahead.catch(() => {
      /* handled by the next call */
    });
  }
}
