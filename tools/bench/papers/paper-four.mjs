/** Paper 4: Green, McColl, Bader: GPU Merge Path. */
import { isMeasured, timeOf } from '../kernels/figures.mjs';
import { seconds } from '../report.mjs';
import { GROUPS, MERGED_TYPES, SEARCHES, TILES, tileName, WINDOWS, windowsName } from './algorithms.mjs';
import { mergeInC } from './c-programs.mjs';
import { mergeOnHost, threadCounts } from './host-merge.mjs';
import { countCell, gap, percent, rateCell, rowOf, sizesOf, timeCell, titled } from './tables.mjs';
import { mergeInWasm } from './wasm-merge.mjs';

const EQUAL = 'u32 keys two runs';
const UNEQUAL = 'u32 keys unequal runs';
/** The share of all numbers that the first of two runs has: in the two cases above, too. */
const [HALF, MOST] = [1 / 2, 127 / 128];
const TYPES = { i32: 'integers', f32: 'floats' };
const TITLES = { ...TYPES, i64: 'integers of 64 bits', f64: 'floats of 64 bits' };

/** The largest power of two whose merge on the host is timed more than once, and in JavaScript: a second at 2^27. */
const SHORT = 24;
const hostRuns = (context, size) => (size > SHORT ? 1 : context.slowRuns);

/** A row of a merge on the host. */
const hostRow = (algorithm, about, runs, ms) => ({
  id: `${algorithm}, ${about.case}, 2^${about.size}`,
  algorithm,
  ...about,
  runs,
  spanMs: null,
  wallMs: ms,
});

/** Rows of merges in C, one for each number of threads. */
function rowsInC(context, type, about, { share, counts }) {
  const runs = hostRuns(context, about.size);
  const { limitSeconds } = context;
  const found = mergeInC(type, { n: about.n, share, runs, threads: counts, limitSeconds });
  if (!Array.isArray(found))
    return counts.map((threads) => ({
      id: `c-${threads}, ${about.case}`,
      algorithm: `c-${threads}`,
      ...about,
      ...found,
    }));
  return found.map(({ threads, ms }) => hostRow(`c-${threads}`, about, runs, ms));
}

/** The same in JavaScript. */
async function rowsInJavaScript(context, type, about, { share, counts }) {
  if (about.size > SHORT)
    return counts.map((threads) => ({
      id: `host-${threads}, ${about.case}, 2^${about.size}`,
      algorithm: `host-${threads}`,
      ...about,
      leftOut: `JavaScript above 2^${SHORT}, which takes a second`,
    }));
  const runs = context.slowRuns;
  const times = await mergeOnHost(type, about.n, { share, runs, counts });
  return times.map(({ threads, ms }) => hostRow(`host-${threads}`, about, runs, ms));
}

/** The numbers of threads that rows of a language have, ascending. */
const countsOf = (rows, language) =>
  [...new Set(rows.map(({ algorithm }) => algorithm))]
    .filter((name) => name.startsWith(`${language}-`))
    .map((name) => Number(name.slice(language.length + 1)))
    .sort((a, b) => a - b);

/** Milliseconds of a row, and how many times as fast as `serial` it is. */
const timesAsFast = (row, serial) =>
  isMeasured(row) && isMeasured(serial) && row !== serial
    ? `${timeCell(row)}, ${seconds(timeOf(serial) / timeOf(row))} x`
    : timeCell(row);

const threadsTitle = (language, count) => `${language}, ${count} ${count === 1 ? 'thread' : 'threads'}`;

