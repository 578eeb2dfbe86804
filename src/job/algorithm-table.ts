/**
 * The names for --algorithm, the kinds of input that each algorithm sorts on each engine, and its tunings. The parser,
 * the refusals, --help, the manual page, the completions and the tables of docs/binary.md are made from this. Knows no
 * job and no machine.
 */

/** Kinds of input by which --algorithm names are accepted. */
export const INPUT_KINDS = {
  lines: 'lines',
  longKeys: 'binary records with keys of more than 16 bytes',
  shortKeys: 'arrays, or binary records with keys of up to 16 bytes',
  segments: 'segments',
} as const;
export type InputKind = keyof typeof INPUT_KINDS;

/** A tuning: a choice within a GPU sort that changes its speed, never its output. */
interface TuningRow {
  /** A description for the manual. */
  readonly summary: string;
  /** The kinds of input for which the tuning has an effect; absent: all kinds that the algorithm sorts on a GPU. */
  readonly kinds?: readonly InputKind[];
  /** The step that the tuning decides. Tunings of an algorithm for the same step exclude each other. */
  readonly step?: string;
}

interface AlgorithmRow {
  /** The kinds of input that the algorithm sorts on each engine. */
  readonly gpu: readonly InputKind[];
  readonly cpu: readonly InputKind[];
  /** A description for the manual. */
  readonly summary: string;
  /** The name begins like an earlier name; an abbreviation of both means the earlier one. */
  readonly later?: true;
  /** The words that may follow its name: `--algorithm NAME:TUNING`. */
  readonly tunings?: Readonly<Record<string, TuningRow>>;
}

const WHOLE = ['lines', 'longKeys', 'shortKeys'] as const;
const ALL = [...WHOLE, 'segments'] as const;
const NONE = [] as const;
/** The kinds of input for tunings of merges that only short keys take. */
const OF_KEYS = { kinds: ['shortKeys'] } as const;

const RADIX_TUNINGS = {
  'one-sweep': { summary: 'counts digits while it moves keys; workgroups wait for each other', step: 'sweep' },
  'two-sweeps': { summary: 'counts all digits of a pass before it moves keys', step: 'sweep' },
  'no-subgroups': { summary: 'does without subgroup operations' },
} as const;

const DIGIT_TUNINGS = {
  'narrow-digits': { summary: 'all digits have 8 bits', step: 'digits' },
  'wide-digits': {
    summary: 'the first digit of a short alphabet has 12 bits if its buckets then fit tiles',
    step: 'digits',
  },
} as const;

/**
 * The algorithms, in the order of --help. To add a GPU sort, also extend src/engines/gpu/engine/sorts.ts and
 * src/plan/costs.ts; to add a tuning, src/engines/gpu/engine/tunings.ts.
 */
const ALGORITHM_TABLE = {
  merge: {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'merge sort of short keys; other input: the same as string-merge',
    later: true,
    tunings: {
      'search-binary': {
        ...OF_KEYS,
        summary: 'a thread finds where a tile begins, by binary search',
        step: 'search',
      },
      'search-wide': {
        ...OF_KEYS,
        summary: 'a workgroup finds where a tile begins; it compares neighboring points of the diagonal',
        step: 'search',
      },
      'search-parts': {
        ...OF_KEYS,
        summary: 'a workgroup finds where a tile begins; it divides the diagonal among its threads',
        step: 'search',
      },
      'merge-windows': {
        ...OF_KEYS,
        summary: 'a workgroup merges several tiles, one after another, through moving windows',
        step: 'merge',
      },
      'moving-windows': {
        ...OF_KEYS,
        summary: 'a workgroup merges a pair of runs, or a long part of one, through moving windows',
        step: 'merge',
      },
      'stable-network': {
        ...OF_KEYS,
        summary: 'a stable network sorts eight keys, even if equal keys cannot be told apart',
      },
    },
  },
  radix: {
    gpu: WHOLE,
    cpu: ALL,
    summary:
      'radix sort of short keys; other input: on a GPU the same as radix-refine, on the CPU a radix sort of chunks',
    tunings: RADIX_TUNINGS,
  },
  quicksort: {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'quicksort of short keys, or of prefixes, and refinement rounds for ties',
  },
  'string-merge': {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'merge sort of prefixes, which reads the text to settle ties',
    tunings: {
      'prefix-4': { summary: 'prefixes have 4 bytes instead of 8' },
      'ties-in-merges': {
        summary: 'merges settle ties up to 256 bytes, however many records there are',
      },
      'moving-windows': {
        summary: 'a workgroup merges a pair of runs, or a long part of one, through moving windows',
      },
    },
  },
  'radix-refine': {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'radix sort of prefixes, and refinement rounds for ties',
    tunings: RADIX_TUNINGS,
  },
  'msd-radix': {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'radix sort from the most significant digit',
    tunings: DIGIT_TUNINGS,
  },
  'msd-radix-hybrid': {
    gpu: ['lines'],
    cpu: NONE,
    summary: 'radix sort of the first symbols; threads of the host sort the remaining ties',
    later: true,
    tunings: DIGIT_TUNINGS,
  },
  locality: {
    gpu: WHOLE,
    cpu: NONE,
    summary: 'merge sort that skips what is in order',
    tunings: {
      'counted-jobs': { summary: 'workgroups take the next merge of a queue by a counter, instead of every n-th one' },
    },
  },
  segmented: { gpu: ALL, cpu: NONE, summary: 'separate sort of each segment' },
  'sample-sort': { gpu: NONE, cpu: WHOLE, summary: 'distribution into buckets, each of which is sorted by itself' },
} as const satisfies Readonly<Record<string, AlgorithmRow>>;

