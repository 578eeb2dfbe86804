/**
 * Tokenize against a scan on the host: sizes around tiles, records of every small length, windows of records,
 * boundaries.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { startsOf as recordStarts } from '../../../../src/engines/gpu/records/records.js';
import {
  assumeRecords,
  countRecords,
  loadTokenize,
  writeStarts,
} from '../../../../src/engines/gpu/records/tokenize.js';
import type { RecordFormat } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { join } from '../../../support/records.js';
import { randomRecords, readWords, sameWords, uploadText, useGpu } from '../helpers.js';

const TILE = 16384;
const NEWLINE: RecordFormat = { kind: 'lines', delimiter: 10 };
const NUL: RecordFormat = { kind: 'lines', delimiter: 0 };

function startsOf(text: Uint8Array, delimiter: number): number[] {
  const starts = [0];
  text.forEach((byte, i) => {
    if (byte === delimiter) starts.push(i + 1);
  });
  return starts;
}

const useTestGpu = useGpu();

describeGpu('tokenize', () => {
  let gpu: Gpu;
  let pool: DevicePool;
  const next = randomBelow(1);
  beforeAll(async () => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
    await Promise.all([
      loadTokenize(gpu, NEWLINE),
      loadTokenize(gpu, NUL),
      loadTokenize(gpu, { kind: 'fixed', size: 7 }),
    ]);
  });

  /** Checks count and starts of `text` against the host, for all records and for a window of them. */
  async function check(text: Uint8Array, format: RecordFormat & { kind: 'lines' }): Promise<void> {
    const expected = startsOf(text, format.delimiter);
    const count = expected.length - 1;
    const scratch = new Scratch(pool);
    // The bytes after the text are delimiters too; they must not be counted.
    const buffer = uploadText(gpu, Buffer.concat([text, Buffer.alloc(16, format.delimiter)]));
    const places = [0, count >> 2, count >> 1, count].map((r) => expected[r]);
    const tokenized = await countRecords(scratch, buffer, text.length, format, places);
    expect(tokenized.count).toBe(count);
    expect(tokenized.boundaries).toEqual([0, count >> 2, count >> 1, count]);
    const whole = await writeStarts(scratch, tokenized, 0, count);
    expect(sameWords(await readWords(gpu, whole.starts!, count + 1), expected)).toBe(true);
    const first = next(count);
    const part = 1 + next(count - first);
    const { starts } = await writeStarts(scratch, tokenized, first, part);
    expect([...(await readWords(gpu, starts!, part + 1))]).toEqual(expected.slice(first, first + part + 1));
    buffer.destroy();
    scratch.end();
  }

  it('finds each delimiter at sizes near those of words and tiles', async () => {
    const tiles = [1, 2].flatMap((n) => [n * TILE - 1, n * TILE, n * TILE + 1]);
    for (const size of [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 4096, ...tiles]) {
      const text = Buffer.from(Array.from({ length: size }, () => [10, 9, 11, 138, 0, 255][next(6)]));
      text[size - 1] = 10;
      await check(text, NEWLINE);
    }
  });

  it('accepts records of one length, and NUL as delimiter', async () => {
    for (const length of [0, 1, 2, 3, 5, 11, 100]) {
      await check(join(randomRecords(Math.ceil((2.5 * TILE) / (length + 1)), () => length, next)), NEWLINE);
    }
    const text = Buffer.from(Array.from({ length: 50_000 }, () => next(3)));
    text[text.length - 1] = 0;
    await check(text, NUL);
  });

  it('accepts records longer than tiles', async () => {
    await check(join(randomRecords(40, () => (next(2) === 0 ? next(20) : next(70_000)), next)), NEWLINE);
    await check(join(randomRecords(1, () => 5_000_000, next, 1)), NEWLINE);
  });

  it('knows the starts of fixed records, and writes those of known counts', async () => {
    const scratch = new Scratch(pool);
    const text = uploadText(gpu, new Uint8Array(7 * 700));
    const fixed = await countRecords(scratch, text, 7 * 700, { kind: 'fixed', size: 7 }, [0, 70]);
    expect([fixed.count, ...fixed.boundaries]).toEqual([700, 0, 10]);
    const all = await writeStarts(scratch, fixed, 0, 700);
    expect(all.starts).toBe(null);
    expect(await recordStarts(gpu, all, [0, 3, 700])).toEqual([0, 21, 4900]);
    await expect(writeStarts(scratch, fixed, 0, 699)).rejects.toThrow('all at once');
    const lines = await assumeRecords(scratch, uploadText(gpu, Buffer.from('a\n\nbc\n')), 6, NEWLINE, {
      count: 3,
      boundaries: [0],
    });
    expect([...(await readWords(gpu, (await writeStarts(scratch, lines, 0, 3)).starts!, 4))]).toEqual([0, 2, 3, 6]);
    scratch.end();
  });
});