/** Figures 5 and 6: a serial merge, a parallel one on the host's cores, the device. */
const merging = {
  name: 'merging',
  async measure(context) {
    const sizes = context.choose([21, 24, 27], [12]);
    const rows = await context.problems(
      [EQUAL, UNEQUAL].flatMap((name) => sizes.map((size) => ({ algorithm: 'merge-path', case: name, size }))),
    );
    const counts = threadCounts();
    const ends = [...new Set([1, counts.at(-1)])];
    for (const type of Object.keys(TYPES))
      for (const size of sizes)
        for (const share of [HALF, MOST]) {
          const about = { case: `${type} ${share}`, size, n: 2 ** size };
          const inC = rowsInC(context, type, about, { share, counts });
          const inJavaScript = await rowsInJavaScript(context, type, about, { share, counts: ends });
          rows.push(...inC, ...inJavaScript);
          context.progress(
            [inC[0], inC.at(-1), inJavaScript[0]].map((row) => `${row.id}: ${timeCell(row)}`).join('; '),
          );
        }
    return rows;
  },
  table(rows) {
    const [inC, inJavaScript] = ['c', 'host'].map((language) => countsOf(rows, language));
    const line = (type, share, size) => {
      const host = (language, threads) => rowOf(rows, `${language}-${threads}`, `${type} ${share}`, size);
      const name = share === HALF ? EQUAL : UNEQUAL;
      const device = rowOf(rows, 'merge-path', name, size) ?? rowOf(rows, 'merge-path-binary', name, size);
      const serial = host('c', 1);
      return [
        TYPES[type],
        share === HALF ? 'equal' : '127 to 1',
        countCell(2 ** size),
        ...inC.map((threads) => timesAsFast(host('c', threads), serial)),
        ...inJavaScript.map((threads) => timesAsFast(host('host', threads), serial)),
        timesAsFast(device, serial),
      ];
    };
    const paper = (type, size, host, fermi) => [
      TYPES[type],
      'equal',
      `paper: ${size}`,
      ...inC.map((threads) => host[threads] ?? ''),
      ...inJavaScript.map(() => ''),
      fermi,
    ];
    return titled(
      'Milliseconds to merge two runs (n is the output), and how many times as fast as the serial merge in C ' +
        '(`cc -O3`, one thread) that is. Merges in C and in JavaScript are plain loops, with merge path on several ' +
        "threads. The device merges unsigned keys; [merges by size](#merges-by-size) has other types. The paper's " +
        'figures are those of 8 threads on 8 cores, of 16 threads on the same cores, and of a Fermi M2070, over its ' +
        'serial merge (section 3; of the device 3.1 and 3.2).',
      [
        'keys',
        'lengths',
        'n',
        ...inC.map((threads) => threadsTitle('C', threads)),
        ...inJavaScript.map((threads) => threadsTitle('JavaScript', threads)),
        'device',
      ],
      [
        paper('i32', '2 M, 20 M, 200 M', { 8: '5.5 x' }, '16, 20, 21 x'),
        paper('f32', '2 M, 20 M, 200 M', { 8: '6 to 8 x', 16: '12 x (20 M)' }, '43, 53, 46 x'),
        ...Object.keys(TYPES).flatMap((type) =>
          [HALF, MOST].flatMap((share) => sizesOf(rows).map((size) => line(type, share, size))),
        ),
      ],
    );
  },
};

/** The bits of numbers of a type, as the CPU engine merges them. */
const unsigned = (type) => `u${type.slice(1)} keys two runs`;

