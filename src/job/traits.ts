/**
 * The traits of a job: what a road must be able to do to carry it. Each property of a job declares its traits here, and
 * each trait lists the roads that can carry it; a property without a declaration does not compile. So no road gets a
 * job with a trait that it does not know. Sizes, devices and kinds of files are facts, not traits: the code that
 * chooses a road also checks those.
 */
import type { CheckRequest, InputRequest, OutputRequest, ReportRequest, Resources, SortJob } from './job.js';
import type { KeyPart, Ordering } from './ordering.js';

/** The roads that only some jobs can take, and what happens on them. */
export const ROADS = {
  'at once': 'a small sort reads, sorts and writes in a few calls (`src/run/at-once.ts`)',
  bam: 'BAM is sorted as it is, and SAM as BAM (`src/run/sort-bam.ts`)',
  repeats: 'equal records are counted as they are read (`src/engines/cpu/counting/`)',
  ranges: '`-m` merges in ranges, not record by record (`src/run/merge.ts`)',
  inflated: 'a GPU inflates BGZF, and finds the records of its text (`src/engines/gpu/engine/inflater.ts`)',
  placed: 'chunks in order stay in the input and are read again later (`src/runs/placed-run.ts`)',
  restored: 'merges write records in the form of the output (`src/output/restored.ts`)',
  deflated: 'a GPU compresses what it merges to BGZF (`src/engines/gpu/engine/deflater.ts`)',
  tail: 'only ranges with the last records are merged (`src/runs/combine.ts`)',
  watched: '`-m` and `-c` notice key parts that no record has (`src/keys/presence.ts`)',
  sized: 'the output is as large as the input, for progress and for its pages (`src/run/sort.ts`)',
} as const;
export type Road = keyof typeof ROADS;

/** What a trait means, the roads that can carry it, and those that can with `--count`. */
interface TraitRow {
  readonly means: string;
  readonly roads: readonly Road[];
  readonly withCount?: readonly Road[];
}

/** Roads of the general path, if the host needs the text of the output. */
const WITH_TEXT = ['ranges', 'inflated', 'placed', 'restored', 'tail', 'watched', 'sized'] as const;
/** Roads of the general path, which most traits do not concern. */
const GENERAL = [...WITH_TEXT, 'deflated'] as const;
/** The same for keyed lines: what a chunk holds, keys included, is not in the input. */
const WITH_KEYS = ['ranges', 'inflated', 'restored', 'deflated', 'tail', 'watched', 'sized'] as const;

export const TRAITS = {
  merging: { means: '`-m`', roads: ['ranges', 'restored', 'watched', 'sized'] },
  checking: { means: '`-c`, `-C`', roads: ['watched'] },
  listing: { means: '`--check=orders`', roads: [] },
  distributed: { means: '`--cluster`', roads: ['bam', 'repeats', ...GENERAL] },

  fixed: { means: 'records of a fixed size', roads: [...GENERAL] },
  framed: { means: 'records of CSV, FASTQ, FASTA or BAM', roads: ['bam', ...GENERAL] },
  genomic: { means: 'a format of genomics data', roads: ['bam', ...GENERAL] },
  headed: { means: 'records at the top that stay there', roads: ['bam', 'repeats', ...GENERAL] },
  mated: { means: '`--mate`', roads: ['placed', 'tail', 'watched', 'sized'] },
  segmented: { means: '`--segment-by`, `--segments`', roads: ['restored', 'watched', 'sized'] },
  decompressed: { means: 'compressed inputs are decompressed', roads: ['bam', 'repeats', ...GENERAL] },

  keyed: { means: 'keys of the line', roads: ['at once', 'bam', 'repeats', ...WITH_KEYS] },
  structured: {
    means: 'keys that are fields of CSV or JSON, or follow a list of names',
    roads: ['bam', 'repeats', ...GENERAL],
  },
  seeded: { means: '`-R`', roads: ['repeats', ...GENERAL] },
  collated: { means: '`--locale`', roads: ['repeats', 'placed', 'tail', 'sized'] },
  shuffled: { means: '`--shuffle`, `--sample`', roads: ['tail'] },
  reversed: { means: '`-r`', roads: ['at once', 'bam', 'repeats', ...GENERAL] },

  unique: {
    means: '`-u`',
    roads: ['at once', 'repeats', 'ranges', 'inflated', 'placed', 'restored', 'deflated', 'watched'],
  },
  counted: { means: '`--count`', roads: ['repeats', 'ranges', 'inflated', 'placed', 'watched'] },
  divided: {
    means: '`--unique=last`, `--dupes-output`, `--per`',
    roads: ['repeats', 'ranges', 'inflated', 'placed', 'watched'],
  },
  first: { means: '`--top`', roads: ['inflated'], withCount: ['repeats', 'ranges'] },
  last: { means: '`--bottom`', roads: ['ranges', 'inflated', 'tail', 'watched'], withCount: ['repeats'] },

  underlined: { means: '`--debug`', roads: ['repeats', 'ranges', 'inflated', 'placed', 'tail', 'watched', 'sized'] },
  verified: { means: '`--verify`', roads: ['ranges', 'inflated', 'placed', 'tail', 'watched', 'sized'] },
  converted: { means: 'SAM becomes BAM, or BAM SAM', roads: ['bam', ...WITH_TEXT] },
  compressed: { means: 'the output is compressed', roads: ['bam', 'repeats', ...GENERAL] },
  indexed: { means: '`--index`', roads: ['bam', ...WITH_TEXT] },
  synced: { means: '`--sync`', roads: ['bam', 'repeats', ...GENERAL] },

  chunked: { means: '`--chunk-size`', roads: ['repeats', ...GENERAL] },
  onCpu: { means: '`--engine cpu`', roads: ['bam', 'repeats', ...GENERAL] },
  onGpu: { means: '`--engine gpu`', roads: ['bam', ...GENERAL] },
  byAlgorithm: { means: '`--algorithm`', roads: [...GENERAL] },
  reported: { means: '`--explain`, `--stats`, `--progress always`', roads: ['bam', 'repeats', ...GENERAL] },
} as const satisfies Readonly<Record<string, TraitRow>>;
export type Trait = keyof typeof TRAITS;
type Traits = ReadonlySet<Trait>;

