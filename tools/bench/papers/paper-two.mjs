/** Paper 2: Drozd, Matsuoka: MSD Radix String Sort on GPU: Longer Keys, Shorter Alphabets. */
import { isMeasured, timeOf } from '../kernels/figures.mjs';
import { seconds } from '../report.mjs';
import { findProgram } from './c-programs.mjs';
import { threadCounts } from './host-merge.mjs';
import { bytesCell, gap, rateCell, rowOf, sizesOf, timeCell, titled } from './tables.mjs';

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

/** Seconds of a command, and millions of strings a second. */
const secondsCell = (way, lines) =>
  way?.median === undefined ? gap(way) : `${seconds(way.median)} s, ${seconds(lines / way.median / 1e6)}`;

/** How many times as long a command takes as another one. */
const timesCell = (slow, fast) =>
  slow?.median === undefined || fast?.median === undefined
    ? gap(slow?.median === undefined ? slow : fast)
    : `${seconds(slow.median / fast.median)} x`;

/** Figures 3 to 7: whole sorts of files by length of the strings, and what is sent to the device. */
const lengths = {
  name: 'lengths',
  async measure(context) {
    const rows = [];
    const all = { dna: context.choose([10, 25, 50, 100], [10]), text: context.choose([10, 100], []) };
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
    const first = rows[0];
    return [
      titled(
        `Whole commands from file to file, ${first.lines.toLocaleString('en')} strings: seconds, and millions of ` +
          'strings a second (figures 3 and 6).',
        ['strings', 'device alone', 'hybrid', 'CPU engine, all cores', 'sent: device alone', 'sent: hybrid'],
        rows.map(({ alphabet, length, lines, ways, statistics }) => [
          `${ALPHABETS[alphabet]}, ${length} bytes`,
          ...WAYS.map(({ name }) => secondsCell(ways[name], lines)),
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

/** The strings of one length on which threads and other sorts are compared. */
const STRINGS = { kind: 'dna100', case: 'strings dna100', title: 'DNA of 100 bases' };

/** Figure 5: the hybrid and the sort on the processor's cores, by the number of threads. */
const threads = {
  name: 'threads',
  async measure(context) {
    const { lines } = context.make(STRINGS.kind, { lines: context.choose(2 ** 21, 2000) });
    const rows = [];
    for (const count of context.choose(threadCounts(), [2])) {
      context.progress(`${count} threads`);
      const programs = WAYS.slice(1).map(({ name, options }) => ({
        name,
        options: [...options, '--parallel', String(count)],
      }));
      const ways = await context.commands(programs, 'lines');
      const statistics = {};
      for (const { name, options } of programs.filter((program) => ways[program.name].error === undefined)) {
        const found = context.statistics(options);
        statistics[name] = found.error === undefined ? { phases: stagesOf(found) } : found;
      }
      rows.push({ id: `threads ${count}`, runs: context.slowRuns, threads: count, lines, ways, statistics });
    }
    return rows;
  },
  table(rows) {
    const names = ['hybrid', 'cpu'];
    const [first] = rows;
    const stages = (name) => [
      ...new Set(rows.flatMap(({ statistics }) => Object.keys(statistics[name]?.phases ?? {}))),
    ];
    const count = first.lines.toLocaleString('en');
    return [
      titled(
        `Whole commands with \`--parallel\`, ${count} strings, ${STRINGS.title}: seconds, millions of strings a second, ` +
          'and how many times as fast as with one thread (figure 5).',
        ['threads', 'hybrid', 'hybrid / 1 thread', 'CPU engine', 'CPU engine / 1 thread'],
        rows.map(({ threads: n, lines, ways }) => [
          String(n),
          ...names.flatMap((name) => [secondsCell(ways[name], lines), timesCell(first.ways[name], ways[name])]),
        ]),
      ),
      ...names.map((name) =>
        titled(
          `${name === 'cpu' ? 'The CPU engine' : 'The hybrid'}: milliseconds that at least one thread was busy with a ` +
            'stage of `--stats`. Stages overlap.',
          ['threads', ...stages(name)],
          rows.map(({ threads: n, statistics }) => [
            String(n),
            ...stages(name).map((stage) => {
              const ms = statistics[name]?.phases?.[stage];
              return ms === undefined ? gap(statistics[name]) : seconds(ms);
            }),
          ]),
        ),
      ),
    ].join('\n');
  },
};

/** Milliseconds in which at least one thread was busy with each stage. */
const stagesOf = ({ stages }) =>
  Object.fromEntries(
    stages.map(({ stage, busyFromToMs }) => [stage, busyFromToMs.reduce((sum, [from, to]) => sum + to - from, 0)]),
  );

/** Section 5: the sort on the processor's cores, and the standard sort of C, beside the device. */
const host = {
  name: 'host',
  async measure(context) {
    const size = context.choose(22, 11);
    const rows = await context.problems([{ algorithm: 'msd-radix', case: STRINGS.case, size }]);
    const { lines } = context.make(STRINGS.kind, { lines: 2 ** size });
    const standard = findProgram('qsort-lines');
    const ways = await context.commands(
      [
        ...context.choose(WAYS, WAYS.slice(2)),
        ...(standard.path === undefined ? [] : [{ name: 'qsort', path: standard.path }]),
      ],
      'lines',
    );
    if (standard.path === undefined) ways.qsort = { leftOut: standard.missing };
    rows.push({ id: STRINGS.title, runs: context.slowRuns, size, lines, ways });
    return rows;
  },
  table(rows) {
    const [problem, { lines, ways }] = [rows.find((row) => row.algorithm !== undefined), rows.find((row) => row.ways)];
    const { device, hybrid, cpu, qsort } = ways;
    const alone =
      isMeasured(problem) && qsort.sortMs !== undefined ? `${seconds(qsort.sortMs / timeOf(problem))} x` : gap(qsort);
    return titled(
      `${lines.toLocaleString('en')} strings, ${STRINGS.title}. Commands are from file to file. \`qsort\` is a program ` +
        'in C (`cc -O3`) that sorts pointers to lines by `strcmp` on one thread. The CPU engine (WASM) uses all cores, ' +
        "with another sort than the device; the paper's sort on 12 cores is the same as on its GPU. Last: the sorts " +
        'alone, without files and transfers.',
      ['figure', 'device', 'hybrid', 'CPU engine', '`qsort`', 'CPU engine / device', '`qsort` / device'],
      [
        ['paper (K20c)', '60 M/s', '', '', '', '2 x', '20 x'],
        [
          'command: seconds, M/s',
          ...[device, hybrid, cpu, qsort].map((way) => secondsCell(way, lines)),
          timesCell(cpu, device),
          timesCell(qsort, device),
        ],
        [
          'sort alone: ms',
          timeCell(problem),
          '',
          '',
          qsort.sortMs === undefined ? gap(qsort) : seconds(qsort.sortMs),
          '',
          alone,
        ],
      ],
    );
  },
};

export const PAPER_TWO = { number: 2, experiments: [alphabets, lengths, threads, host] };
