/**
 * gpusort/kernels in an encoder of the program: what is recorded before the sort comes first, what is recorded after it
 * finds the result, and nothing happens until the program submits it, whatever else the sorter does meanwhile.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mergePath, mergeSort, quicksort, radixSort, segmentedSort } from '../../../src/browser/index.js';
import { makeKeys } from '../../engines/gpu/distributions.js';
import { SHAPES, SORTS, type SortRow } from '../../engines/gpu/keys/sorts.js';
import { describeGpu } from '../../setup/gpu.js';
import { bufferBytes } from '../../support/buffer-bytes.js';
import { type KeySpec, solved, specOf, wordsOf } from '../../support/fixed-keys.js';
import { sampled } from '../../support/tier.js';
import { type Arena, type ArenaLayout, arenaOf, makeSorter } from './arena.js';
import { download, makeDevice, PLAIN, RICH, upload } from './devices.js';

const ROWS = Object.values<SortRow>(SORTS).filter(({ sorter }) => sorter.name !== 'quicksort');
const SPECS: readonly KeySpec[] = [specOf('u32', true), specOf('f64', true, true), specOf('u128', false)];

/** Whether no row before it has its sorter. */
const isFirst = ({ sorter }: SortRow, at: number): boolean =>
  ROWS.findIndex((row) => row.sorter.name === sorter.name) === at;

function problemOf(row: SortRow, spec: KeySpec, count: number, layout: ArenaLayout): Arena {
  const keys = makeKeys('extremes', count, wordsOf(spec), count);
  const problem = { spec, keys, parts: row.parts, bounds: SHAPES['up to three tiles']!(count, 100) };
  return arenaOf(row, layout, problem, solved(problem));
}

describeGpu('sorts in an encoder of the program', () => {
  describe.each(sampled([PLAIN, RICH], { count: 2, seed: 7 }))('$name', (kind) => {
    let device: GPUDevice;
    let submissions = 0;
    beforeAll(async () => {
      device = await makeDevice(kind);
      device.pushErrorScope('validation');
      const submit = device.queue.submit.bind(device.queue);
      device.queue.submit = (commands) => {
        submissions++;
        return submit(commands);
      };
    });
    afterEach(() => Reflect.deleteProperty(device, 'createBuffer'));
    afterAll(async () => {
      expect(await device.popErrorScope()).toBeNull();
      device.destroy();
    });

    /** Records: fill a buffer, sort it, copy it, clear it. Returns what must be submitted, and the copy. */
    async function record(run: (request: object) => Promise<void>, { words, request }: Arena) {
      const [source, arena] = [upload(device, words), upload(device, new Uint32Array(0), words.length)];
      const copy = upload(device, new Uint32Array(0), words.length);
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(source, 0, arena, 0, source.size);
      const before = submissions;
      await run({ ...request(arena), encoder });
      expect(submissions).toBe(before);
      encoder.copyBufferToBuffer(arena, 0, copy, 0, source.size);
      encoder.clearBuffer(arena);
      return { commands: encoder.finish(), copy, arena };
    }

    it.each(sampled(ROWS, { count: 5, seed: 8, always: isFirst }))('$name', async (row) => {
      for (const spec of sampled(SPECS, { count: 1, seed: 9 })) {
        const sorter = await makeSorter(device, row, spec);
        const problems = [5003, 1, 700, 0, 2].map((count, i) =>
          problemOf(row, spec, count, i % 2 === 0 ? 'in place' : 'elsewhere'),
        );
        const recorded = [];
        for (const problem of problems) recorded.push(await record(sorter.run, problem));
        // Neither other sorts that are submitted nor other recordings disturb those that are not submitted yet.
        const other = problemOf(row, spec, 6007, 'in place');
        const submitted = upload(device, other.words);
        await sorter.run(other.request(submitted));
        expect(await download(device, submitted)).toEqual(other.expected);
        device.queue.submit(recorded.reverse().map(({ commands }) => commands));
        for (const [i, { copy, arena }] of recorded.reverse().entries()) {
          expect(await download(device, copy), `${i}`).toEqual(problems[i]!.expected);
          expect(await download(device, arena)).toEqual(new Uint32Array(arena.size / 4));
        }
        sorter.destroy();
      }
    });

    it('records several sorts into one encoder, one after another', async () => {
      const [ascending, descending] = [await radixSort(device), await mergeSort(device, { descending: true })];
      const merger = await mergePath(device);
      const keys = upload(device, Uint32Array.of(3, 1, 4, 1, 5, 9, 2, 6));
      const encoder = device.createCommandEncoder();
      await descending.sort({ keys, count: 7, encoder });
      await ascending.sort({ keys: { buffer: keys, size: 16 }, encoder });
      await merger.merge({ keys, bounds: [0, 4, 4, 5], encoder });
      expect([...(await download(device, keys))]).toEqual([3, 1, 4, 1, 5, 9, 2, 6]);
      device.queue.submit([encoder.finish()]);
      expect([...(await download(device, keys))]).toEqual([2, 3, 4, 5, 9, 1, 1, 6]);
      for (const { destroy } of [ascending, descending, merger]) destroy();
    });

    it('asks the device nothing, so a radix sort does not look for digits that are the same', async () => {
      const { sort, destroy } = await radixSort(device, { tuning: { skipFrom: 2 } });
      const words = Uint32Array.from({ length: 3000 }, (_, i) => ((i * 7919) % 256) << 8);
      const keys = upload(device, words);
      const encoder = device.createCommandEncoder();
      const before = submissions;
      await sort({ keys, encoder });
      expect(submissions).toBe(before);
      device.queue.submit([encoder.finish()]);
      expect(await download(device, keys)).toEqual(words.sort());
      destroy();
    });

    it('keeps the memory of a recording until it is submitted, although later requests are larger', async () => {
      const { sort, destroy } = await mergeSort(device);
      const words = Uint32Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
      const [small, large] = [upload(device, words), upload(device, words)];
      const encoder = device.createCommandEncoder();
      await sort({ keys: small, count: 3000, encoder });
      for (let count = 4000; count <= 20_000; count += 1000) {
        await sort({ keys: large, count });
        await sort({ keys: large, count, encoder: device.createCommandEncoder() });
      }
      device.queue.submit([encoder.finish()]);
      expect((await download(device, small)).subarray(0, 3000)).toEqual(words.slice(0, 3000).sort());
      destroy();
    });

    it('uses the same memory for each recording, and frees it', async () => {
      const { live } = bufferBytes(device);
      const sorter = await segmentedSort(device, { values: true });
      const [keys, values] = [upload(device, new Uint32Array(5000)), upload(device, new Uint32Array(5000))];
      const own = live();
      const recordOne = async (count: number): Promise<void> => {
        const encoder = device.createCommandEncoder();
        await sorter.sort({ keys, values, count, begins: Uint32Array.of(0, count >> 1), encoder });
        device.queue.submit([encoder.finish()]);
      };
      await recordOne(5000);
      const once = live() - own;
      expect(once).toBeGreaterThan(4 * 5000);
      // What remains is garbage: the beginnings of segments and, without immediates, the words of dispatches.
      await recordOne(5000);
      const garbage = live() - own - once;
      expect(garbage).toBeLessThanOrEqual(16 + 16 * 256);
      for (let count = 4000; count < 5000; count += 100) await recordOne(count);
      expect(live() - own - once).toBe(11 * garbage);
      sorter.destroy();
      expect(live() - own).toBe(12 * garbage);
    });
  });
});

