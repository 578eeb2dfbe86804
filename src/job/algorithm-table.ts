/**
 * The names for --algorithm, and the kinds of input that each sorts on each engine. The parser, the refusals, --help,
 * the manual page and the table of docs/binary.md are made from this. Knows no job and no machine.
 */

/** Kinds of input by which --algorithm names are accepted. */
export const INPUT_KINDS = {
  lines: 'lines',
  longKeys: 'binary records with keys of more than 16 bytes',
  shortKeys: 'arrays, or binary records with keys of up to 16 bytes',
  segments: 'segments',
} as const;
export type InputKind = keyof typeof INPUT_KINDS;

interface AlgorithmRow {
  /** The kinds of input that it sorts on each engine. */
  readonly gpu: readonly InputKind[];
  readonly cpu: readonly InputKind[];
  /** A description for the manual. */
  readonly summary: string;
  /** Its name begins like an earlier one, and an abbreviation of both still means that one. */
  readonly later?: true;
}

const WHOLE = ['lines', 'longKeys', 'shortKeys'] as const;
const ALL = [...WHOLE, 'segments'] as const;
const NONE = [] as const;

/** In the order of --help. To add a GPU sort, also extend src/engines/gpu/engine/engine.ts and src/plan/costs.ts. */
const ALGORITHM_TABLE = {
  merge: {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'merge sort of short keys; other input: the same as string-merge',
    later: true,
  },
  radix: {
    gpu: WHOLE,
    cpu: ALL,
    summary:
      'radix sort of short keys; other input: on a GPU the same as radix-refine, on the CPU a radix sort of chunks',
  },
  quicksort: {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'quicksort of short keys, or of prefixes, and refinement rounds for ties',
  },
  'string-merge': { gpu: WHOLE, cpu: NONE, summary: 'merge sort of prefixes, which reads the text to settle ties' },
  'radix-refine': { gpu: WHOLE, cpu: NONE, summary: 'radix sort of prefixes, and refinement rounds for ties' },
  'msd-radix': { gpu: WHOLE, cpu: NONE, summary: 'radix sort from the most significant digit' },
  'msd-radix-hybrid': {
    gpu: ['lines'],
    cpu: NONE,
    summary: 'radix sort of the first symbols; threads of the host sort the remaining ties',
    later: true,
  },
  locality: { gpu: WHOLE, cpu: NONE, summary: 'merge sort that skips what is in order' },
  segmented: { gpu: ALL, cpu: NONE, summary: 'separate sort of each segment' },
  'sample-sort': { gpu: NONE, cpu: WHOLE, summary: 'distribution into buckets, each of which is sorted by itself' },
} as const satisfies Readonly<Record<string, AlgorithmRow>>;

type AlgorithmTable = typeof ALGORITHM_TABLE;
type NamesOn<E extends 'gpu' | 'cpu'> = {
  [Name in keyof AlgorithmTable]: AlgorithmTable[Name][E] extends readonly [] ? never : Name;
}[keyof AlgorithmTable];

export type GpuAlgorithm = NamesOn<'gpu'>;
export type Algorithm = 'auto' | keyof AlgorithmTable;

/** The row of an algorithm. */
export function algorithmRow(name: Exclude<Algorithm, 'auto'>): AlgorithmRow {
  return ALGORITHM_TABLE[name];
}

const NAMES = Object.keys(ALGORITHM_TABLE) as (keyof AlgorithmTable)[];
export const ALGORITHMS: readonly Algorithm[] = ['auto', ...NAMES];
/** Names whose abbreviations that also fit another name mean the other one. */
export const LATER_ALGORITHMS: readonly Algorithm[] = NAMES.filter((name) => algorithmRow(name).later);
/** The names of an engine's algorithms: all, or those that sort input of `kind`. */
export function algorithmsOn<E extends 'gpu' | 'cpu'>(engine: E, kind?: InputKind): readonly NamesOn<E>[] {
  return NAMES.filter((name): name is NamesOn<E> => {
    const kinds = algorithmRow(name)[engine];
    return kind === undefined ? kinds.length > 0 : kinds.includes(kind);
  });
}

/** The algorithm for collated keys; it has no name on the command line. */
export const COLLATED_ALGORITHM = 'collate';
