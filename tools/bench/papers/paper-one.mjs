/** Paper 1: Baxter: Segmented Sort and Locality Sort. */
import { isMeasured } from '../kernels/figures.mjs';
import { NEAR, SEGMENT_MEANS } from './algorithms.mjs';
import { gap, percent, rateCell, ratioCell, rowOf, sizesOf, titled } from './tables.mjs';

const SPECS = ['u32 keys', 'u32 pairs'];
const segments = (spec, mean) => `${spec} segments of ${mean}`;

/**
 * Merge and copy tiles in percent of all tiles, by pass, for 10 million keys in 7,103 tiles of 1,408: the paper's
 * lists.
 */
const PAPER_TILES = {
  300: [
    [99.93, 62.55, 33.04, 16.44, 8.05, 4.25, 2.29, 1.1, 0.52, 0.25, 0.1, 0.08, 0.03],
    [0.07, 37.42, 47.99, 32.03, 16.44, 8.05, 4.25, 2.29, 1.1, 0.52, 0.25, 0.1, 0.08],
  ],
  10000: [
    [99.99, 97.52, 93.47, 84.78, 70.66, 52.91, 31.21, 18.71, 8.71, 3.27, 1.55, 2.08, 1.24],
    [0.01, 2.48, 5.24, 11.7, 21.23, 29.34, 36.96, 26.64, 18.71, 8.71, 3.27, 1.55, 2.08],
  ],
};
const PAPER_TOTALS = { 300: ['228.7 %', '150.6 %'], 10000: ['566.1 %', '167.9 %'] };

/** Merged and copied tiles of each pass. */
const tiles = {
  name: 'tiles',
  measure(context) {
    const size = context.choose(23, 12);
    const specs = context.choose(SPECS, ['u32 pairs']);
    return context.problems(
      specs.flatMap((spec) =>
        SEGMENT_MEANS.map((mean) => ({ algorithm: 'segmented-sort', case: segments(spec, mean), size })),
      ),
    );
  },
  table(rows) {
    const own = (spec, mean) => rows.find((row) => row.case === segments(spec, mean));
    const any = rows.filter(isMeasured);
    if (any.length === 0) return `${gap(rows[0])}\n`;
    const passes = Math.max(13, ...any.map(({ seen }) => seen.levels.length));
    const cell = (row, pass) => {
      if (!isMeasured(row)) return gap(row);
      const { levels, tiles: all } = row.seen;
      if (levels[pass] === undefined) return '';
      return `${percent(levels[pass].merged / all)}, ${levels[pass].inPlace.toLocaleString('en')}`;
    };
    const total = (row) => {
      if (!isMeasured(row)) return gap(row);
      const { levels, copied, tiles: all } = row.seen;
      const merged = levels.reduce((sum, level) => sum + level.merged, 0);
      return `${percent(merged / all)} merged, ${percent(copied / all)} copied`;
    };
    return SEGMENT_MEANS.map((mean) =>
      titled(
        `Segments of mean ${mean.toLocaleString('en')}: tiles that a pass merges, in percent of all tiles.`,
        ['pass', 'paper: merged', 'paper: copied', ...SPECS.map((spec) => `${spec}: merged, borders in place`)],
        [
          ...Array.from({ length: passes }, (_, pass) => [
            String(pass),
            ...PAPER_TILES[mean].map((list) => (list[pass] === undefined ? '' : `${list[pass]} %`)),
            ...SPECS.map((spec) => cell(own(spec, mean), pass)),
          ]),
          ['all', ...PAPER_TOTALS[mean], ...SPECS.map((spec) => total(own(spec, mean)))],
          ['M/s', '', '', ...SPECS.map((spec) => rateCell(own(spec, mean)))],
        ],
      ),
    ).join('\n');
  },
};

/** Locality sort on keys near their sorted places, with merge sort on the same keys. */
const locality = {
  name: 'locality',
  measure(context) {
    const cases = context.choose(['uniform', ...NEAR], ['near16']);
    const size = context.choose(24, 12);
    return context.problems(
      context
        .choose(SPECS, ['u32 keys'])
        .flatMap((spec) =>
          cases.flatMap((name) =>
            ['locality-sort', 'merge-sort'].map((algorithm) => ({ algorithm, case: `${spec} ${name}`, size })),
          ),
        ),
    );
  },
  table(rows) {
    return titled(
      'Millions of elements a second. `near16`: each key is less than 16 places from its sorted place.',
      ['case', 'n', 'locality sort', 'merge sort', 'locality / merge'],
      [...new Set(rows.map((row) => row.case))].flatMap((name) =>
        sizesOf(rows).map((size) => {
          const [near, merge] = ['locality-sort', 'merge-sort'].map((one) => rowOf(rows, one, name, size));
          return [name, `2^${size}`, rateCell(near), rateCell(merge), ratioCell(near, merge)];
        }),
      ),
    );
  },
};

export const PAPER_ONE = { number: 1, experiments: [tiles, locality] };
