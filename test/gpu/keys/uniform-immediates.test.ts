/**
 * All sorts and merges of keys on a device without immediates, where a uniform buffer stands in for them
 * (src/gpu/device/uniform-immediates.ts).
 */
import { describe, expect, it } from 'vitest';
import { dispatch, submitPass } from '../../../src/gpu/device/dispatch.js';
import { requestAdapter } from '../../../src/gpu/device/request-adapter.js';
import type { FixedKeySpec, KeySort } from '../../../src/gpu/keys/key-sort.js';
import { keyWords } from '../../../src/gpu/keys/key-sort.js';
import { localitySort } from '../../../src/gpu/keys/locality-sort/locality-sort.js';
import { mergeSort } from '../../../src/gpu/keys/merge-sort/merge-sort.js';
import { quicksort } from '../../../src/gpu/keys/quicksort/quicksort.js';
import { RADIX_TUNING, radixSort } from '../../../src/gpu/keys/radix-sort/radix-sort.js';
import { describeGpu } from '../../setup/gpu.js';
import { limitedAdapter } from '../device/default-device.js';
import { makeKeys } from '../distributions.js';
import { readWords, upload, useGpu } from '../helpers.js';
import { checkKeySort, nameOf } from './key-sorts.js';

const SORTS: readonly (readonly [string, KeySort])[] = [
  ['radix sort', radixSort()],
  ['radix sort, one sweep', radixSort({ ...RADIX_TUNING, sweep: 'one' })],
  ['merge sort', mergeSort()],
  ['merge sort, windows', mergeSort({ merge: { kernel: 'merge-windows', search: 'parts' } })],
  ['locality sort', localitySort()],
  ['quicksort', quicksort()],
];
const SPECS: readonly FixedKeySpec[] = [
  { type: 'u32', values: true },
  { type: 'prefix', values: false },
];

describeGpu('a device without immediates', () => {
  const gpu = useGpu(async () => limitedAdapter(await requestAdapter(), { least: 4, most: 128 }, false).adapter);

  it('has a uniform buffer for them', () => {
    expect(gpu().uniforms).not.toBeNull();
  });

  describe.each(SORTS)('%s', (_, sort) => {
    it.each(SPECS.map((spec) => [nameOf(spec), spec] as const))('%s', async (__, spec) => {
      for (const n of [2, 6001]) await checkKeySort(gpu(), sort, spec, makeKeys('uniform', n, keyWords(spec), n));
    });
  });

  it('gives each of many dispatches of a submission its own words', async () => {
    const copy = 'engine/copy-bytes';
    await gpu().pipelines.load(copy);
    const count = 1000;
    const text = upload(
      gpu(),
      Uint32Array.from({ length: count }, (_, i) => i),
    );
    const target = upload(gpu(), new Uint32Array(count));
    // Twice, as the second submission uses the same slots.
    for (const half of [0, 1]) {
      submitPass(gpu(), 'combine', 'test', (pass) => {
        for (let i = half; i < count; i += 2) {
          const words = { source: 4 * i, target_byte: 4 * (count - 1 - i), bytes: 4 };
          dispatch(gpu(), pass, copy, {}, { text, target_text: target }, words, 1);
        }
      });
    }
    expect([...(await readWords(gpu(), target))]).toEqual(Array.from({ length: count }, (_, i) => count - 1 - i));
    text.destroy();
    target.destroy();
  });
});