/** Figures 7 and 8: 1 to 100 million numbers, of 32 and 64 bits. */
const sizes = {
  name: 'sizes',
  async measure(context) {
    const list = context.choose([20, 22, 24, 25, 26, 27], [12]);
    const types = context.choose(MERGED_TYPES, ['f32', 'f64']);
    const rows = await context.problems(
      types.flatMap((type) => list.map((size) => ({ algorithm: 'merge-path', case: `${type} keys two runs`, size }))),
    );
    const counts = [...new Set([1, threadCounts().at(-1)])];
    for (const type of types)
      for (const size of list) {
        const about = { case: `${type} keys two runs`, size, n: 2 ** size };
        const inC = rowsInC(context, type, about, { share: HALF, counts });
        rows.push(...inC);
        context.progress(inC.map((row) => `${row.id}: ${timeCell(row)}`).join('; '));
      }
    for (const name of new Set(types.map(unsigned)))
      for (const size of list) {
        const runs = hostRuns(context, size);
        const about = { case: name, size, n: 2 ** size };
        try {
          const ms = await mergeInWasm(name.startsWith('u64') ? 8 : 4, about.n, HALF, runs);
          rows.push(hostRow('wasm-1', about, runs, ms));
        } catch (error) {
          rows.push({ id: `wasm-1, ${name}, 2^${size}`, algorithm: 'wasm-1', ...about, error: error.message });
        }
        context.progress(`${rows.at(-1).id}: ${timeCell(rows.at(-1))}`);
      }
    return rows;
  },
  table(rows) {
    const [one, most] = [1, countsOf(rows, 'c').at(-1)];
    const line = (type, size) => {
      const find = (algorithm, name = `${type} keys two runs`) => rowOf(rows, algorithm, name, size);
      const [serial, parallel, device] = [`c-${one}`, `c-${most}`, 'merge-path'].map((algorithm) => find(algorithm));
      return [
        TITLES[type],
        seconds(2 ** (size - 1) / 1e6),
        timeCell(serial),
        timesAsFast(parallel, serial),
        timesAsFast(find('wasm-1', unsigned(type)), serial),
        timesAsFast(device, serial),
        isMeasured(parallel) && isMeasured(device) ? `${seconds(timeOf(parallel) / timeOf(device))} x` : gap(device),
        rateCell(device),
      ];
    };
    const paper = (type, serial, parallel) => [TITLES[type], 'paper: 1 to 100', '', '', '', serial, parallel, ''];
    return titled(
      'Milliseconds to merge two runs of equal length, and how many times as fast as the serial merge in C (`cc -O3`, ' +
        "one thread) that is (figures 7 and 8). WASM is the CPU engine's merge on one thread: a loser tree for records " +
        'of any kind, here for unsigned numbers of as many bits. The paper compares a Fermi M2070 with its serial merge ' +
        'and with 16 threads; it has no numbers of 64 bits.',
      [
        'numbers',
        'millions in each run',
        threadsTitle('C', one),
        threadsTitle('C', most),
        'WASM, 1 thread',
        'device',
        `device / ${threadsTitle('C', most)}`,
        'device, M/s',
      ],
      [
        paper('i32', '16 to 21 x', '2.5 x'),
        paper('f32', '43 to 53 x', 'nearly 5 x'),
        ...MERGED_TYPES.flatMap((type) => sizesOf(rows).map((size) => [type, size]))
          .filter(([type, size]) => rowOf(rows, 'merge-path', `${type} keys two runs`, size) !== undefined)
          .map(([type, size]) => line(type, size)),
      ],
    );
  },
};

/** Figure 3: a fixed number of workgroups, each of which slides through its part in windows. */
const workgroups = {
  name: 'workgroups',
  measure(context) {
    const problem = (algorithm, size) => ({ algorithm, case: EQUAL, size });
    const [paper, own] = WINDOWS;
    const swept = [...context.choose([21, 27], [16]).map((size) => [paper, size]), ...context.choose([[own, 27]], [])];
    return context.problems([
      ...swept.flatMap(([shape, size]) =>
        context.choose(GROUPS, [33]).map((groups) => problem(windowsName(shape, groups), size)),
      ),
      ...context.choose([21, 27], []).map((size) => problem('merge-path', size)),
    ]);
  },
  table(rows) {
    const lines = WINDOWS.flatMap((shape) =>
      sizesOf(rows).flatMap((size) => {
        const found = GROUPS.map((groups) => [groups, rowOf(rows, windowsName(shape, groups), EQUAL, size)]).filter(
          ([, row]) => row !== undefined,
        );
        const best = Math.min(...found.filter(([, row]) => isMeasured(row)).map(([, row]) => timeOf(row)));
        return found.map(([groups, row]) => [
          `${shape.threads} x ${shape.perThread}`,
          `2^${size}`,
          groups.toLocaleString('en'),
          Math.ceil(2 ** size / groups / shape.threads / shape.perThread).toLocaleString('en'),
          timeCell(row),
          rateCell(row),
          isMeasured(row) ? percent(best / timeOf(row)) : gap(row),
        ]);
      }),
    );
    const tiles = rows
      .filter(({ algorithm }) => algorithm === 'merge-path')
      .map((row) => ['default', `2^${row.size}`, 'one for each tile', '1', timeCell(row), rateCell(row), '']);
    return titled(
      'Merging two runs of u32 keys by a fixed number of workgroups, each of which slides through its part (figure 3). ' +
        'A window is threads x outputs of a thread; the paper found 112 workgroups of 128 threads best on a Fermi with ' +
        '14 multiprocessors, 8 for each. Last: a workgroup for each tile, as gpusort merges.',
      ['window', 'n', 'workgroups', 'windows of each', 'ms', 'M/s', 'of the best'],
      [...lines, ...tiles],
    );
  },
};

