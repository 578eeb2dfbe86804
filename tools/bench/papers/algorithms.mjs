/**
 * The subjects of the papers' experiments on the device: the algorithms of ../kernels/algorithms.mjs on the papers'
 * inputs, and variants that only these experiments need. An entry is as there.
 */
import { ALGORITHMS as KERNELS, TIES_LATER } from '../kernels/algorithms.mjs';
import { keyBytes, keyCases, mergeCases, pairBytes, segmentCases, stringCases } from '../kernels/cases.mjs';
import { bind } from '../kernels/device.mjs';
import { built, twoRuns } from '../kernels/runners.mjs';
import { ORDERING } from '../kernels/strings.mjs';
import { TEXTS, textSource } from './texts.mjs';

/** Paper 3's distributions, section 5.3. */
export const DISTRIBUTIONS = ['uniform', 'sorted', 'zero', 'bucket', 'gaussian', 'staggered'];
export const NEAR = ['near16', 'near256'];
/** Paper 1's mean lengths of segments. */
export const SEGMENT_MEANS = [300, 10_000];
export const SEARCHES = ['binary', 'wide', 'parts'];
/** Threads of a workgroup, and outputs of a thread. */
export const TILES = [128, 256].flatMap((threads) => [3, 5, 7, 9, 11, 15].map((perThread) => ({ threads, perThread })));
export const tileName = ({ threads, perThread }) => `merge-tile-${threads}x${perThread}`;
/** Types of keys of paper 3's distributions, and of paper 4's merges. */
export const KEY_TYPES = ['u32', 'f32', 'f64'];
export const MERGED_TYPES = ['i32', 'f32', 'i64', 'f64'];
/** Numbers of workgroups for figure 3 of paper 4: from a quarter to 64 of each of an H200's 132 multiprocessors. */
export const GROUPS = [33, 132, 264, 528, 1056, 2112, 8448];
/** Windows of those workgroups: the paper's on its Fermi, and ours. */
export const WINDOWS = [
  { threads: 128, perThread: 4 },
  { threads: 256, perThread: 7 },
];
export const windowsName = ({ threads, perThread }, groups) => `merge-windows-${threads}x${perThread}-${groups}`;

const named = (name, cases) => ({ ...KERNELS.find((one) => one.name === name), cases });

/**
 * Paper 0's own way: keys of 4 bytes, and the merges settle all ties. (Comparisons read at most 256 bytes of a text;
 * refinement settles what is tied beyond.)
 */
const PAPER_TUNING = () => ({ prefixBytes: 4, tieBytes: [256] });

/** The same with the paper's merges, whose windows move and keep their keys, so that ties grow from pass to pass. */
const PAPER_MERGES = ({ WINDOWS }) => ({ ...PAPER_TUNING(), windows: WINDOWS });

/**
 * String merge sort with changes to its tuning, a function of what its module exports. With `counts`, it also counts
 * ties, for figures 8 and 9.
 */
const stringMerge = (changes, counts) => async () => {
  const module = await built('strings/string-merge/order');
  const { loadOrder, loadOrderStatistics, orderRecords, ORDER_TUNING } = module;
  const tuning = { ...ORDER_TUNING, ...changes(module) };
  const order = ({ gpu, pool, input: { records } }, statistics) =>
    orderRecords(gpu, pool, records, ORDERING, { slices: null, commonPrefix: 0, tuning, statistics });
  return {
    load: (gpu) =>
      Promise.all([loadOrder(gpu, ORDERING, tuning), counts && loadOrderStatistics(gpu, ORDERING, tuning)]),
    run: (context) => order(context),
    ...(counts && {
      look: async (context) => {
        let seen;
        const result = await order(context, (ties) => {
          seen = ties;
        });
        context.pool.give(result.order);
        return seen;
      },
    }),
  };
};
/** Texts from books and dictionaries. */
const REAL = Object.keys(TEXTS).map((name) => ({
  name: `strings real ${name}`,
  input: name,
  source: textSource(name),
}));
/** Strings on which the paper's merges are compared with merge path. */
const MERGED_STRINGS = stringCases(['random', 'words', 'urls', 'dna100']);
const STRINGS = [...stringCases(['wordlist', 'sentences']), ...MERGED_STRINGS, ...REAL];
const stringMerges = [
  ['string-merge', () => ({}), false],
  ['string-merge-paper', PAPER_TUNING, false],
  ['string-merge-ties', () => ({ tieBytes: TIES_LATER }), true],
  ['string-merge-paper-ties', PAPER_TUNING, true],
  ['string-merge-paper-windows-ties', PAPER_MERGES, true],
].map(([name, tuning, counts]) => ({ ...named('string-merge', STRINGS), name, open: stringMerge(tuning, counts) }));

/** Bytes of each tile of a pass over pairs in the table of input positions. */
const PARTITION_BYTES = 16;

