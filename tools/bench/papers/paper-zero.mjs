/** Paper 0: Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed and Variable Length Keys. */
import { isMeasured, timeOf } from '../kernels/figures.mjs';
import { seconds } from '../report.mjs';
import { countCell, gap, percent, rateCell, ratioCell, rowOf, sizesOf, titled } from './tables.mjs';

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
  'string-merge-paper-ties': 'keys of 4 bytes, ties settled in merges',
  'string-merge-ties': 'keys of 8 bytes, ties left to refinement',
};
const NAMES = { [WORDS]: 'words', [SENTENCES]: 'sentences' };

/** Figures 8 and 9: counts that `--stats` gives for any input. */
const ties = {
  name: 'ties',
  measure(context) {
    const size = context.choose(20, 12);
    const algorithms = context.choose(Object.keys(TIES), ['string-merge-paper-ties']);
    return context.problems(
      [WORDS, SENTENCES].flatMap((name) => algorithms.map((algorithm) => ({ algorithm, case: name, size }))),
    );
  },
  table(rows) {
    const measured = rows.filter(isMeasured);
    if (measured.length === 0) return `${gap(rows[0])}\n`;
    const titles = measured.map(({ algorithm, case: name }) => `${NAMES[name]}: ${TIES[algorithm]}`);
    const line = (name, cell) => [name, ...measured.map(({ seen, n }) => cell(seen, n))];
    const passes = Math.max(...measured.map(({ seen }) => seen.mergeReads.length));
    const runs = Math.max(...measured.map(({ seen }) => seen.runs.length));
    const count = (value) => (value ?? 0).toLocaleString('en');
    const text = measured.filter(({ algorithm }) => algorithm === measured[0].algorithm);
    return [
      titled(
        `Comparisons that read the text, of ${countCell(measured[0].n)} strings (figure 8a).`,
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
  },
};

export const PAPER_ZERO = { number: 0, experiments: [rates, ties] };
