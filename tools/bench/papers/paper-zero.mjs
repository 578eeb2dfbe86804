/** Paper 0: Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys. */
import { blocksOf } from '../generate.mjs';
import { isMeasured, rateOf, timeOf } from '../kernels/figures.mjs';
import { PEERS, SOURCE } from '../kernels/peers.mjs';
import { seconds } from '../report.mjs';
import {
  BUSY,
  bothRatesCell,
  bothRatiosCell,
  countCell,
  gap,
  percent,
  rateCell,
  ratioCell,
  rowOf,
  sizesOf,
  timeCell,
  titled,
} from './tables.mjs';
import { firstLines, missingText, readText, TEXTS } from './texts.mjs';

const [WORDS, SENTENCES] = ['strings wordlist', 'strings sentences'];
const FIXED = ['u32 keys uniform', 'u32 pairs uniform'];

/** String merge sort with the paper's keys, and with ours. */
const VARIANTS = { 'string-merge-paper': 'keys of 4 bytes', 'string-merge': 'keys of 8 bytes' };

/** Bytes of text a second. */
const gigabytes = (row) => (isMeasured(row) ? seconds(row.textBytes / timeOf(row) / 1e6) : gap(row));

/** Figure 7: rates by size, and the time of a string as a multiple of the time of a pair. */
const rates = {
  name: 'rates',
  measure(context) {
    const sizes = context.choose([20, 22, 23], [10]);
    const problem = (algorithm, name, size) => ({ algorithm, case: name, size });
    return context.problems([
      ...FIXED.flatMap((name) => sizes.map((size) => problem('merge-sort', name, size))),
      // The variants of one input follow each other, so that it is made once.
      ...[WORDS, SENTENCES].flatMap((name) =>
        sizes.flatMap((size) =>
          context
            .choose(Object.keys(VARIANTS), ['string-merge-paper'])
            .map((algorithm) => problem(algorithm, name, size)),
        ),
      ),
    ]);
  },
  table(rows) {
    const line = (algorithm, title, size) => {
      const [keys, pairs] = FIXED.map((name) => rowOf(rows, 'merge-sort', name, size));
      const [words, sentences] = [WORDS, SENTENCES].map((name) => rowOf(rows, algorithm, name, size));
      return [
        `2^${size}, ${title}`,
        rateCell(keys),
        rateCell(pairs),
        rateCell(words),
        ratioCell(pairs, words),
        rateCell(sentences),
        ratioCell(pairs, sentences),
        gigabytes(sentences),
      ];
    };
    return titled(
      'Millions of elements a second on the device; the ratios are those of pairs to strings (figure 7).',
      ['n', 'u32 keys', 'u32 pairs', 'words', 'pairs / words', 'sentences', 'pairs / sentences', 'sentences, GB/s'],
      [
        ['paper (GTX 580)', '250', '187', '70', '2.5', '', '14 to 15', 'up to 1.25'],
        ...sizesOf(rows).flatMap((size) =>
          Object.entries(VARIANTS)
            .filter(([algorithm]) => rowOf(rows, algorithm, WORDS, size) !== undefined)
            .map(([algorithm, title]) => line(algorithm, title, size)),
        ),
      ],
    );
  },
};

/** Lengths of common beginnings, as classes. */
const CLASSES = [
  ['0 to 3', 0, 3],
  ['4 to 7', 4, 7],
  ['8 to 9', 8, 9],
  ['10 to 20', 10, 20],
  ['21 to 99', 21, 99],
  ['100 or more', 100, Infinity],
];

const sum = (list, from = 0, to = Infinity) =>
  list.reduce((total, value, i) => total + (i >= from && i <= to ? value : 0), 0);

const TIES = {
  'string-merge-paper-windows-ties': "keys of 4 bytes, ties settled in merges by moving windows (the paper's)",
  'string-merge-paper-ties': 'keys of 4 bytes, ties settled in merges',
  'string-merge-ties': 'keys of 8 bytes, ties left to refinement',
};
/** The real texts as cases of algorithms.mjs. */
const realCase = (name) => `strings real ${name}`;
const NAMES = {
  [WORDS]: 'words',
  [SENTENCES]: 'sentences',
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, title]) => [realCase(name), title])),
};

/** Figures 8 and 9: counts that `--stats` gives for any input. */
const ties = {
  name: 'ties',
  measure(context) {
    const size = context.choose(20, 12);
    const algorithms = context.choose(Object.keys(TIES), ['string-merge-paper-windows-ties']);
    return context.problems(
      [WORDS, SENTENCES].flatMap((name) => algorithms.map((algorithm) => ({ algorithm, case: name, size }))),
    );
  },
  table: tieTables,
};

