/**
 * Gzip inflated by threads gives the text, or the error, that zlib's reader gives. Sections of a few bytes begin and
 * end at every kind of place.
 */
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { CodecThreads } from '../../src/codecs/threads.js';
import { type GzipSizes, inflateGzip } from '../../src/input/inflate-gzip.js';
import { randomBytes } from '../support/codecs.js';
import { damaged, deflated, someText } from '../support/deflate-streams.js';
import { GZIP_THREADS, isInflatedAsByZlib } from '../support/inflated.js';
import { property } from '../support/property.js';
import { type RandomBelow, randomBelow } from '../support/random.js';
import { readAll, readerOf } from '../support/streams.js';

/** Keeps the threads from one reader to the next. */
const held = new CodecThreads(GZIP_THREADS);
afterAll(() => held.close());

/** Sections of at least a page, which the pages after it make large enough for a match. */
function tiny(below: RandomBelow): GzipSizes {
  const room = 600 + below(3000);
  return {
    ...{ least: 1, page: 16 + below(below(2) === 0 ? 200 : 5000), sectionPages: 1 + below(4), pagesAfter: below(3) },
    ...{ text: room >> 1, room },
  };
}

/** A member of gzip with these bytes of DEFLATE. */
function member(below: RandomBelow, text: Buffer): Buffer {
  const plain = gzipSync(text);
  const header = Buffer.from(plain.subarray(0, 10));
  const name = below(4) === 0 ? Buffer.from(`${'n'.repeat(below(300))}\0`) : Buffer.alloc(0);
  if (name.length > 0) header[3] = 8;
  return Buffer.concat([header, name, deflated(below, text), plain.subarray(-8)]);
}

/** A file of one to four members, and sometimes zeros. */
function gzipFile(below: RandomBelow, most: number): Buffer {
  const members = Array.from({ length: 1 + below(4) }, () => member(below, someText(below, below(most))));
  return Buffer.concat([...members, Buffer.alloc(below(4) === 0 ? below(100) : 0)]);
}

property(
  'gives the text of members of all kinds of blocks',
  [fc.integer()],
  async (seed) => {
    const below = randomBelow(seed);
    const file = gzipFile(below, below(3) === 0 ? 200_000 : 5000);
    await isInflatedAsByZlib(file, tiny(below), 1 + below(3000));
  },
  { runs: 150, timeoutMs: 3600_000 },
);

property(
  'gives the text or the error for damaged files',
  [fc.integer()],
  async (seed) => {
    const below = randomBelow(seed);
    const file = damaged(below, gzipFile(below, below(3) === 0 ? 100_000 : 3000));
    if (file.length > 3 && file.readUIntBE(0, 3) === 0x1f8b08)
      await isInflatedAsByZlib(file, tiny(below), 1 + below(3000));
  },
  { runs: 500, timeoutMs: 3600_000 },
);

it('gives the same error wherever a file is cut off', async () => {
  const below = randomBelow(3);
  const file = Buffer.concat([member(below, someText(below, 900)), gzipSync('second')]);
  for (let to = 4; to < file.length; to++) await isInflatedAsByZlib(file.subarray(0, to), tiny(below));
});

it('gives the same error for other data after a member', async () => {
  const below = randomBelow(6);
  const file = Buffer.concat([member(below, someText(below, 900)), gzipSync('second')]);
  for (const [i, other] of ['text\n', '\0\0text', '\xff\0', '\x1f\x8b\x08\xe0', '\x28\xb5\x2f\xfd'].entries())
    for (const more of [0, 1, 200])
      await isInflatedAsByZlib(
        Buffer.concat([file, Buffer.from(other, 'latin1'), Buffer.alloc(more, 'x')]),
        tiny(below),
        1 + 37 * i,
      );
});

it('reads members that end where a section ends', async () => {
  const below = randomBelow(4);
  const one = member(below, someText(below, 500));
  for (const page of [one.length - 9, one.length - 8, one.length - 1, one.length, one.length + 1, one.length + 18])
    await isInflatedAsByZlib(Buffer.concat([one, one, one, one, one]), {
      ...{ least: 1, page, sectionPages: 1, pagesAfter: 1, text: 1 << 12, room: 1 << 13 },
    });
});

it('refuses a match in a guessed section that reaches into the member before', async () => {
  // The first section holds the member before and the text of its own; a guess begins at the first block that copies.
  const before = Buffer.from(randomBytes(1, 200, 256).toString('base64').repeat(60));
  const own = randomBytes(2, 800, 4);
  const copies = Array.from({ length: 300 }, (_, i) => [own.subarray(i, i + 20), before.subarray(i, i + 15)]);
  const copying = Buffer.concat(copies.flat());
  // Short blocks with dynamic codes, which copy text from a dictionary that the member does not have.
  const options = { level: 6, memLevel: 1 };
  const first = deflateRawSync(own, { ...options, finishFlush: constants.Z_SYNC_FLUSH });
  const copied = deflateRawSync(copying, { ...options, dictionary: Buffer.concat([before, own]) });
  const whole = gzipSync(Buffer.concat([own, copying]));
  const start = Buffer.concat([gzipSync(before), whole.subarray(0, 10), first]);
  const file = Buffer.concat([start, copied, whole.subarray(-8)]);
  const sizes = { least: 1, sectionPages: 1, pagesAfter: 2, text: 1 << 14, room: 1 << 15 };
  for (const page of [start.length - 4, start.length, 2 * start.length])
    await isInflatedAsByZlib(file, { ...sizes, page });
});

it('gives the error of its input', async () => {
  const below = randomBelow(5);
  const file = member(below, someText(below, 50_000));
  const input = readerOf(file, 1000);
  const failing = {
    close: () => input.close(),
    read: async () => (await input.read()) ?? Promise.reject(new Error('EIO')),
  };
  const reader = inflateGzip(failing, { label: 'in.gz', threads: GZIP_THREADS }, tiny(below));
  await expect(readAll(reader)).rejects.toThrow('EIO');
});
