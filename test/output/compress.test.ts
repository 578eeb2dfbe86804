/** Compressed output: zlib reads it, and it is the same with any number of threads. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BLOCK_TEXT, END_BLOCK } from '../../src/codecs/bgzf.js';
import { zstd } from '../../src/codecs/zstd.js';
import { compressing } from '../../src/output/compress.js';
import { hasProgram, piped, randomBytes } from '../support/codecs.js';
import { children, childrenGone, withPrograms } from '../support/programs.js';
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
      onBlock: ({ text, bytes }) => blocks.push([text, bytes]),
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

/** A program that copies stands in for xz. */
describe('a program', () => {
  const xz = { kind: 'xz', level: 3 } as const;

  it('compresses groups in order, in as many processes as there are threads, and an empty text too', async () => {
    const script = 'echo "$*" >> "$0.log"; echo "[$(wc -c | tr -d " ")]"';
    await withPrograms({ xz: script }, async (directory) => {
      const text = Buffer.concat([TEXT, TEXT, TEXT]);
      for (const threads of [0, 3])
        expect(`${await compressed(text, { ...xz, threads })}`).toBe('[4194304]\n[4194304]\n[611392]\n');
      expect(`${await compressed(Buffer.alloc(0), { ...xz, threads: 1 })}`).toBe('[0]\n');
      // The first call of each shows that it can be run.
      expect(readFileSync(join(directory, 'xz.log'), 'latin1')).toBe('-c -3\n'.repeat(4 + 4 + 2));
    });
  });

  it.each([
    [null, 'output: cannot run xz: No such file or directory'],
    [{ xz: 'echo "xz: wrong level" >&2; exit 1' }, 'output: cannot be compressed: xz: wrong level'],
    [{ xz: 'kill -KILL $$' }, 'output: cannot be compressed: SIGKILL'],
  ])('is tried before anything is sorted: %j', async (scripts, message) => {
    await withPrograms(scripts, async () => {
      expect(() => compressing({ ...xz, threads: 1 }, async () => undefined)).toThrow(
        expect.objectContaining({ code: 'compress-failed', message }),
      );
    });
  });

  it('fails the output if it fails later, and ends with an output that fails', async () => {
    const others = children();
    const text = Buffer.concat([TEXT, TEXT, TEXT]);
    const failsLater = 'test -e "$0.tried" && exit 7; touch "$0.tried"; cat';
    await withPrograms({ xz: failsLater }, () =>
      expect(compressed(text, { ...xz, threads: 2 })).rejects.toMatchObject({
        message: 'output: cannot be compressed: xz terminated abnormally: exit status 7',
      }),
    );
    await withPrograms({ xz: 'exec cat' }, async () => {
      const full = compressing({ ...xz, threads: 2 }, () => Promise.reject(new Error('disk full')));
      const write = async (): Promise<void> => {
        for (let i = 0; i < 20; i++) await full.write(text);
        await full.finish();
      };
      await expect(write()).rejects.toThrow('disk full');
      await full.close();
    });
    await childrenGone(others);
  });

  it.runIf(zstd() === null && hasProgram('zstd'))('writes zstd if Node lacks it', async () => {
    const bytes = await compressed(TEXT, { kind: 'zstd', level: 1, threads: 2 });
    expect(piped('zstd', ['-dc'], bytes).equals(TEXT)).toBe(true);
  });
});