type AlgorithmTable = typeof ALGORITHM_TABLE;
type NamesOn<E extends 'gpu' | 'cpu'> = {
  [Name in keyof AlgorithmTable]: AlgorithmTable[Name][E] extends readonly [] ? never : Name;
}[keyof AlgorithmTable];

export type GpuAlgorithm = NamesOn<'gpu'>;
export type Algorithm = 'auto' | keyof AlgorithmTable;

/** The tunings of an algorithm. */
export type TuningOf<Name extends keyof AlgorithmTable> = AlgorithmTable[Name] extends { readonly tunings: infer Rows }
  ? keyof Rows & string
  : never;
/** A tuning of any algorithm. */
export type Tuning = { [Name in keyof AlgorithmTable]: TuningOf<Name> }[keyof AlgorithmTable];

/** The value of --algorithm. */
export interface AlgorithmRequest {
  readonly algorithm: Algorithm;
  /** Tunings of the algorithm, without duplicates, at most one for each step. */
  readonly tunings: readonly Tuning[];
}

/** The row of an algorithm. */
export function algorithmRow(name: Exclude<Algorithm, 'auto'>): AlgorithmRow {
  return ALGORITHM_TABLE[name];
}

const NAMES = Object.keys(ALGORITHM_TABLE) as (keyof AlgorithmTable)[];
export const ALGORITHMS: readonly Algorithm[] = ['auto', ...NAMES];
/** The names that yield to others: an abbreviation that also fits another name means the other one. */
export const LATER_ALGORITHMS: readonly Algorithm[] = NAMES.filter((name) => algorithmRow(name).later);
/** An algorithm's tunings, in the order of --help. `auto` has none. */
export function tuningsOf(name: Algorithm): readonly Tuning[] {
  return name === 'auto' ? [] : (Object.keys(algorithmRow(name).tunings ?? {}) as Tuning[]);
}
/** The row of a tuning that the algorithm has. */
export function tuningRow(name: Algorithm, tuning: Tuning): TuningRow {
  return algorithmRow(name as Exclude<Algorithm, 'auto'>).tunings![tuning];
}
/** A request as --algorithm takes it: `merge:search-wide,merge-windows`. */
export function requestText({ algorithm, tunings }: AlgorithmRequest): string {
  return tunings.length === 0 ? algorithm : `${algorithm}:${tunings.join(',')}`;
}

/** The names of an engine's algorithms: all, or those that sort input of `kind`. */
export function algorithmsOn<E extends 'gpu' | 'cpu'>(engine: E, kind?: InputKind): readonly NamesOn<E>[] {
  return NAMES.filter((name): name is NamesOn<E> => {
    const kinds = algorithmRow(name)[engine];
    return kind === undefined ? kinds.length > 0 : kinds.includes(kind);
  });
}

/** The only GPU algorithm whose text stays on the host. */
export const HYBRID_ALGORITHM = 'msd-radix-hybrid' satisfies GpuAlgorithm;

/** The algorithm for collated keys; it has no name on the command line. */
export const COLLATED_ALGORITHM = 'collate';
