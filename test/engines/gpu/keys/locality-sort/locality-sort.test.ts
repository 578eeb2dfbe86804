/**
 * Locality sort: keys near their sorted positions, in order, reversed and random. Its statistics must show no unneeded
 * merges.
 */
import { expect, it } from 'vitest';
import { readWords } from '../../../../../src/engines/gpu/device/dispatch.js';
import { DevicePool, Scratch } from '../../../../../src/engines/gpu/device/pool.js';
import type { FixedKeySpec, KeySort } from '../../../../../src/engines/gpu/keys/key-sort.js';
import { localitySort } from '../../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import { tileOf } from '../../../../../src/engines/gpu/keys/segmented-sort/tile-merges.js';
import type { MergeStatistics } from '../../../../../src/report/merges.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { random } from '../../../../support/random.js';
import { NIGHTLY, sampled } from '../../../../support/tier.js';
import { makeKeys } from '../../distributions.js';
import { useGpu } from '../../helpers.js';
import { checkSort, conforms, destroyArrays, holds, keyArrays, U32_KEYS, U32_PAIRS } from '../conformance.js';
import { SORTS } from '../sorts.js';

const TILE = 64;
const SMALL = localitySort({ tile: TILE });

const gpu = useGpu();
const check = (keys: Uint32Array, sort: Pick<KeySort, 'load' | 'sort'> = SMALL): Promise<void> =>
  checkSort(gpu(), sort, U32_PAIRS, keys);

/** n distinct keys, each less than `places` places from its sorted position. */
function displaced(n: number, places: number, seed: number): Uint32Array {
  const next = random(seed);
  const order = Array.from({ length: n }, (_, i) => ({ i, at: i + next() * places })).sort((a, b) => a.at - b.at);
  return Uint32Array.from(order, ({ i }) => 3 * i);
}

/** Checks a sort and returns its statistics. */
async function checked(keys: Uint32Array): Promise<MergeStatistics> {
  let said: MergeStatistics | undefined;
  const asked = localitySort({ tile: TILE }, (statistics) => {
    said = statistics;
  });
  await check(keys, asked);
  return said!;
}

const sum = (statistics: MergeStatistics, what: 'merged' | 'inPlace'): number =>
  statistics.levels.reduce((all, level) => all + level[what], 0);

describeGpu('locality sort', () => {
  conforms(gpu, SORTS.locality, 6);

  it('sorts keys up to a few tiles from their places, with equal keys', async () => {
    const all = Array.from({ length: 25 }, (_, i) => (i < 19 ? 4 + 4 * i : 80 + 30 * (i - 18)));
    for (const places of sampled(all, { count: 25, seed: 1, values: (n) => [Math.ceil(n / TILE)] })) {
      await check(displaced(33 * TILE + places, places, places));
      await check(displaced(40 * TILE, places, places).map((key) => Math.floor(key / 24)));
    }
  });

  it('sorts at the edges of the tile that it chooses', async () => {
    const tile = tileOf(gpu(), U32_PAIRS, {});
    for (const n of sampled([tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile - 3], { count: 6, seed: 1 }))
      for (const keys of [makeKeys('uniform', n, 1, n), displaced(n, 1000, n)]) await check(keys, localitySort());
  });

  // More jobs than a dispatch has workgroups in one dimension.
  it.runIf(NIGHTLY)('folds large launches', async () => {
    const n = 66_000 * TILE;
    const keys = Uint32Array.from({ length: n }, (_, i) => i);
    const spec: FixedKeySpec = { ...U32_KEYS, descending: true };
    const [from, spare] = [keyArrays(gpu(), spec, n, keys), keyArrays(gpu(), spec, n, null)];
    await SMALL.load(gpu(), spec);
    const scratch = new Scratch(new DevicePool(gpu()));
    const asked = localitySort({ tile: TILE }, ({ tiles, levels }) => {
      expect(levels[0]).toEqual({ merged: tiles, inPlace: 0 });
    });
    const sorted = await asked.sort(scratch, spec, from, spare, n);
    await holds(gpu(), spec, sorted, n, keys.reverse(), new Uint32Array(0));
    destroyArrays(from, spare);
  });
});

