/**
 * All sorts and merges of fixed keys, the engine's and those of gpusort/kernels, behind one interface: each puts parts
 * of its keys in order. The requirements for any keys are in conformance.ts.
 */
import { expect } from 'vitest';
import * as kernels from '../../../../src/browser/index.js';
import type { Gpu } from '../../../../src/engines/gpu/device/device.js';
import type { Scratch } from '../../../../src/engines/gpu/device/pool.js';
import type { FixedKeySpec, FixedKeyType, KeyArrays, KeySort } from '../../../../src/engines/gpu/keys/key-sort.js';
import { localitySort } from '../../../../src/engines/gpu/keys/locality-sort/locality-sort.js';
import { runMerge } from '../../../../src/engines/gpu/keys/merge-path/merge.js';
import type { MergeKernel, MergePathTuning } from '../../../../src/engines/gpu/keys/merge-path/tuning.js';
import { mergeSort } from '../../../../src/engines/gpu/keys/merge-sort/merge-sort.js';
import { quicksort } from '../../../../src/engines/gpu/keys/quicksort/quicksort.js';
import {
  RADIX_TUNING,
  type RadixSortTuning,
  radixSort,
} from '../../../../src/engines/gpu/keys/radix-sort/radix-sort.js';
import { type SegmentedSort, segmentedSort } from '../../../../src/engines/gpu/keys/segmented-sort/segmented-sort.js';
import type { MergeStatistics } from '../../../../src/report/merges.js';
import { boundsBy, type Parts, wordsOf } from '../../../support/fixed-keys.js';
import { random } from '../../../support/random.js';
import { readWords, sameWords, upload } from '../helpers.js';

/** A sort of keys in parts: part i is keys [bounds[i], bounds[i + 1]). Otherwise as KeySort. */
export interface PartsSort {
  load(gpu: Gpu, spec: FixedKeySpec): Promise<unknown>;
  sort(
    scratch: Scratch,
    spec: FixedKeySpec,
    from: KeyArrays,
    spare: KeyArrays,
    count: number,
    bounds: readonly number[],
  ): Promise<KeyArrays>;
  /** Whether `from` keeps its contents if the result is in `spare`. */
  readonly keepsInput?: boolean;
}

/** The functions of gpusort/kernels. */
export const SORTERS = {
  radixSort: kernels.radixSort,
  mergeSort: kernels.mergeSort,
  quicksort: kernels.quicksort,
  localitySort: kernels.localitySort,
  segmentedSort: kernels.segmentedSort,
  mergePath: kernels.mergePath,
};

/** One of them, and its tuning. */
interface Sorter {
  readonly name: keyof typeof SORTERS;
  readonly tuning?: object;
}

/** A row of the table. */
export interface SortRow {
  readonly name: string;
  readonly parts: Parts;
  /** The sort with tiles so small that few keys exercise all its steps, and the keys in such a tile. */
  readonly small: PartsSort;
  readonly tile: number;
  /** The sort with the tiles that it chooses for a device. */
  readonly chosen: PartsSort;
  readonly sorter: Sorter;
  /** The form in which segments are passed to gpusort/kernels. */
  readonly segmentsAs?: 'flags' | 'begins';
}

/** A sort of all keys. */
export function whole(sort: Pick<KeySort, 'load' | 'sort'>): PartsSort {
  return {
    load: sort.load,
    sort: (scratch, spec, from, spare, count) => sort.sort(scratch, spec, from, spare, count),
  };
}

export function mergesBy(tuning: Partial<MergePathTuning>): PartsSort {
  const { load, merge } = runMerge(tuning);
  return { load, sort: (scratch, spec, from, spare, _, bounds) => merge(scratch, spec, from, spare, bounds) };
}

/**
 * One bit per key, set where a part begins, but for the first key, which always begins one. Bits from n on are all set;
 * sorts must ignore them.
 */
function flagsOf(bounds: readonly number[]): Uint32Array {
  const n = bounds[bounds.length - 1];
  const flags = new Uint32Array(Math.max(4, Math.ceil(n / 32)));
  for (let i = n; i < flags.length * 32; i++) flags[i >> 5] |= 1 << (i & 31);
  for (const bound of bounds.slice(1, -1)) flags[bound >> 5] |= 1 << (bound & 31);
  return flags;
}

