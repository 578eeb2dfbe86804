/** Threads that inflate gzip of the size of real inputs give the text that zlib's reader gives. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { GZIP_SIZES, inflateGzip } from '../../src/input/inflate-gzip.js';
import { randomBytes } from '../support/codecs.js';
import { GZIP_THREADS, isInflatedAsByZlib } from '../support/inflated.js';
import { readerOf } from '../support/streams.js';

/** Threads inflate inputs of any length. */
const SIZES = { ...GZIP_SIZES, least: 1 };
const TEXT = randomBytes(1, 20_000_000, 4);

it.each([0, 1, 6])('reads one large member of level %i', async (level) => {
  await isInflatedAsByZlib(gzipSync(TEXT, { level }), SIZES, 1 << 20);
});

it('reads text of which one byte of gzip makes a thousand', async () => {
  const most = Buffer.concat([TEXT.subarray(0, 17_000_000), Buffer.alloc(100_000_000, 'a'), TEXT]);
  await isInflatedAsByZlib(gzipSync(most, { level: 1 }), SIZES, 1 << 20);
});

it('does not take blocks in stored text for those of the file', async () => {
  const inner = gzipSync(TEXT);
  await isInflatedAsByZlib(gzipSync(inner, { level: 0 }), SIZES, 1 << 20);
  await isInflatedAsByZlib(gzipSync(Buffer.concat([inner, TEXT, inner]), { level: 1 }), SIZES, 1 << 20);
});

it('leaves small inputs to zlib', async () => {
  await isInflatedAsByZlib(gzipSync(TEXT.subarray(0, 1000)));
});

it('closes its input once, at any time', async () => {
  const file = gzipSync(TEXT);
  for (const reads of [0, 1, 3]) {
    const input = readerOf(file, 1 << 20);
    const reader = inflateGzip(input, { label: 'in.gz', threads: GZIP_THREADS }, SIZES);
    for (let i = 0; i < reads; i++) await reader.read();
    reader.close();
    expect(input.closes).toBe(1);
  }
});
