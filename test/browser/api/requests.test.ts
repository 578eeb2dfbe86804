/** Invalid requests to gpusort/kernels are refused before anything is submitted, each with its own message. */
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type KeyType,
  localitySort,
  mergePath,
  mergeSort,
  quicksort,
  radixSort,
  segmentedSort,
  sortArray,
} from '../../../src/browser/index.js';
import { describeGpu } from '../../setup/gpu.js';
import { download, makeDevice, RICH, USAGES, upload } from './devices.js';

describeGpu('gpusort/kernels', () => {
  let device: GPUDevice;
  let submitted = 0;
  const words = Uint32Array.of(4, 3, 2, 1);
  const buffer = (usage = USAGES): GPUBuffer => upload(device, words, words.length, usage);
  beforeAll(async () => {
    device = await makeDevice(RICH);
    const submit = device.queue.submit.bind(device.queue);
    device.queue.submit = (commands) => {
      submitted++;
      return submit(commands);
    };
  });
  afterAll(() => device.destroy());

  const rejects = async (request: Promise<unknown>, message: string, code = 'usage'): Promise<void> => {
    const before = submitted;
    await expect(request).rejects.toMatchObject({ code, message });
    expect(submitted).toBe(before);
  };

  it('rejects requests that a sorter without values cannot do', async () => {
    const { sort, maxCount, destroy } = await mergeSort(device, { key: 'u64' });
    expect(maxCount).toBe((128 << 20) / 8);
    const keys = buffer();
    await rejects(sort({ keys, count: -1 }), 'count is not a number of keys: -1');
    await rejects(sort({ keys, count: 1.5 }), 'count is not a number of keys: 1.5');
    await rejects(sort({ keys, count: 3 }), 'keys: the buffer has 16 bytes, and 24 are needed');
    await rejects(sort({ keys: buffer(0x80 | 0x8) }), 'keys: the buffer lacks the usage COPY_SRC');
    await rejects(sort({ keys: buffer(0x8) }), 'keys: the buffer lacks the usage STORAGE, COPY_SRC');
    await rejects(sort({ keys, values: buffer() }), 'values: this sorter has none');
    await rejects(sort({ keys, output: { keys } }), 'the same buffer is given twice');
    await rejects(sort({ keys, output: { keys: buffer(0x84) } }), 'output.keys: the buffer lacks the usage COPY_DST');
    const large = device.createBuffer({ size: (128 << 20) + 8, usage: USAGES });
    await rejects(
      sort({ keys: large }),
      'too many keys at once for this GPU: 16777217 of type u64; a binding holds 16777216',
      'out-of-device-memory',
    );
    large.destroy();
    await rejects(sort({} as never), 'keys is not a GPUBuffer');
    await rejects(sort({ keys: words as never }), 'keys is not a GPUBuffer');
    const mapped = device.createBuffer({ size: 16, usage: USAGES, mappedAtCreation: true });
    await rejects(sort({ keys: mapped }), 'keys: the buffer is mapped');
    destroy();
  });

  it('rejects requests that a sorter with values cannot do', async () => {
    const { sort, destroy } = await mergeSort(device, { values: true });
    const keys = buffer();
    await rejects(sort({ keys }), 'values is missing');
    await rejects(sort({ keys, values: keys }), 'the same buffer is given twice');
    await rejects(sort({ keys, values: buffer(0x80) }), 'values: the buffer lacks the usage COPY_SRC, COPY_DST');
    await rejects(sort({ keys, values: buffer(), output: { keys: buffer() } }), 'output.values is missing');
    destroy();
  });

  it('rejects malformed segments', async () => {
    const { sort, destroy } = await segmentedSort(device);
    const keys = upload(device, new Uint32Array(40));
    await rejects(sort({ keys } as never), 'give either flags or begins');
    await rejects(sort({ keys, flags: keys, begins: keys } as never), 'give either flags or begins');
    await rejects(
      sort({ keys, flags: upload(device, words.subarray(0, 1)) }),
      'flags: the buffer has 4 bytes, and 8 are needed',
    );
    await rejects(sort({ keys, flags: buffer(0x8) }), 'flags: the buffer lacks the usage STORAGE');
    await rejects(sort({ keys, begins: buffer(), segments: 5 }), 'begins: the buffer has 16 bytes, and 20 are needed');
    await rejects(sort({ keys, begins: words, segments: 5 }), 'begins has 4 numbers, not 5');
    await rejects(sort({ keys, begins: [0, 2] } as never), 'begins is not a GPUBuffer or Uint32Array');
    const output = upload(device, new Uint32Array(40));
    for (const where of [{ flags: keys }, { begins: keys }, { flags: output }, { begins: output, segments: 0 }])
      await rejects(sort({ keys, output: { keys: output }, ...where }), 'the same buffer is given twice');
    const large = device.createBuffer({ size: (128 << 20) + 4, usage: USAGES });
    await rejects(
      sort({ keys, begins: large }),
      'too many segments at once for this GPU: 33554433; a binding holds 33554432',
      'out-of-device-memory',
    );
    large.destroy();
    destroy();
  });

  it('rejects bounds that do not ascend or that exceed the buffer', async () => {
    const { merge, destroy } = await mergePath(device);
    const keys = buffer();
    await rejects(merge({ keys } as never), 'bounds do not ascend from 0');
    for (const bounds of [[], [1, 4], [0, 3, 2]]) await rejects(merge({ keys, bounds }), 'bounds do not ascend from 0');
    await rejects(merge({ keys, bounds: [0, 0.5, 4] }), 'a bound is not a number of keys: 0.5');
    await rejects(merge({ keys, bounds: [0, 5] }), 'keys: the buffer has 16 bytes, and 20 are needed');
    destroy();
  });

  it('rejects options and devices that do not exist', async () => {
    await rejects(radixSort(device, { tuning: { sweep: 'three' as 'two' } }), "unknown sweep: 'three'");
    await rejects(radixSort(device, { tuning: { skipFrom: Number.NaN } }), 'skipFrom is not a number of keys: NaN');
    for (const sorter of [quicksort, localitySort, segmentedSort])
      for (const tile of [0, 32, 100, 4096])
        await rejects(sorter(device, { tuning: { tile } }), `unknown tile size: ${tile}`);
    await rejects(mergePath(device, { tuning: { search: 'auto' as 'wide' } }), "unknown search: 'auto'");
    await rejects(mergePath(device, { tuning: { windows: 8 as never } }), 'windows is neither true nor false: 8');
    for (const none of [undefined, {}]) await rejects(radixSort(none as never), 'the device is not a GPUDevice');
  });

  it('rejects arrays and types that cannot be sorted', async () => {
    await rejects(radixSort(device, { key: 'f16' as KeyType }), "unknown type of keys: 'f16'");
    await rejects(radixSort(device, { key: 'prefix' as KeyType }), "unknown type of keys: 'prefix'");
    await rejects(sortArray(device, new Uint8Array(4) as never), 'arrays of this type cannot be sorted');
    await rejects(
      sortArray(device, new Uint32Array(4), { values: new Uint32Array(3) }),
      'there are 4 keys and 3 values',
    );
    for (const values of [new Float64Array(4), new Uint8Array(4)])
      await rejects(
        sortArray(device, new Uint32Array(4), { values: values as never }),
        'the values do not have 32 bits each',
      );
    const large = new Uint32Array(2 ** 25 + 1);
    await rejects(
      sortArray(device, large),
      'too many keys at once for this GPU: 33554433 of type u32; a binding holds 33554432',
      'out-of-device-memory',
    );
  });

  it('accepts arrays of other V8 contexts and options that are undefined', async () => {
    const foreign: Uint32Array<ArrayBuffer> = runInNewContext('Uint32Array.of(4, 3, 2, 1)');
    await sortArray(device, foreign);
    expect([...foreign]).toEqual([1, 2, 3, 4]);
    await sortArray(device, foreign, { values: undefined, descending: undefined });
    const { sort, destroy } = await segmentedSort(device, { tuning: { tile: undefined } });
    const keys = buffer();
    await sort({ keys, begins: runInNewContext('Uint32Array.of(2)'), flags: undefined, output: undefined } as never);
    expect([...(await download(device, keys))]).toEqual([3, 4, 1, 2]);
    // The rest of the array is ignored.
    await sort({ keys, begins: Uint32Array.of(2, ...Array<number>(5000).fill(1)), segments: 1 });
    expect([...(await download(device, keys))]).toEqual([3, 4, 1, 2]);
    destroy();
    const none = { sweep: undefined, subgroups: undefined, skipFrom: undefined };
    const radix = await radixSort(device, { key: undefined, values: undefined, descending: undefined, tuning: none });
    await radix.sort({ keys, values: undefined, count: undefined, output: undefined });
    expect([...(await download(device, keys))]).toEqual([1, 2, 3, 4]);
    radix.destroy();
    const { merge } = await mergePath(device, { tuning: { search: undefined, windows: undefined } });
    await merge({ keys: upload(device, Uint32Array.of(2, 4, 1, 3)), bounds: [0, 2, 4] });
  });

  it('submits no commands if there is nothing to sort', async () => {
    const { sort, destroy } = await radixSort(device);
    const [keys, output] = [buffer(), upload(device, new Uint32Array(0), 4)];
    const before = submitted;
    for (const count of [0, 1]) await sort({ keys, count });
    await sort({ keys, count: 0, output: { keys: output } });
    expect(submitted).toBe(before);
    await sort({ keys, count: 1, output: { keys: output } });
    expect([...(await download(device, output))]).toEqual([4, 0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5]);
    expect([...(await download(device, keys))]).toEqual([4, 3, 2, 1]);
    destroy();
  });
});
