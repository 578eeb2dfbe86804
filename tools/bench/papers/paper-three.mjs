/** Paper 3: Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors. */
import { codesOf } from '../distributions.mjs';
import { isMeasured } from '../kernels/figures.mjs';
import { median } from '../measure.mjs';
import { seconds } from '../report.mjs';
import { DISTRIBUTIONS, KEY_TYPES } from './algorithms.mjs';
import { BUSY, bothRatesCell, gap, rateCell, ratioCell, rowOf, sizesOf, titled } from './tables.mjs';

/** The largest power of two that the host sorts on one core. */
const MOST_ON_HOST = 24;
const SORTS = ['quicksort', 'merge-sort', 'radix-sort'];

/** Keys of a type for codes, in the same order: floats are from -1 to 1. */
const NUMBERS = {
  u32: ([high]) => high,
  f32: ([high]) => Float32Array.from(high, (code) => code / 2 ** 31 - 1),
  f64: ([high, low]) => Float64Array.from(high, (code, i) => (code + low[i] / 2 ** 32) / 2 ** 31 - 1),
};

/** Sorts keys on one core by the sort of typed arrays, which in V8 is std::sort of C++, an introsort. */
function sortOnHost(type, distribution, size, runs) {
  const n = 2 ** size;
  const given = NUMBERS[type](codesOf(distribution, type === 'f64' ? 2 : 1, n, n)(0, n, 1).codes);
  const times = [];
  for (let run = 0; run < runs; run++) {
    const keys = given.slice();
    const begin = performance.now();
    keys.sort();
    times.push(performance.now() - begin);
    const disorder = keys.findIndex((key, i) => i > 0 && keys[i - 1] > key);
    if (disorder >= 0) throw new Error(`wrong: out of order at ${disorder}`);
  }
  return median(times);
}

/** What the host's sort is, for tables. */
const HOST =
  "`std::sort` is the host's, of C++, on one thread, as `sort` of a typed array calls it in V8: it is the paper's reference.";
const PAPER_RATIO = 'Last: how many times as fast quicksort is (paper, 8800GTX: up to 8 times).';

/** Figures 3 and 4: the distributions, keys only. The host's sort is beside them in `types`, which is smaller. */
const distributions = {
  name: 'distributions',
  measure(context) {
    const size = context.choose(27, 10);
    const names = context.choose(DISTRIBUTIONS, ['zero', 'staggered']);
    return context.problems(
      SORTS.flatMap((algorithm) => names.map((name) => ({ algorithm, case: `u32 keys ${name}`, size }))),
    );
  },
  table(rows) {
    const withHost = rows.some(({ algorithm }) => algorithm === 'host');
    const times = (fast, slow) =>
      isMeasured(fast) && isMeasured(slow)
        ? `${seconds(slow.wallMs / (fast.spanMs ?? fast.wallMs))} times`
        : gap(isMeasured(fast) ? slow : fast);
    return titled(
      `Millions of u32 keys a second. ${BUSY}${withHost ? ` ${HOST} ${PAPER_RATIO}` : ''}`,
      [
        ...['distribution', 'n', 'quicksort', 'merge sort', 'radix sort'],
        ...(withHost ? ['`std::sort`', 'quicksort / `std::sort`'] : []),
      ],
      sizesOf(rows).flatMap((size) =>
        DISTRIBUTIONS.map((name) => {
          const all = [...SORTS, 'host'].map((algorithm) => rowOf(rows, algorithm, `u32 keys ${name}`, size));
          const own = [name, `2^${size}`, ...all.slice(0, SORTS.length).map(bothRatesCell)];
          return withHost ? [...own, rateCell(all[3]), times(all[0], all[3])] : own;
        }).filter((line) => line[2] !== 'not measured'),
      ),
    );
  },
};

/** The most keys that quicksort leaves to a bitonic sort in workgroup memory; the paper's sequences are below 1,024. */
const BITONIC = 10;

