/**
 * Quicksort of fixed keys: both phases under stress, inputs that defeat its pivots, equal keys, and the plan of its
 * parts.
 */
import { expect, it } from 'vitest';
import { DevicePool, Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../../src/engines/gpu/keys/key-sort.js';
import { planQuicksort, type QuicksortTuning, quickTile } from '../../../../../src/engines/gpu/keys/quicksort/plan.js';
import { quicksort } from '../../../../../src/engines/gpu/keys/quicksort/quicksort.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { nameOf, specOf, specsOf } from '../../../../support/fixed-keys.js';
import { NIGHTLY, sampled } from '../../../../support/tier.js';
import { DISTRIBUTION_NAMES, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, destroyArrays, holds, keyArrays, U32_KEYS, U32_PAIRS } from '../conformance.js';
import { SORTS } from '../sorts.js';

const TILE = 64;

/** Tunings that shift the work between the phases. */
const DRIVERS: Readonly<Record<string, Partial<QuicksortTuning>>> = {
  production: {},
  'phase two, averages': { tile: TILE, sequences: 1, sections: 8, long: 1 << 20, deep: 2 },
  /** Few, long sequences: phase two does nearly all the work. */
  'phase two': { tile: TILE, sequences: 4, sections: 8, long: 1 << 20 },
  /**
   * Phase one continues until no long sequence is left, in several batches of iterations, and lists settled ranges in
   * many pieces.
   */
  'phase one': { tile: TILE, sequences: 1024, sections: 16, long: TILE, launchKeys: 8 * TILE },
  /** Sequences of more sections than a workgroup has threads. */
  'many sections': { tile: TILE, sequences: 1024, sections: 64, long: TILE },
};

/**
 * Defeats medians of three: while the order of keys is kept, every pivot of phase two is the second smallest key of its
 * sequence (Musser 1997).
 */
function medianKiller(n: number): Uint32Array {
  const half = Math.floor(n / 2);
  const keys = new Uint32Array(n);
  for (let i = 0; i < half; i++) {
    keys[i] = i % 2 === 0 ? i + 1 : half + i + (half % 2);
    keys[half + i] = 2 * (i + 1);
  }
  return keys;
}

/**
 * For a power of two n, all numbers below n, mixed. Every pivot equals a key, so each partition adds a settled range.
 */
function dense(n: number): Uint32Array {
  return Uint32Array.from({ length: n }, (_, i) => (i * 2731) % n);
}

/** Defeats averages: all keys are powers of two, so a pivot separates only one value. */
function powersOfTwo(n: number, words: number): Uint32Array {
  const keys = new Uint32Array(n * words);
  for (let i = 0; i < n; i++) {
    const bit = (i * 37) % (32 * words);
    keys[i * words + (bit >> 5)] = 2 ** (bit & 31);
  }
  return keys;
}

/** Numbers from -1 to 1, spread evenly, in mixed order. */
const uniformFloats = (n: number): number[] => Array.from({ length: n }, (_, i) => (((i * 2731) % n) / n) * 2 - 1);

/** Infinities, NaN, both zeros, subnormal numbers, and powers of two that come ever closer to zero. */
function awkwardFloats(n: number): number[] {
  const few = [Infinity, -Infinity, NaN, 0, -0, 1e-40, -1e-40, 3e38, -3e38];
  return Array.from({ length: n }, (_, i) => (i % 4 === 0 ? few[(i / 4) % few.length] : (-1) ** i * 2 ** -(i % 149)));
}

function floatKeys(numbers: readonly number[], type: 'f32' | 'f64'): Uint32Array {
  return new Uint32Array((type === 'f32' ? Float32Array.from(numbers) : Float64Array.from(numbers)).buffer);
}

describeGpu('quicksort', () => {
  const gpu = useGpu();
  const check = (driver: string, spec: FixedKeySpec, keys: Uint32Array): Promise<void> =>
    checkSort(gpu(), quicksort(DRIVERS[driver]), spec, keys);

  conforms(gpu, SORTS.quick, 23);

  const phases = Object.keys(DRIVERS).flatMap((driver) =>
    [U32_KEYS, U32_PAIRS, ...(NIGHTLY ? specsOf(['u64', 'u128', 'prefix']) : [])].map((spec) => ({
      driver,
      spec,
      name: nameOf(spec),
    })),
  );
  it.each(sampled(phases, { count: 10, seed: 1, values: ({ spec }) => [spec.values] }))(
    'sorts all distributions of $name, $driver',
    async ({ driver, spec }) => {
      const n = driver === 'production' ? 2 ** (NIGHTLY ? 17 : 13) + 1 : 5000;
      for (const name of sampled(DISTRIBUTION_NAMES, { count: 7, seed: n + driver.length }))
        await check(driver, spec, makeKeys(name, n, keyWords(spec), 2));
    },
  );

  const hard = Object.keys(DRIVERS).flatMap((driver) =>
    [U32_KEYS, U32_PAIRS, specOf('u128', false)].map((spec) => [nameOf(spec), driver, spec] as const),
  );
  it.each(sampled(hard, { count: 15, seed: 2, values: ([, , { type, values }]) => (type === 'u32' ? [values] : []) }))(
    'sorts inputs of %s made against its pivots, %s',
    async (_, driver, spec) => {
      const words = keyWords(spec);
      await check(driver, spec, powersOfTwo(8192, words));
      if (words === 1) for (const keys of [medianKiller(4096), dense(8192)]) await check(driver, spec, keys);
    },
  );

  const floats = ['f32', 'f64'] as const;
  it.each(
    floats.flatMap((type) => [false, true].map((values) => [nameOf(specOf(type, values)), type, values] as const)),
  )('sorts %s of all sizes, and numbers that have no average', async (_, type, values) => {
    const spec = specOf(type, values);
    for (const numbers of [uniformFloats(5000), awkwardFloats(5000)])
      await check('phase one', spec, floatKeys(numbers, type));
  });

  it('reads equal keys once and moves none', async () => {
    const n = 3 * TILE + 1;
    for (const spec of [U32_KEYS, U32_PAIRS]) {
      const keys = makeKeys('zero', n, 1, 2);
      const [from, spare] = [keyArrays(gpu(), spec, n, keys), keyArrays(gpu(), spec, n, null)];
      const sort = quicksort(DRIVERS['phase one']);
      await sort.load(gpu(), spec);
      expect(await sort.sort(new Scratch(new DevicePool(gpu())), spec, from, spare, n)).toBe(from);
      await holds(gpu(), spec, from, n, keys, new Uint32Array(keys.keys()));
      await holds(gpu(), spec, spare, 0, new Uint32Array(0), new Uint32Array(0));
      destroyArrays(from, spare);
    }
  });

  const chosen = NIGHTLY ? specsOf(['u32', 'u64', 'u128']) : [U32_KEYS, U32_PAIRS, specOf('u64', true)];
  it.each(sampled(chosen, { count: 3, seed: 5 }).map((spec) => [nameOf(spec), spec] as const))(
    'sorts %s of sizes near its tile, and many',
    async (_, spec) => {
      const { tile } = quickTile(gpu(), spec, {});
      const powers = NIGHTLY ? [2 ** 16 - 1, 2 ** 17, 2 ** 17 + 1, 2 ** 20] : [spec.values ? 2 ** 14 - 1 : 2 ** 17 + 1];
      for (const n of [tile - 1, tile, tile + 1, 2 * tile + 1, ...powers])
        await check('production', spec, makeKeys('uniform', n, keyWords(spec), n));
    },
  );
});

it('chooses a tile that fits the workgroup', () => {
  const tiles = (workgroupBytes: number): number[] =>
    (['u32', 'u64', 'u128'] as const).flatMap((type) =>
      [false, true].map((values) => quickTile({ workgroupBytes }, { type, values }, {}).tile),
    );
  expect(tiles(16384)).toEqual([2048, 1024, 1024, 1024, 512, 512]);
  expect(tiles(49152)).toEqual([2048, 2048, 2048, 1024, 1024, 512]);
});

it('plans by size', () => {
  const plan = planQuicksort(
    { tile: 4096, threads: 256 },
    { sequences: 4096, sections: 2048, long: 2 ** 16, launchKeys: 2 ** 26 },
    2 ** 27,
  );
  expect(plan).toMatchObject({
    leastLength: 2 ** 15,
    long: 2 ** 17,
    sectionKeys: 2 ** 16,
    maxSequences: 4096,
    maxSections: 2048 + 4096,
    maxPieces: 3 * 5 * 4096 + 1025,
    launches: 31,
    launchPieces: 2048,
    expectedLaunches: 4,
    iterations: 15,
    mayBeLeft: true,
    iterationsPerSubmit: 4,
  });
  expect(planQuicksort({ tile: 4096, threads: 256 }, {}, 4096).maxPieces).toBe(1);
  const small = planQuicksort({ tile: 4096, threads: 256 }, {}, 5000);
  expect(small).toMatchObject({ leastLength: 4096, maxSequences: 1, iterations: 3, mayBeLeft: false });
});
