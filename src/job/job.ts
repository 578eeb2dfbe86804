/** A sort job: the frozen result of reading the command line. Knows no files and no machine. */
import type { AlgorithmRequest } from './algorithm-table.js';
import type { Ordering, SortKey } from './ordering.js';

/** A file name as the bytes the system knows it by, which need not be UTF-8; `null` is standard input or output. */
export type FileName = Buffer | null;

/** How the bytes of inputs become lines of the engines, and lines become output (src/input/framed.ts). */
export type Framing =
  /** CSV, with the byte that separates fields. Records may contain newlines; inside gpusort they end in NUL. */
  | { readonly kind: 'csv'; readonly separator: number }
  /** FASTQ records of four lines, `reads` of them together; inside gpusort they end in NUL. */
  | { readonly kind: 'fastq'; readonly reads: number }
  /** FASTA records of any number of lines; inside gpusort they end in NUL. */
  | { readonly kind: 'fasta' }
  /** Binary alignments, which contain no newline inside. */
  | { readonly kind: 'bam' };

/** --top and --bottom: write only the first or the last `count` records. */
export interface Limit {
  readonly count: number;
  readonly end: 'first' | 'last';
}

/**
 * --top with --per: write only the first `count` records of each group. Records of a group have equal keys, and follow
 * each other: the keys of the ordering begin with this one. Both are completed together (src/input/complete.ts).
 */
export interface GroupLimit {
  readonly count: number;
  readonly key: SortKey;
}

/** --header and --header-prefix: records at the beginning of each input that stay unsorted. */
export type Header =
  | { readonly kind: 'records'; readonly count: number }
  /**
   * Lines that begin with one of these texts. No text is empty, and only a text that is a whole line includes the
   * delimiter. Only with lines. `showsRecord`: the form of the first record after them also matters.
   */
  | { readonly kind: 'prefixes'; readonly prefixes: readonly Uint8Array[]; readonly showsRecord?: true }
  /** The header of BAM. */
  | { readonly kind: 'bam' };

