/** Paper 2: Drozd, Matsuoka: MSD Radix String Sort on GPU: Longer Keys, Shorter Alphabets. */
import { seconds } from '../report.mjs';
import { bytesCell, gap, rateCell, rowOf, sizesOf, titled } from './tables.mjs';

const ALPHABETS = { dna: 'DNA', text: 'text of 64 symbols' };

/** The subjects of figure 2: algorithms, cases and titles. Of 12 bits is a first digit that saves a level. */
const RATES = [
  ['msd-radix', 'strings dna100', 'DNA of 100 bases'],
  ['msd-radix-wide', 'strings dna100', 'DNA, first digit of 12 bits'],
  ['msd-radix', 'strings random', 'printable text of 4 to 23 bytes'],
];

/** Figure 2: rates by number of strings, for a short and a long alphabet. */
const alphabets = {
  name: 'alphabets',
  measure(context) {
    const sizes = context.choose([18, 20, 21, 22, 24], [10]);
    return context.problems(
      sizes.flatMap((size) => RATES.map(([algorithm, name]) => ({ algorithm, case: name, size }))),
    );
  },
  table(rows) {
    return titled(
      'Millions of strings a second on the device, without transfers (figure 2).',
      ['n', ...RATES.map(([, , title]) => title)],
      sizesOf(rows).map((size) => [
        `2^${size}`,
        ...RATES.map(([algorithm, name]) => rateCell(rowOf(rows, algorithm, name, size))),
      ]),
    );
  },
};

/** The three ways that the paper compares. */
const WAYS = [
  { name: 'device', options: ['--engine', 'gpu', '--algorithm', 'msd-radix'] },
  { name: 'hybrid', options: ['--engine', 'gpu', '--algorithm', 'msd-radix-hybrid'] },
  { name: 'cpu', options: ['--engine', 'cpu'] },
];

/** The stages of `--stats` that stand for the paper's phases. */
const PHASES = [
  ['read the file', ['read']],
  ['copy to the device', ['upload']],
  ['find lines, pack symbols', ['tokenize', 'prefix']],
  ['count, offsets, move', ['sort']],
  ['threads of the host', ['order']],
  ['gather the text', ['gather']],
  ['copy back', ['read-back']],
  ['write', ['write']],
];

/** Milliseconds that each phase was busy. */
const phasesOf = ({ stages }) =>
  PHASES.map(([, names]) =>
    stages.filter(({ stage }) => names.includes(stage)).reduce((sum, { busyMs }) => sum + busyMs, 0),
  );

/** Figures 3 to 7: whole sorts of files by length of the strings, and what is sent to the device. */
const lengths = {
  name: 'lengths',
  async measure(context) {
    const rows = [];
    const all = { dna: context.choose([10, 25, 50, 75, 100], [10]), text: context.choose([10, 50, 100], []) };
    for (const [alphabet, list] of Object.entries(all))
      for (const length of list) {
        const { lines, bytes } = context.make(`${alphabet}${length}`, { lines: context.choose(2 ** 22, 2000) });
        context.progress(`${lines} strings, ${alphabet}, length ${length}`);
        const ways = await context.commands(WAYS, 'lines');
        const statistics = {};
        for (const { name, options } of WAYS.filter(
          (way) => way.name !== 'cpu' && ways[way.name].error === undefined,
        )) {
          const found = context.statistics(options);
          if (found.error !== undefined) context.progress(`${name}: no statistics: ${found.error}`);
          statistics[name] =
            found.error === undefined ? { ...found.device, phases: phasesOf(found) } : { error: found.error };
        }
        rows.push({
          id: `${alphabet} ${length}`,
          runs: context.slowRuns,
          alphabet,
          length,
          lines,
          textBytes: bytes,
          ways,
          statistics,
        });
      }
    return rows;
  },
  table(rows) {
    const time = (way, lines) =>
      way?.median === undefined
        ? gap(way ?? undefined)
        : `${seconds(way.median)} s, ${seconds(lines / way.median / 1e6)}`;
    const first = rows[0];
    return [
      titled(
        `Whole commands from file to file, ${first.lines.toLocaleString('en')} strings: seconds, and millions of ` +
          'strings a second (figures 3 and 6).',
        ['strings', 'device alone', 'hybrid', 'CPU engine, all cores', 'sent: device alone', 'sent: hybrid'],
        rows.map(({ alphabet, length, lines, ways, statistics }) => [
          `${ALPHABETS[alphabet]}, ${length} bytes`,
          ...WAYS.map(({ name }) => time(ways[name], lines)),
          ...['device', 'hybrid'].map((name) => bytesCell(statistics[name]?.sentBytes)),
        ]),
      ),
      titled(
        'Milliseconds that each phase was busy, for the device alone and for the hybrid (figures 4 and 7). Phases overlap; ' +
          "the hybrid's threads pack symbols, sort ties, and wait for the device.",
        ['strings', 'way', ...PHASES.map(([title]) => title)],
        rows.flatMap(({ alphabet, length, statistics }) =>
          ['device', 'hybrid']
            .filter((name) => statistics[name]?.phases !== undefined)
            .map((name) => [
              `${ALPHABETS[alphabet]}, ${length} bytes`,
              name,
              ...statistics[name].phases.map((ms) => (ms === 0 ? '' : seconds(ms))),
            ]),
        ),
      ),
    ].join('\n');
  },
};

export const PAPER_TWO = { number: 2, experiments: [alphabets, lengths] };