describeGpu('recordings that are refused', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    device = await makeDevice(RICH);
  });
  afterAll(() => device.destroy());

  it('refuses quicksort, times and what is no encoder', async () => {
    const keys = upload(device, Uint32Array.of(2, 1));
    const encoder = device.createCommandEncoder();
    const quick = await quicksort(device);
    await expect(quick.sort({ keys, encoder })).rejects.toMatchObject({
      code: 'usage',
      message: 'a quicksort cannot be recorded',
      hint: 'It waits for the device. Leave out encoder, or use another sort.',
    });
    const merge = await mergeSort(device);
    await expect(merge.time({ keys, encoder })).rejects.toMatchObject({
      code: 'usage',
      message: 'time() submits the work itself',
    });
    for (const wrong of [{}, device, encoder.finish()])
      await expect(merge.sort({ keys, encoder: wrong as never })).rejects.toMatchObject({
        code: 'usage',
        message: 'encoder is not a GPUCommandEncoder',
      });
    await merge.sort({ keys, encoder: undefined });
    expect([...(await download(device, keys))]).toEqual([1, 2]);
    for (const { destroy } of [quick, merge]) destroy();
  });

  it('records nothing if the request is wrong or the sorter was destroyed', async () => {
    const { sort, destroy } = await mergeSort(device);
    const keys = upload(device, Uint32Array.of(2, 1));
    const encoder = device.createCommandEncoder();
    await expect(sort({ keys, count: 3, encoder })).rejects.toMatchObject({ code: 'usage' });
    destroy();
    await expect(sort({ keys, encoder })).rejects.toMatchObject({ message: 'this merge sort was destroyed' });
    device.queue.submit([encoder.finish()]);
    expect([...(await download(device, keys))]).toEqual([2, 1]);
  });
});