/** The formats of genomics data. */
export const FORMAT_NAMES = ['fastq', 'fasta', 'sam', 'bam', 'bed', 'vcf', 'gff'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The formats of alignments, which are converted into each other. */
export type AlignmentFormat = Extract<FormatName, 'sam' | 'bam'>;

/** The tools whose rules about ties and names --as selects. */
export const TOOL_NAMES = ['samtools', 'picard', 'sort-bed', 'bcftools'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** A program and its command line, one character per byte, for headers. */
export interface ProgramRun {
  readonly version: string;
  readonly command: string;
}

/** --format and --by. */
export interface Genomics {
  readonly format: FormatName;
  /** Whether the format was guessed. */
  readonly guessed: boolean;
  /** The order's name, as in `--by`. */
  readonly by: string;
  /** The tool whose rules apply. */
  readonly as: ToolName | null;
  /** --pg: what the header says about this run; null: nothing. */
  readonly program: ProgramRun | null;
}

/** The forms of a compressed file that gpusort writes: those of codec threads, and those that programs write. */
export const THREAD_FORMS = ['gzip', 'bgzf', 'zstd'] as const;
export const PROGRAM_FORMS = ['xz', 'bzip2', 'lz4'] as const;
export type ThreadForm = (typeof THREAD_FORMS)[number];
export type ProgramForm = (typeof PROGRAM_FORMS)[number];
export type CompressedForm = ThreadForm | ProgramForm;

/** How output is compressed. */
export interface OutputCompression {
  readonly kind: CompressedForm;
  readonly level: number;
}

/** The scheduler that starts the tasks of a distributed sort. */
export type SchedulerRequest =
  /** `options`: words for its command. */
  | { readonly kind: 'slurm'; readonly options: readonly string[] }
  /** Processes of this host, this many at once. */
  | { readonly kind: 'local'; readonly processes: number }
  /** Another program runs the tasks: only the job directory is made. */
  | { readonly kind: 'prepare' };

/** --cluster: how the sort is distributed. */
export interface ClusterRequest {
  readonly scheduler: SchedulerRequest;
  /** --tasks: the number of shares, and of ranges; null: chosen for the size of the input. */
  readonly tasks: number | null;
  /** --work-dir: where the job directory is made; null: in the directory of the output. */
  readonly workDirectory: Buffer | null;
  /** --output-parts: the output is a directory of parts. */
  readonly parts: boolean;
  /** --detach: the client ends once tasks are submitted. */
  readonly detach: boolean;
  /** Whether -T is not given: each task then uses the TMPDIR of its own node. */
  readonly nodeTemporary: boolean;
}

export type EngineChoice = 'auto' | 'gpu' | 'cpu';

export type When = 'auto' | 'always' | 'never';

/**
 * --combine-rg and --combine-pg: whether lines with the same ID in several headers become one line even if they differ,
 * for each kind of line.
 */
export interface CombinedIds {
  readonly readGroups: boolean;
  readonly programs: boolean;
}

/** The inputs, and the records that they hold. */
export interface InputRequest {
  readonly files: readonly FileName[];
  /** --mate: files with the mates of the reads in the first input, which is then the only input. */
  readonly mates: readonly FileName[];
  /** Whether compressed inputs are recognized by their content and decompressed. */
  readonly decompress: boolean;
  /**
   * Whether inputs are decompressed if their names and first bytes agree, and refused if they cannot be text
   * (src/input/recognize.ts). Without it, only `decompress` counts.
   */
  readonly recognizes: boolean;
  /** Whether a compressed input that is sorted as it is causes a warning. */
  readonly warnsOfCompression: boolean;
  /** Null: engines get the bytes of the inputs as they are. */
  readonly framing: Framing | null;
  /** Null: records are plain. */
  readonly genomics: Genomics | null;
  /** Null: no header. */
  readonly header: Header | null;
  /** How headers of several inputs are united; null: they must be equal. */
  readonly combined: CombinedIds | null;
  /**
   * --contigs: the file that lists contigs in order, or `natural`; null: contigs are in the order of the header or,
   * without one, of their names' bytes.
   */
  readonly contigs: Buffer | 'natural' | null;
  /** --random-source: the file with the seed of random orders; null: the system's random source. */
  readonly randomSource: Buffer | null;
  /** --seed: the seed of random orders; null: that of the random source. */
  readonly seed: number | null;
  /**
   * --shuffle and --sample: records get random places, and engines sort by these (src/records/shuffled.ts). Only with
   * lines, in mode `sort`, with the whole record as the key. Null: records are sorted as they are. `seed`: 16 bytes;
   * null: not drawn yet.
   */
  readonly shuffle: { readonly seed: Uint8Array | null } | null;
}

/** The file of --dupes-output. */
export interface DuplicatesFile {
  readonly file: Buffer;
  readonly compression: OutputCompression | null;
}

/** The output: its records, its form and its place. */
export interface OutputRequest {
  readonly file: FileName;
  /** --mate: the files for the mates. */
  readonly mates: readonly FileName[];
  /** --sync: the output is on disk before the program ends. */
  readonly sync: boolean;
  /** The format that alignments are converted to; null: the records of the output are those of the inputs. */
  readonly convertsTo: AlignmentFormat | null;
  /** Null: the output is not compressed. */
  readonly compression: OutputCompression | null;
  /** --index: the kind of index that is written beside the output; auto: .csi only if it must be; null: none. */
  readonly index: 'auto' | 'csi' | null;
  /**
   * --count: write the first of the lines with equal keys, after the number of these lines. The ordering then keeps all
   * of them, in input order. Only with lines, without segments, and not in mode `check`.
   */
  readonly count: boolean;
  /**
   * --unique=last: write the last of the records with equal keys. The ordering then keeps all of them, in input order.
   * Not with counts or segments, and not in mode `check`.
   */
  readonly keepsLast: boolean;
  /**
   * --dupes-output: where all but one of the records with equal keys go. The ordering then keeps all of them, in input
   * order. Null: nowhere. Not with counts, limits, mates or segments, and not in mode `check`.
   */
  readonly duplicates: DuplicatesFile | null;
  /** --sample: the records of the output are in input order. Only if records are shuffled. */
  readonly inInputOrder: boolean;
  /** Null: write everything. Not in mode `check`, and not with segments. */
  readonly limit: Limit | null;
  /** Null: all records are one group. Not with counts, duplicates or limits, and only if those would be allowed. */
  readonly groups: GroupLimit | null;
  /** --debug: underline the keys of each line. Keys then stay as given, and none is left out. */
  readonly underline: boolean;
  /** --verify: check that the output is in order and consists of the records that were read. Not in mode `check`. */
  readonly verify: boolean;
}

/** Whether --top and --bottom count what remains of records with equal keys, so that no record may be dropped earlier. */
export const limitsLate = ({ count, keepsLast }: Pick<OutputRequest, 'count' | 'keepsLast'>): boolean =>
  count || keepsLast;

/** The reports of -c and -C. */
export interface CheckRequest {
  /** -C: no message on disorder. */
  readonly quiet: boolean;
  /** --check=explain: the disorder message describes both records. */
  readonly explains: boolean;
  /** --check=orders: lists the orders of the format that the input is in. */
  readonly orders: boolean;
}

/** The resources that the sort may use. */
export interface Resources extends AlgorithmRequest {
  readonly engine: EngineChoice;
  /** -S in bytes; null: chosen for the machine. */
  readonly memoryBytes: number | null;
  /** --gpu-memory in bytes; null: what the device grants. */
  readonly gpuMemoryBytes: number | null;
  /** The directories of -T, otherwise TMPDIR, otherwise /tmp. None for a task that uses those of its node. */
  readonly temporaryDirectories: readonly FileName[];
  /** --batch-size: the maximum number of inputs that -m merges at once, at least 2; null: chosen by the merge. */
  readonly batchSize: number | null;
  /** --compress-program: compresses temporary files; null: they are not compressed. */
  readonly compressProgram: Buffer | null;
  /** --parallel; null: chosen for the machine. */
  readonly parallel: number | null;
  /** --chunk-size: the maximum bytes of text sorted at once; null: chosen by the planner. */
  readonly chunkBytes: number | null;
}

/** The reports besides the output. */
export interface ReportRequest {
  readonly explain: 'no' | 'text' | 'json';
  /** --stats; `drawing` names an SVG file for the timeline. */
  readonly stats: 'no' | 'text' | 'json' | { readonly drawing: Buffer };
  readonly progress: When;
  readonly color: When;
  /**
   * The options from GPUSORT_OPTIONS that are in effect, for example `--engine=cpu`. None of them can change the
   * output.
   */
  readonly presets: readonly string[];
}

export interface SortJob {
  /** `check`: -c and -C; `merge`: -m. */
  readonly mode: 'sort' | 'merge' | 'check';
  readonly input: InputRequest;
  readonly ordering: Ordering;
  readonly output: OutputRequest;
  readonly check: CheckRequest;
  readonly resources: Resources;
  readonly report: ReportRequest;
  /** Null: this process sorts. Otherwise the inputs and the output are files. Not in mode `check`. */
  readonly cluster: ClusterRequest | null;
}

/** The part of a job that the planner sees. */
export type PlannedJob = Pick<SortJob, 'mode' | 'ordering' | 'resources'> & {
  readonly output: Pick<OutputRequest, 'count' | 'keepsLast' | 'limit'>;
};

/**
 * Settings in the command of a task that replace those of the job. They change how the task works, but not its output.
 */
export type TaskOverrides = Partial<Omit<Resources, 'batchSize' | 'compressProgram'>>;
