/** gpusort/kernels on a device that belongs to the test: what it leaves alone, and what happens when it goes. */
import { afterEach, describe, expect, it } from 'vitest';
import { GpusortError, mergeSort, radixSort, segmentedSort, sortArray } from '../../src/kernels-api.js';
import { describeGpu } from '../setup/gpu.js';
import { bufferBytes } from '../support/buffer-bytes.js';
import { download, MAP_READ, makeDevice, PLAIN, RICH, upload } from './devices.js';

const KEYS = Uint32Array.from({ length: 5000 }, (_, i) => (i * 7919) % 5003);
const SORTED = [...KEYS].sort((a, b) => a - b);

describeGpu('a device of the program', () => {
  const devices: GPUDevice[] = [];
  const open = async (kind = RICH): Promise<GPUDevice> => {
    const device = await makeDevice(kind);
    devices.push(device);
    return device;
  };
  afterEach(() => {
    for (const device of devices.splice(0)) device.destroy();
  });

  it('keeps its error scopes', async () => {
    const device = await open();
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

  it('serves several sorters, also at once, and stays when they are destroyed', async () => {
    const device = await open();
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

  it('is not waited for unless a sort has to ask it', async () => {
    const device = await open(PLAIN);
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

  it('does not lose memory to requests that grow', async () => {
    const device = await open(PLAIN);
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

  it('keeps no memory of a sorter that is destroyed while it sorts, nor of sortArray', async () => {
    const device = await open(PLAIN);
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

  it('times passes if it has timestamps', async () => {
    const device = await open();
    const sorter = await segmentedSort(device);
    const passes = await sorter.time({ keys: upload(device, KEYS), begins: Uint32Array.of(0, 100) });
    const timed = device.features.has('timestamp-query');
    expect(passes.map(({ label }) => label)).toEqual(
      timed ? ['head flags', 'segmented block sort', 'merge levels'] : [],
    );
    for (const { start, end } of passes) expect(end).toBeGreaterThanOrEqual(start);
    sorter.destroy();
  });

  describe('lost', () => {
    it('makes no sorter', async () => {
      const device = await open();
      device.destroy();
      await device.lost;
      await expect(radixSort(device)).rejects.toMatchObject({ code: 'device-lost' });
    });
    it.each([
      ['a sort that asks it', { tuning: { skipFrom: 2 } }],
      ['a sort that does not', {}],
    ])('ends %s with an error', async (_, options) => {
      const device = await open();
      const sorter = await radixSort(device, options);
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
});
