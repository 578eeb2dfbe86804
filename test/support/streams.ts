/** Stream readers over bytes in memory. */
import type { ByteSource } from '../../src/system/byte-source.js';

/** A reader that reuses one buffer, as readers of files do, and returns at most `most` bytes at once. */
export function readerOf(bytes: Uint8Array, most = 1 << 16): ByteSource & { closes: number } {
  const buffer = new Uint8Array(most);
  let at = 0;
  return {
    closes: 0,
    read() {
      const part = bytes.subarray(at, at + most);
      at += part.length;
      buffer.fill(0xee).set(part);
      return Promise.resolve(part.length === 0 ? null : buffer.subarray(0, part.length));
    },
    close() {
      this.closes++;
    },
  };
}

/** All bytes of a reader, copied before the next read. Closes it. */
export async function readAll(reader: ByteSource): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) parts.push(Buffer.from(bytes));
  } finally {
    reader.close();
  }
  return Buffer.concat(parts);
}

/** A reader of pieces of `pieceBytes()` bytes. The memory of a piece is overwritten when the next one is read. */
export function inPieces(text: string, pieceBytes: () => number): ByteSource & { closes: number } {
  const bytes = Buffer.from(text, 'latin1');
  let at = 0;
  let last = Buffer.alloc(0);
  return {
    closes: 0,
    read() {
      last.fill(0x2a);
      last = Buffer.from(bytes.subarray(at, (at += pieceBytes())));
      return Promise.resolve(last.length === 0 ? null : last);
    },
    close() {
      this.closes++;
    },
  };
}