/** Types of keys beside each other, and the paper's rivals that there are here: radix, merge and bitonic sort. */
const types = {
  name: 'types',
  async measure(context) {
    const size = context.choose(MOST_ON_HOST, 12);
    const names = context.choose(DISTRIBUTIONS, ['gaussian', 'zero']);
    const kinds = context.choose(KEY_TYPES, ['f32', 'f64']);
    const problem = (type, name, of) => (algorithm) => ({ algorithm, case: `${type} keys ${name}`, size: of });
    const rows = await context.problems([
      ...kinds.flatMap((type) => names.flatMap((name) => SORTS.map(problem(type, name, size)))),
      ...kinds.flatMap((type) => SORTS.map(problem(type, 'uniform', BITONIC))),
    ]);
    for (const type of kinds)
      for (const name of names) {
        const row = { algorithm: 'host', case: `${type} keys ${name}`, size, n: 2 ** size };
        // One run: it takes seconds, and varies less than the ratio that it is for.
        rows.push({
          id: `host, ${row.case}, 2^${size}`,
          ...row,
          runs: 1,
          spanMs: null,
          wallMs: sortOnHost(type, name, size, 1),
        });
        context.progress(`${rows.at(-1).id}: ${rows.at(-1).wallMs.toFixed(3)} ms`);
      }
    return rows;
  },
  table(rows) {
    const kinds = KEY_TYPES.filter((type) => rows.some((row) => row.case.startsWith(type)));
    const find = (algorithm, type, name, size) => rowOf(rows, algorithm, `${type} keys ${name}`, size);
    const [least, size] = [BITONIC, sizesOf(rows).at(-1)];
    const line = (type, name) => {
      const [quick, merge, radix, host] = [...SORTS, 'host'].map((algorithm) => find(algorithm, type, name, size));
      return [
        name,
        `${type} keys`,
        ...[quick, merge, radix].map(bothRatesCell),
        rateCell(host),
        ratioCell(quick, find('quicksort', 'u32', name, size)),
        ...[radix, merge, host].map((rival) => ratioCell(quick, rival)),
      ];
    };
    return [
      titled(
        `Millions of keys a second, 2^${size} keys. ${HOST} ${PAPER_RATIO} ${BUSY} ` +
          'The paper found no difference between integers and floats. Here pivots of floats were averages of their codes ' +
          'until 30 November 2026 (section 5.2, above). On its 8800GTX quicksort was ahead of a radix sort, of a bitonic ' +
          'sort (GPUSort) and of a radix sort of ' +
          'blocks that are merged.',
        [
          'distribution',
          'keys',
          'quicksort',
          'merge sort',
          'radix sort',
          '`std::sort`',
          'quicksort: this type / u32',
          'quicksort / radix',
          'quicksort / merge',
          'quicksort / `std::sort`',
        ],
        DISTRIBUTIONS.flatMap((name) =>
          kinds.filter((type) => find('quicksort', type, name, size) !== undefined).map((type) => line(type, name)),
        ),
      ),
      titled(
        `Microseconds to sort 2^${least} keys. Quicksort leaves so few keys to a bitonic sort in the memory of one ` +
          'workgroup; gpusort has no other bitonic sort.',
        ['keys', 'bitonic (quicksort)', 'merge sort', 'radix sort'],
        kinds.map((type) => [
          `${type} keys`,
          ...SORTS.map((algorithm) => {
            const row = find(algorithm, type, 'uniform', least);
            return isMeasured(row) ? seconds(1000 * (row.spanMs ?? row.wallMs)) : gap(row);
          }),
        ]),
      ),
    ].join('\n');
  },
};

/** The same sorts as users meet them: whole commands on files. */
const commands = {
  name: 'commands',
  async measure(context) {
    const rows = [];
    for (const name of context.choose(['uniform', 'staggered'], ['uniform'])) {
      const { bytes, lines } = context.make(`u32-${name}`, { lines: context.choose(1e8, 2000) });
      const options = (algorithm) => ['--array', 'u32le', '--engine', 'gpu', '--algorithm', algorithm];
      const programs = ['auto', 'quicksort', 'merge', 'radix'].map((one) => ({ name: one, options: options(one) }));
      programs.push({ name: 'cpu', options: ['--array', 'u32le', '--engine', 'cpu'] });
      rows.push({
        id: name,
        runs: context.slowRuns,
        distribution: name,
        bytes,
        lines,
        ways: await context.commands(programs, 'records'),
      });
    }
    return rows;
  },
  table(rows) {
    const names = Object.keys(rows[0].ways);
    return titled(
      'Seconds from file to file, `--array u32le`: `--algorithm auto`, `quicksort`, `merge` and `radix` on the GPU, and the CPU ' +
        'engine on all cores.',
      ['distribution', 'keys', ...names],
      rows.map(({ distribution, lines, ways }) => [
        distribution,
        lines.toLocaleString('en'),
        ...names.map((name) => (ways[name].median === undefined ? gap(ways[name]) : seconds(ways[name].median))),
      ]),
    );
  },
};

export const PAPER_THREE = { number: 3, experiments: [distributions, types, commands] };
