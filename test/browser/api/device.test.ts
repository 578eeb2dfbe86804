/** gpusort/kernels on the caller's device: it leaves the device's state alone, and reports a lost device. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { GpusortError, mergeSort, radixSort, segmentedSort, sortArray } from '../../../src/browser/index.js';
import { describeGpu } from '../../setup/gpu.js';
import { bufferBytes } from '../../support/buffer-bytes.js';
import { sampled } from '../../support/tier.js';
import { download, MAP_READ, makeDevice, PLAIN, RICH, upload } from './devices.js';

const KEYS = Uint32Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
const SORTED = [...KEYS].sort((a, b) => a - b);

describeGpu('a device of the program', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await makeDevice(PLAIN);
  });
  // Removes the functions that tests put before it.
  afterEach(() => Reflect.deleteProperty(device, 'createBuffer'));
  afterAll(() => device.destroy());

  it("leaves the error scopes of the program's device alone", async () => {
    device.pushErrorScope('validation');
    const sorting = sortArray(device, KEYS.slice());
    // An error of the program while a sort runs belongs to the program's scope.
    device.createBuffer({ size: 16, usage: 0x1 | 0x80 });
    const error = device.popErrorScope();
    expect((await sorting)[0]).toBe(0);
    expect((await error)?.message).toMatch(/usage/i);
    // No scope is left.
    await expect(device.popErrorScope()).rejects.toThrow();
  });

  it('runs several sorters on one device, even at once, and keeps it after they are destroyed', async () => {
    const [first, second] = await Promise.all([radixSort(device), radixSort(device)]);
    const buffers = [1, 2, 3].map(() => upload(device, KEYS));
    await Promise.all(buffers.map((keys, i) => [first, second][i % 2]!.sort({ keys })));
    first.destroy();
    for (const buffer of buffers) expect([...(await download(device, buffer))]).toEqual(SORTED);
    const again = upload(device, KEYS);
    await second.sort({ keys: again });
    second.destroy();
    expect([...(await download(device, again))]).toEqual(SORTED);
    await expect(first.sort({ keys: again })).rejects.toMatchObject({
      code: 'usage',
      message: 'this radix sort was destroyed',
    });
  });

  it('waits for the device only if a sort needs an answer from it', async () => {
    const sorter = await mergeSort(device);
    const keys = upload(device, KEYS);
    let mapped = 0;
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      if ((descriptor.usage & MAP_READ) !== 0) mapped++;
      return create(descriptor);
    };
    await sorter.sort({ keys });
    expect(mapped).toBe(0);
    sorter.destroy();
    expect([...(await download(device, keys))]).toEqual(SORTED);
  });

  it('leaks no device memory when requests grow', async () => {
    // The words of dispatches belong to the device.
    await sortArray(device, KEYS.slice());
    const { live } = bufferBytes(device);
    const sorter = await mergeSort(device);
    const keys = upload(device, new Uint32Array(20_000));
    await sorter.sort({ keys });
    const once = live() - keys.size;
    sorter.destroy();
    expect(live()).toBe(keys.size);
    const growing = await mergeSort(device);
    for (let count = 500; count <= 20_000; count += 500) await growing.sort({ keys, count });
    expect(live() - keys.size).toBeLessThanOrEqual(2 * once);
    // Requests that are alike need no new memory.
    device.createBuffer = () => expect.unreachable();
    for (const count of [20_000, 19_000, 20_000]) await growing.sort({ keys, count });
    growing.destroy();
    expect(live()).toBe(keys.size);
  });

  it('frees the memory of a sorter that is destroyed while it sorts, and of sortArray', async () => {
    await sortArray(device, KEYS.slice());
    const { live } = bufferBytes(device);
    await sortArray(device, KEYS.slice(), { values: KEYS.slice() });
    expect(live()).toBe(0);
    const sorter = await mergeSort(device);
    const keys = upload(device, KEYS);
    const sorting = sorter.sort({ keys });
    sorter.destroy();
    await sorting;
    expect(live()).toBe(keys.size);
    expect([...(await download(device, keys))]).toEqual(SORTED);
  });

  it('times the passes of a sort if the device has timestamps', async () => {
    const sorter = await segmentedSort(device);
    const passes = await sorter.time({ keys: upload(device, KEYS), begins: Uint32Array.of(0, 100) });
    const timed = device.features.has('timestamp-query');
    expect(passes.map(({ label }) => label)).toEqual(
      timed ? ['head flags', 'segmented block sort', 'merge levels'] : [],
    );
    for (const { start, end } of passes) expect(end).toBeGreaterThanOrEqual(start);
    sorter.destroy();
  });
});

describeGpu('a device that is lost', () => {
  it('makes no sorter on a lost device', async () => {
    const device = await makeDevice(RICH);
    device.destroy();
    await device.lost;
    await expect(radixSort(device)).rejects.toMatchObject({ code: 'device-lost' });
  });

  const makers = [
    ['a sort that does not wait', (device: GPUDevice) => mergeSort(device)],
    ['a sort that waits for an answer', (device: GPUDevice) => radixSort(device, { tuning: { skipFrom: 2 } })],
  ] as const;
  it.each(sampled(makers, { count: 2, seed: 1 }))('ends %s with an error if the device is lost', async (_, make) => {
    const device = await makeDevice(RICH);
    const sorter = await make(device);
    const keys = upload(device, KEYS);
    const sorting = sorter.sort({ keys });
    device.destroy();
    await expect(sorting).rejects.toBeInstanceOf(GpusortError);
    await expect(sorting).rejects.toMatchObject({ code: 'device-lost' });
    await expect(sorter.sort({ keys })).rejects.toMatchObject({ code: 'device-lost' });
    await expect(sorter.time({ keys })).rejects.toMatchObject({ code: 'device-lost' });
    sorter.destroy();
  });
});