describeGpu('statistics of locality sort', () => {
  const n = 64 * TILE - 5;
  const levels = 6;

  it('reports no merge if all keys are in order, with or without equal keys', async () => {
    for (const distribution of ['sorted', 'zero'] as const) {
      const said = await checked(makeKeys(distribution, n, 1, 0));
      expect(said).toEqual({
        tiles: 64,
        levels: Array.from({ length: levels }, () => ({ merged: 0, inPlace: 0 })),
        copied: 0,
      });
    }
  });

  it('reports merges of the first level alone if keys are so near their places that no tile moves as a whole', async () => {
    const said = await checked(displaced(n, 12, 1));
    expect(said.levels[0].inPlace).toBeGreaterThan(55);
    expect(said.levels[0].inPlace).toBe(sum(said, 'inPlace'));
    expect(sum(said, 'merged')).toBe(0);
  });

  it('reports borders settled in place if keys are within half a tile of their places', async () => {
    const said = await checked(displaced(n, 32, 1));
    expect(sum(said, 'merged')).toBe(0);
    // 64 tiles have 63 borders; hardly any is in order by chance.
    expect(sum(said, 'inPlace')).toBeGreaterThan(55);
    expect(sum(said, 'inPlace')).toBeLessThanOrEqual(63);
    expect(said.copied).toBe(0);
  });

  it('reports some tiles merged if keys are within many tiles of their places', async () => {
    const said = await checked(displaced(64 * 64 * TILE, 1000, 2));
    expect(sum(said, 'merged')).toBeGreaterThan(4096 * 4);
    // 1,000 places are 16 tiles. From the sixth level on, only tiles near borders are merged: at most 2 x 16 per
    // border.
    said.levels.slice(5).forEach(({ merged }, l) => {
      expect(merged).toBeLessThanOrEqual(34 * (4096 >> (l + 6)));
    });
  });

  it('reports all tiles merged at each level if keys are reversed or random', async () => {
    for (const distribution of ['reversed', 'uniform'] as const) {
      const said = await checked(makeKeys(distribution, 32 * TILE, 1, 0));
      expect(said.levels.map(({ merged }) => merged)).toEqual([32, 32, 32, 32, 32]);
      expect(said.copied).toBe(32);
    }
  });
});

describeGpu('locality sort in the levels that near keys need', () => {
  /** Checks a sort that is finished only if it reports that something is left. Returns whether it did. */
  async function left(keys: Uint32Array): Promise<boolean> {
    let found = false;
    const asking: KeySort = {
      load: SMALL.load,
      sort: async (scratch, spec, from, spare, count) => {
        const { gpu } = scratch;
        const near = await SMALL.sortNear(scratch, spec, from, spare, count);
        found = (await readWords(gpu, near.left)).some((word) => word !== 0);
        if (found) near.finish();
        near.end();
        return near.result;
      },
    };
    await check(keys, asking);
    return found;
  }

  it('says that nothing is left only if that is true', async () => {
    const said: boolean[] = [];
    const all = Array.from({ length: 21 }, (_, i) => 1 + 7 * i);
    for (const places of sampled(all, { count: 21, seed: 1, values: (n) => [n < 20, n > 100] }))
      for (const n of [3, 31, 32]) said.push(await left(displaced(n * TILE + (places % 5), places, places + n)));
    expect(said).toContain(true);
    expect(said).toContain(false);
  });
  it('leaves nothing for later levels if keys are near their places, sorted, or few', async () => {
    for (const keys of [
      displaced(50 * TILE, 8, 1),
      makeKeys('sorted', 5 * TILE, 1, 0),
      makeKeys('zero', 5 * TILE, 1, 0),
      makeKeys('uniform', TILE, 1, 0),
      makeKeys('uniform', 0, 1, 0),
    ]) {
      expect(await left(keys)).toBe(false);
    }
  });
  it('leaves random keys, and a single key far from its place, to later levels', async () => {
    const one = displaced(40 * TILE, 4, 2);
    one[37 * TILE] = 100;
    const swapped = Uint32Array.from({ length: 8 * TILE }, (_, i) => i ^ (4 * TILE));
    for (const keys of [makeKeys('uniform', 9 * TILE, 1, 0), makeKeys('reversed', 9 * TILE, 1, 0), one, swapped])
      expect(await left(keys)).toBe(true);
  });
});
