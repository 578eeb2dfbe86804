/** The estimated size of compressed text (levels of zlib): one part in 16 of each text, however the text is cut. */
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { SizeSample } from '../../src/codecs/size-sample.js';
import { GROUP_TEXT } from '../../src/codecs/tasks.js';
import { randomBytes } from '../support/codecs.js';
import { randomBelow } from '../support/random.js';

const PART = GROUP_TEXT.gzip;

it.each([
  [0, 2],
  [1, 5],
])('measures the compressed size of every 16th part, with %i threads at level %i', async (threads, level) => {
  const below = randomBelow(5);
  // Two texts of more than 16 parts, which differ in how well they compress, and a short one.
  const texts: Uint8Array[] = [randomBytes(6, PART / 4, 4), randomBytes(7, PART / 4, 20)].map((quarter, i) =>
    Buffer.concat(Array.from({ length: 4 * 17 + i }, (_, k) => (k % 5 === i ? quarter : Buffer.alloc(PART / 4, k)))),
  );
  texts.push(randomBytes(8, 1000, 3), Buffer.alloc(0));
  const parts = texts.flatMap((text) =>
    [0, 16].map((part) => text.subarray(part * PART, (part + 1) * PART)).filter(({ length }) => length > 0),
  );
  const sample = new SizeSample('gzip', level, threads);
  try {
    await Promise.all(
      texts.map(async (text) => {
        const take = sample.taker();
        for (let at = 0; at < text.length; ) {
          // The memory is reused for the next read.
          const bytes = Buffer.from(text.subarray(at, (at += 1 + below(3 * PART))));
          await take(bytes);
          bytes.fill(0);
        }
        await take(null);
      }),
    );
    expect(await sample.size()).toEqual({
      text: texts.reduce((sum, { length }) => sum + length, 0),
      sample: parts.reduce((sum, { length }) => sum + length, 0),
      compressed: parts.reduce((sum, part) => sum + gzipSync(part, { level }).length, 0),
    });
  } finally {
    await sample.close();
  }
});
