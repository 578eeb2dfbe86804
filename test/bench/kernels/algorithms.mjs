/**
 * The algorithms that are timed and what each is timed on: one entry each. A new sort of fixed keys is
 *
 *     {
 *       name: 'radix-sort', kind: 'keys', title: 'LSD radix sort',
 *       cases: KEYS,
 *       open: keySort('radix-sort/radix-sort', 'radixSort'),
 *       bytes: (one, n, { launches }) => launches['radix-sort/count'] * (keyBytes(one) + 2 * pairBytes(one)),
 *       binding: keyBytes,
 *     }
 *
 * and one of strings is as string-merge below. What is called in another way has a Runner of its own (runners.mjs). Its marks go into
 * marks.mjs, its peers into peers.mjs.
 */
import { keyBytes, keyCases, mergeCases, pairBytes, segmentCases, stringCases } from './cases.mjs';
import { firstSymbols, hostRemainder } from './remainder.mjs';
import { keySort, stringSort, tileSort, twoRuns } from './runners.mjs';

/**
 * @typedef {object} Algorithm
 * @property {string} name
 * @property {'keys' | 'segmented' | 'merge' | 'strings'} kind
 * @property {string} title for the head of its table
 * @property {readonly import('./cases.mjs').Case[]} cases
 * @property {() => Promise<import('./runners.mjs').Runner>} open
 * @property {(one: import('./cases.mjs').Case, n: number, facts: Facts) => number} bytes moved an element at least, by the formula in docs/kernels.md
 * @property {(one: import('./cases.mjs').Case) => number} binding bytes an element of the largest buffer that a kernel must see whole
 * @property {string} [beside] another way of that algorithm: it is told in a table of such (remainder.mjs), and is in no plot
 * @property {number} [most] the largest power of two that it is timed on
 * @property {(facts: Facts) => number} [sweeps] how often the input was gone through
 *
 * What one sort did: how often each kernel was launched, by its name, and what the runner's `look` told of it; bytes of the strings.
 * @typedef {{ launches: Readonly<Record<string, number>>, seen: any, textBytes: number }} Facts
 */

/** Merges of n elements two by two, from tiles on. */
const mergePasses = (n, tile) => Math.max(0, Math.ceil(Math.log2(n / tile)));

/** What every sort of fixed keys is timed on: types, then distributions. */
const KEYS = [
  ...keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform']),
  ...keyCases(['u32 pairs'], ['zero', 'bucket', 'gaussian', 'staggered', 'sorted', 'reversed', 'sixteen', 'zipf', 'near16', 'near256', 'near4096']),
];

/** Passes over all keys, each of which is planned by one search (src/gpu/merge-path). */
const searches = (launches) => Object.entries(launches).reduce((sum, [name, count]) => sum + (name.startsWith('merge-path/search') ? count : 0), 0);

/** Bytes an element of sorts by tiles: all are sorted once, then those that statistics tell are merged or copied. */
const tileBytes = (one, n, { seen: { tile, levels, copied } }) =>
  2 * pairBytes(one) * (1 + (tile * (copied + levels.reduce((sum, { merged }) => sum + merged, 0))) / n);

/** Bytes an element of radix sorts: keys are looked at for the bits that differ or counted, by each pass or once for all; each pass reads and writes all. */
const radixBytes = (key, pair) => ({ launches }) => {
  const times = (...kernels) => kernels.reduce((sum, name) => sum + (launches[`radix-sort/${name}`] ?? 0), 0);
  return key * times('differing-bits', 'count', 'histograms') + 2 * pair * times('scatter-subgroups', 'scatter-portable');
};

