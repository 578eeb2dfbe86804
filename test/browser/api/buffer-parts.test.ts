/**
 * gpusort/kernels on parts of buffers: every sorter, with all that it reads and writes in one buffer, changes exactly
 * the bytes that the plain model says. Parts that cannot be bound, exceed their buffer or overlap are refused.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergePath, mergeSort, radixSort, segmentedSort } from '../../../src/browser/index.js';
import { makeKeys } from '../../engines/gpu/distributions.js';
import { SHAPES, SORTS, type SortRow } from '../../engines/gpu/keys/sorts.js';
import { describeGpu } from '../../setup/gpu.js';
import { type KeySpec, nameOf, solved, specOf, wordsOf } from '../../support/fixed-keys.js';
import { sampled } from '../../support/tier.js';
import { type ArenaLayout, arenaOf, makeSorter } from './arena.js';
import { download, makeDevice, PLAIN, RICH, upload } from './devices.js';

const ROWS: readonly SortRow[] = Object.values(SORTS);
const LAYOUTS: readonly ArenaLayout[] = ['in place', 'elsewhere'];
const CASES = ROWS.flatMap((row) => LAYOUTS.map((layout) => ({ row, layout })));
/** Below, at and above the tiles of the sorts. */
const COUNTS = [0, 1, 2, 700, 5003];
const SPECS: readonly KeySpec[] = [specOf('u32', true), specOf('f64', true, true), specOf('u128', false)];

describeGpu('parts of buffers', () => {
  describe.each(sampled([PLAIN, RICH], { count: 1, seed: 3 }))('$name', (kind) => {
    let device: GPUDevice;
    beforeAll(async () => {
      device = await makeDevice(kind);
      device.pushErrorScope('validation');
    });
    afterAll(async () => {
      expect(await device.popErrorScope()).toBeNull();
      device.destroy();
    });

    it.each(sampled(CASES, { count: 6, seed: 4, always: ({ row }) => row.segmentsAs === 'flags' }))(
      '$row.name, $layout',
      async ({ row, layout }) => {
        for (const spec of sampled(SPECS, { count: 1, seed: 5 })) {
          const sorter = await makeSorter(device, row, spec);
          for (const count of COUNTS) {
            const keys = makeKeys('extremes', count, wordsOf(spec), count);
            const problem = { spec, keys, parts: row.parts, bounds: SHAPES['up to three tiles']!(count, 100) };
            const { words, request, expected } = arenaOf(row, layout, problem, solved(problem));
            const arena = upload(device, words);
            await sorter.run(request(arena));
            expect(await download(device, arena), `${count} ${nameOf(spec)}`).toEqual(expected);
            arena.destroy();
          }
          sorter.destroy();
        }
      },
    );

    it('sorts parts of different buffers, each from its own offset', async () => {
      const { sort, destroy } = await radixSort(device, { values: true });
      const [keys, values] = [
        Uint32Array.of(...Array(64).fill(9), 3, 1, 2),
        Uint32Array.of(...Array(128).fill(7), 0, 1, 2),
      ];
      const [keyBuffer, valueBuffer] = [upload(device, keys), upload(device, values)];
      await sort({ keys: { buffer: keyBuffer, offset: 256 }, values: { buffer: valueBuffer, offset: 512, size: 12 } });
      expect([...(await download(device, keyBuffer))]).toEqual([...Array(64).fill(9), 1, 2, 3]);
      expect([...(await download(device, valueBuffer))]).toEqual([...Array(128).fill(7), 1, 2, 0]);
      destroy();
    });

    it('takes the number of keys from the size of the part, and lets count lower it', async () => {
      const { sort, destroy } = await mergeSort(device);
      const words = Uint32Array.of(...Array(64).fill(9), 5, 4, 3, 2, 1);
      const buffer = upload(device, words);
      const sortedTo = async (): Promise<number[]> => [...(await download(device, buffer))].slice(64);
      await sort({ keys: { buffer, offset: 256, size: 11 } });
      expect(await sortedTo()).toEqual([4, 5, 3, 2, 1]);
      await sort({ keys: { buffer, offset: 256, size: 16 }, count: 3 });
      expect(await sortedTo()).toEqual([3, 4, 5, 2, 1]);
      await sort({ keys: { buffer, offset: 256 } });
      expect(await sortedTo()).toEqual([1, 2, 3, 4, 5]);
      for (const size of [0, 3, 4]) await sort({ keys: { buffer, offset: 256, size } });
      await sort({ keys: { buffer, offset: 276 } as never, count: 0 }).catch((error: Error) => {
        expect(error.message).toBe('keys: the offset is 276, not a multiple of 256 bytes');
      });
      destroy();
    });
  });
});

