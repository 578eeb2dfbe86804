/**
 * Extracts whole records from an input that is read sequentially, whether its size is known or not: as many as fit into
 * a chunk, or one of any length. It reads into the chunk's own memory (`fill`). A GPU's upload memory is never read
 * back, so for a GPU bytes wait in ordinary memory until their record is complete (`drain`).
 */

import { delimiterBytes, type RecordFinder } from '../records/record-finder.js';
import { completed, WholeRecords } from '../records/whole-records.js';
import type { Recorder } from '../report/recorder.js';
import { type ByteSource, FillingSource } from '../system/byte-source.js';
import { asBuffer, copyBytes } from '../system/memory.js';

/** Takes the next bytes, which are valid until its promise resolves. */
type ByteSink = (bytes: Uint8Array) => Promise<void>;

/** Bytes of a block that is read ahead. */
const AHEAD_BYTES = 4 << 20;

export class SequentialRecords {
  private readonly source: FillingSource;
  private readonly finder: RecordFinder;
  /** Keeps the record that is not whole. */
  private readonly cutter: WholeRecords;
  /** Whole records not yet passed on. The last `borrowed` elements lie in memory of the source. */
  private queue: Uint8Array[] = [];
  private borrowed = 0;
  /** Bytes of the queue. */
  private whole = 0;
  private ended = false;

  constructor(source: ByteSource, label: string, finder: RecordFinder, recorder: Recorder) {
    this.source = new FillingSource(completed(recorded(source, recorder), finder, label));
    this.finder = finder;
    this.cutter = new WholeRecords(finder);
  }

  /**
   * Reads ahead until `limit` bytes wait or the input ends. Returns the bytes waiting and whether the input has ended.
   */
  async prefetch(limit: number): Promise<{ bytes: number; ended: boolean }> {
    while (this.waitingBytes < limit && !this.ended) {
      this.ownQueue();
      const block = Buffer.allocUnsafeSlow(Math.min(AHEAD_BYTES, limit - this.waitingBytes));
      this.add(block.subarray(0, await this.readInto(block)));
    }
    return { bytes: this.waitingBytes, ended: this.ended };
  }

  /** Bytes read but not passed on; valid until the next read. */
  waiting(): readonly Uint8Array[] {
    return [...this.queue, ...this.cutter.open];
  }

  /** What the next portion is: the end, a record that exceeds `capacity` with its delimiter, or records that fit. */
  async peek(capacity: number): Promise<'end' | 'large' | 'records'> {
    while (this.whole === 0 && this.waitingBytes <= capacity && !this.ended) await this.more();
    if (this.waitingBytes === 0) return 'end';
    return this.wholeWithin(capacity) > 0 ? 'records' : 'large';
  }

  /**
   * Reads into `memory`, which may be read back, until it is full or the input ends. Returns the bytes of whole
   * records in it. At least one must fit (`peek`).
   */
  async fill(memory: Uint8Array): Promise<number> {
    let at = 0;
    const put = async (part: Uint8Array): Promise<void> => {
      copyBytes(part, memory, at);
      at += part.length;
    };
    await this.give(this.wholeWithin(memory.length), put);
    if (this.waitingBytes > memory.length - at) return at;
    for (const part of this.cutter.rest()) await put(part);
    const bytes = at + (await this.readInto(memory.subarray(at)));
    const end = this.finder.lastEnd(asBuffer(memory.subarray(0, bytes)), 0);
    this.add(memory.subarray(end, bytes));
    return end;
  }

  /** Passes on at most `capacity` bytes of whole records. Reads while more may fit. Returns the number of bytes. */
  async drain(capacity: number, sink: ByteSink): Promise<number> {
    let given = 0;
    for (;;) {
      const take = this.wholeWithin(capacity - given);
      given += take;
      await this.give(take, sink);
      if (this.whole > 0 || this.waitingBytes > capacity - given || this.ended) return given;
      await this.more();
    }
  }

  /** Passes on the next record, a line of any length, without its delimiter. */
  async drainRecord(sink: ByteSink): Promise<void> {
    while (this.whole === 0 && !this.ended) {
      for (const part of this.cutter.rest()) await sink(part);
      await this.more();
    }
    const delimiter = delimiterBytes(this.finder);
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      const end = this.finder.firstEnd(asBuffer(first), 0);
      await this.give(end < 0 ? first.length : end - delimiter, sink);
      if (end < 0) continue;
      await this.give(delimiter, async () => undefined);
      return;
    }
  }

  close(): void {
    this.source.close();
  }

  private get waitingBytes(): number {
    return this.whole + this.cutter.openBytes;
  }

  /** Queues the next bytes. */
  private async more(): Promise<void> {
    this.ownQueue();
    const bytes = await this.source.read();
    if (bytes === null) this.ended = true;
    else this.borrowed = this.add(bytes);
  }

  /** Copies what lies in memory of the source, because the next read overwrites it. */
  private ownQueue(): void {
    for (let i = this.queue.length - this.borrowed; i < this.queue.length; i++)
      this.queue[i] = new Uint8Array(this.queue[i]); // a copy, not a view as Buffer's slice
    this.borrowed = 0;
  }

  /** Reads until `memory` is full or the input ends. Returns the bytes read. */
  private async readInto(memory: Uint8Array): Promise<number> {
    const bytes = await this.source.fill(memory);
    this.ended = bytes < memory.length;
    return bytes;
  }

  /** Adds bytes to those that wait. Returns the number of elements of the queue that lie in them. */
  private add(bytes: Uint8Array): number {
    const { spanning, whole } = this.cutter.take(bytes);
    const parts = whole.length === 0 ? spanning : [...spanning, whole];
    for (const part of parts) this.whole += part.length;
    this.queue.push(...parts);
    return Number(spanning.length > 0) + Number(whole.length > 0);
  }

  /** Bytes of whole records that fit in the first `limit` bytes of the queue. */
  private wholeWithin(limit: number): number {
    if (this.whole <= limit) return this.whole;
    let end = this.whole;
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
      if (part.length === first.length) this.queue.shift();
      else this.queue[0] = first.subarray(part.length);
    }
    this.borrowed = Math.min(this.borrowed, this.queue.length);
    this.whole -= count;
  }
}

/** `source`, whose reads are reported. */
function recorded(source: ByteSource, recorder: Recorder): ByteSource {
  return {
    read: async (target) => {
      const start = performance.now();
      const bytes = await source.read(target);
      if (bytes !== null) {
        recorder.span('read', start, bytes.length);
        recorder.advance('reading', bytes.length);
      }
      return bytes;
    },
    close: () => source.close(),
  };
}
