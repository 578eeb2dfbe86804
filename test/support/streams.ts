/** Stream readers over bytes in memory. */
import type { StreamReader } from '../../src/input/stream.js';

/** A reader that reuses one buffer, as readers of files do, and returns at most `most` bytes at once. */
export function readerOf(bytes: Uint8Array, most = 1 << 16): StreamReader & { closes: number } {
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

/** All that a reader has, copied before the next read. Closes it. */
export async function readAll(reader: StreamReader): Promise<Buffer> {
  const parts: Buffer[] = [];
  try {
    for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read()) parts.push(Buffer.from(bytes));
  } finally {
    reader.close();
  }
  return Buffer.concat(parts);
}