/** Figure 4: the search of diagonals beside the whole merge, for the three searches of section 2.2. */
const searches = {
  name: 'searches',
  measure(context) {
    const sizes = context.choose([21, 24, 27], [12]);
    return context.problems(
      context
        .choose(SEARCHES, ['wide'])
        .flatMap((search) =>
          ['merge-search', 'merge-path'].flatMap((name) =>
            sizes.map((size) => ({ algorithm: `${name}-${search}`, case: EQUAL, size })),
          ),
        ),
    );
  },
  table(rows) {
    return titled(
      'Milliseconds of the search alone, of search and merge, and the share of the search (figure 4).',
      ['search', 'n', 'search', 'search and merge', 'share of the search'],
      SEARCHES.flatMap((search) =>
        sizesOf(rows).map((size) => {
          const [alone, both] = ['merge-search', 'merge-path'].map((name) =>
            rowOf(rows, `${name}-${search}`, EQUAL, size),
          );
          const share = isMeasured(alone) && isMeasured(both) ? percent(timeOf(alone) / timeOf(both)) : gap(alone);
          return [search, `2^${size}`, timeCell(alone), timeCell(both), share];
        }),
      ).filter((line) => line[2] !== 'not measured'),
    );
  },
};

/** A sweep of tile sizes: with one tile for each workgroup, they decide how many workgroups a merge has. */
const tiles = {
  name: 'tiles',
  measure(context) {
    const size = context.choose(27, 12);
    const all = context.choose(TILES, TILES.slice(0, 2));
    return context.problems(all.map((tile) => ({ algorithm: tileName(tile), case: EQUAL, size })));
  },
  table(rows) {
    const best = Math.min(...rows.filter(isMeasured).map(timeOf));
    return titled(
      'Merging two runs of u32 keys, by the outputs of a workgroup, which has one tile.',
      ['threads', 'outputs a thread', 'tile', 'n', 'workgroups', 'ms', 'M/s', 'of the best'],
      TILES.map((tile) => [tile, rows.find((row) => row.algorithm === tileName(tile))])
        .filter(([, row]) => row !== undefined)
        .map(([{ threads, perThread }, row]) => [
          String(threads),
          String(perThread),
          (threads * perThread).toLocaleString('en'),
          `2^${row.size}`,
          Math.ceil(2 ** row.size / threads / perThread).toLocaleString('en'),
          timeCell(row),
          rateCell(row),
          isMeasured(row) ? percent(best / timeOf(row)) : gap(row),
        ]),
    );
  },
};

/** Whole commands: integers and floats through encoding, sort and decoding. No command merges sorted files here. */
const commands = {
  name: 'commands',
  async measure(context) {
    const rows = [];
    for (const type of Object.keys(TYPES)) {
      const { lines, bytes } = context.make(type, { lines: context.choose(1e8, 2000) });
      const array = ['--array', `${type}le`];
      const ways = await context.commands(
        [
          { name: 'merge', options: [...array, '--engine', 'gpu', '--algorithm', 'merge'] },
          { name: 'cpu', options: [...array, '--engine', 'cpu'] },
        ],
        'records',
      );
      rows.push({ id: type, runs: context.slowRuns, type, lines, bytes, ways });
    }
    return rows;
  },
  table(rows) {
    return titled(
      'Seconds to sort a file, with `--array i32le` and `--array f32le`: `--algorithm merge` on the GPU, and the CPU ' +
        'engine on all cores.',
      ['keys', 'n', 'merge', 'CPU engine'],
      rows.map(({ type, lines, ways }) => [
        TYPES[type],
        lines.toLocaleString('en'),
        ...Object.values(ways).map((way) => (way.median === undefined ? gap(way) : seconds(way.median))),
      ]),
    );
  },
};

export const PAPER_FOUR = { number: 4, experiments: [merging, sizes, searches, workgroups, tiles, commands] };