/** Figures 8a, 8b and 9b. */
function tieTables(rows) {
  const measured = rows.filter(isMeasured);
  if (measured.length === 0) return `${gap(rows[0])}\n`;
  const titles = measured.map(({ algorithm, case: name }) => `${NAMES[name]}: ${TIES[algorithm]}`);
  const line = (name, cell) => [name, ...measured.map(({ seen, n }) => cell(seen, n))];
  const passes = Math.max(...measured.map(({ seen }) => seen.mergeReads.length));
  const runs = Math.max(...measured.map(({ seen }) => seen.runs.length));
  const count = (value) => (value ?? 0).toLocaleString('en');
  const text = measured.filter(({ algorithm }) => algorithm === measured[0].algorithm);
  const numbers = [...new Set(measured.map(({ n }) => countCell(n)))].join(', ');
  return [
    titled(
      `Comparisons that read the text, of ${numbers} strings (figure 8a).`,
      ['pass', ...titles],
      [
        line('block sort', ({ blockReads }) => count(blockReads)),
        ...Array.from({ length: passes }, (_, pass) =>
          line(`merge ${pass + 1}`, ({ mergeReads }) => count(mergeReads[pass])),
        ),
        line('rounds of refinement', (seen) => String(seen.rounds)),
      ],
    ),
    titled(
      'Runs of equal keys after the sort, by length (figure 8b).',
      ['length', ...titles],
      Array.from({ length: runs }, (_, k) =>
        line(k === 0 ? '1' : `${2 ** k} to ${2 ** (k + 1) - 1}`, (seen) => count(seen.runs[k])),
      ),
    ),
    titled(
      'Bytes that a string shares with the one before it in the sorted order (figure 9b).',
      ['bytes', ...text.map(({ case: name }) => NAMES[name])],
      CLASSES.map(([name, from, to]) => [
        name,
        ...text.map(({ seen, n }) => {
          const strings = sum(seen.sharedBytes, from, to);
          return `${count(strings)} (${percent(strings / n)})`;
        }),
      ]),
    ),
  ].join('\n');
}

/** Bytes of strings, as classes. */
const LENGTHS = [1, 3, 5, 7, 9, 11, 13, 17, 21, 41, 61, 81, 101, 121, 161, 201, 301];
const lengthClass = (k) =>
  k + 1 === LENGTHS.length ? `${LENGTHS[k]} or more` : `${LENGTHS[k]} to ${LENGTHS[k + 1] - 1}`;

/** How many strings of a text have a length of each class. */
function lengthsOf(blocks) {
  const counts = LENGTHS.map(() => 0);
  let [n, bytes] = [0, 0];
  for (const { block } of blocks)
    for (let at = 0, end = 0; at < block.length; at = end + 1, n++) {
      end = block.indexOf(10, at);
      bytes += end - at;
      const larger = LENGTHS.findIndex((least) => least > end - at);
      counts[Math.max(0, larger < 0 ? LENGTHS.length - 1 : larger - 1)]++;
    }
  return { n, textBytes: bytes, counts };
}

/** Figure 9a, of the generated data sets and of the real ones. Nothing is timed. */
const lengths = {
  name: 'lengths',
  async measure(context) {
    const generated = { wordlist: 'words', sentences: 'sentences' };
    const lines = context.choose(2 ** 20, 1000);
    return [
      ...Object.entries(generated).map(([kind, title]) => ({
        id: title,
        runs: 0,
        ...lengthsOf(blocksOf(kind, { lines })),
      })),
      ...Object.entries(TEXTS).map(([name, title]) =>
        missingText(name) === null
          ? { id: title, runs: 0, ...lengthsOf([firstLines(readText(name), context.choose(Infinity, 1000))]) }
          : { id: title, runs: 0, leftOut: missingText(name) },
      ),
    ];
  },
  table(rows) {
    const cells = (cell) => rows.map((row) => (isMeasured(row) ? cell(row) : gap(row)));
    return titled(
      'Strings by length (figure 9a), without delimiters. Words and sentences are generated; the others are real.',
      ['bytes', ...rows.map(({ id }) => id)],
      [
        ['strings', ...cells(({ n }) => n.toLocaleString('en'))],
        ['mean', ...cells(({ n, textBytes }) => seconds(textBytes / n))],
        ...LENGTHS.map((_, k) => [lengthClass(k), ...cells(({ counts, n }) => percent(counts[k] / n))]),
      ],
    );
  },
};

