/**
 * All sorts of fixed keys, by the engine and by gpusort/kernels, on devices that can do less: with only the guaranteed
 * limits and without subgroups, or without immediates, for which a uniform buffer stands in
 * (src/engines/gpu/device/uniform-immediates.ts).
 */
import { expect, it } from 'vitest';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { Kernel, submitPass } from '../../../../src/engines/gpu/device/dispatch.js';
import { loadScan, scanExclusive, scanSumsBytes } from '../../../../src/engines/gpu/records/scan.js';
import { withoutImmediates } from '../../../browser/api/devices.js';
import { describeGpu } from '../../../setup/gpu.js';
import { nameOf, specOf, wordsOf } from '../../../support/fixed-keys.js';
import { sampled } from '../../../support/tier.js';
import { defaultAdapter, limitedAdapter } from '../device/default-device.js';
import { makeKeys } from '../distributions.js';
import { readWords, upload, useGpu } from '../helpers.js';
import { checkParts } from './conformance.js';
import { byKernels, SHAPES, SORTS, type SortRow } from './sorts.js';

const DEVICES = {
  'the default limits': async () => (await defaultAdapter()).adapter,
  'no immediates': async () => {
    const { adapter } = limitedAdapter(await requestAdapter(), { least: 4, most: 128 }, false);
    const request = adapter.requestDevice.bind(adapter);
    // gpusort/kernels asks the device.
    adapter.requestDevice = async () => withoutImmediates(await request());
    return adapter;
  },
};
type DeviceName = keyof typeof DEVICES;

const SPECS = [specOf('u32', false), specOf('u32', true), specOf('f64', false, true), specOf('u128', true)];
const cases = (Object.keys(DEVICES) as DeviceName[]).flatMap((device) =>
  Object.values<SortRow>(SORTS).flatMap((row) => SPECS.map((spec) => ({ device, row, spec }))),
);
// Each sort on each device with one or two kinds of keys; in the quick tier one on each device.
const drawn = sampled(cases, {
  count: 30,
  seed: 3,
  values: ({ device }) => [device],
  always: (_, i) => (i + (i >> 2)) % 4 === 0,
});

describeGpu.each(Object.keys(DEVICES) as DeviceName[])('a device with %s', (name) => {
  const gpu = useGpu(DEVICES[name]);

  const here = drawn.filter(({ device }) => device === name).map((one) => ({ ...one, keys: nameOf(one.spec) }));
  it.each(here)('sorts $keys: $row.name', async ({ row, spec }) => {
    const given = (n: number) => ({
      spec,
      parts: row.parts,
      keys: makeKeys('extremes', n, wordsOf(spec), n),
      bounds: SHAPES['up to three tiles'](n, 1000),
    });
    for (const n of [0, 1, 2, 6001]) await checkParts(gpu(), row.chosen, given(n));
    for (const n of [2, 5000]) await checkParts(gpu(), byKernels(row, 'in place'), given(n));
  });

  it('has a uniform buffer only if immediates are missing', () => {
    expect(gpu().uniforms !== null).toBe(name === 'no immediates');
  });

  it('gives each of many dispatches of a submission its own words', async () => {
    const copy = 'records/copy-bytes';
    await new Kernel(gpu(), copy).load();
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
          new Kernel(gpu(), copy).dispatch(pass, { text, target_text: target }, words, 1);
        }
      });
    }
    expect([...(await readWords(gpu(), target))]).toEqual(Array.from({ length: count }, (_, i) => count - 1 - i));
    text.destroy();
    target.destroy();
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
