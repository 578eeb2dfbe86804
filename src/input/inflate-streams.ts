/**
 * Decompresses gzip and zstd sequentially. Node's zlib works in its own threads while the next bytes are read. Members
 * and frames are found here, because Node ignores some of what may follow them.
 */
import type { Transform } from 'node:stream';
import { GZIP_TRAILER_BYTES, gzipHeaderBytes } from '../codecs/bgzf.js';
import { detectCompression } from '../codecs/detect.js';
import { FrameFinder, type Zstd } from '../codecs/zstd.js';
import { type ByteSource, sourceOf } from '../system/byte-source.js';
import type { GpusortError } from '../system/errors.js';
import { quiet } from '../system/promises.js';
import { crc32, zlib } from '../system/zlib.js';
import {
  type CompressedInput,
  type CompressedPart,
  cutOffInput,
  damagedInput,
  notAPart,
  SHOWN_BYTES,
} from './damaged.js';

/** The number of bytes that show whether a frame of zstd begins. */
const MAGIC_BYTES = 4;
/** Bytes of text that zlib returns at once. */
const TEXT_BYTES = 256 << 10;

type Codec = Transform & { readonly bytesWritten: number };

/** A reader of the texts that `text` yields. */
export function openInflated(
  reader: ByteSource,
  input: CompressedInput,
  text: (raw: RawBytes) => AsyncGenerator<Uint8Array, void>,
): ByteSource {
  const raw = new RawBytes(reader, input);
  const texts = text(raw);
  return sourceOf(texts, () => {
    void texts.return();
    raw.close();
  });
}

/** The text of all members of gzip. Zeros may follow the last one, as gzip allows. */
export async function* gzipText(raw: RawBytes): AsyncGenerator<Uint8Array, void> {
  do {
    const begin = raw.offset + 1;
    let header = 0;
    while ((header = gzipHeaderBytes(raw.bytes, 0, raw.bytes.length)) === 0)
      if (!(await raw.more())) throw raw.cutOff('gzip member', begin);
    if (header < 0) throw await raw.notAPart('gzip member');
    raw.drop(header);
    let checksum = 0;
    let length = 0;
    for await (const text of decoded(
      zlib().createInflateRaw({ chunkSize: TEXT_BYTES }),
      raw,
      'gzip member',
      begin,
      () => -1,
    )) {
      checksum = crc32(text, checksum);
      length += text.length;
      yield text;
    }
    while (raw.bytes.length < GZIP_TRAILER_BYTES) if (!(await raw.more())) throw raw.cutOff('gzip member', begin);
    const trailer = Buffer.from(raw.bytes.subarray(0, GZIP_TRAILER_BYTES));
    if (trailer.readUInt32LE(0) !== checksum || trailer.readUInt32LE(4) !== length % 2 ** 32)
      throw raw.error(`: the gzip member at byte ${begin} is damaged: its checksum or length is wrong`);
    raw.drop(GZIP_TRAILER_BYTES);
  } while ((await raw.any()) && !(await isPadding(raw)));
}

/** Whether a zero follows. All other bytes must then be zero as well. */
async function isPadding(raw: RawBytes): Promise<boolean> {
  if (raw.bytes[0] !== 0) return false;
  while (await raw.any()) {
    const other = raw.bytes.findIndex((byte) => byte !== 0);
    raw.drop(other >= 0 ? other : raw.bytes.length);
    if (other >= 0) throw await raw.notAPart('gzip member');
  }
  return true;
}

/** The text of all frames of zstd. */
export async function* zstdText(raw: RawBytes, zstd: Zstd): AsyncGenerator<Uint8Array, void> {
  while (await raw.any()) {
    const begin = raw.offset + 1;
    const finder = new FrameFinder();
    while (raw.bytes.length < MAGIC_BYTES && (await raw.more()));
    if (detectCompression(raw.bytes) !== 'zstd') throw await raw.notAPart('zstd frame');
    const frameEnd = (bytes: Uint8Array): number => {
      const end = finder.next(bytes);
      if (end === null) throw raw.error(`: the zstd frame at byte ${begin} is damaged: a block has no valid type`);
      return end;
    };
    if ((raw.bytes[0] & 0xf0) === 0x50) {
      await skipFrame(raw, begin, frameEnd);
      continue;
    }
    yield* decoded(zstd.openFrame(TEXT_BYTES), raw, 'zstd frame', begin, frameEnd);
  }
}

async function skipFrame(raw: RawBytes, begin: number, frameEnd: (bytes: Uint8Array) => number): Promise<void> {
  for (;;) {
    if (!(await raw.any())) throw raw.cutOff('zstd frame', begin);
    const end = frameEnd(raw.bytes);
    raw.drop(end < 0 ? raw.bytes.length : end);
    if (end >= 0) return;
  }
}