describeGpu('parts of buffers that are refused', () => {
  let device: GPUDevice;
  let buffer: GPUBuffer;
  beforeAll(async () => {
    device = await makeDevice(RICH);
    buffer = upload(device, new Uint32Array(512));
  });
  afterAll(() => device.destroy());

  const part = (offset?: unknown, size?: unknown) => ({ buffer, offset, size }) as { buffer: GPUBuffer };
  const REFUSED: readonly [name: string, request: () => object, message: string][] = [
    ['an offset that is not aligned', () => ({ keys: part(4) }), 'keys: the offset is 4, not a multiple of 256 bytes'],
    ['an offset of half a step', () => ({ keys: part(128) }), 'keys: the offset is 128, not a multiple of 256 bytes'],
    ['a negative offset', () => ({ keys: part(-256) }), 'keys.offset is not a number of bytes: -256'],
    ['a fraction', () => ({ keys: part(256, 2.5) }), 'keys.size is not a number of bytes: 2.5'],
    ['an offset that is no number', () => ({ keys: part('0') }), 'keys.offset is not a number of bytes: 0'],
    [
      'a part past the end',
      () => ({ keys: part(1024, 1028) }),
      'keys: the buffer has 2048 bytes, and the part is bytes 1024 to 2052',
    ],
    [
      'an offset past the end',
      () => ({ keys: part(2304) }),
      'keys: the buffer has 2048 bytes, and the part is bytes 2304 to 2304',
    ],
    [
      'more keys than the part has',
      () => ({ keys: part(256, 16), count: 5 }),
      'keys: the part has 16 bytes, and 20 are needed',
    ],
    [
      'more keys than follow the offset',
      () => ({ keys: part(1792), count: 65 }),
      'keys: the part has 256 bytes, and 260 are needed',
    ],
    ['no buffer', () => ({ keys: { offset: 256 } }), 'keys is not a GPUBuffer'],
    [
      'output that overlaps the input',
      () => ({ keys: part(0, 512), output: { keys: part(256, 512) } }),
      'keys and output.keys overlap: bytes 0 to 512 and bytes 256 to 768 of one buffer',
    ],
    [
      'output that is the input',
      () => ({ keys: part(256), count: 3, output: { keys: part(256) } }),
      'keys and output.keys overlap: bytes 256 to 268 and bytes 256 to 268 of one buffer',
    ],
    [
      'a part of a buffer that is also given whole',
      () => ({ keys: buffer, output: { keys: part(1024) }, count: 257 }),
      'output.keys: the part has 1024 bytes, and 1028 are needed',
    ],
    [
      'a whole buffer and a part of it',
      () => ({ keys: buffer, output: { keys: part(256) }, count: 65 }),
      'keys and output.keys overlap: bytes 0 to 260 and bytes 256 to 516 of one buffer',
    ],
  ];

  it.each(REFUSED)('%s', async (_, request, message) => {
    const { sort, destroy } = await mergeSort(device);
    await expect(sort(request() as never)).rejects.toMatchObject({ code: 'usage', message });
    destroy();
  });

  it('values that overlap the keys, and segments that overlap either', async () => {
    const sorter = await segmentedSort(device, { values: true });
    const overlap = (what: string) => ({ code: 'usage', message: expect.stringMatching(what) });
    const [keys, values] = [part(0, 512), part(512, 512)];
    await expect(sorter.sort({ keys, values: part(256), flags: part(1024) })).rejects.toMatchObject(
      overlap('^keys and values overlap: bytes 0 to 512 and bytes 256 to 768 of one buffer$'),
    );
    await expect(sorter.sort({ keys, values, flags: part(768) })).rejects.toMatchObject(
      overlap('^values and flags overlap: bytes 512 to 1024 and bytes 768 to 784 of one buffer$'),
    );
    await expect(sorter.sort({ keys, values, begins: part(256, 4) })).rejects.toMatchObject(
      overlap('^keys and begins overlap'),
    );
    await expect(sorter.sort({ keys, values, begins: part(1028, 4) })).rejects.toMatchObject(
      overlap('^begins: the offset is 1028, not a multiple of 256 bytes$'),
    );
    sorter.destroy();
  });

  it('says what is required', async () => {
    const { merge, destroy } = await mergePath(device);
    await expect(merge({ keys: part(64), bounds: [0, 2] })).rejects.toMatchObject({
      hint: "Kernels bind parts, and the device's limit minStorageBufferOffsetAlignment is 256.",
    });
    destroy();
  });
});
