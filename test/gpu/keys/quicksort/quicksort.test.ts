/**
 * Quicksort of fixed keys against a sort on the host: all sizes around small tiles, all types, both phases under
 * stress, the distributions of the paper, and inputs that defeat its pivots.
 */
import { expect, it } from 'vitest';
import { DevicePool, Scratch } from '../../../../src/gpu/device/pool.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { planQuicksort, type QuicksortTuning, quickTile } from '../../../../src/gpu/keys/quicksort/plan.js';
import { quicksort } from '../../../../src/gpu/keys/quicksort/quicksort.js';
import { describeGpu } from '../../../setup/gpu.js';
import { NIGHTLY, sampled } from '../../../support/tier.js';
import { DISTRIBUTION_NAMES, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkKeySort, destroyArrays, holds, KEY_TYPES, keyArrays, nameOf, specsOf } from '../key-sorts.js';

const TIMEOUT = NIGHTLY ? 3_600_000 : 120_000;
const TILE = 64;
const KEYS: FixedKeySpec = { type: 'u32', values: false };
const PAIRS: FixedKeySpec = { ...KEYS, values: true };

/** Tunings that shift the work between the phases. */
const DRIVERS: Readonly<Record<string, Partial<QuicksortTuning>>> = {
  production: {},
  'phase two, averages': { tile: TILE, sequences: 1, sections: 8, long: 1 << 20, deep: 2 },
  /** Few, long sequences: phase two does nearly all the work. */
  'phase two': { tile: TILE, sequences: 4, sections: 8, long: 1 << 20 },
  /**
   * Phase one goes on until no long sequence is left, in several batches of iterations, and lists settled ranges in
   * many pieces.
   */
  'phase one': { tile: TILE, sequences: 1024, sections: 16, long: TILE, launchKeys: 8 * TILE },
};

const useTestGpu = useGpu();

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

/** Defeats averages: all keys are powers of two, so that a pivot separates only one value. */
function powersOfTwo(n: number, words: number): Uint32Array {
  const keys = new Uint32Array(n * words);
  for (let i = 0; i < n; i++) {
    const bit = (i * 37) % (32 * words);
    keys[i * words + (bit >> 5)] = 2 ** (bit & 31);
  }
  return keys;
}

describeGpu('quicksort', () => {
  for (const spec of NIGHTLY ? specsOf(KEY_TYPES) : [KEYS, PAIRS]) {
    it(
      `sorts all sizes, ${nameOf(spec)}`,
      async () => {
        const sizes = Array.from({ length: 2 * TILE + 2 }, (_, n) => n);
        // By day the sizes near tiles, and some between.
        const near = (n: number): boolean => (n + 1) % TILE <= 2 || n === 2;
        for (const n of sampled(sizes, { count: 40, seed: 1, values: (n) => [n % 6], always: near })) {
          const words = keyWords(spec);
          const keys = makeKeys(n % 3 === 0 ? 'sixteen' : 'uniform', n, words, n);
          await checkKeySort(useTestGpu(), quicksort(DRIVERS[n % 2 === 0 ? 'phase one' : 'phase two']), spec, keys);
        }
      },
      TIMEOUT,
    );
  }

  // Each type at least once; both directions, with and without values.
  for (const spec of specsOf(KEY_TYPES).filter((_, i) => NIGHTLY || i % 2 === (i >> 1) % 2)) {
    it(
      `sorts ${nameOf(spec)}`,
      async () => {
        const words = keyWords(spec);
        for (const tuning of [DRIVERS['phase one'], DRIVERS['phase two']]) {
          for (const [n, distribution, seed] of [
            [3000, 'uniform', 1],
            [2999, 'twoValues', 2],
            [3001, 'gaussian', 4],
          ] as const) {
            await checkKeySort(useTestGpu(), quicksort(tuning), spec, makeKeys(distribution, n, words, seed));
          }
        }
      },
      TIMEOUT,
    );
  }

  for (const [name, tuning] of Object.entries(DRIVERS)) {
    it(
      `sorts all distributions, ${name}`,
      async () => {
        const specs = NIGHTLY ? specsOf(KEY_TYPES) : [KEYS, PAIRS];
        // By day, keys and pairs take turns.
        for (const [i, spec] of specs.entries()) {
          const words = keyWords(spec);
          for (const distribution of DISTRIBUTION_NAMES.filter((_, j) => NIGHTLY || (i + j + name.length) % 2 === 0)) {
            const n = name === 'production' ? 2 ** (NIGHTLY ? 17 : 13) + 1 : 5000;
            await checkKeySort(useTestGpu(), quicksort(tuning), spec, makeKeys(distribution, n, words, 2));
          }
        }
      },
      TIMEOUT,
    );

    it(
      `sorts inputs made against its pivots, ${name}`,
      async () => {
        for (const spec of [KEYS, PAIRS]) {
          await checkKeySort(useTestGpu(), quicksort(tuning), spec, medianKiller(4096));
          await checkKeySort(useTestGpu(), quicksort(tuning), spec, powersOfTwo(8192, 1));
          await checkKeySort(useTestGpu(), quicksort(tuning), spec, dense(8192));
        }
        await checkKeySort(useTestGpu(), quicksort(tuning), { ...KEYS, type: 'u128' }, powersOfTwo(8192, 4));
      },
      TIMEOUT,
    );
  }

  it(
    'reads equal keys once and moves none',
    async () => {
      const gpu = useTestGpu();
      const n = 3 * TILE + 1;
      for (const spec of [KEYS, PAIRS]) {
        const pool = new DevicePool(gpu);
        const keys = makeKeys('zero', n, 1, 2);
        const [from, spare] = [keyArrays(gpu, spec, n, keys), keyArrays(gpu, spec, n, null)];
        const sort = quicksort(DRIVERS['phase one']);
        await sort.load(gpu, spec);
        expect(await sort.sort(gpu, new Scratch(pool), spec, from, spare, n)).toBe(from);
        await holds(
          gpu,
          from,
          keys,
          Uint32Array.from({ length: n }, (_, i) => i),
        );
        await holds(gpu, spare, new Uint32Array(0), new Uint32Array(0));
        destroyArrays(from, spare);
      }
    },
    TIMEOUT,
  );

  it(
    'sorts sizes near its tile and powers of two',
    async () => {
      const gpu = useTestGpu();
      for (const spec of NIGHTLY
        ? specsOf(['u32', 'u64', 'u128'])
        : [KEYS, PAIRS, { ...PAIRS, type: 'u64' } as const]) {
        const words = keyWords(spec);
        const { tile } = quickTile(gpu, spec, {});
        const powers = NIGHTLY
          ? [2 ** 16 - 1, 2 ** 17, 2 ** 17 + 1, 2 ** 20]
          : spec.type === 'u32'
            ? [spec.values ? 2 ** 14 - 1 : 2 ** 17 + 1]
            : [];
        const sizes = [tile - 1, tile, tile + 1, 2 * tile + 1, ...powers];
        for (const n of sizes) await checkKeySort(gpu, quicksort(), spec, makeKeys('uniform', n, words, n));
      }
    },
    TIMEOUT,
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
