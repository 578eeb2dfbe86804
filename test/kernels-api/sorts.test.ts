/**
 * Each function of gpusort/kernels, on devices with and without immediates and subgroups, within the default limits:
 * types of keys, values, descending orders, counts around tiles, in place and into other buffers.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type KeyType,
  localitySort,
  mergePath,
  mergeSort,
  quicksort,
  radixSort,
  type SorterOptions,
  segmentedSort,
  sortArray,
} from '../../src/kernels-api.js';
import { sameWords } from '../gpu/helpers.js';
import { describeGpu } from '../setup/gpu.js';
import { randomBelow } from '../support/random.js';
import { NIGHTLY } from '../support/tier.js';
import { type DeviceKind, download, makeDevice, PLAIN, RICH, upload } from './devices.js';
import { KEY_TYPES, makeKeys, permuted, plainOrder, wordsOf } from './plain.js';

/** What a case does with its keys: bounds of parts, each of which a merge has in order and a sort puts in order. */
interface Case {
  readonly name: string;
  /** Makes keys in which parts are in order; null: no such keys are needed. */
  readonly partsFirst: boolean;
  /** Whether parts stay apart. */
  readonly segments: boolean;
  make(device: GPUDevice, options: SorterOptions): Promise<Compiled>;
}

interface Compiled {
  run(device: GPUDevice, buffers: Buffers, bounds: readonly number[]): Promise<void>;
  destroy(): void;
}

interface Buffers {
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer;
  readonly count: number;
  readonly output?: { readonly keys: GPUBuffer; readonly values?: GPUBuffer };
}

const radixInOneSweep: typeof radixSort = (device, options) =>
  radixSort(device, { ...options, tuning: { sweep: 'one' } });

const WHOLE = { partsFirst: false, segments: false };
const SORTS: readonly Case[] = [
  ...Object.entries({ radixSort, 'radixSort in one sweep': radixInOneSweep, mergeSort, quicksort, localitySort }).map(
    ([name, sorter]) => ({
      ...WHOLE,
      name,
      make: async (device: GPUDevice, options: SorterOptions): Promise<Compiled> => {
        const { sort, destroy } = await sorter(device, options);
        return { run: (_, buffers) => sort(buffers), destroy };
      },
    }),
  ),
  {
    name: 'segmentedSort by begins',
    partsFirst: false,
    segments: true,
    make: async (device, options) => {
      const { sort, destroy } = await segmentedSort(device, options);
      return { run: (_, buffers, bounds) => sort({ ...buffers, begins: Uint32Array.from(bounds) }), destroy };
    },
  },
  {
    name: 'segmentedSort by flags',
    partsFirst: false,
    segments: true,
    make: async (device, options) => {
      const { sort, destroy } = await segmentedSort(device, options);
      return {
        run: (on, buffers, bounds) => {
          const words = new Uint32Array(Math.ceil(buffers.count / 32));
          for (const bound of bounds) words[bound >> 5]! |= 1 << (bound & 31);
          return sort({ ...buffers, flags: upload(on, words) });
        },
        destroy,
      };
    },
  },
  {
    name: 'mergePath',
    partsFirst: true,
    segments: false,
    make: async (device, options) => {
      const { merge, destroy } = await mergePath(device, options);
      return {
        run: (_, { keys, values, output }, bounds) =>
          merge({ keys, bounds, ...(values && { values }), ...(output && { output }) }),
        destroy,
      };
    },
  },
];

const COUNTS = [0, 1, 2, 3, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049, 5000];
/** Of every type with and without values in both directions, in the daily run some that together have all. */
const ALL: readonly Required<SorterOptions>[] = KEY_TYPES.flatMap((key) =>
  [false, true].flatMap((values) => [false, true].map((descending) => ({ key, values, descending }))),
);
const DAILY: readonly Required<SorterOptions>[] = [
  { key: 'u32', values: false, descending: false },
  { key: 'f32', values: true, descending: true },
  { key: 'i64', values: false, descending: true },
  { key: 'f64', values: true, descending: false },
];
const nameOf = ({ key, values, descending }: Required<SorterOptions>): string =>
  `${key} ${values ? 'pairs' : 'keys'}${descending ? ', descending' : ''}`;