/**
 * `reader`, whose read() throws if something else follows its frames of zstd: a program that reads them would not say
 * where. Damage within a frame is left to the program.
 */
export function checkedFrames(reader: ByteSource, input: CompressedInput): ByteSource {
  let finder: FrameFinder | null = new FrameFinder();
  /** The first bytes of the current frame, its offset, and that of the bytes that come next. */
  let head: Buffer = Buffer.alloc(0);
  let begin = 0;
  let offset = 0;
  const refuseOther = (): void => {
    if (detectCompression(head) !== 'zstd') throw notAPart(input, 'zstd frame', begin, head);
  };
  const check = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length && finder !== null; ) {
      const rest = bytes.subarray(at);
      head = Buffer.concat([head, rest.subarray(0, SHOWN_BYTES - head.length)]);
      const end = finder.next(rest);
      if (end === null) {
        refuseOther();
        finder = null;
      } else if (end < 0) break;
      else {
        at += end;
        begin = offset + at;
        finder = new FrameFinder();
        head = Buffer.alloc(0);
      }
    }
    offset += bytes.length;
  };
  const read: ByteSource['read'] = async (target) => {
    const bytes = await reader.read(target);
    if (bytes !== null) check(bytes);
    else if (head.length > 0) refuseOther();
    return bytes;
  };
  return { read, close: () => reader.close() };
}

/**
 * The text of the member or frame that begins at byte `begin`. `endIn` returns how many of the next bytes belong to it;
 * -1 if all may: then the codec finds the end. Text waits in the codec until it is requested. Drops consumed bytes.
 */
async function* decoded(
  codec: Codec,
  raw: RawBytes,
  part: CompressedPart,
  begin: number,
  endIn: (bytes: Uint8Array) => number,
): AsyncGenerator<Uint8Array, void> {
  let wake: () => void = () => undefined;
  const codecIs: { state: 'hungry' | 'busy' | 'fed' | 'ended'; failure: Error | null } = {
    state: 'hungry',
    failure: null,
  };
  const change = (next: (typeof codecIs)['state']): void => {
    codecIs.state = next;
    wake();
  };
  codec.on('readable', () => wake());
  codec.on('end', () => change('ended'));
  codec.on('error', (error) => {
    codecIs.failure = error;
    wake();
  });
  const feed = (): void => {
    const end = endIn(raw.bytes);
    const piece = end < 0 ? raw.bytes : raw.bytes.subarray(0, end);
    const before = codec.bytesWritten;
    codecIs.state = 'busy';
    codec.write(piece, (error) => {
      if (error != null) return;
      const consumed = codec.bytesWritten - before;
      raw.drop(consumed);
      // A codec that leaves bytes unread has ended, and reports that once its text is read. The end of a frame is known
      // before that.
      change(end >= 0 ? 'ended' : consumed < piece.length ? 'fed' : 'hungry');
    });
  };
  try {
    for (;;) {
      const text = codec.read() as Buffer | null;
      if (text !== null) {
        yield text;
        continue;
      }
      const { state, failure } = codecIs;
      if (failure !== null)
        throw raw.error(`: the ${part} at byte ${begin} is damaged: ${failure.message.split('\n')[0]}`);
      if (state === 'ended') return;
      if (state === 'hungry') {
        if (!(await raw.any())) throw raw.cutOff(part, begin);
        feed();
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    codec.destroy();
  }
}

class RawBytes {
  private readonly reader: ByteSource;
  private readonly input: CompressedInput;
  private isClosed = false;
  private next: Promise<Uint8Array | null> | null = null;
  /** Bytes read and not yet dropped, in memory of their own. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Their offset in the input. */
  offset = 0;

  constructor(reader: ByteSource, input: CompressedInput) {
    this.reader = reader;
    this.input = input;
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

  error(what: string): GpusortError {
    return damagedInput(this.input.label, what);
  }

  /** The error for an input that ends within a part, which begins at byte `begin`. */
  cutOff(part: CompressedPart, begin: number): GpusortError {
    return cutOffInput(this.input.label, this.offset + this.bytes.length, part, begin);
  }

  /** The error for what follows, which begins no part. */
  async notAPart(part: CompressedPart): Promise<GpusortError> {
    while (this.bytes.length < SHOWN_BYTES && (await this.more()));
    return notAPart(this.input, part, this.offset, this.bytes);
  }

  /** Stops reading. */
  close(): void {
    this.isClosed = true;
    this.reader.close();
  }

  private copy(): Promise<Uint8Array | null> {
    if (this.isClosed) return Promise.resolve(null);
    const copied = this.reader.read().then((bytes) => (bytes === null ? null : Buffer.from(bytes)));
    // Handled in more().
    quiet(copied);
    return copied;
  }
}
