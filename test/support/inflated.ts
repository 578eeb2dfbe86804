/** Gzip inflated by threads, compared with zlib's reader. */
import { expect } from 'vitest';
import { decompressing } from '../../src/input/decompress.js';
import { type GzipSizes, inflateGzip } from '../../src/input/inflate-gzip.js';
import type { ByteSource } from '../../src/system/byte-source.js';
import { GpusortError } from '../../src/system/errors.js';
import { readAll, readerOf } from './streams.js';

export const GZIP_THREADS = 3;

/** The text, or the message of the error. */
async function read(reader: ByteSource): Promise<Buffer | string> {
  try {
    return await readAll(reader);
  } catch (error) {
    expect(error).toBeInstanceOf(GpusortError);
    return (error as GpusortError).message;
  }
}

/** Expects the text, or the error, of zlib's reader. `most`: bytes that the input gives at once. */
export async function isInflatedAsByZlib(file: Uint8Array, sizes?: GzipSizes, most?: number): Promise<void> {
  const ours = await read(inflateGzip(readerOf(file, most), { label: 'in.gz', threads: GZIP_THREADS }, sizes));
  const expected = await read(decompressing(readerOf(file), { label: 'in.gz', threads: 0 }));
  if (typeof ours === 'string' || typeof expected === 'string') expect(ours).toBe(expected);
  else expect(Buffer.compare(ours, expected)).toBe(0);
}
