/**
 * The device's hash for --verify against the reference: records around the lengths at which kernels change their
 * method, windows of records, every format.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import { DevicePool, Scratch } from '../../../../src/engines/gpu/device/pool.js';
import { InputHash, loadInputHash } from '../../../../src/engines/gpu/records/input-hash.js';
import { countRecords, loadTokenize, writeStarts } from '../../../../src/engines/gpu/records/tokenize.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { describeGpu } from '../../../setup/gpu.js';
import { digestOf } from '../../../support/digests.js';
import { randomBelow } from '../../../support/random.js';
import { join, LINES } from '../../../support/records.js';
import { destroyRecords, randomRecords, uploadRecords, uploadText, useGpu } from '../helpers.js';

const useTestGpu = useGpu();

describeGpu('the hash of an input on the device', () => {
  let gpu: Gpu;
  let pool: DevicePool;
  const next = randomBelow(5);
  beforeAll(async () => {
    gpu = useTestGpu();
    pool = new DevicePool(gpu);
    await Promise.all([loadInputHash(gpu, LINES.format), loadTokenize(gpu, LINES.format)]);
  });

  async function check(lists: readonly (readonly Buffer[])[], ordering: Ordering = LINES): Promise<void> {
    const hash = new InputHash(gpu, pool, ordering.format);
    await loadInputHash(gpu, ordering.format);
    for (const records of lists) {
      const uploaded = uploadRecords(gpu, records, ordering);
      await hash.add(uploaded, uploaded.textBytes);
      destroyRecords(uploaded);
    }
    expect(await hash.digest()).toEqual(digestOf(lists.flat(), ordering.format));
    await hash.close();
  }

  it('equals the reference for short records, in one call and in several', async () => {
    await check([randomRecords(3000, () => next(60), next, 256)]);
    await check([
      randomRecords(1000, () => next(20), next),
      randomRecords(1, () => 0, next),
      randomRecords(257, () => 15 + next(3), next),
    ]);
  });

  it('equals the reference for long records among short ones', async () => {
    for (const length of [2047, 2048, 2049, 2064, 16_383, 16_384, 100_000]) {
      await check([
        [
          ...randomRecords(next(50), () => next(3000), next),
          ...randomRecords(1, () => length, next, 256),
          ...randomRecords(next(50), () => next(30), next),
        ],
      ]);
    }
    await check([randomRecords(60, () => 1900 + next(400), next, 256)]);
    await check([randomRecords(1, () => 300_000, next, 256), randomRecords(10, () => 10, next)]);
  });

  it('hashes once a long record that begins with a tile of the kernel', async () => {
    for (const tile of [16_384, 32_768])
      await check([
        [...randomRecords(1, () => tile - 1, next, 256), ...randomRecords(1, () => 5000, next, 256), Buffer.from('x')],
      ]);
  });

  it('equals the reference for fixed records and for lines that end in NUL', async () => {
    await check([randomRecords(700, () => 17, next, 256)], { ...LINES, format: { kind: 'fixed', size: 17 } });
    await check([randomRecords(9, () => 5000, next, 256)], { ...LINES, format: { kind: 'fixed', size: 5000 } });
    await check([randomRecords(500, () => next(100), next)], { ...LINES, format: { kind: 'lines', delimiter: 0 } });
  });

  it('takes the records of a text window by window', async () => {
    const records = randomRecords(900, () => (next(40) === 0 ? 2000 + next(30_000) : next(40)), next);
    const text = join(records, LINES);
    const scratch = new Scratch(pool);
    const tokenized = await countRecords(scratch, scratch.add(uploadText(gpu, text)), text.length, LINES.format, []);
    const hash = new InputHash(gpu, pool, LINES.format);
    for (let first = 0; first < 900; first += 211) {
      await hash.add(
        await writeStarts(scratch, tokenized, first, Math.min(211, 900 - first)),
        first === 0 ? text.length : 0,
      );
    }
    expect(await hash.digest()).toEqual(digestOf(records));
    scratch.end();
  });
});
