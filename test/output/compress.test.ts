/** Compressed output: zlib reads it, and it is the same with any number of threads. */
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK } from '../../src/codecs/bgzf.js';
import { zstd } from '../../src/codecs/zstd.js';
import { compressing } from '../../src/output/compress.js';
import { randomBytes } from '../support/codecs.js';
import { compressed } from './compressed.js';

const TEXT = randomBytes(3, 3_000_000, 4);

const LENGTHS = [0, 1, BLOCK_TEXT - 1, BLOCK_TEXT, BLOCK_TEXT + 1, 16 * BLOCK_TEXT, 1 << 20, (1 << 20) + 1];

describe.each(['gzip', 'bgzf'] as const)('%s', (kind) => {
  it(`compresses text as ${kind} at all levels`, async () => {
    for (let level = 0; level <= 9; level++)
      expect(
        gunzipSync(await compressed(TEXT.subarray(0, 100_000), { kind, level, threads: 0 })).equals(
          TEXT.subarray(0, 100_000),
        ),
      ).toBe(true);
  });

  it(`compresses text of any length as ${kind}`, async () => {
    for (const length of LENGTHS)
      expect(
        gunzipSync(await compressed(TEXT.subarray(0, length), { kind, level: 1, threads: 0 })).equals(
          TEXT.subarray(0, length),
        ),
        `${length}`,
      ).toBe(true);
  });

  it(`writes the same ${kind} with any number of threads`, async () => {
    const one = await compressed(TEXT, { kind, level: 1, threads: 0 });
    for (const threads of [1, 3]) expect((await compressed(TEXT, { kind, level: 1, threads })).equals(one)).toBe(true);
    expect(gunzipSync(one).equals(TEXT)).toBe(true);
  });

  it(`writes ${kind} of random bytes hardly larger than they are`, async () => {
    const random = randomBytes(9, 1_000_000, 256);
    for (const level of [0, 1, 9]) {
      const bytes = await compressed(random, { kind, level, threads: 0 });
      expect(bytes.length).toBeLessThan(1.001 * random.length);
      expect(gunzipSync(bytes).equals(random)).toBe(true);
    }
  });

  it(`accepts blocks for ${kind} without waiting, in order, and fails if the output fails`, async () => {
    const parts: Buffer[] = [];
    const stage = compressing({ kind, level: 1, threads: 2 }, async (block) => void parts.push(Buffer.from(block)));
    await Promise.all([0, 1, 2, 3].map((i) => stage.write(TEXT.subarray(i * 750_000, (i + 1) * 750_000))));
    await stage.finish();
    expect(gunzipSync(Buffer.concat(parts)).equals(TEXT)).toBe(true);
    const failing = compressing({ kind, level: 1, threads: 2 }, () => Promise.reject(new Error('disk full')));
    await expect(
      (async () => {
        for (let i = 0; i < 20; i++) await failing.write(TEXT);
        await failing.finish();
      })(),
    ).rejects.toThrow('disk full');
    await failing.close();
  });
});

describe('BGZF', () => {
  it('writes only the end block of BGZF if there is no text', async () => {
    expect(await compressed(Buffer.alloc(0), { kind: 'bgzf', level: 6, threads: 2 })).toEqual(Buffer.from(END_BLOCK));
  });

  it('reports the blocks of BGZF in order', async () => {
    const blocks: [number, number][] = [];
    const bytes = await compressed(TEXT, {
      kind: 'bgzf',
      level: 1,
      threads: 2,
      onBlock: (text, block) => blocks.push([text, block]),
    });
    expect(blocks.length).toBe(Math.ceil(TEXT.length / BLOCK_TEXT));
    let [at, textAt] = [0, 0];
    for (const [text, block] of blocks) {
      expect(bytes.readUInt16LE(at + 16) + 1).toBe(block);
      expect(gunzipSync(bytes.subarray(at, at + block)).equals(TEXT.subarray(textAt, textAt + text))).toBe(true);
      at += block;
      textAt += text;
    }
    expect([at, textAt]).toEqual([bytes.length - END_BLOCK.length, TEXT.length]);
  });
});

describe('zstd', () => {
  it.runIf(zstd() === null)('refuses to write zstd if Node lacks it', () => {
    expect(() => compressing({ kind: 'zstd', level: 1, threads: 0 }, async () => undefined)).toThrow(
      'cannot write zstd',
    );
  });
});