/** For each property, the trait that a value of it gives to a job, if any. */
type Declared<Part> = { readonly [Name in keyof Part]-?: (value: Part[Name]) => Trait | false };

/** Declares a property that no road has to know: names, limits and settings that every road deals with. */
const none = (): false => false;

const OF_JOB: Declared<Pick<SortJob, 'mode' | 'cluster'>> = {
  mode: (mode) => mode !== 'sort' && (mode === 'merge' ? 'merging' : 'checking'),
  cluster: (cluster) => cluster !== null && 'distributed',
};

const OF_INPUT: Declared<InputRequest> = {
  files: none,
  mates: (mates) => mates.length > 0 && 'mated',
  decompress: (decompress) => decompress && 'decompressed',
  // Small sorts leave such inputs to the general path when they see the first bytes.
  recognizes: none,
  warnsOfCompression: none,
  framing: (framing) => framing !== null && 'framed',
  genomics: (genomics) => genomics !== null && 'genomic',
  header: (header) => header !== null && 'headed',
  combined: none,
  // The names are in the parts of the keys (below).
  contigs: none,
  // Only for keys in random order (below) and for shuffled records.
  randomSource: none,
  seed: none,
  shuffle: (shuffle) => shuffle !== null && 'shuffled',
};

const OF_ORDERING: Declared<Ordering> = {
  format: ({ kind }) => kind === 'fixed' && 'fixed',
  key: ({ kind }) => (kind === 'normalized' && 'keyed') || (kind === 'collated' && 'collated'),
  reverse: (reverse) => reverse && 'reversed',
  unique: (unique) => unique && 'unique',
  lastResort: none,
  segments: (segments) => segments !== undefined && 'segmented',
  encoding: none,
};

const OF_KEY_PART: Declared<KeyPart> = {
  span: ({ quoted }) => quoted === true && 'structured',
  name: (name) => name !== undefined && 'structured',
  instead: none,
  path: (path) => path !== undefined && 'structured',
  dropsReturn: none,
  nullIsMissing: none,
  bam: none,
  contigs: (contigs) => contigs !== undefined && 'structured',
  libraries: none,
  tag: none,
  isGroup: none,
  order: (order) => order === 'random' && 'seeded',
  dictionary: none,
  printing: none,
  fold: none,
  reverse: none,
};

const OF_OUTPUT: Declared<OutputRequest> = {
  file: none,
  mates: none,
  sync: (sync) => sync && 'synced',
  convertsTo: (format) => format !== null && 'converted',
  compression: (compression) => compression !== null && 'compressed',
  index: (index) => index !== null && 'indexed',
  count: (count) => count && 'counted',
  keepsLast: (keepsLast) => keepsLast && 'divided',
  duplicates: (duplicates) => duplicates !== null && 'divided',
  // Only of shuffled records.
  inInputOrder: none,
  limit: (limit) => limit?.end ?? false,
  groups: (groups) => groups !== null && 'divided',
  underline: (underline) => underline && 'underlined',
  verify: (verify) => verify && 'verified',
};

const OF_CHECK: Declared<CheckRequest> = {
  quiet: none,
  explains: none,
  orders: (orders) => orders && 'listing',
};

const OF_RESOURCES: Declared<Resources> = {
  engine: (engine) => (engine === 'cpu' && 'onCpu') || (engine === 'gpu' && 'onGpu'),
  algorithm: (algorithm) => algorithm !== 'auto' && 'byAlgorithm',
  tunings: none,
  memoryBytes: none,
  gpuMemoryBytes: none,
  temporaryDirectories: none,
  batchSize: none,
  compressProgram: none,
  parallel: none,
  chunkBytes: (bytes) => bytes !== null && 'chunked',
};

const OF_REPORT: Declared<ReportRequest> = {
  explain: (form) => form !== 'no' && 'reported',
  stats: (form) => form !== 'no' && 'reported',
  progress: (when) => when === 'always' && 'reported',
  color: none,
  presets: none,
};

/** The traits of a job. */
export function traitsOf(job: SortJob): Traits {
  const traits = new Set<Trait>();
  const add = <Part extends object>(declared: Declared<Part>, part: Part): void => {
    for (const name in declared) {
      const trait = declared[name](part[name]);
      if (trait !== false) traits.add(trait);
    }
  };
  add(OF_JOB, job);
  add(OF_INPUT, job.input);
  add(OF_ORDERING, job.ordering);
  if ('parts' in job.ordering.key) for (const part of job.ordering.key.parts) add(OF_KEY_PART, part);
  add(OF_OUTPUT, job.output);
  add(OF_CHECK, job.check);
  add(OF_RESOURCES, job.resources);
  add(OF_REPORT, job.report);
  return traits;
}

/** Whether a road can carry all traits of a job. */
export function canTake(road: Road, job: SortJob): boolean {
  const traits = traitsOf(job);
  const carries = (trait: Trait): boolean => {
    const { roads, withCount = [] }: TraitRow = TRAITS[trait];
    return roads.includes(road) || (traits.has('counted') && withCount.includes(road));
  };
  return [...traits].every(carries);
}
