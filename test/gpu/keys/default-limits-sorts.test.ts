/**
 * The library of sorts on a device with only the guaranteed limits: small bindings and workgroups, no subgroups. By day
 * each sort has keys or pairs, in turn.
 */
import { describe, expect, it } from 'vitest';
import type { Gpu } from '../../../src/gpu/device/device.js';
import { submitPass } from '../../../src/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../src/gpu/device/pool.js';
import { type FixedKeySpec, type KeySort, keyWords } from '../../../src/gpu/keys/key-sort.js';
import { localitySort } from '../../../src/gpu/keys/locality-sort/locality-sort.js';
import { loadMerges, mergeRuns } from '../../../src/gpu/keys/merge-path/merge.js';
import { mergeSort } from '../../../src/gpu/keys/merge-sort/merge-sort.js';
import { quicksort } from '../../../src/gpu/keys/quicksort/quicksort.js';
import { RADIX_TUNING, radixSort } from '../../../src/gpu/keys/radix-sort/radix-sort.js';
import { segmentedSort } from '../../../src/gpu/keys/segmented-sort/segmented-sort.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../../src/gpu/records/scan.js';
import {
  loadRadixRefine,
  RADIX_REFINE_TUNING,
  radixRefine,
} from '../../../src/gpu/strings/radix-refine/radix-refine.js';
import { GpusortError } from '../../../src/report/errors.js';
import { describeGpu } from '../../setup/gpu.js';
import { LINES } from '../../support/records.js';
import { NIGHTLY } from '../../support/tier.js';
import { defaultAdapter } from '../device/default-device.js';
import { makeKeys } from '../distributions.js';
import { destroyRecords, readWords, upload, uploadRecords, useGpu } from '../helpers.js';
import { checkStringSort } from '../strings/string-sorts.js';
import { DISTRIBUTIONS, linesOf } from '../strings/strings.js';
import { checkKeySort, destroyArrays, holds, keyArrays, nameOf } from './key-sorts.js';

/** A segmented sort of one segment. */
const oneSegment: KeySort = {
  load: (gpu, spec) => segmentedSort().load(gpu, spec),
  sort: async (gpu, scratch, spec, from, spare, count) => {
    const begins = upload(gpu, Uint32Array.of(0));
    try {
      return await segmentedSort().sort(gpu, scratch, spec, from, spare, count, { begins, segments: 1 });
    } finally {
      begins.destroy();
    }
  },
};
const SORTS: readonly (readonly [string, KeySort])[] = [
  ['radix sort', radixSort()],
  ['radix sort, one sweep', radixSort({ ...RADIX_TUNING, sweep: 'one' })],
  ['merge sort', mergeSort()],
  ['merge sort, windows', mergeSort({ merge: { kernel: 'merge-windows', search: 'parts' } })],
  ['segmented sort', oneSegment],
  ['locality sort', localitySort()],
  ['quicksort', quicksort()],
];
const MERGES: readonly (readonly [string, KeySort])[] = [
  [
    'a merge of two',
    {
      load: loadMerges,
      sort: (gpu, scratch, spec, from, spare, count) => mergeRuns(gpu, scratch, spec, from, spare, [0, 1, count]),
    },
  ],
  [
    'a merge of many',
    {
      load: loadMerges,
      sort: (gpu, scratch, spec, from, spare, count) => mergeRuns(gpu, scratch, spec, from, spare, [0, 1, 2, count]),
    },
  ],
];
const SPECS: readonly FixedKeySpec[] = [
  { type: 'u32', values: false },
  { type: 'u128', values: true },
];

/** A pool that is out of memory from take number `failing` (from 0) on. It counts the buffers in use. */
class FailingPool extends DevicePool {
  out = 0;
  failing = Infinity;
  override async take(bytes: number, label: string): Promise<GPUBuffer> {
    if (this.failing-- <= 0) throw new GpusortError('out-of-device-memory', 'none left');
    const buffer = await super.take(bytes, label);
    this.out++;
    return buffer;
  }
  override give(...buffers: GPUBuffer[]): void {
    this.out -= buffers.length;
    super.give(...buffers);
  }
}

