/** The bytes of an input that is decompressed front to back: the next read begins before the last one is used up. */
import { GpusortError } from '../system/errors.js';
import type { StreamReader } from './stream.js';

/** What compressed data consists of. */
export type Part = 'gzip member' | 'zstd frame';

export class RawBytes {
  private readonly reader: StreamReader;
  private readonly label: string;
  private isClosed = false;
  private next: Promise<Uint8Array | null> | null = null;
  /** Bytes read and not yet dropped, in memory of their own. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Their offset in the input. */
  offset = 0;

  constructor(reader: StreamReader, label: string) {
    this.reader = reader;
    this.label = label;
  }

  /** Appends the next bytes; false at the end. */
  async more(): Promise<boolean> {
    const read = await (this.next ?? this.copy());
    if (read === null) {
      this.next = Promise.resolve(null);
      return false;
    }
    this.next = this.copy();
    this.bytes = this.bytes.length === 0 ? read : Buffer.concat([this.bytes, read]);
    return true;
  }

  /** Whether there are bytes, after waiting for them. */
  async any(): Promise<boolean> {
    return this.bytes.length > 0 || this.more();
  }

  drop(count: number): void {
    this.bytes = this.bytes.subarray(count);
    this.offset += count;
  }

  /** What is wrong with the compressed data. */
  error(what: string): GpusortError {
    return new GpusortError('bad-records', `${this.label}${what}`, {
      hint: 'Copy the file again, or write it again.',
    });
  }

  /**
   * The input ends within a part that begins at byte `begin`. What the remedy names also decompresses what is there.
   */
  cutOff(part: Part, begin: number): GpusortError {
    const end = this.offset + this.bytes.length;
    return new GpusortError(
      'bad-records',
      `${this.label} is cut off after byte ${end}, within the ${part} that begins at byte ${begin}`,
      { hint: `Copy or write it again. ${part.split(' ')[0]} -dc decompresses the part that is there.` },
    );
  }

  /** Reads no more. */
  close(): void {
    this.isClosed = true;
    this.reader.close();
  }

  private copy(): Promise<Uint8Array | null> {
    if (this.isClosed) return Promise.resolve(null);
    const copied = this.reader.read().then((bytes) => (bytes === null ? null : Buffer.from(bytes)));
    copied.catch(() => {
      /* more() meets it in its turn */
    });
    return copied;
  }
}