/** The search of all diagonals of a merge of two runs without the merge, which follows when the table is checked. */
const searchAlone = (search) => async () => {
  const [{ submitPass }, { mergeKernels, mergeTuning }, { runMerge }] = await Promise.all(
    ['device/dispatch', 'keys/merge-path/tuning', 'keys/merge-path/merge'].map(built),
  );
  const kernelsOf = (gpu, spec) => mergeKernels(gpu, spec, mergeTuning(gpu, spec, { search }));
  return {
    load: (gpu, { spec }) => runMerge({ search }).load(gpu, spec),
    prepare: async ({ gpu, scratch, one: { spec }, input: { n } }) => {
      const tiles = Math.ceil(n / kernelsOf(gpu, spec).share);
      const groups = await scratch.take(256, 'groups of runs');
      gpu.device.queue.writeBuffer(groups, 0, Uint32Array.of(0, 0, n / 2, n));
      return { tiles, groups, table: await scratch.take(tiles * PARTITION_BYTES, 'merge partitions') };
    },
    run: ({ gpu, one: { spec }, input: { from, n }, prepared: { tiles, groups, table } }) => {
      const { share, search } = kernelsOf(gpu, spec);
      submitPass(gpu, 'combine', 'merge search', (pass) =>
        search.kernel.dispatch(
          pass,
          { keys: bind(from.keys, 4 * n), groups, partitions: bind(table, tiles * PARTITION_BYTES) },
          { n, tiles, tile: share, width: 0, group_base: 0, group_count: 1 },
          Math.ceil(tiles / search.shares),
        ),
      );
      return {};
    },
    place: async ({ gpu, one: { spec }, input: { from, spare, n }, prepared: { tiles, table } }) => {
      const { merge, launchGroups } = kernelsOf(gpu, spec);
      const [keys, merged_keys] = [from, spare].map((arrays) => bind(arrays.keys, 4 * n));
      submitPass(gpu, 'combine', 'merge', (pass) => {
        for (let first = 0; first < tiles; first += launchGroups)
          merge.dispatch(
            pass,
            { keys, partitions: bind(table, tiles * PARTITION_BYTES), merged_keys },
            { tiles, first_tile: first },
            Math.min(launchGroups, tiles - first),
          );
      });
      return spare;
    },
  };
};

const merges = (name, tuning, cases) => ({
  name,
  kind: 'merge',
  title: name,
  cases,
  open: twoRuns(tuning),
  bytes: (one) => 2 * pairBytes(one),
  binding: keyBytes,
});

/** A merge of two runs in which exactly `groups` workgroups each slide through their part in windows. */
const inGroups = (shape, groups) => async () => {
  const { runMerge } = await built('keys/merge-path/merge');
  const mergeOf = (n) => {
    const windows = Math.ceil(n / groups / (shape.threads * shape.perThread));
    return runMerge({ ...shape, windows, kernel: 'merge-windows' });
  };
  return {
    load: async () => {
      /* the kernel depends on the size of the input */
    },
    prepare: async ({ gpu, one: { spec }, input: { n } }) => {
      const merge = mergeOf(n);
      await merge.load(gpu, spec);
      return merge;
    },
    run: ({ scratch, one: { spec }, input: { from, spare, n }, prepared }) =>
      prepared.merge(scratch, spec, from, spare, [0, n / 2, n]),
  };
};

const keysOf = (types) => types.map((type) => `${type} keys`);
const ALL_KEYS = keyCases([...keysOf(KEY_TYPES), 'u32 pairs', 'u64 keys'], DISTRIBUTIONS);

/** @type {readonly import('../kernels/algorithms.mjs').Algorithm[]} */
export const ALGORITHMS = [
  named('radix-sort', ALL_KEYS),
  named('merge-sort', [...ALL_KEYS, ...keyCases(['u32 keys', 'u32 pairs'], NEAR)]),
  named('quicksort', ALL_KEYS),
  named('locality-sort', keyCases(['u32 keys', 'u32 pairs'], ['uniform', ...NEAR])),
  named('segmented-sort', segmentCases(['u32 keys', 'u32 pairs'], SEGMENT_MEANS)),
  named('merge-sort-windows', keyCases(['u32 keys', 'u32 pairs', 'u64 keys'], ['uniform'])),
  named('merge-sort-stable-network', keyCases(['u32 keys', 'u64 keys'], ['uniform'])),
  ...stringMerges,
  ...['ties-later', 'windows', 'ties-in-merges', 'windows-ties'].map((way) =>
    named(`string-merge-${way}`, MERGED_STRINGS),
  ),
  named('msd-radix', [...stringCases(['random', 'dna100']), ...REAL]),
  named('msd-radix-wide', stringCases(['dna100'])),
  ...SEARCHES.map((search) => merges(`merge-path-${search}`, { search }, mergeCases(['u32 keys']))),
  ...SEARCHES.map((search) => ({
    ...merges(`merge-search-${search}`, {}, mergeCases(['u32 keys'])),
    open: searchAlone(search),
  })),
  ...TILES.map((tile) => merges(tileName(tile), { ...tile, kernel: 'merge-registers' }, mergeCases(['u32 keys']))),
  merges('merge-path', {}, mergeCases(['u32 keys', ...keysOf(MERGED_TYPES)])),
  ...WINDOWS.flatMap((shape) =>
    GROUPS.map((groups) => ({
      ...merges(windowsName(shape, groups), {}, mergeCases(['u32 keys'])),
      open: inGroups(shape, groups),
    })),
  ),
];