/** @type {readonly Algorithm[]} */
export const ALGORITHMS = [
  {
    name: 'radix-sort', kind: 'keys', title: 'Radix sort',
    cases: KEYS,
    open: keySort('radix-sort/radix-sort', 'radixSort'),
    bytes: (one, n, facts) => radixBytes(keyBytes(one), pairBytes(one))(facts),
    binding: keyBytes,
  },
  {
    // Beside radix-sort where that takes one: NVIDIA's GPUs.
    name: 'radix-two-sweeps', kind: 'keys', title: 'Radix sort in two sweeps a pass',
    cases: keyCases(['u32 keys', 'u32 pairs', 'u64 keys', 'u64 pairs'], ['uniform']),
    open: keySort('radix-sort/radix-sort', 'radixSort', ({ RADIX_TUNING }) => ({ ...RADIX_TUNING, sweep: 'two' })),
    bytes: (one, n, facts) => radixBytes(keyBytes(one), pairBytes(one))(facts),
    binding: keyBytes,
  },
  {
    name: 'merge-sort', kind: 'keys', title: 'Merge sort of fixed keys',
    cases: KEYS,
    open: keySort('merge-sort/merge-sort', 'mergeSort'),
    // Blocks, then each merge, reading and writing all.
    bytes: (one, n, { launches }) => 2 * pairBytes(one) * (1 + searches(launches)),
    binding: keyBytes,
  },
  ...['binary', 'wide', 'parts'].map((search) => ({
    name: `merge-path-${search}`, kind: 'merge', title: `Merge path, ${search} search of diagonals`,
    cases: mergeCases(['u32 keys', 'u32 pairs', 'u64 pairs']),
    open: twoRuns({ search }),
    bytes: (one) => 2 * pairBytes(one),
    binding: keyBytes,
  })),
  {
    name: 'quicksort', kind: 'keys', title: 'Quicksort',
    cases: KEYS,
    open: keySort('quicksort/quicksort', 'quicksort'),
    // Keys looked at once, and phase two; how often phase one goes through what is left depends on the keys and is not counted.
    bytes: (one) => keyBytes(one) + 2 * pairBytes(one),
    binding: keyBytes,
  },
  {
    name: 'segmented-sort', kind: 'segmented', title: 'Segmented sort',
    cases: segmentCases(['u32 keys', 'u32 pairs', 'u64 pairs'], [32, 1024, 32768]),
    open: tileSort('segmented-sort/segmented-sort', 'segmentedSort', ({ begins, segments }) => [{ begins, segments }]),
    bytes: tileBytes,
    binding: keyBytes,
  },
  {
    name: 'locality-sort', kind: 'keys', title: 'Locality sort',
    cases: KEYS,
    open: tileSort('locality-sort/locality-sort', 'localitySort', () => []),
    bytes: tileBytes,
    binding: keyBytes,
  },
  {
    name: 'string-merge', kind: 'strings', title: 'String merge sort',
    cases: stringCases(),
    open: stringSort('string-merge/order', ({ loadOrder, orderRecords }) => ({ load: loadOrder, order: orderRecords })),
    // Making entries of 12 bytes: where a string begins, its first 8 bytes; the tiles and each merge; ties marked and the order written.
    bytes: (one, n) => 24 + 24 * (1 + mergePasses(n, 1024)) + 28,
    binding: () => 8,
  },
  {
    name: 'msd-radix', kind: 'strings', title: 'MSD radix sort of strings',
    cases: stringCases(),
    open: stringSort('msd-radix/msd-radix', ({ msdRadix }) => msdRadix()),
    // The text for its alphabet; entries of 12 bytes made, from where a string begins and its first 8 bytes; two levels of splits (the digits of the
    // first are counted while entries are made); tiles read and the order written.
    bytes: (one, n, { textBytes }) => textBytes / n + 24 + 24 + 36 + 28,
    binding: () => 8,
  },
  ...[['msd-radix-host', 'remainder on threads of the host', hostRemainder], ['msd-radix-prefixes', 'first symbols sent only', firstSymbols]].map(([name, way, open]) => ({
    name, kind: 'strings', title: `MSD radix sort of strings, ${way}`, beside: 'msd-radix', most: 22,
    cases: stringCases(['random', 'words', 'urls', 'equal']),
    open,
    // The entries' way through the device, as above; what the host moves is not counted.
    bytes: () => 24 + 24 + 36 + 28,
    binding: () => 8,
  })),
  {
    name: 'radix-refine', kind: 'strings', title: 'Radix sort of prefixes with refinement',
    cases: stringCases(),
    open: stringSort('radix-refine/radix-refine', ({ loadRadixRefine, radixRefine }) => ({
      load: loadRadixRefine,
      order: (gpu, pool, records, ordering, { commonPrefix }) => radixRefine(gpu, pool, records, ordering, commonPrefix),
    })),
    // The text looked at for its alphabet; keys made, looked at for bits that differ, sorted digit by digit; ties marked in the first round.
    bytes: (one, n, { launches, textBytes }) => textBytes / n + 24 + radixBytes(8, 12)({ launches }) + 20,
    binding: () => 8,
  },
];
