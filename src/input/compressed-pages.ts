/**
 * Compressed bytes that are read ahead into pages of shared memory, and kept as long as they are needed. Knows no
 * compression.
 */
import type { SharedRange } from '../codecs/inflate.js';
import type { ByteSource } from '../system/byte-source.js';
import { copyBytes } from '../system/memory.js';
import { createSharedMemory } from '../system/threads/buffers.js';

/** Unused pages that are retained. */
const SPARE_PAGES = 32;

export class CompressedPages {
  private readonly reader: ByteSource;
  readonly pageBytes: number;
  private readonly memory = createSharedMemory(SPARE_PAGES);
  private readonly pages: SharedArrayBuffer[] = [];
  /** The first byte of the first page. */
  private begin = 0;
  /** The byte after the last one that was read. */
  end = 0;
  /** Whether the input ends there. */
  isWhole = false;
  private isClosed = false;
  /** Bytes read, but not yet copied. */
  private pending: Uint8Array = new Uint8Array(0);
  /** Settles when the last of the requested reads ends. */
  private reads: Promise<void> = Promise.resolve();

  constructor(reader: ByteSource, pageBytes: number) {
    this.reader = reader;
    this.pageBytes = pageBytes;
  }

  /** Reads until `end` is at least `byte`, or the input ends. May be called while it reads. */
  readTo(byte: number): Promise<void> {
    this.reads = this.reads.then(() => this.fillTo(byte));
    return this.reads;
  }

  private async fillTo(byte: number): Promise<void> {
    while (this.end < byte && !this.isWhole && !this.isClosed) {
      if (this.pending.length === 0) {
        const read = await this.reader.read();
        if (read === null) {
          this.isWhole = true;
          return;
        }
        this.pending = read;
      }
      const at = (this.end - this.begin) % this.pageBytes;
      if (at === 0) this.pages.push(this.memory.take(this.pageBytes));
      const part = this.pending.subarray(0, this.pageBytes - at);
      copyBytes(part, new Uint8Array(this.pages.at(-1)!, 0, this.pageBytes), at);
      this.pending = this.pending.subarray(part.length);
      this.end += part.length;
    }
  }

  /** Bytes [from, to), which must have been read and not dropped. */
  ranges(from: number, to: number): SharedRange[] {
    const { begin, pageBytes, pages } = this;
    const ranges: SharedRange[] = [];
    for (let at = from; at < to; ) {
      const page = Math.floor((at - begin) / pageBytes);
      const pageBegin = begin + page * pageBytes;
      const end = Math.min(to, pageBegin + pageBytes);
      ranges.push({ memory: pages[page], from: at - pageBegin, to: end - pageBegin });
      at = end;
    }
    return ranges;
  }

  /** Bytes before `byte` are no longer needed. */
  drop(byte: number): void {
    const count = Math.min(Math.floor((byte - this.begin) / this.pageBytes), this.pages.length - 1);
    if (count <= 0) return;
    for (const page of this.pages.splice(0, count)) this.memory.give(page);
    this.begin += count * this.pageBytes;
  }

  /** All bytes read and not dropped, and then the rest. It owns the input's reader. */
  reread(): ByteSource {
    const parts: Uint8Array[] = this.ranges(this.begin, this.end).map(
      ({ memory, from, to }) => new Uint8Array(memory, from, to - from),
    );
    if (this.pending.length > 0) parts.push(this.pending);
    return {
      read: () => {
        const part = parts.shift();
        return part === undefined && !this.isWhole ? this.reader.read() : Promise.resolve(part ?? null);
      },
      close: () => this.close(),
    };
  }

  close(): void {
    this.isClosed = true;
    this.reader.close();
  }
}