/** A sort of segments, which must not change the buffer of their beginnings. */
export function segmentsBy(
  as: 'flags' | 'begins',
  sort: SegmentedSort,
  report?: (statistics: MergeStatistics) => void,
): PartsSort {
  return {
    load: sort.load,
    sort: async (scratch, spec, from, spare, count, bounds) => {
      const { gpu } = scratch;
      const words = as === 'flags' ? flagsOf(bounds) : Uint32Array.from(bounds.slice(0, -1));
      const given = upload(gpu, words, words.byteLength + 64);
      const segments = as === 'flags' ? { flags: given } : { begins: given, segments: words.length };
      try {
        const sorted = await sort.sort(scratch, spec, from, spare, { count, segments, statistics: report });
        expect(sameWords((await readWords(gpu, given)).subarray(0, words.length), words), 'segments').toBe(true);
        return sorted;
      } finally {
        given.destroy();
      }
    },
  };
}

/** The arguments of a sorter of gpusort/kernels, for each of its functions. */
interface AnySorter {
  readonly sort?: (request: object) => Promise<void>;
  readonly merge?: (request: object) => Promise<void>;
}
type MakeSorter = (device: GPUDevice, options: object) => Promise<AnySorter>;

/** The sorter of a row on a device, in place or into other buffers. It serves all sorts by one spec there. */
export function byKernels({ sorter, parts, segmentsAs }: SortRow, where: 'in place' | 'elsewhere'): PartsSort {
  const made = new WeakMap<GPUDevice, Map<string, Promise<AnySorter>>>();
  const sorterFor = ({ device }: Gpu, { type, values, descending }: FixedKeySpec): Promise<AnySorter> => {
    const options = { key: type, values, descending, ...(sorter.tuning && { tuning: sorter.tuning }) };
    const ofDevice = made.get(device) ?? new Map<string, Promise<AnySorter>>();
    made.set(device, ofDevice);
    const id = JSON.stringify(options);
    const found = ofDevice.get(id) ?? (SORTERS[sorter.name] as MakeSorter)(device, options);
    ofDevice.set(id, found);
    return found;
  };
  return {
    load: sorterFor,
    sort: async ({ gpu }, spec, from, spare, count, bounds) => {
      const { keys, values } = from;
      const flags = segmentsAs === 'flags' ? upload(gpu, flagsOf(bounds)) : undefined;
      const request = {
        keys,
        ...(values && { values }),
        ...(where === 'elsewhere' && { output: spec.values ? spare : { keys: spare.keys } }),
        ...(parts === 'merged' ? { bounds } : { count }),
        ...(segmentsAs === 'begins' && { begins: Uint32Array.from(bounds.slice(0, -1)) }),
        ...(flags && { flags }),
      };
      const { sort, merge } = await sorterFor(gpu, spec);
      await (sort ?? merge)!(request);
      flags?.destroy();
      return where === 'elsewhere' ? spare : from;
    },
    keepsInput: true,
  };
}

/** The merge kernels that can merge these keys. */
export function kernelsOf(spec: FixedKeySpec): readonly MergeKernel[] {
  const all: readonly MergeKernel[] = [
    'merge-four',
    'merge',
    'merge-registers',
    'merge-narrow',
    'merge-windows',
    'moving-windows',
  ];
  return all.filter(
    (kernel) => (kernel !== 'merge-narrow' || wordsOf(spec) > 1) && (kernel !== 'merge-registers' || !spec.values),
  );
}

/** Whether gpusort/kernels has this type. */
export const isPublic = (type: FixedKeyType): boolean => type !== 'prefix';

/** Parts of n keys for tiles of `tile` keys: of one key, of all, exact tiles, around tiles, few and many. */
export const SHAPES: Readonly<Record<string, (n: number, tile: number) => number[]>> = {
  'of one': (n) => boundsBy(n, () => 1),
  'one of all': (n) => boundsBy(n, () => n),
  tiles: (n, tile) => boundsBy(n, () => tile),
  'ending one before tiles': (n, tile) => boundsBy(n, (i) => (i === 0 ? tile - 1 : tile)),
  'ending one after tiles': (n, tile) => boundsBy(n, (i) => (i === 0 ? tile + 1 : tile)),
  'up to three tiles': (n, tile) => {
    const next = random(n + 1);
    return boundsBy(n, () => 1 + next() * 3 * tile);
  },
  tiny: (n) => {
    const next = random(n + 2);
    return boundsBy(n, () => 1 + next() * 6);
  },
  'long and tiny': (n, tile) => {
    const next = random(n + 3);
    return boundsBy(n, (i) => next() * (i % 20 === 0 ? 9 * tile : 9));
  },
  'two halves': (n) => boundsBy(n, () => Math.ceil(n / 2)),
};

