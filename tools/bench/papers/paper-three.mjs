/** Paper 3: Cederman, Tsigas: A Practical Quicksort Algorithm for Graphics Processors. */
import { codesOf } from '../distributions.mjs';
import { isMeasured } from '../kernels/figures.mjs';
import { median } from '../measure.mjs';
import { seconds } from '../report.mjs';
import { DISTRIBUTIONS } from './algorithms.mjs';
import { gap, rateCell, rowOf, sizesOf, titled } from './tables.mjs';

/** The largest power of two that the host sorts on one core. */
const MOST_ON_HOST = 24;
const SORTS = ['quicksort', 'merge-sort', 'radix-sort'];

/** Sorts u32 keys on one core by the sort of typed arrays, which in V8 is std::sort of C++, an introsort. */
function sortOnHost(distribution, size, runs) {
  const n = 2 ** size;
  const { codes } = codesOf(distribution, 1, n, n)(0, n, 1);
  const times = [];
  for (let run = 0; run < runs; run++) {
    const keys = codes[0].slice();
    const begin = performance.now();
    keys.sort();
    times.push(performance.now() - begin);
    const disorder = keys.findIndex((key, i) => i > 0 && keys[i - 1] > key);
    if (disorder >= 0) throw new Error(`wrong: out of order at ${disorder}`);
  }
  return median(times);
}

/** Figures 3 and 4: the distributions, keys only. */
const distributions = {
  name: 'distributions',
  async measure(context) {
    const sizes = context.choose([24, 27], [10]);
    const names = context.choose(DISTRIBUTIONS, ['zero', 'staggered']);
    const rows = await context.problems(
      SORTS.flatMap((algorithm) =>
        names.flatMap((name) => sizes.map((size) => ({ algorithm, case: `u32 keys ${name}`, size }))),
      ),
    );
    for (const name of names)
      for (const size of sizes) {
        const row = { algorithm: 'host', case: `u32 keys ${name}`, size, n: 2 ** size };
        const id = `host, ${row.case}, 2^${size}`;
        if (size > MOST_ON_HOST) {
          rows.push({ id, ...row, leftOut: 'takes ten seconds' });
          continue;
        }
        const runs = context.slowRuns;
        const wallMs = sortOnHost(name, size, runs);
        rows.push({ id, ...row, runs, spanMs: null, wallMs });
        context.progress(`${id}: ${wallMs.toFixed(3)} ms`);
      }
    return rows;
  },
  table(rows) {
    const times = (fast, slow) =>
      isMeasured(fast) && isMeasured(slow)
        ? `${seconds(slow.wallMs / (fast.spanMs ?? fast.wallMs))} times`
        : gap(isMeasured(fast) ? slow : fast);
    return titled(
      'Millions of u32 keys a second; the host sorts by `std::sort` on one core. Last: how many times as fast as the ' +
        'host quicksort is (paper, 8800GTX: up to 8 times).',
      ['distribution', 'n', 'quicksort', 'merge sort', 'radix sort', 'host', 'quicksort / host'],
      sizesOf(rows).flatMap((size) =>
        DISTRIBUTIONS.map((name) => {
          const all = [...SORTS, 'host'].map((algorithm) => rowOf(rows, algorithm, `u32 keys ${name}`, size));
          return [name, `2^${size}`, ...all.map(rateCell), times(all[0], all[3])];
        }).filter((line) => line[2] !== 'not measured'),
      ),
    );
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

export const PAPER_THREE = { number: 3, experiments: [distributions, commands] };