describeGpu('sorts on a device with the default limits', () => {
  const gpu = useGpu(async () => (await defaultAdapter()).adapter);

  /** The number of keys a binding holds. */
  const MOST = 1000;
  const holding = (spec: FixedKeySpec): Gpu => ({ ...gpu(), maxBindingBytes: MOST * 4 * keyWords(spec) });

  /**
   * Expects that one more key is an error that names both numbers, and that no memory was requested and no key moved.
   */
  async function refuses(sort: KeySort, specs = SPECS): Promise<void> {
    for (const spec of specs) {
      const small = holding(spec);
      await sort.load(small, spec);
      const keys = makeKeys('uniform', MOST + 1, keyWords(spec), 3);
      const [from, spare] = [keyArrays(small, spec, MOST + 1, keys), keyArrays(small, spec, MOST + 1, null)];
      const pool = new FailingPool(small);
      pool.failing = 0;
      await expect(sort.sort(small, new Scratch(pool), spec, from, spare, MOST + 1)).rejects.toMatchObject({
        code: 'out-of-device-memory',
        message: `too many keys at once for this GPU: 1001 of type ${spec.type}; a binding holds 1000`,
      });
      await holds(
        small,
        from,
        keys,
        Uint32Array.from({ length: MOST + 1 }, (_, i) => i),
      );
      destroyArrays(from, spare);
    }
  }

  describe.each(SORTS.map(([name, sort], i) => [name, sort, i] as const))('%s', (_, sort, i) => {
    const specs = SPECS.filter((__, j) => NIGHTLY || j === i % 2);
    it.each(specs.map((spec) => [nameOf(spec), spec] as const))('%s', async (__, spec) => {
      for (const n of [0, 1, 2, 6001]) await checkKeySort(gpu(), sort, spec, makeKeys('uniform', n, keyWords(spec), n));
    });
    it('returns the buffers that it takes, whether or not memory suffices', async () => {
      const [spec] = specs;
      await sort.load(gpu(), spec);
      const keys = makeKeys('uniform', 6001, keyWords(spec), 1);
      const [from, spare] = [keyArrays(gpu(), spec, 6001, keys), keyArrays(gpu(), spec, 6001, null)];
      for (let failing = 0, done = false; !done; failing++) {
        const pool = new FailingPool(gpu());
        const scratch = new Scratch(pool);
        pool.failing = failing;
        try {
          await sort.sort(gpu(), scratch, spec, from, spare, 6001);
          done = true;
          // The scratch holds nothing.
          expect(pool.out).toBe(0);
        } catch (error) {
          expect((error as GpusortError).code).toBe('out-of-device-memory');
        }
        scratch.end();
        expect(pool.out).toBe(0);
        pool.destroyIdle();
      }
      destroyArrays(from, spare);
    });
    it('takes as many keys as a binding holds and refuses more', async () => {
      await refuses(sort, specs);
      for (const spec of specs)
        await checkKeySort(holding(spec), sort, spec, makeKeys('uniform', MOST, keyWords(spec), 4));
    });
  });

  it.each(MERGES)('%s refuses more keys than a binding holds', (_, merge) => refuses(merge));

  it('radix-refine', async () => {
    await loadRadixRefine(gpu(), LINES);
    for (const name of Object.keys(DISTRIBUTIONS)) {
      await checkStringSort(gpu(), radixRefine, linesOf(name, 1200, 3));
    }
  });
  it.each([
    ['radix sort', RADIX_REFINE_TUNING],
    ['locality sort', { ...RADIX_REFINE_TUNING, firstSort: localitySort({ tile: 64 }) }],
  ])('radix-refine by %s gives back what it takes, memory or not', async (_, tuning) => {
    const ordering = { ...LINES, unique: true, lastResort: false };
    await loadRadixRefine(gpu(), ordering, tuning);
    const records = Array.from({ length: 1200 }, (_, i) => Buffer.from('x'.repeat(300) + String(i % 300)));
    const uploaded = uploadRecords(gpu(), records, ordering);
    for (let failing = 0, done = false; !done; failing++) {
      const pool = new FailingPool(gpu());
      pool.failing = failing;
      try {
        const { order } = await radixRefine(gpu(), pool, uploaded, ordering, 0, tuning);
        done = true;
        pool.give(order);
      } catch (error) {
        expect((error as GpusortError).code).toBe('out-of-device-memory');
      }
      expect(pool.out).toBe(0);
      pool.destroyIdle();
    }
    destroyRecords(uploaded);
  });
  it('scans a buffer that is larger than a binding', async () => {
    await loadScan(gpu());
    const [data, sums] = [
      upload(
        gpu(),
        Uint32Array.from({ length: 5000 }, () => 1),
        2 ** 27 + 4096,
      ),
      upload(gpu(), new Uint32Array(4), scanSumsBytes(5000)),
    ];
    submitPass(gpu(), 'sort', 'scan', (pass) => {
      scanExclusive(gpu(), pass, data, 5000, sums);
    });
    expect((await readWords(gpu(), data, 5002)).every((word, i) => word === (i <= 5000 ? i : 0xa5a5a5a5))).toBe(true);
    data.destroy();
    sums.destroy();
  });
});
