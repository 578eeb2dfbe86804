/**
 * Extracts whole records from a stream: as many as fit into a chunk, or one of any length. It reads into the chunk's
 * own memory (`fill`). Upload memory of a GPU is never read once it is written, so there bytes wait in ordinary memory
 * until their record is complete (`drain`).
 */

import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import type { Recorder } from '../report/recorder.js';
import type { ByteSource } from '../system/byte-source.js';
import { asBuffer, copyBytes } from '../system/memory.js';

/** Takes the next bytes, which are valid until its promise resolves. */
type ByteSink = (bytes: Uint8Array) => Promise<void>;

/** Bytes of a block that is read ahead. */
const AHEAD_BYTES = 4 << 20;
const NOTHING = new Uint8Array(0);

export class RecordStream {
  private readonly reader: ByteSource;
  private readonly label: string;
  private readonly finder: RecordFinder;
  private readonly recorder: Recorder;
  /**
   * Bytes not yet passed on, from the start of a record. Only the last element may be the reader's own buffer
   * (`borrowed`).
   */
  private queue: Uint8Array[] = [];
  private borrowed = false;
  private queued = 0;
  /** Bytes of the queue that are whole records. */
  private whole = 0;
  private total = 0;
  private ended = false;

  constructor(reader: ByteSource, label: string, finder: RecordFinder, recorder: Recorder) {
    this.reader = reader;
    this.label = label;
    this.finder = finder;
    this.recorder = recorder;
  }

  /**
   * Reads ahead until `limit` bytes wait or the stream ends. Returns the bytes waiting and whether the stream has
   * ended.
   */
  async prefetch(limit: number): Promise<{ bytes: number; ended: boolean }> {
    this.ownQueue();
    while (this.queued < limit && !this.ended) {
      const block = Buffer.allocUnsafeSlow(Math.min(AHEAD_BYTES, limit - this.queued));
      const { bytes, excess } = await this.readInto(block, 0);
      this.wait(block.subarray(0, bytes));
      this.wait(excess);
      if (this.ended) this.complete();
    }
    return { bytes: this.queued, ended: this.ended };
  }

  /** Bytes read but not passed on; valid until the next read. */
  waiting(): readonly Uint8Array[] {
    return this.queue;
  }

  /** The next portion: the end, a record larger than `capacity` with its delimiter, or records that fit. */
  async peek(capacity: number): Promise<'end' | 'large' | 'records'> {
    while (this.whole === 0 && this.queued <= capacity && !this.ended) await this.more();
    if (this.queued === 0) return 'end';
    return this.wholeWithin(capacity) > 0 ? 'records' : 'large';
  }

  /**
   * Reads into `memory`, which may be read back, until it is full or the stream ends. Returns the bytes of whole
   * records in it. At least one must fit (`peek`).
   */
  async fill(memory: Uint8Array): Promise<number> {
    let at = 0;
    await this.give(this.queued > memory.length ? this.wholeWithin(memory.length) : this.queued, async (part) => {
      copyBytes(part, memory, at);
      at += part.length;
    });
    if (this.queued > 0) return at;
    const { bytes, excess } = await this.readInto(memory, at);
    at = bytes;
    const { delimiter } = this.finder;
    if (this.ended && delimiter !== null && at < memory.length && memory[at - 1] !== delimiter)
      memory[at++] = delimiter;
    const end = this.finder.lastEnd(asBuffer(memory.subarray(0, at)), 0);
    this.wait(new Uint8Array(memory.subarray(end, at)));
    this.wait(excess);
    if (this.ended) this.complete();
    return end;
  }

  /** Passes on at most `capacity` bytes of whole records. Reads while more may fit. Returns the number of bytes. */
  async drain(capacity: number, sink: ByteSink): Promise<number> {
    let given = 0;
    for (;;) {
      const room = capacity - given;
      const take = this.wholeWithin(room);
      given += take;
      await this.give(take, sink);
      if (this.queued > capacity - given || this.whole > 0) return given;
      if (this.ended) return given;
      await this.more();
    }
  }