const ONE_SWEEP: RadixSortTuning = { ...RADIX_TUNING, sweep: 'one' };
const TWO_SWEEPS: RadixSortTuning = { ...RADIX_TUNING, sweep: 'two' };
/** Tiles of 56 keys, which no block or segment is a multiple of. */
export const SMALL_MERGE = { threads: 8, perThread: 8, kernel: 'merge-four' } as const;
/** The same for kernels that merge two runs. */
export const SMALL_PAIRS = { threads: 8, perThread: 7 } as const;
/** Tiles of 56 keys, for any kernel. */
export const smallMerge = (kernel: MergeKernel): Partial<MergePathTuning> =>
  kernel === 'merge-four' ? SMALL_MERGE : { ...SMALL_PAIRS, kernel };
/** Blocks of 64 keys. */
export const SMALL_BLOCK = { threads: 8, perThread: 8 } as const;

const segmented = (as: 'flags' | 'begins'): SortRow => ({
  name: `segmented sort by ${as}`,
  parts: 'sorted',
  small: segmentsBy(as, segmentedSort({ tile: 64 })),
  tile: 64,
  chosen: segmentsBy(as, segmentedSort()),
  sorter: { name: 'segmentedSort' },
  segmentsAs: as,
});

const radix = (name: string, tuning: RadixSortTuning): SortRow => {
  const { sweep, subgroups } = tuning;
  return {
    name,
    parts: 'ignored',
    // So few blocks that some have several tiles.
    small: whole(radixSort({ ...tuning, items: subgroups ? 4 : 1, blocks: 3 })),
    tile: 256,
    chosen: whole(radixSort(tuning)),
    sorter: { name: 'radixSort', tuning: { sweep, subgroups } },
  };
};

export const SORTS = {
  radix: radix('radix sort', TWO_SWEEPS),
  portableRadix: radix('radix sort without subgroups', { ...TWO_SWEEPS, subgroups: false }),
  oneSweep: radix('radix sort in one sweep', ONE_SWEEP),
  portableOneSweep: radix('radix sort in one sweep, without subgroups', { ...ONE_SWEEP, subgroups: false }),
  merge: {
    name: 'merge sort',
    parts: 'ignored',
    small: whole(mergeSort({ block: SMALL_BLOCK, merge: SMALL_MERGE })),
    tile: 64,
    chosen: whole(mergeSort()),
    sorter: { name: 'mergeSort' },
  },
  quick: {
    name: 'quicksort',
    parts: 'ignored',
    small: whole(quicksort({ tile: 64, sequences: 1024, sections: 16, long: 64, launchKeys: 512 })),
    tile: 64,
    chosen: whole(quicksort()),
    sorter: { name: 'quicksort' },
  },
  locality: {
    name: 'locality sort',
    parts: 'ignored',
    small: whole(localitySort({ tile: 64 })),
    tile: 64,
    chosen: whole(localitySort()),
    sorter: { name: 'localitySort' },
  },
  flags: segmented('flags'),
  begins: segmented('begins'),
  runs: {
    name: 'merges of runs',
    parts: 'merged',
    small: mergesBy(SMALL_MERGE),
    tile: 56,
    chosen: mergesBy({}),
    sorter: { name: 'mergePath' },
  },
  runsInParts: {
    name: 'merges of runs, searched in parts',
    parts: 'merged',
    small: mergesBy({ ...SMALL_PAIRS, search: 'parts' }),
    tile: 56,
    chosen: mergesBy({ search: 'parts' }),
    sorter: { name: 'mergePath', tuning: { search: 'parts' } },
  },
  runsInWindows: {
    name: 'merges of runs through moving windows',
    parts: 'merged',
    small: mergesBy({ ...SMALL_PAIRS, search: 'wide', kernel: 'merge-windows', windows: 3 }),
    tile: 56,
    chosen: mergesBy({ search: 'wide', kernel: 'merge-windows' }),
    sorter: { name: 'mergePath', tuning: { search: 'wide', windows: true } },
  },
} as const satisfies Record<string, SortRow>;
