/** Paper 4: Green, McColl, Bader: GPU Merge Path. */
import { isMeasured, timeOf } from '../kernels/figures.mjs';
import { seconds } from '../report.mjs';
import { SEARCHES, TILES, tileName } from './algorithms.mjs';
import { mergeOnHost } from './host-merge.mjs';
import { countCell, gap, percent, rateCell, rowOf, sizesOf, timeCell, titled } from './tables.mjs';

const EQUAL = 'u32 keys two runs';
const UNEQUAL = 'u32 keys unequal runs';
/** The share of all numbers that the first of two runs has: in the two cases above, too. */
const [HALF, MOST] = [1 / 2, 127 / 128];
const TYPES = { i32: 'integers', f32: 'floats' };

/** Figures 5 to 8: a serial merge, a parallel one on the host's cores, the device. */
const merging = {
  name: 'merging',
  async measure(context) {
    const sizes = context.choose([21, 24, 27], [12]);
    const rows = await context.problems(
      [EQUAL, UNEQUAL].flatMap((name) => sizes.map((size) => ({ algorithm: 'merge-path-binary', case: name, size }))),
    );
    for (const type of Object.keys(TYPES))
      for (const size of sizes)
        for (const share of [HALF, MOST]) {
          const times = await mergeOnHost(type, 2 ** size, share, context.slowRuns);
          for (const { threads, ms } of times) {
            const about = { algorithm: `host-${threads}`, case: `${type} ${share}`, size, n: 2 ** size };
            rows.push({
              id: `host, ${about.case}, ${threads}, 2^${size}`,
              ...about,
              runs: context.slowRuns,
              spanMs: null,
              wallMs: ms,
            });
          }
          const [serial, most] = [times[0], times.at(-1)];
          context.progress(
            `host, ${type}, 2^${size}, ${share}: ${serial.ms.toFixed(2)} ms, ${most.threads} threads ${most.ms.toFixed(2)}`,
          );
        }
    return rows;
  },
  table(rows) {
    const counts = [...new Set(rows.map(({ algorithm }) => algorithm))]
      .filter((name) => name.startsWith('host-'))
      .map((name) => Number(name.slice('host-'.length)))
      .sort((a, b) => a - b);
    const most = counts.at(-1);
    const line = (type, share, size) => {
      const host = (threads) => rowOf(rows, `host-${threads}`, `${type} ${share}`, size);
      const device = rowOf(rows, 'merge-path-binary', share === HALF ? EQUAL : UNEQUAL, size);
      const speed = (row) =>
        isMeasured(row) && isMeasured(host(1)) ? `${seconds(timeOf(host(1)) / timeOf(row))} x` : gap(row);
      return [
        TYPES[type],
        share === HALF ? 'equal' : '127 to 1',
        countCell(2 ** size),
        timeCell(host(1)),
        ...counts.slice(1).map((threads) => `${timeCell(host(threads))}, ${speed(host(threads))}`),
        `${timeCell(device)}, ${speed(device)}`,
      ];
    };
    const paper = (type, size, host, fermi) => [
      TYPES[type],
      'equal',
      `paper: ${size}`,
      '',
      ...counts.slice(1).map((threads) => (threads === most ? host : '')),
      fermi,
    ];
    return titled(
      'Milliseconds to merge two runs (n is the output), and how many times as fast as the serial merge. The device ' +
        "merges encoded keys, so integers and floats take the same time there. The paper's last columns are of 16 threads " +
        'and of a Fermi M2070 (sections 3.1 and 3.2).',
      ['keys', 'lengths', 'n', 'serial', ...counts.slice(1).map((threads) => `${threads} threads`), 'device'],
      [
        paper('i32', '2 M, 20 M, 200 M', '5.5 x (8 threads)', '16, 20, 21 x'),
        paper('f32', '2 M, 20 M, 200 M', '6 to 8 x (8 threads), up to 12 x', '43, 53, 46 x'),
        ...Object.keys(TYPES).flatMap((type) =>
          [HALF, MOST].flatMap((share) => sizesOf(rows).map((size) => line(type, share, size))),
        ),
      ],
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

/** Figure 3, as a sweep of tile sizes: the tile decides how many workgroups a merge has. */
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
      'Merging two runs of u32 keys, by the outputs of a workgroup (figure 3 of the paper sweeps the number of blocks).',
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

/** Whole commands: integers and floats through encoding, sort and decoding; the merge of sorted files on the host. */
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

export const PAPER_FOUR = { number: 4, experiments: [merging, searches, tiles, commands] };
