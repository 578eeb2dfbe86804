/** The programs of the benchmarks: their names as readers know them, and one color for each in all plots. */

/**
 * Colors on a light and on a dark page: readable there, and distinct even with red-green color blindness (plots.test.ts
 * computes both).
 */
export const COLORS = {
  green: { light: '#24a787', dark: '#74d7a8' },
  blue: { light: '#2853cc', dark: '#2e88fd' },
  rust: { light: '#882d04', dark: '#b3380d' },
  purple: { light: '#701878', dark: '#993d9b' },
  amber: { light: '#927403', dark: '#c59516' },
  sky: { light: '#0990d1', dark: '#40c2fd' },
  grey: { light: '#656b72', dark: '#8b9198' },
  ink: { light: '#1f2328', dark: '#f0f6fc' },
};

/**
 * The color of each program, by the beginning of its name. Programs that share no plot may share a color: those of
 * files, of genomics, of arrays, of pipelines, and the two kinds of GPU sorts (of fixed keys and of strings). The order
 * is that of bars.
 */
const PROGRAMS = [
  ['gpusort (CPU)', 'blue'],
  ['gpusort', 'green'],
  ['cp', 'grey'],
  ['cat', 'amber'],
  ['hold', 'grey'],
  ['DuckDB', 'purple'],
  ['uutils', 'sky'],
  ['GNU sort', 'rust'],
  ['Node', 'ink'],
  ['samtools', 'amber'],
  ['seqkit', 'purple'],
  ['sort-bed', 'sky'],
  ['gzip', 'ink'],
  ['numpy', 'amber'],
  ['VQSort', 'purple'],

  ['radix-sort', 'blue'],
  ['radix-two-sweeps', 'blue'],
  ['merge-sort', 'rust'],
  ['quicksort', 'purple'],
  ['locality-sort', 'amber'],
  ['segmented-sort', 'green'],
  ['merge-path', 'sky'],
  ['string-merge', 'rust'],
  ['msd-radix', 'green'],
  ['radix-refine', 'blue'],
  ['locality-refine', 'purple'],

  ['CUB', 'ink'],
  ['moderngpu', 'grey'],
  ['gridwise', 'sky'],
  ['CUDPP', 'amber'],
];

const placeOf = (name) => {
  const place = PROGRAMS.findIndex(([beginning]) => name.startsWith(beginning));
  if (place < 0) throw new Error(`no color for '${name}'`);
  return place;
};

/** The color of a program: a name in COLORS. */
export const colorOf = (name) => PROGRAMS[placeOf(name)][1];

/** Compares the names of two programs: gpusort comes first. */
export const byProgram = (a, b) => placeOf(a) - placeOf(b);

const NAMES = { gnu: 'GNU sort', duckdb: 'DuckDB', uutils: 'uutils sort', node: 'Node, empty start', vqsort: 'VQSort' };
const WAYS = {
  avx2: 'with AVX2 at most',
  shell: 'in a pipeline',
  plain: 'without the option',
  recompress: 'without sorting',
  unlike: 'in its own order',
};

/**
 * The name for readers of a program of commands.mjs, for example `gpusort (GPU) > file`.
 * @param {string} name
 * @param {'cpu' | 'gpu' | null | undefined} engine of gpusort; null: not known
 */
export function programName(name, engine) {
  const [program, ...rest] = name.split(' ');
  const way = rest.join(' ');
  const known = program === 'gpusort' && engine ? `gpusort (${engine.toUpperCase()})` : (NAMES[program] ?? program);
  return [known, WAYS[way] ?? way].filter(Boolean).join(' ');
}
