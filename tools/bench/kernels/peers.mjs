/**
 * Rates of other sorts on the same problems, in millions of keys or strings a second. They are shown next to gpusort's
 * if the case is the same, the size differs by at most one power of two, and the sort did not run in the same run (see
 * cub.mjs). They are from other machines and days, so no ratio to them is shown: SOURCE says where they are from.
 */

export const SOURCE =
  'peers: built for this project and measured on an NVIDIA H200 (driver 580.159, CUDA 13.0), November 2026: medians of ' +
  '9 runs, results checked on the device. gridwise ran in Node through Dawn: 8 runs by the clock of the host, ' +
  '0.07 ms a submission';

/**
 * Where each peer's rates are from: its version, and how it ran. A peer's name begins with its tool. All ran on one
 * machine in November 2026, before the first rows of docs/plots/h200-kernels.json; the day was not noted.
 */
const [MACHINE, DATE] = ['NVIDIA H200, driver 580.159, CUDA 13.0', 'November 2026'];
const RUNS = 'medians of 9 runs';
export const PROVENANCE = [
  { tool: 'CUB', version: 'of CUDA 13.0', machine: MACHINE, date: DATE, runs: RUNS },
  { tool: 'moderngpu', version: '2; the commit was not noted', machine: MACHINE, date: DATE, runs: RUNS },
  {
    tool: 'CUDPP',
    version: 'with the string sort of Davidson and others; not noted',
    machine: MACHINE,
    date: DATE,
    runs: RUNS,
  },
  {
    tool: 'gridwise',
    version: 'not noted; in Node, through Dawn',
    machine: 'NVIDIA H200, driver 580.159',
    date: DATE,
    runs: '8 runs by the clock of the host, 0.07 ms a submission',
  },
];

const rates = (peer, algorithms, name, bySize) =>
  Object.entries(bySize).map(([size, rate]) => ({ peer, algorithms, case: name, size: Number(size), rate }));

/** Comparison sorts; their peers are merge sorts. */
export const BY_COMPARISON = ['merge-sort', 'quicksort', 'locality-sort'];
export const RADIX = ['radix-sort', 'radix-two-sweeps'];
export const SEGMENTED = ['segmented-sort'];

/** Strings at 2^26 and 2^23, by three sorts built on CUB. */
const strings = (input, indices, prefixes, radix) => [
  ...rates('CUB merge sort of indices', ['string-merge'], `strings ${input}`, { 26: indices[0], 23: indices[1] }),
  ...rates('CUB merge sort of 8-byte prefixes', null, `strings ${input}`, { 26: prefixes[0], 23: prefixes[1] }),
  ...rates('CUB radix sort with refinement', null, `strings ${input}`, { 26: radix[0], 23: radix[1] }),
];

/**
 * `algorithms`: gpusort's algorithms that the rate is compared with; null: all that sort the case.
 * @type {readonly { peer: string, algorithms: readonly string[] | null, case: string, size: number, rate: number }[]}
 */
export const PEERS = [
  ...rates('CUB radix sort', RADIX, 'u32 keys uniform', { 27: 42240 }),
  ...rates('CUB radix sort', RADIX, 'u32 pairs uniform', { 27: 36042 }),
  ...rates('CUB radix sort', RADIX, 'u64 keys uniform', { 27: 16206 }),
  ...rates('CUB radix sort', RADIX, 'u64 pairs uniform', { 27: 13289 }),
  ...rates('gridwise OneSweep', RADIX, 'u32 keys uniform', { 24: 3242, 26: 6155, 27: 3289 }),
  ...rates('gridwise OneSweep', RADIX, 'u32 pairs uniform', { 24: 3267, 26: 2097, 27: 7201 }),
  ...rates('gridwise OneSweep', RADIX, 'u64 pairs uniform', { 24: 1406, 26: 1722, 27: 2210 }),
  ...rates('CUB merge sort', BY_COMPARISON, 'u32 keys uniform', { 27: 22418 }),
  ...rates('CUB merge sort', BY_COMPARISON, 'u32 pairs uniform', { 27: 11070 }),
  ...rates('CUB merge sort', BY_COMPARISON, 'u64 keys uniform', { 27: 9897 }),
  ...rates('moderngpu merge sort', BY_COMPARISON, 'u32 keys uniform', { 27: 19061 }),
  ...rates('moderngpu merge sort', BY_COMPARISON, 'u32 pairs uniform', { 27: 10727 }),
  ...rates('moderngpu merge sort', BY_COMPARISON, 'u64 keys uniform', { 27: 11272 }),
  ...rates('CUB segmented sort', SEGMENTED, 'u32 pairs segments of 32', { 27: 44139 }),
  ...rates('CUB segmented sort', SEGMENTED, 'u32 pairs segments of 1024', { 27: 10618 }),
  ...rates('CUB segmented sort', SEGMENTED, 'u32 pairs segments of 32768', { 27: 16994 }),
  ...rates('moderngpu segmented sort', SEGMENTED, 'u32 pairs segments of 32', { 27: 35419 }),
  ...rates('moderngpu segmented sort', SEGMENTED, 'u32 pairs segments of 1024', { 27: 32214 }),
  ...rates('moderngpu segmented sort', SEGMENTED, 'u32 pairs segments of 32768', { 27: 20559 }),
  ...rates('CUDPP string sort', null, 'strings distinct', { 20: 1259, 23: 995, 25: 901 }),
  ...strings('random', [366, 483], [2879, 3109], [9983, 7506]),
  ...strings('words', [612, 634], [1604, 1687], [5735, 4647]),
  ...strings('urls', [66, 91], [74, 118], [2384, 2057]),
  ...strings('dna100', [156, 233], [489, 977], [3019, 2731]),
  ...strings('equal', [350, 246], [570, 543], [4460, 3712]),
];

/** The peers of an algorithm on a case, each at its size nearest to `size`, at most one power of two off. */
export function peersOf(algorithm, name, size) {
  const nearest = new Map();
  for (const peer of PEERS) {
    if (
      peer.case !== name ||
      (peer.algorithms !== null && !peer.algorithms.includes(algorithm)) ||
      Math.abs(peer.size - size) > 1
    )
      continue;
    const known = nearest.get(peer.peer);
    if (known === undefined || Math.abs(peer.size - size) < Math.abs(known.size - size)) nearest.set(peer.peer, peer);
  }
  return [...nearest.values()];
}