/** Bounds of parts of `count` keys: few and many, some empty. */
function boundsOf(count: number, seed: number): number[] {
  const next = randomBelow(seed);
  const parts = next(3) === 0 ? 2 : 1 + next(12);
  const inner = Array.from({ length: parts - 1 }, () => next(count + 1)).sort((a, b) => a - b);
  return [0, ...inner, count];
}

/** The stable order of all parts, each by itself. */
function partsOrder(key: KeyType, keys: Uint32Array, descending: boolean, bounds: readonly number[]): number[] {
  return bounds.slice(1).flatMap((end, i) => plainOrder(key, keys, descending, bounds[i]!, end));
}

const GUARDS = 16;

async function check(
  device: GPUDevice,
  { partsFirst, segments }: Case,
  sorter: Compiled,
  { key, values, descending }: Required<SorterOptions>,
  count: number,
  elsewhere: boolean,
): Promise<void> {
  const words = wordsOf(key);
  const bounds = boundsOf(count, count + 1);
  let keys = makeKeys(key, count, count);
  if (partsFirst) keys = permuted(key, keys, partsOrder(key, keys, descending, bounds));
  const order = segments ? partsOrder(key, keys, descending, bounds) : plainOrder(key, keys, descending, 0, count);
  const numbers = Uint32Array.from({ length: count }, (_, i) => i);
  const make = (content: Uint32Array, length: number): GPUBuffer => upload(device, content, length);
  const none = new Uint32Array(0);
  const buffers = (given: boolean) => ({
    keys: make(given ? keys : none, words * count + GUARDS),
    ...(values && { values: make(given ? numbers : none, count + GUARDS) }),
  });
  const input = buffers(true);
  const output = elsewhere ? buffers(false) : null;
  await sorter.run(device, { ...input, count, ...(output && { output }) }, bounds);
  const result = output ?? input;
  const holds = async (buffer: GPUBuffer, content: Uint32Array, what: string): Promise<void> => {
    const got = await download(device, buffer);
    expect(sameWords(got.subarray(0, content.length), content), `${what} of ${count}`).toBe(true);
    expect(got.subarray(content.length).every((word) => word === 0xa5a5a5a5)).toBe(true);
  };
  await holds(result.keys, permuted(key, keys, order), 'keys');
  if (result.values) await holds(result.values, Uint32Array.from(order), 'values');
  if (output) {
    await holds(input.keys, keys, 'input keys');
    if (input.values) await holds(input.values, numbers, 'input values');
  }
  for (const buffer of [...Object.values(input), ...Object.values(output ?? {})]) buffer.destroy();
}

/** A device for the tests of a group, and the first error that no scope of theirs took. */
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
  describe.each([PLAIN, RICH])('$name', (kind) => {
    const device = useDevice(kind);
    const specs = NIGHTLY ? ALL : kind === PLAIN ? DAILY : DAILY.slice(0, 2);
    describe.each(SORTS)('$name', (sort) => {
      it.each(specs.map((spec) => [nameOf(spec), spec] as const))('%s', async (_, spec) => {
        const sorter = await sort.make(device(), spec);
        for (const [i, count] of COUNTS.entries())
          await check(device(), sort, sorter, spec, count, i % 2 === 1 && count !== 1023);
        for (const elsewhere of [false, true]) await check(device(), sort, sorter, spec, 300, elsewhere);
        sorter.destroy();
      });
      it('sorts 100,000 keys', async () => {
        const sorter = await sort.make(device(), specs[0]!);
        await check(device(), sort, sorter, specs[0]!, 100_000, false);
        sorter.destroy();
      });
    });

    it('radixSort of a part skips digits that do not differ', async () => {
      const { sort, destroy } = await radixSort(device(), { key: 'u32', tuning: { skipFrom: 2 } });
      const keys = Uint32Array.from({ length: 5000 }, (_, i) => ((i * 7919) % 256) << 8);
      const buffer = upload(device(), keys);
      await sort({ keys: buffer, count: 4000 });
      const expected = [...keys.subarray(0, 4000).sort(), ...keys.subarray(4000)];
      expect(sameWords(await download(device(), buffer), expected)).toBe(true);
      destroy();
    });

    it('sortArray sorts arrays of numbers, and values with them', async () => {
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
