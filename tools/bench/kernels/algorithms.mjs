/**
 * The algorithms that are timed, and the cases of each: one entry each. An entry for a new sort of fixed keys:
 *
 *     {
 *       name: 'radix-sort', kind: 'keys', title: 'LSD radix sort',
 *       cases: KEYS,
 *       open: keySort('keys/radix-sort/radix-sort', 'radixSort'),
 *       bytes: (one, n, { launches }) => launches['keys/radix-sort/count'] * (keyBytes(one) + 2 * pairBytes(one)),
 *       binding: keyBytes,
 *     }
 *
 * For a sort of strings, see string-merge below. A sort with another contract needs its own Runner (runners.mjs). Its
 * color goes into ../plots/programs.mjs, its peers into cub.mjs and peers.mjs, its targets into targets.mjs.
 */
import { chosenStringCases, keyBytes, keyCases, mergeCases, pairBytes, segmentCases, stringCases } from './cases.mjs';
import { firstSymbols } from './remainder.mjs';
import { keySort, locality, refined, segmented, stringSort, twoRuns } from './runners.mjs';

/**
 * @typedef {object} Algorithm
 * @property {string} name
 * @property {'keys' | 'segmented' | 'merge' | 'strings'} kind
 * @property {string} title for the head of its table
 * @property {readonly import('./cases.mjs').Case[]} cases
 * @property {() => Promise<import('./runners.mjs').Runner>} open
 * @property {(one: import('./cases.mjs').Case, n: number, facts: Facts) => number} bytes the least number of bytes
 *   moved for each element, by the formula in docs/kernels.md
 * @property {(one: import('./cases.mjs').Case) => number} binding bytes for each element of the largest buffer that a
 *   kernel must see whole
 * @property {string} [beside] the algorithm that this one is a variant of: it is shown in a table of variants
 *   (variants.mjs, remainder.mjs) and in no plot
 * @property {number} [most] the largest power of two that it is timed on
 *
 * What one sort did: `launches` of each kernel by its name; `seen`, what the runner's `look` returned; bytes of the
 * text.
 * @typedef {{ launches: Readonly<Record<string, number>>, seen: any, textBytes: number }} Facts
 */

/** The number of levels that merge two lists each, from tiles to n elements. */
const mergePasses = (n, tile) => Math.max(0, Math.ceil(Math.log2(n / tile)));

/** The cases of every sort of fixed keys: types, then distributions. */
const KEYS = [
  ...keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform']),
  ...keyCases(
    ['u32 pairs'],
    [
      'zero',
      'bucket',
      'gaussian',
      'staggered',
      'sorted',
      'reversed',
      'sixteen',
      'zipf',
      'near16',
      'near256',
      'near4096',
      'appended',
    ],
  ),
];

/** Floats, which are compared by their codes. */
const FLOATS = keyCases(['f32 keys', 'f64 keys'], ['uniform']);

/** Bytes that comparisons read if merges settle ties (DEEP_TIE_BYTES in src/engines/gpu/thresholds.ts). */
const TIES_IN_MERGES = [256];
/** The same if refinement settles them, after the merges (SHALLOW_TIE_BYTES there). */
export const TIES_LATER = [0, 8, 16, 32, 64, 256];

/** The number of merge passes over all keys: each is planned by one search (src/engines/gpu/keys/merge-path). */
const searches = (launches) =>
  Object.entries(launches).reduce(
    (sum, [name, count]) => sum + (name.startsWith('keys/merge-path/search') ? count : 0),
    0,
  );

/**
 * Bytes for each element of sorts by tiles: all tiles are sorted once; statistics say how many are merged or copied.
 */
const tileBytes = (one, n, { seen: { tile, levels, copied } }) =>
  2 * pairBytes(one) * (1 + (tile * (copied + levels.reduce((sum, { merged }) => sum + merged, 0))) / n);

/**
 * Bytes for each element of radix sorts. Finding the differing bits, and counting (by each pass or once for all), reads
 * the keys. Each pass reads and writes everything.
 */
