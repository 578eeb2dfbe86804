/** The values of all options, by name. The option table's parsers return them, and a job is made from them. */
import type { AlgorithmRequest } from '../../job/algorithm-table.js';
import type {
  CompressedForm,
  EngineChoice,
  FormatName,
  ReportRequest,
  SchedulerRequest,
  ToolName,
  When,
} from '../../job/job.js';
import type { KeyDefinition } from './key-definition.js';
import type { ArrayType, RecordKey } from './record-key.js';

/** The shells that --completions writes scripts for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The words of --output-format that name a format of alignments. */
export const ALIGNMENT_FORMS = ['sam', 'sam.gz', 'bam'] as const;
export type AlignmentForm = (typeof ALIGNMENT_FORMS)[number];

/** The topics of --help. Each option has one; some topics have no options. */
export const TOPICS = [
  'keys',
  'records',
  'output',
  'engines',
  'reports',
  'genomics',
  'cluster',
  'tools',
  'environment',
  'examples',
] as const;
export type Topic = (typeof TOPICS)[number];

/** The values of --help: `common` is the first page, `all` has everything. */
export const HELP_TOPICS = ['common', ...TOPICS, 'all'] as const;
export type HelpTopic = (typeof HELP_TOPICS)[number];

/** -c or -C, and whether to show both lines of the disorder. */
export interface Check {
  readonly letter: 'c' | 'C';
  readonly explains: boolean;
  /** Whether to list the orders that the input is in, instead of checking one. */
  readonly orders: boolean;
}

/** The form of a report. */
export type Form = 'text' | 'json';

/**
 * The values by name. Absent: the option was not given. The ordering switches are also `true`; the option table knows
 * them by their letters.
 */
export interface Values {
  help?: HelpTopic;
  version?: true;
  adapters?: Form;
  completions?: Shell;
  /** The letters of the orderings. */
  sort?: string[];
  /** Keys of binary records if `recordSize` is set. */
  key?: KeyDefinition[] | RecordKey[];
  batchSize?: number;
  compressProgram?: string;
  debug?: true;
  files0From?: string;
  randomSource?: string;
  seed?: number;
  shuffle?: true;
  sample?: number;
  check?: Check;
  merge?: true;
  output?: string;
  sync?: true;
  stable?: true;
  bufferSize?: number;
  temporaryDirectory?: string[];
  parallel?: number;
  /** Which of the records with equal keys is kept. */
  unique?: 'first' | 'last';
  zeroTerminated?: true;
  engine?: EngineChoice;
  algorithm?: AlgorithmRequest;
  recordSize?: number;
  array?: ArrayType;
  fieldSeparator?: Buffer;
  csv?: true;
  tsv?: true;
  json?: KeyDefinition[];
  locale?: string;
  segmentBy?: string;
  segments?: 'blank';
  count?: true;
  dupesOutput?: string;
  header?: number;
  headerPrefix?: string;
  top?: number;
  per?: KeyDefinition[];
  bottom?: number;
  verify?: true;
  chunkSize?: number;
  gpuMemory?: number;
  explain?: Form;
  stats?: ReportRequest['stats'];
  progress?: When;
  color?: When;
  format?: FormatName;
  by?: string;
  as?: ToolName;
  contigs?: string;
  mate?: string[];
  mateOut?: string[];
  interleaved?: true;
  combineRg?: true;
  combinePg?: true;
  decompress?: 'always' | 'never';
  outputFormat?: 'plain' | CompressedForm | AlignmentForm;
  level?: number;
  index?: 'auto' | 'csi';
  pg?: true;
  cluster?: SchedulerRequest;
  tasks?: number;
  workDir?: string;
  slurmOptions?: string[];
  outputParts?: true;
  detach?: true;
  clusterTask?: string;
}

/** Whether the options need all of the records with equal keys, so none may be dropped before the output. */
export const needsEqual = (values: Values): boolean =>
  values.count === true || values.dupesOutput !== undefined || keepsLast(values);

/** Whether the last of the records with equal keys is written. */
export const keepsLast = ({ unique, check }: Values): boolean => unique === 'last' && check === undefined;

/** The name of an option's value: `batchSize` for `batch-size`. */
export function valueName(long: string): string {
  return long.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The value of option `long`; undefined if it was not given. */
export function optionValue(values: Values, long: string): unknown {
  return (values as Readonly<Record<string, unknown>>)[valueName(long)];
}
