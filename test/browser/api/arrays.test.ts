/**
 * gpusort/kernels beyond the sorts that test/engines/gpu/keys/conformance.ts checks: parts of buffers and arrays, on
 * devices with and without immediates and subgroups.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { radixSort, sortArray } from '../../../src/browser/index.js';
import { sameWords } from '../../engines/gpu/helpers.js';
import { describeGpu } from '../../setup/gpu.js';
import { sampled } from '../../support/tier.js';
import { type DeviceKind, download, makeDevice, PLAIN, RICH, upload } from './devices.js';

/** A device for the tests of a group, and the first error outside their error scopes. */
function useDevice(kind: DeviceKind): () => GPUDevice {
  let device: GPUDevice;
  const errors: string[] = [];
  beforeAll(async () => {
    device = await makeDevice(kind);
    device.pushErrorScope('validation');
  });
  afterAll(async () => {
    const error = await device.popErrorScope();
    if (error !== null) errors.push(error.message);
    device.destroy();
    expect(errors).toEqual([]);
  });
  return () => device;
}

describeGpu('gpusort/kernels', () => {
  describe.each(sampled([PLAIN, RICH], { count: 2, seed: 1 }))('$name', (kind) => {
    const device = useDevice(kind);

    it('sorts a part of a buffer with radixSort, which skips digits that do not differ', async () => {
      const { sort, destroy } = await radixSort(device(), { key: 'u32', tuning: { skipFrom: 2 } });
      const keys = Uint32Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 256) << 8);
      const buffer = upload(device(), keys);
      await sort({ keys: buffer, count: 4000 });
      const expected = [...keys.subarray(0, 4000).sort(), ...keys.subarray(4000)];
      expect(sameWords(await download(device(), buffer), expected)).toBe(true);
      destroy();
    });

    it('sorts arrays of numbers, and values with them, with sortArray', async () => {
      const numbers = Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 2003) - 1000.25);
      const order = numbers.map((_, i) => i).sort((a, b) => numbers[b]! - numbers[a]! || a - b);
      const keys = Float32Array.from(numbers);
      const values = Float32Array.from(numbers, (_, i) => i + 0.5);
      expect(await sortArray(device(), keys, { values, descending: true })).toBe(keys);
      expect([...keys]).toEqual(order.map((i) => numbers[i]));
      expect([...values]).toEqual(order.map((i) => i + 0.5));
      // A view of a part, in shared memory.
      const all = new Float32Array(new SharedArrayBuffer(4 * 3000));
      all.set(numbers);
      await sortArray(device(), all.subarray(1000, 2000));
      expect([...all]).toEqual([
        ...numbers.slice(0, 1000),
        ...numbers.slice(1000, 2000).sort((a, b) => a - b),
        ...numbers.slice(2000),
      ]);
      expect(await sortArray(device(), new BigInt64Array(0))).toHaveLength(0);
    });
  });
});