const radixBytes =
  (key, pair) =>
  ({ launches }) => {
    const times = (...kernels) => kernels.reduce((sum, name) => sum + (launches[`keys/radix-sort/${name}`] ?? 0), 0);
    return (
      key * times('differing-bits', 'count', 'histograms') + 2 * pair * times('scatter-subgroups', 'scatter-portable')
    );
  };

/** Merge sort with another network for eight keys, and with another search. */
const MERGE_SORTS = [
  ['stable-network', 'stable network', { stableNetwork: true }],
  ['wide', 'wide search of diagonals', { merge: { search: 'wide' } }],
];

/** Sorts by tiles whose workgroups take jobs from a counter, as the paper has it, and with fewer workgroups. */
const TILE_SORTS = [
  ['counted', 'jobs by a counter', { sharing: 'counted' }],
  ['counted-1024', 'jobs by a counter, 1,024 workgroups', { sharing: 'counted', servers: 1024 }],
  ['stable-network', 'stable network', { stableNetwork: true }],
];

/** @type {readonly Algorithm[]} */
export const ALGORITHMS = [
  {
    name: 'radix-sort',
    kind: 'keys',
    title: 'Radix sort',
    cases: [...KEYS, ...FLOATS],
    open: keySort('keys/radix-sort/radix-sort', 'radixSort'),
    bytes: (one, _n, facts) => radixBytes(keyBytes(one), pairBytes(one))(facts),
    binding: keyBytes,
  },
  {
    // The other variant of radix-sort, which takes one sweep on NVIDIA's GPUs.
    name: 'radix-two-sweeps',
    kind: 'keys',
    title: 'Radix sort in two sweeps a pass',
    cases: keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform']),
    open: keySort('keys/radix-sort/radix-sort', 'radixSort', ({ RADIX_TUNING }) => ({ ...RADIX_TUNING, sweep: 'two' })),
    bytes: (one, _n, facts) => radixBytes(keyBytes(one), pairBytes(one))(facts),
    binding: keyBytes,
  },
  {
    name: 'merge-sort',
    kind: 'keys',
    title: 'Merge sort of fixed keys',
    cases: [...KEYS, ...FLOATS],
    open: keySort('keys/merge-sort/merge-sort', 'mergeSort'),
    // The block sort and each merge read and write everything.
    bytes: (one, _n, { launches }) => 2 * pairBytes(one) * (1 + searches(launches)),
    binding: keyBytes,
  },
  {
    // The other variant of merge-sort, as the paper has it.
    name: 'merge-sort-windows',
    kind: 'keys',
    title: 'Merge sort of fixed keys, merges by moving windows',
    beside: 'merge-sort',
    cases: KEYS,
    open: keySort('keys/merge-sort/merge-sort', 'mergeSort', () => ({ merge: { kernel: 'moving-windows' } })),
    bytes: (one, _n, { launches }) => 2 * pairBytes(one) * (1 + searches(launches)),
    binding: keyBytes,
  },
  ...MERGE_SORTS.map(([name, way, tuning]) => ({
    name: `merge-sort-${name}`,
    kind: 'keys',
    title: `Merge sort of fixed keys, ${way}`,
    beside: 'merge-sort',
    // The network differs only for keys without values.
    cases: keyCases(['u32 keys', 'u64 keys', ...(tuning.stableNetwork ? [] : ['u32 pairs', 'u64 pairs'])], ['uniform']),
    open: keySort('keys/merge-sort/merge-sort', 'mergeSort', () => tuning),
    bytes: (one, _n, { launches }) => 2 * pairBytes(one) * (1 + searches(launches)),
    binding: keyBytes,
  })),
  {
    name: 'merge-path-windows',
    kind: 'merge',
    title: 'Merge of two runs by moving windows',
    beside: 'merge-path-binary',
    cases: mergeCases(['u32 keys', 'u32 pairs', 'u64 pairs']),
    open: twoRuns({ kernel: 'moving-windows', search: 'binary' }),
    bytes: (one) => 2 * pairBytes(one),
    binding: keyBytes,
  },
  ...[
    ['binary', 'binary search of diagonals'],
    ['wide', 'wide search of diagonals'],
    ['parts', 'search of diagonals in parts'],
  ].map(([search, way]) => ({
    name: `merge-path-${search}`,
    kind: 'merge',
    title: `Merge of two runs, ${way}`,
    cases: mergeCases(['u32 keys', 'u32 pairs', 'u64 pairs']),
    open: twoRuns({ search }),
    bytes: (one) => 2 * pairBytes(one),
    binding: keyBytes,
  })),
  {
    // The windows of Green, McColl and Bader; those of merge-path-windows are Davidson's.
    name: 'merge-path-eight-tiles',
    kind: 'merge',
    title: 'Merge of two runs, eight tiles a workgroup',
    beside: 'merge-path-wide',
    cases: mergeCases(['u32 keys', 'u32 pairs', 'u64 pairs']),
    open: twoRuns({ search: 'wide', kernel: 'merge-windows' }),
    bytes: (one) => 2 * pairBytes(one),
    binding: keyBytes,
  },
  {
    name: 'quicksort',
    kind: 'keys',
    title: 'Quicksort',
    cases: [...KEYS, ...FLOATS],
    open: keySort('keys/quicksort/quicksort', 'quicksort'),
    // One read of the keys, and phase two. How often phase one reads the remaining keys depends on the keys and is not
    // counted.
    bytes: (one) => keyBytes(one) + 2 * pairBytes(one),
    binding: keyBytes,
  },
  {
    name: 'segmented-sort',
    kind: 'segmented',
    title: 'Segmented sort',
    cases: segmentCases(['u32 keys', 'u32 pairs', 'u64 pairs'], [32, 1024, 32768]),
    open: segmented(),
    bytes: tileBytes,
    binding: keyBytes,
  },
  ...TILE_SORTS.map(([name, way, tuning]) => ({
    name: `segmented-sort-${name}`,
    kind: 'segmented',
    title: `Segmented sort, ${way}`,
    beside: 'segmented-sort',
    cases: segmentCases(['u32 keys', ...(tuning.stableNetwork ? [] : ['u32 pairs', 'u64 pairs'])], [32, 1024, 32768]),
    open: segmented(tuning),
    bytes: tileBytes,
    binding: keyBytes,
  })),
  {
    name: 'locality-sort',
    kind: 'keys',
    title: 'Locality sort',
    cases: KEYS,
    open: locality(),
    bytes: tileBytes,
    binding: keyBytes,
  },
  ...TILE_SORTS.map(([name, way, tuning]) => ({
    name: `locality-sort-${name}`,
    kind: 'keys',
    title: `Locality sort, ${way}`,
    beside: 'locality-sort',
    cases: tuning.stableNetwork
      ? keyCases(['u32 keys', 'u64 keys'], ['uniform'])
      : keyCases(['u32 pairs'], ['uniform', 'near256', 'near4096']),
    open: locality(tuning),
    bytes: tileBytes,
    binding: keyBytes,
  })),
  {
    name: 'string-merge',
    kind: 'strings',
    title: 'String merge sort',
    cases: chosenStringCases(),
    open: stringSort('strings/string-merge/order', ({ loadOrder, orderRecords }) => ({
      load: loadOrder,
      order: orderRecords,
    })),
    // Entries of 12 bytes are made from the place and the first 8 bytes of each string. Then the tiles and each merge;
    // then ties are marked and the order is written.
    bytes: (_one, n) => 24 + 24 * (1 + mergePasses(n, 1024)) + 28,
    binding: () => 8,
  },
  ...[
    ['ties-later', 'ties left to refinement', () => ({ tieBytes: TIES_LATER })],
    [
      'windows',
      'merges by moving windows, ties left to refinement',
      ({ WINDOWS }) => ({ windows: WINDOWS, tieBytes: TIES_LATER }),
    ],
    ['ties-in-merges', 'ties settled in merges', () => ({ tieBytes: TIES_IN_MERGES })],
    [
      'windows-ties',
      'merges by moving windows, ties settled in them',
      ({ WINDOWS }) => ({ windows: WINDOWS, tieBytes: TIES_IN_MERGES }),
    ],
    [
      'paper',
      'prefixes of 4 bytes, merges by moving windows, ties settled in them',
      ({ WINDOWS }) => ({ windows: WINDOWS, prefixBytes: 4, tieBytes: TIES_IN_MERGES }),
    ],
  ].map(([name, way, changes]) => ({
    // Other variants of string-merge: what the paper has, step by step.
    name: `string-merge-${name}`,
    kind: 'strings',
    title: `String merge sort, ${way}`,
    beside: 'string-merge',
    cases: stringCases(),
    open: stringSort('strings/string-merge/order', ({ loadOrder, orderRecords, ORDER_TUNING, ...exports }) => {
      const tuning = { ...ORDER_TUNING, ...changes(exports) };
      return {
        load: (gpu, ordering) => loadOrder(gpu, ordering, tuning),
        order: (gpu, pool, records, ordering, options) =>
          orderRecords(gpu, pool, records, ordering, { ...options, tuning }),
      };
    }),
    bytes: (_one, n) => 24 + 24 * (1 + mergePasses(n, 1024)) + 28,
    binding: () => 8,
  })),
  {
    name: 'msd-radix',
    kind: 'strings',
    title: 'MSD radix sort of strings',
    cases: chosenStringCases(),
    open: refined('strings/msd-radix/msd-radix', ({ msdRadix }) => msdRadix()),
    // The text is read for its alphabet. Entries of 12 bytes are made from the place and the first 8 bytes of each
    // string; meanwhile the digits of the first level are counted. Two levels of splits; tiles read and written.
    bytes: (_one, n, { textBytes }) => textBytes / n + 24 + 24 + 36 + 24,
    binding: () => 8,
  },
  {
    name: 'msd-radix-hybrid',
    kind: 'strings',
    title: 'MSD radix sort of strings, only first symbols sent',
    beside: 'msd-radix',
    most: 24,
    cases: stringCases(['random', 'words', 'urls', 'dna100', 'equal']),
    open: firstSymbols,
    // The entries' way through the device, as above. What the host moves is not counted.
    bytes: () => 24 + 24 + 36 + 24,
    binding: () => 8,
  },
  {
    // The other variant of msd-radix, whose first digit is wide for short alphabets.
    name: 'msd-radix-wide',
    kind: 'strings',
    title: 'MSD radix sort of strings, first digit of 12 bits',
    beside: 'msd-radix',
    cases: stringCases(['dna100']),
    open: refined('strings/msd-radix/msd-radix', ({ msdRadix }) => msdRadix({ wideDigitBits: 12 })),
    bytes: (_one, n, { textBytes }) => textBytes / n + 24 + 24 + 36 + 24,
    binding: () => 8,
  },
  {
    name: 'radix-refine',
    kind: 'strings',
    title: 'Radix sort of prefixes with refinement',
    cases: chosenStringCases(),
    open: refined(),
    // The text is read for its alphabet. Keys are made, searched for differing bits, and sorted digit by digit. Ties
    // are marked in the first round.
    bytes: (_one, n, { launches, textBytes }) => textBytes / n + 24 + radixBytes(8, 12)({ launches }) + 20,
    binding: () => 8,
  },
  {
    name: 'locality-refine',
    kind: 'strings',
    title: 'Locality sort of prefixes with refinement',
    cases: chosenStringCases(),
    open: refined('keys/locality-sort/locality-sort', ({ localitySort }) => localitySort()),
    // As radix-refine, but entries are sorted in tiles. What merges move depends on the order and is not counted.
    bytes: (_one, n, { textBytes }) => textBytes / n + 24 + 24 + 20,
    binding: () => 8,
  },
];