/** The real texts: more than they have of words, so that all are sorted. */
const REAL_SIZES = { words: 22, dictionary: 19, sentences: 18 };
const REAL_SORTS = { ...VARIANTS, 'msd-radix': 'MSD radix sort' };

/** Figures 7, 8 and 9b on real words and sentences. */
const texts = {
  name: 'texts',
  measure(context) {
    const problem = (algorithm, name) => ({
      algorithm,
      case: realCase(name),
      size: context.choose(REAL_SIZES[name], 10),
    });
    const sorts = [...context.choose(Object.keys(REAL_SORTS), ['string-merge']), 'string-merge-paper-ties'];
    return context.problems(Object.keys(TEXTS).flatMap((name) => sorts.map((algorithm) => problem(algorithm, name))));
  },
  table(rows) {
    const rates = rows.filter(({ algorithm }) => !(algorithm in TIES));
    return [
      titled(
        'Real texts, on the device, in document order; the words of dictionaries are shuffled.',
        ['strings', 'n', 'sort', 'ms', 'M/s', 'text, GB/s'],
        rates.map((row) => [
          NAMES[row.case],
          isMeasured(row) ? countCell(row.n) : '',
          row.algorithm in VARIANTS ? `string merge sort, ${VARIANTS[row.algorithm]}` : REAL_SORTS[row.algorithm],
          isMeasured(row) ? seconds(timeOf(row)) : gap(row),
          rateCell(row),
          gigabytes(row),
        ]),
      ),
      tieTables(rows.filter(({ algorithm }) => algorithm in TIES)),
    ].join('\n');
  },
};

/** Keys on which sorts are compared, and sorts. */
const RIVAL_KEYS = ['u32 keys uniform', 'u32 pairs uniform', 'u64 keys uniform'];
const RIVALS = { 'merge-sort': 'merge sort', 'radix-sort': 'radix sort', quicksort: 'quicksort' };
/** The sort of keys without values by the stable network; by default another one sorts them, as in the paper's rival. */
const STABLE = 'merge-sort-stable-network';
const STABLE_KEYS = RIVAL_KEYS.filter((name) => !name.includes('pairs'));
/** The size at which other programs were measured. */
const PEER_SIZE = 27;
const PEER_NAMES = ['CUB merge sort', 'moderngpu merge sort', 'CUB radix sort'];
/** The rate of another program, in millions a second; undefined: not measured. */
const peerRate = (peer, name) =>
  PEERS.find((one) => one.peer === peer && one.case === name && one.size === PEER_SIZE)?.rate;