  /** Passes on the next record, of any length, without its delimiter. */
  async drainRecord(sink: ByteSink): Promise<void> {
    for (let given = 0; ; ) {
      const first = this.queue[0];
      if (first === undefined) {
        if (this.ended) return;
        await this.more();
        continue;
      }
      const end = this.finder.firstEnd(asBuffer(first), given);
      given += first.length;
      if (end < 0) {
        await this.give(first.length, sink);
        continue;
      }
      const delimiter = delimiterBytes(this.finder);
      await this.give(end - delimiter, sink);
      await this.give(delimiter, async () => undefined);
      return;
    }
  }

  close(): void {
    this.reader.close();
  }

  /** Queues the next bytes of the stream. Completes the last record at the end. */
  private async more(): Promise<void> {
    this.ownQueue();
    const bytes = await this.next();
    if (bytes === null) {
      this.complete();
      return;
    }
    this.wait(bytes);
    this.borrowed = true;
  }

  /** Copies what lies in the reader's buffer, because the next read overwrites it. */
  private ownQueue(): void {
    if (this.borrowed) this.queue.push(new Uint8Array(this.queue.pop()!)); // a copy, not a view as Buffer's slice
    this.borrowed = false;
  }

  /**
   * Reads until `memory` is full or the stream ends. Returns the offset up to which it is filled, and bytes that were
   * read after it.
   */
  private async readInto(memory: Uint8Array, from: number): Promise<{ bytes: number; excess: Uint8Array }> {
    let at = from;
    let excess = NOTHING;
    while (at < memory.length && !this.ended) {
      const bytes = await this.next(memory.subarray(at));
      if (bytes === null) break;
      const part = bytes.subarray(0, memory.length - at);
      if (part.buffer !== memory.buffer) copyBytes(part, memory, at);
      at += part.length;
      excess = new Uint8Array(bytes.subarray(part.length));
    }
    return { bytes: at, excess };
  }

  /** The next bytes of the stream, which may lie in `target`; null at its end. */
  private async next(target?: Uint8Array): Promise<Uint8Array | null> {
    const start = performance.now();
    const bytes = await this.reader.read(target);
    if (bytes === null) {
      this.ended = true;
      return null;
    }
    this.recorder.span('read', start, bytes.length);
    this.recorder.advance('reading', bytes.length);
    this.total += bytes.length;
    return bytes;
  }

  /** Adds bytes to the queue. */
  private wait(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const before = this.queued;
    this.queue.push(bytes);
    this.queued += bytes.length;
    const end = this.finder.lastEnd(asBuffer(bytes), before);
    if (end >= 0) this.whole = before + end;
  }

  private complete(): void {
    if (this.queued === this.whole) return;
    this.finder.checkWhole(this.label, this.total);
    this.queue.push(Uint8Array.of(this.finder.delimiter!));
    this.whole = ++this.queued;
  }

  /** Bytes of whole records that fit in the first `limit` bytes of the queue. */
  private wholeWithin(limit: number): number {
    if (this.whole <= limit) return this.whole;
    let end = this.queued;
    for (let i = this.queue.length - 1; i >= 0; i--) {
      const bytes = this.queue[i];
      const begin = end - bytes.length;
      if (begin < limit) {
        const at = this.finder.lastEnd(asBuffer(bytes.subarray(0, limit - begin)), begin);
        if (at >= 0) return begin + at;
      }
      end = begin;
    }
    return 0;
  }

  private async give(count: number, sink: ByteSink): Promise<void> {
    let left = count;
    while (left > 0) {
      const first = this.queue[0];
      const part = first.subarray(0, left);
      await sink(part);
      left -= part.length;
      if (part.length === first.length) {
        this.queue.shift();
        if (this.queue.length === 0) this.borrowed = false;
      } else this.queue[0] = first.subarray(part.length);
    }
    this.queued -= count;
    this.whole = Math.max(0, this.whole - count);
  }
}
