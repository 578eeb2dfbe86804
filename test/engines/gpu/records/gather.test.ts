/**
 * Gather and copy-bytes against the host: records of every small length, mixed and huge ones, sizes around tiles,
 * guards.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { readBack, submitPass } from '../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { copyOnDevice, loadCopyBytes } from '../../../../src/engines/gpu/records/copy-bytes.js';
import { gather, loadGather } from '../../../../src/engines/gpu/records/gather.js';
import { textBufferBytes } from '../../../../src/engines/gpu/records/records.js';
import { describeGpu } from '../../../setup/gpu.js';
import { random, randomBelow, shuffled } from '../../../support/random.js';
import { join, LINES } from '../../../support/records.js';
import { randomRecords, readWords, sameWords, upload, uploadRecords, uploadText, useGpu } from '../helpers.js';

const TILE = 8192;

const useTestGpu = useGpu();

describeGpu('gather', () => {
  let gpu: Gpu;
  let pool: DevicePool;
  const next = randomBelow(2);
  beforeAll(async () => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
    await Promise.all([loadGather(gpu), loadCopyBytes(gpu)]);
  });

  /** Gathers `numbers` of `records`; checks text, starts and padding against the host. */
  async function check(records: readonly Buffer[], numbers: readonly number[], known = true): Promise<void> {
    const expected = join(numbers.map((i) => records[i]));
    const scratch = new Scratch(pool);
    // Poisoned, to reveal unwritten words.
    const poison = upload(gpu, new Uint8Array(0), textBufferBytes(expected.length));
    pool.give(poison);
    const input = uploadRecords(gpu, records);
    const order = upload(gpu, Uint32Array.from(numbers), (numbers.length + 4) * 4);
    const result = await gather(scratch, input, order, numbers.length, { bytes: known ? expected.length : null });
    expect(result.textBytes).toBe(expected.length);
    const text = await readBack(gpu, result.text, 0, expected.length);
    expect(Buffer.compare(text, expected), `text of ${records.length} records`).toBe(0);
    if (result.text === poison) {
      const after = await readBack(gpu, poison, Math.ceil(expected.length / 16) * 16, 16);
      expect([...after]).toEqual(Array(16).fill(0xa5));
    }
    const starts = [0];
    for (const i of numbers) starts.push(starts[starts.length - 1] + records[i].length + 1);
    expect(sameWords(await readWords(gpu, result.starts!, numbers.length + 1), starts)).toBe(true);
    expect([...(await readWords(gpu, order)).subarray(numbers.length)]).toEqual(Array(4).fill(0xa5a5a5a5));
    scratch.end();
    pool.destroyIdle();
  }

  const anyOrder = (n: number): number[] =>
    shuffled(
      Array.from({ length: n }, (_, i) => i),
      random(n),
    );

  it('gathers records of one length, over one tile and several', async () => {
    for (const length of [0, 1, 2, 3, 4, 5, 10, 99]) {
      for (const bytes of [1, 30, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 5 * TILE]) {
        const count = Math.max(1, Math.round(bytes / (length + 1)));
        await check(
          randomRecords(count, () => length, next, 256),
          anyOrder(count),
        );
      }
    }
  });

  it('writes another delimiter, and leaves equal bytes inside records', async () => {
    // The difference of both bytes is applied to each delimiter: here it turns newlines into the other byte.
    const ordering = { ...LINES, format: { kind: 'lines', delimiter: 0xa7 } } as const;
    for (const most of [1, 2, 20, 3 * TILE]) {
      const records = randomRecords(most > TILE ? 20 : 3000, () => next(most + 1), next, 256);
      const expected = Buffer.concat(records.flatMap((record) => [record, Buffer.of(0xa7)]));
      const scratch = new Scratch(pool);
      const order = upload(gpu, Uint32Array.from(records.keys()), (records.length + 4) * 4);
      const form = { bytes: null, ordering, form: 'newlines' } as const;
      const result = await gather(scratch, uploadRecords(gpu, records), order, records.length, form);
      const padded = await readBack(gpu, result.text, 0, Math.ceil(expected.length / 16) * 16);
      expect(Buffer.compare(padded.subarray(0, expected.length), expected), `records of up to ${most} bytes`).toBe(0);
      expect(padded.subarray(expected.length).every((byte) => byte === 0)).toBe(true);
      scratch.end();
      pool.destroyIdle();
    }
  });

  it('gathers records of mixed lengths', async () => {
    for (const most of [3, 20, 300, 70_000]) {
      const records = randomRecords(most > 1000 ? 60 : 3000, () => (next(3) === 0 ? next(most) : next(8)), next, 256);
      await check(records, anyOrder(records.length));
    }
    const records = [
      ...randomRecords(5, () => 3, next),
      ...randomRecords(1, () => 5_000_000, next),
      ...randomRecords(5, () => 7, next),
    ];
    await check(records, anyOrder(records.length));
  });

  it('omits records, and computes the length of the result', async () => {
    const records = randomRecords(2000, () => next(30), next);
    await check(records, anyOrder(2000).slice(0, 700), false);
  });

  it('copies from any byte to any byte without touching others', async () => {
    const source = randomRecords(1, () => 20_000, next, 256)[0];
    const from = uploadText(gpu, source);
    for (let round = 0; round < 12; round++) {
      const parts = Array.from({ length: 40 }, () => {
        const at = next(source.length);
        return source.subarray(at, Math.min(source.length, at + [next(4), next(10), next(9000)][next(3)]));
      });
      const expected = Buffer.concat(parts);
      const target = upload(gpu, new Uint8Array(0), Math.ceil(expected.length / 4) * 4 + 16);
      submitPass(gpu, 'combine', 'copy', (pass) => {
        let at = 0;
        for (const part of parts) {
          copyOnDevice(
            gpu,
            pass,
            { text: from, at: part.byteOffset - source.byteOffset },
            { text: target, at },
            part.length,
          );
          at += part.length;
        }
      });
      const result = await readBack(gpu, target, 0, target.size);
      expect(Buffer.compare(result.subarray(0, expected.length), expected)).toBe(0);
      expect([...result.subarray(Math.ceil(expected.length / 4) * 4)]).toEqual(Array(16).fill(0xa5));
      target.destroy();
    }
  });
});
