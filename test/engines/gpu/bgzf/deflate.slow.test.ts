/**
 * Compressing on the device, against zlib's inflating: sizes around blocks and segments, texts of many kinds,
 * codes that the length limits change, stored blocks, blocks whose slots exceed a binding.
 */
import { deflateRawSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { deflateText, loadDeflate } from '../../../../src/engines/gpu/bgzf/deflate.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { describeGpu } from '../../../setup/gpu.js';
import { encodeBam } from '../../../support/genomics-bam.js';
import { alignments, sam } from '../../../support/genomics-data.js';
import { random, randomBelow } from '../../../support/random.js';
import { upload, uploadText, useGpu } from '../helpers.js';

const BLOCK = 65_280;
/** Bytes of a block beside its data: header and trailer; and of data that is stored, beside the text. */
const FRAME = 26;
const STORED = 5;

const SAM = Buffer.from(sam(alignments(1, 1500)));
const BAM = encodeBam(SAM.toString());

function bytesOf(count: number, byte: (i: number) => number): Buffer {
  return Buffer.from(Uint8Array.from({ length: count }, (_, i) => byte(i)));
}

function randomBytes(count: number, below = 256): Buffer {
  const next = randomBelow(count);
  return bytesOf(count, () => next(below));
}

/** Each byte about `ratio` times as frequent as the one before it; all occur. */
function skewedBytes(ratio: number): Buffer {
  const next = random(3);
  return bytesOf(BLOCK, (i) =>
    i % 255 === 0 ? (i / 255) & 255 : Math.min(255, Math.floor(Math.log(1 - next()) / Math.log(ratio))),
  );
}

/** Random bytes, repeated. */
function periodicBytes(period: number): Buffer {
  const bytes = randomBytes(period);
  return bytesOf(BLOCK, (i) => bytes[i % period]);
}

/** Text that begins at another place for each `seed`. */
function textOf(count: number, seed: number): Buffer {
  return Buffer.concat([SAM.subarray(seed), SAM]).subarray(0, count);
}

const useTestGpu = useGpu();

describeGpu('deflate', () => {
  describe.each([1, 6])('at level %d', compressing);
});

function compressing(level: number): void {
  let gpu: Gpu;
  let pool: DevicePool;
  beforeAll(async () => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
    await loadDeflate(gpu, level);
  });

  /** Compresses a text and inflates it, block by block and as a whole; returns its blocks and the bytes of `data`. */
  async function check(text: Buffer, limit = gpu.maxBindingBytes, buffer = uploadText(gpu, text)) {
    const scratch = new Scratch(pool, { ...gpu, maxBindingBytes: limit });
    const { data, bytes, sizes } = await deflateText(scratch, buffer, text.length, level);
    const padded = Math.ceil(bytes / 16) * 16;
    const read = Buffer.from(await readBack(gpu, data, 0, data.size));
    scratch.end();
    buffer.destroy();
    expect(sizes.length).toBe(Math.ceil(text.length / BLOCK));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
    const blocks: Buffer[] = [];
    let at = 0;
    for (const size of sizes) {
      const block = read.subarray(at, at + size);
      expect(block.subarray(0, 16).toString('hex')).toBe('1f8b08040000000000ff060042430200');
      expect(block.readUInt16LE(16)).toBe(size - 1);
      const from = blocks.length * BLOCK;
      expect(gunzipSync(block).equals(text.subarray(from, from + BLOCK)), `block ${blocks.length}`).toBe(true);
      blocks.push(block);
      at += size;
    }
    expect(gunzipSync(read.subarray(0, bytes)).equals(text)).toBe(true);
    expect(read.subarray(bytes, padded).every((byte) => byte === 0)).toBe(true);
    return { blocks, bytes, read };
  }

  it.each([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 100, 127, 128, 129, 511, 512, 513])(
    'compresses %d bytes of text',
    async (count) => {
      await check(textOf(count, count));
    },
  );

  it.each([BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 5])('compresses %d bytes to half', async (count) => {
    const { bytes } = await check(textOf(count, count % 1000));
    expect(bytes).toBeLessThan(count / 2);
  });

  it('compresses a text in a buffer without padding', async () => {
    await check(textOf(2 * BLOCK, 4), undefined, upload(gpu, textOf(2 * BLOCK, 4)));
  });

  it('compresses BAM about as small as zlib does', async () => {
    const text = Buffer.concat([BAM, BAM]).subarray(0, 5 * BLOCK - 1);
    const { blocks } = await check(text);
    blocks.forEach((block, i) => {
      const zlib = deflateRawSync(text.subarray(i * BLOCK, (i + 1) * BLOCK), { level });
      expect(block.length / zlib.length).toBeLessThan(level === 1 ? 1.05 : 1.03);
    });
  });

  it('compresses zeros', async () => {
    const { bytes } = await check(Buffer.alloc(2 * BLOCK + 9));
    expect(bytes).toBeLessThan(400);
  });

  it('compresses repeated bytes, at distances up to the window and beyond', async () => {
    const periods = [1, 2, 3, 4, 5, 7, 255, 256, 257, 258, 259, 1000, 32_767, 32_768, 32_769, 40_000];
    const { blocks } = await check(Buffer.concat(periods.map(periodicBytes)));
    periods.forEach((period, i) => {
      if (period <= 1000) expect(blocks[i].length, `${period}`).toBeLessThan(2200);
      if (period > 32_768) expect(blocks[i].length, `${period}`).toBe(BLOCK + STORED + FRAME);
    });
  });

  it('limits the lengths of codes', async () => {
    // Without limits, codes of literals would have 16 bits or more, and codes of the header 8.
    await check(Buffer.concat([0.61, 0.85, 0.9, 0.93].map(skewedBytes)));
  });

  it('stores blocks that would not become smaller, between others', async () => {
    for (const count of [1, 2, 3, 4, 5, 1000, 1001, 1002, 1003]) {
      const { bytes } = await check(randomBytes(count));
      expect(bytes).toBe(count + STORED + FRAME);
    }
    const { blocks } = await check(
      Buffer.concat([SAM.subarray(0, BLOCK), randomBytes(BLOCK + 7), Buffer.alloc(BLOCK)]),
    );
    expect(blocks.map(({ length }) => length === BLOCK + STORED + FRAME)).toEqual([false, true, false, false]);
  });

  it('compresses texts of few different bytes', async () => {
    await check(Buffer.concat([2, 3, 4, 16].map((below) => randomBytes(BLOCK - below, below))));
    await check(bytesOf(256, (i) => i));
  });

  it('joins groups of blocks whose slots together exceed a binding', async () => {
    // The text fits, its slots do not: groups of 1 and 1 block, 2 and 1, 7 and 1.
    for (const limit of level === 1 ? [131_072, 196_608, 524_288] : [131_072, 196_608]) {
      const count = Math.floor(limit / BLOCK) * BLOCK - 3;
      for (const text of [randomBytes(count), Buffer.alloc(count), textOf(count, 5)]) await check(text, limit);
    }
  });

  it('writes the same bytes whatever its buffers held', async () => {
    const known = Buffer.concat([Buffer.alloc(67), Buffer.from('Q')]);
    const text = Buffer.concat([known, SAM.subarray(0, 1000), known.subarray(64), SAM.subarray(2000, 3000)]);
    pool.destroyIdle();
    const clear = await check(text);
    pool.destroyIdle();
    // A table that knows position 64. Nothing else finds the match there: it begins inside another match.
    pool.give(upload(gpu, new Uint32Array(2048).fill(0x400040)));
    // Links, matches and steps of level 6: matches of 64 bytes at a distance of 64.
    for (let i = 0; i < 2; i++) pool.give(upload(gpu, new Uint32Array(65_536).fill(0x400040)));
    const used = await check(text);
    expect(used.blocks[0].equals(clear.blocks[0])).toBe(true);
  });

  it('writes nothing after the data', async () => {
    for (const text of [textOf(BLOCK + 500, 1), randomBytes(BLOCK), Buffer.from('a')]) {
      const { bytes } = await check(text);
      const padded = Math.ceil(bytes / 16) * 16;
      pool.destroyIdle();
      // The best fit for the data, because no buffer of the pool is as small.
      pool.give(upload(gpu, new Uint8Array(0), padded + 16));
      const { read } = await check(text);
      expect([...read.subarray(padded, padded + 16)]).toEqual(Array(16).fill(0xa5));
    }
  });
}