/** Section 5: ratios to a radix sort and to other merge sorts. */
const rivals = {
  name: 'rivals',
  measure(context) {
    const sizes = context.choose([22, PEER_SIZE], [10]);
    const problems = (algorithm, names) =>
      context
        .choose(names, names.slice(0, 1))
        .flatMap((name) => sizes.map((size) => ({ algorithm, case: name, size })));
    return context.problems(
      [
        ...Object.keys(RIVALS).flatMap((algorithm) => problems(algorithm, RIVAL_KEYS)),
        ...problems(STABLE, STABLE_KEYS),
      ],
      { besideCub: true },
    );
  },
  table(rows) {
    const find = (algorithm, name, size = PEER_SIZE) => rowOf(rows, algorithm, name, size);
    const shown = (rate) => (rate === undefined ? '' : Math.round(rate).toLocaleString('en'));
    /** The ratio to a sort of CUB, which ran in the same run beside `algorithm`. */
    const over = (peer, algorithm, name) => {
      const [row, beside] = [find('merge-sort', name), find(algorithm, name)];
      const rate = beside?.peers?.find((one) => one.peer === peer)?.rate;
      if (rate === undefined) return 'not measured';
      return isMeasured(row) ? seconds(rateOf(row) / rate) : gap(row);
    };
    const own = (rival, name) => bothRatiosCell(find('merge-sort', name), find(rival, name));
    const stable = (name) => (STABLE_KEYS.includes(name) ? own(STABLE, name) : 'always stable');
    const ratios = (cell) => RIVAL_KEYS.map(cell);
    return [
      titled(
        `Millions of uniform keys or pairs a second on the device. ${BUSY}`,
        ['n', 'sort', ...RIVAL_KEYS.map((name) => name.replace(' uniform', ''))],
        sizesOf(rows).flatMap((size) =>
          Object.entries(RIVALS).map(([algorithm, title]) => [
            `2^${size}`,
            title,
            ...RIVAL_KEYS.map((name) => bothRatesCell(find(algorithm, name, size))),
          ]),
        ),
      ),
      titled(
        `Of other programs, at 2^${PEER_SIZE}, measured on another day than the rest (${SOURCE}). Thrust and ` +
          "CUB are parts of one library today, and CUB's merge sort stands for Thrust's.",
        ['sort', ...RIVAL_KEYS.map((name) => name.replace(' uniform', ''))],
        PEER_NAMES.map((peer) => [peer, ...RIVAL_KEYS.map((name) => shown(peerRate(peer, name)))]),
      ),
      titled(
        `Rates of gpusort's merge sort as multiples of a rival's in the same run, at 2^${PEER_SIZE}. ` +
          'The paper has 250 million keys a second, and more than 1,000 for the fastest radix sort of its ' +
          "day. Its abstract says 2.5 for Thrust's merge sort. gpusort's merge sort takes a network that is not stable for " +
          "keys without values, because nothing tells equal ones apart (`merge:stable-network` takes the other). gpusort's " +
          'quicksort of keys is not stable either.',
        ['rival', 'paper: keys', 'paper: pairs', ...RIVAL_KEYS.map((name) => name.replace(' uniform', ''))],
        [
          [
            "Thrust's merge sort (CUB)",
            'about 3',
            'about 2',
            ...ratios((name) => over('CUB merge sort', 'merge-sort', name)),
          ],
          ['a merge sort that is not stable (Satish et al.)', '', '1.7', ...RIVAL_KEYS.map(() => 'not measured')],
          ["gpusort's merge sort, stable network", '', '', ...ratios(stable)],
          ["gpusort's quicksort", '', '', ...ratios((name) => own('quicksort', name))],
          ["gpusort's radix sort", 'below 0.25', '', ...ratios((name) => own('radix-sort', name))],
          ['CUB radix sort', 'below 0.25', '', ...ratios((name) => over('CUB radix sort', 'radix-sort', name))],
        ],
      ),
    ].join('\n');
  },
};

/** Inputs on which ways to merge are compared, and the ways: by default, and as the paper merges. */
const MERGED_KEYS = ['u32 keys uniform', 'u32 pairs uniform', 'u64 keys uniform'];
const MERGED_STRINGS = ['strings random', 'strings words', 'strings urls', 'strings dna100'];
const KEY_WAYS = { 'merge-sort': 'merge path', 'merge-sort-windows': 'moving windows' };
const STRING_WAYS = {
  'string-merge-ties-later': 'merge path',
  'string-merge-windows': 'moving windows',
  'string-merge-ties-in-merges': 'merge path, ties in merges',
  'string-merge-windows-ties': 'moving windows, ties in merges',
};

/** Sections 3 and 4: the paper's merges beside merge path, in turn on the same inputs. */
const merges = {
  name: 'merges',
  measure(context) {
    const problems = (names, ways, sizes) =>
      names.flatMap((name) =>
        sizes.flatMap((size) => Object.keys(ways).map((algorithm) => ({ algorithm, case: name, size }))),
      );
    return context.problems([
      ...problems(context.choose(MERGED_KEYS, MERGED_KEYS.slice(0, 1)), KEY_WAYS, context.choose([20, 24, 27], [10])),
      ...problems(
        context.choose(MERGED_STRINGS, MERGED_STRINGS.slice(0, 1)),
        STRING_WAYS,
        context.choose([20, 25], [10]),
      ),
    ]);
  },
  table(rows) {
    const lines = (ways) => {
      const [first, ...others] = Object.keys(ways);
      return rows
        .filter(({ algorithm }) => algorithm === first)
        .map((row) => {
          const of = (algorithm) => rowOf(rows, algorithm, row.case, row.size);
          return [
            row.case.replace('strings ', ''),
            `2^${row.size}`,
            timeCell(row),
            ...others.map((algorithm) => `${timeCell(of(algorithm))}, ${ratioCell(of(algorithm), row)} x`),
          ];
        });
    };
    return [
      titled(
        'Milliseconds of sorts of fixed keys, and the rate of each as a multiple of that with merge path.',
        ['keys', 'n', ...Object.values(KEY_WAYS)],
        lines(KEY_WAYS),
      ),
      titled('The same of sorts of strings.', ['strings', 'n', ...Object.values(STRING_WAYS)], lines(STRING_WAYS)),
    ].join('\n');
  },
};

export const PAPER_ZERO = { number: 0, experiments: [rates, merges, rivals, lengths, ties, texts] };
