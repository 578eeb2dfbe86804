/**
 * Segmented sort against the host's sort of each segment: types, sizes, segments of all shapes, given as flags and as
 * indices; and the statistics of its merges.
 */
import { expect, it } from 'vitest';
import { type Gpu, openGpu } from '../../../../src/gpu/device/device.js';
import { type FixedKeySpec, keyWords } from '../../../../src/gpu/keys/key-sort.js';
import { segmentedSort } from '../../../../src/gpu/keys/segmented-sort/segmented-sort.js';
import { tileOf } from '../../../../src/gpu/keys/segmented-sort/tile-merges.js';
import { describeGpu } from '../../../setup/gpu.js';
import { NIGHTLY } from '../../../support/tier.js';
import { defaultAdapter } from '../../device/default-device.js';
import { DISTRIBUTION_NAMES, makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { KEY_TYPES, nameOf, specsOf } from '../key-sorts.js';
import { begins, checkSegmentedSort, SEGMENTS } from './segments.js';

const TILE = 64;
const SMALL = segmentedSort({ tile: TILE });
const PAIRS: FixedKeySpec = { type: 'u32', values: true };
const shapes = Object.keys(SEGMENTS);

/** Each key width and order of words, with and without values; not in all combinations. */
const SPREAD: readonly FixedKeySpec[] = [
  PAIRS,
  { type: 'u32', values: false },
  { type: 'u64', values: true },
  { type: 'u64', values: false },
  { type: 'prefix', values: true },
  { type: 'u128', values: true },
];

const useTestGpu = useGpu();

describeGpu('segmented sort', () => {
  it('sorts every size up to one more than two tiles', async () => {
    for (let n = 0; n <= 2 * TILE + 1; n++) {
      const keys = makeKeys(n % 3 === 0 ? 'sixteen' : 'uniform', n, 1, n);
      await checkSegmentedSort(
        useTestGpu(),
        SMALL,
        PAIRS,
        keys,
        SEGMENTS[shapes[n % shapes.length]](n, TILE),
        n % 2 === 0 ? 'flags' : 'indices',
      );
    }
  });

  for (const shape of shapes) {
    it(`sorts segments ${shape}, from flags and from indices`, async () => {
      for (const n of [700, 64 * 37, 4097]) {
        const heads = SEGMENTS[shape](n, TILE);
        for (const distribution of ['sixteen', 'reversed'] as const) {
          const keys = makeKeys(distribution, n, 1, n);
          const statistics = await checkSegmentedSort(useTestGpu(), SMALL, PAIRS, keys, heads, 'flags');
          expect(await checkSegmentedSort(useTestGpu(), SMALL, PAIRS, keys, heads, 'indices')).toEqual(statistics);
        }
      }
    });
  }

  for (const spec of NIGHTLY ? specsOf(KEY_TYPES) : SPREAD) {
    it(`sorts ${nameOf(spec)}`, async () => {
      const words = keyWords(spec);
      const distributions = NIGHTLY ? DISTRIBUTION_NAMES : DISTRIBUTION_NAMES.slice(words, words + 4);
      for (const [d, distribution] of distributions.entries()) {
        for (const shape of NIGHTLY ? shapes : ['up to three tiles', 'long and tiny']) {
          const n = 1000 + 97 * d;
          await checkSegmentedSort(
            useTestGpu(),
            SMALL,
            spec,
            makeKeys(distribution, n, words, d),
            SEGMENTS[shape](n, TILE),
            'flags',
          );
        }
      }
    });
  }

  it('sorts at the edges of the tile that it chooses', async () => {
    const tile = tileOf(useTestGpu(), PAIRS, {});
    for (const n of [tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile - 3]) {
      for (const shape of ['one of all', 'up to three tiles', 'tiny']) {
        await checkSegmentedSort(
          useTestGpu(),
          segmentedSort(),
          PAIRS,
          makeKeys('zipf', n, 1, n),
          SEGMENTS[shape](n, tile),
          'flags',
        );
      }
    }
  });

  it('stays within the limits that every device has', async () => {
    const gpu = await openGpu((await defaultAdapter()).adapter);
    const n = 3 * tileOf(gpu, PAIRS, {}) + 100;
    await checkSegmentedSort(
      gpu,
      segmentedSort(),
      PAIRS,
      makeKeys('uniform', n, 1, 0),
      SEGMENTS['up to three tiles'](n, 500),
      'indices',
    );
    await gpu.noteErrors();
    expect(gpu.lostReason()).toBeUndefined();
    gpu.close();
  });

  it('sorts large arrays', async () => {
    for (const n of NIGHTLY ? [2 ** 15 - 1, 2 ** 16 + 1, 2 ** 17 - 1, 2 ** 17, 2 ** 17 + 1] : [2 ** 17 + 1]) {
      for (const mean of [8, 1000]) {
        await checkSegmentedSort(
          useTestGpu(),
          SMALL,
          PAIRS,
          makeKeys('uniform', n, 1, n),
          begins(n, (i) => (i * 7919) % (2 * mean)),
          'indices',
        );
      }
    }
  });

  it('takes indices in any order, repeated, beyond the end, and none', async () => {
    const keys = makeKeys('uniform', 300, 1, 1);
    const [gpu, pool] = [useTestGpu(), [90, 17, 90, 299, 17, 0]];
    await checkSegmentedSort(gpu, SMALL, PAIRS, keys, pool, 'indices');
    await checkSegmentedSort(gpu, SMALL, PAIRS, keys, [], 'indices');
    await checkSegmentedSort(gpu, SMALL, PAIRS, keys, [], 'flags');
  });
});

describeGpu('what segmented sort reports of its merges', () => {
  const tiles = 8;
  const n = tiles * TILE;
  const none = { merged: 0, inPlace: 0 };
  const reversed = makeKeys('reversed', n, 1, 0);
  const check = async (keys: Uint32Array, heads: number[]) =>
    checkSegmentedSort(useTestGpu(), SMALL, PAIRS, keys, heads, 'flags');

  it('nothing, if segments end at tiles', async () => {
    expect(await check(reversed, SEGMENTS.tiles!(n, TILE))).toEqual({ tiles, levels: [none, none, none], copied: 0 });
  });

  it('nothing, if all keys are in order', async () => {
    expect(await check(makeKeys('sorted', n, 1, 0), [0])).toEqual({ tiles, levels: [none, none, none], copied: 0 });
  });

  it('borders settled in place, where segments are short', async () => {
    // Each of the seven borders between tiles is inside a different segment.
    const heads = begins(n, (i) => (i === 0 ? 16 : 32));
    expect(await check(reversed, heads)).toEqual({ tiles, levels: [{ merged: 0, inPlace: 7 }, none, none], copied: 0 });
  });

  it('tiles merged, and those copied that were merged an odd number of times', async () => {
    // All tiles are merged three times.
    const all = { merged: 8, inPlace: 0 };
    expect(await check(reversed, [0])).toEqual({ tiles, levels: [all, all, all], copied: 8 });
    // The first segment is tiles 0 to 3, merged twice. The third spans parts of tiles 4 to 6, the last parts of tiles 6
    // and 7.
    expect(await check(reversed, [0, 4 * TILE, 4 * TILE + 10, 6 * TILE + 20])).toEqual({
      tiles,
      levels: [{ merged: 4 + 2 + 2, inPlace: 0 }, { merged: 4 + 3, inPlace: 0 }, none],
      copied: 1,
    });
  });
});

it('chooses tiles that fit into the available workgroup memory', () => {
  const tiles = (workgroupBytes: number): number[] =>
    [
      { type: 'u32', values: false },
      { type: 'u32', values: true },
      { type: 'u64', values: true },
      { type: 'u128', values: true },
    ].map((spec) => tileOf({ workgroupBytes } as Gpu, { ...spec } as FixedKeySpec, {}));
  expect(tiles(16384)).toEqual([2048, 1024, 1024, 512]);
  expect(tiles(49152)).toEqual([2048, 2048, 2048, 1024]);
});
