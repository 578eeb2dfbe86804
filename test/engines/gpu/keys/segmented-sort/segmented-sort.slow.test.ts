/** Segmented sort: segments of all shapes, given as flags and as indices, and the statistics of its merges. */
import { expect, it } from 'vitest';
import type { Gpu } from '../../../../../src/engines/gpu/device/device.js';
import { segmentedSort } from '../../../../../src/engines/gpu/keys/segmented-sort/segmented-sort.js';
import { tileOf } from '../../../../../src/engines/gpu/keys/segmented-sort/tile-merges.js';
import type { MergeStatistics } from '../../../../../src/report/merges.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { boundsBy, specOf, wordsOf } from '../../../../support/fixed-keys.js';
import { sampled } from '../../../../support/tier.js';
import { makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkParts, conforms, U32_PAIRS } from '../conformance.js';
import { type PartsSort, SHAPES, SORTS, segmentsBy } from '../sorts.js';

const TILE = 64;
const SMALL = segmentedSort({ tile: TILE });

const gpu = useGpu();

/** Sorts pairs in segments and returns the statistics of the merges. */
async function checked(as: 'flags' | 'begins', keys: Uint32Array, bounds: readonly number[]): Promise<MergeStatistics> {
  let statistics: MergeStatistics | undefined;
  const sort = segmentsBy(as, SMALL, (said) => {
    statistics = said;
  });
  await checkParts(gpu(), sort, { spec: U32_PAIRS, keys, parts: 'sorted', bounds });
  return statistics!;
}

describeGpu.each([SORTS.flags, SORTS.begins])('$name', (row) => {
  conforms(gpu, row, 17);
});

describeGpu('segmented sort', () => {
  it.each(Object.keys(SHAPES))('sorts the same from flags and from indices, with segments %s', async (shape) => {
    const sizes = [700, 64 * 37, 4097].flatMap((n) => (['sixteen', 'reversed'] as const).map((name) => ({ n, name })));
    for (const { n, name } of sampled(sizes, { count: 6, seed: shape.length })) {
      const [keys, bounds] = [makeKeys(name, n, 1, n), SHAPES[shape](n, TILE)];
      expect(await checked('begins', keys, bounds)).toEqual(await checked('flags', keys, bounds));
    }
  });

  it('sorts at the edges of the tile that it chooses', async () => {
    const tile = tileOf(gpu(), U32_PAIRS, {});
    for (const n of sampled([tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile - 3], { count: 6, seed: 1 }))
      for (const shape of ['one of all', 'up to three tiles', 'tiny']) {
        const given = { spec: U32_PAIRS, keys: makeKeys('zipf', n, 1, n), bounds: SHAPES[shape](n, tile) };
        await checkParts(gpu(), SORTS.flags.chosen, { ...given, parts: 'sorted' });
      }
  });

  it('sorts many keys in short and in long segments', async () => {
    const n = 2 ** 17 + 1;
    for (const mean of sampled([8, 1000], { count: 2, seed: 1 }))
      await checked(
        'begins',
        makeKeys('uniform', n, 1, n),
        boundsBy(n, (i) => (i * 7919) % (2 * mean)),
      );
  });

  it.each([
    ['in any order and repeated', [90, 17, 90, 299, 17, 0]],
    ['from the end on', [300, 330, 17, 0xffffffff]],
    ['none', []],
  ])('accepts indices: %s', async (_, begins) => {
    const bounds = [...new Set([0, ...begins.filter((begin) => begin < 300), 300])].sort((a, b) => a - b);
    const row = segmentsBy('begins', SMALL);
    const sort: PartsSort = {
      ...row,
      // The check expects segments by `bounds`; the sort is given `begins`.
      sort: (scratch, spec, from, spare, n) => row.sort(scratch, spec, from, spare, n, [...begins, n]),
    };
    await checkParts(gpu(), sort, { spec: U32_PAIRS, keys: makeKeys('uniform', 300, 1, 1), parts: 'sorted', bounds });
  });
});

describeGpu.each(['strided', 'counted'] as const)('%s jobs', (sharing) => {
  // Up to 67 merges and copies of tiles.
  it.each([1, 3, 64, 1000])('are all served by %i workgroups', async (servers) => {
    const sort = segmentsBy('flags', segmentedSort({ tile: TILE, sharing, servers }));
    const n = 67 * TILE - 5;
    for (const spec of [U32_PAIRS, specOf('u64', false)])
      for (const shape of ['one of all', 'long and tiny']) {
        const given = { spec, keys: makeKeys('uniform', n, wordsOf(spec), servers), bounds: SHAPES[shape](n, TILE) };
        await checkParts(gpu(), sort, { ...given, parts: 'sorted' });
      }
  });
});

describeGpu('statistics of segmented sort', () => {
  const tiles = 8;
  const n = tiles * TILE;
  const none = { merged: 0, inPlace: 0 };
  const reversed = makeKeys('reversed', n, 1, 0);
  const check = (keys: Uint32Array, bounds: number[]): Promise<MergeStatistics> => checked('flags', keys, bounds);

  it('reports no merge if segments end at tiles', async () => {
    expect(await check(reversed, SHAPES.tiles(n, TILE))).toEqual({ tiles, levels: [none, none, none], copied: 0 });
  });

  it('reports no merge if all keys are in order', async () => {
    expect(await check(makeKeys('sorted', n, 1, 0), [0, n])).toEqual({ tiles, levels: [none, none, none], copied: 0 });
  });

  it('reports borders settled in place if segments are short', async () => {
    // Each of the seven borders between tiles is inside a different segment.
    const bounds = boundsBy(n, (i) => (i === 0 ? 16 : 32));
    expect(await check(reversed, bounds)).toEqual({
      tiles,
      levels: [{ merged: 0, inPlace: 7 }, none, none],
      copied: 0,
    });
  });

  it('reports tiles merged, and those copied that were merged an odd number of times', async () => {
    // All tiles are merged three times.
    const all = { merged: 8, inPlace: 0 };
    expect(await check(reversed, [0, n])).toEqual({ tiles, levels: [all, all, all], copied: 8 });
    // The first segment is tiles 0 to 3, merged twice. The third spans parts of tiles 4 to 6, the last parts of tiles 6
    // and 7.
    expect(await check(reversed, [0, 4 * TILE, 4 * TILE + 10, 6 * TILE + 20, n])).toEqual({
      tiles,
      levels: [{ merged: 4 + 2 + 2, inPlace: 0 }, { merged: 4 + 3, inPlace: 0 }, none],
      copied: 1,
    });
  });
});

it('chooses tiles that fit into the available workgroup memory', () => {
  const specs = [specOf('u32', false), specOf('u32', true), specOf('u64', true), specOf('u128', true)];
  const tiles = (workgroupBytes: number): number[] => specs.map((spec) => tileOf({ workgroupBytes } as Gpu, spec, {}));
  expect(tiles(16384)).toEqual([2048, 1024, 1024, 512]);
  expect(tiles(49152)).toEqual([2048, 2048, 2048, 1024]);
});
