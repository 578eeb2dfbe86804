/** A sort job: the frozen result of reading the command line. Knows no files and no machine. */
import type { Algorithm } from './algorithm-table.js';

/** A file name as the bytes the system knows it by, which need not be UTF-8; `null` is standard input or output. */
export type FileName = Buffer | null;

/** How input is split into records. */
export type RecordFormat =
  /**
   * Records end in `delimiter` (10 or 0), which is not part of the key. It is added if an input's last record lacks it.
   */
  | { readonly kind: 'lines'; readonly delimiter: number }
  /** Every record is exactly `size` bytes; there is no delimiter. */
  | { readonly kind: 'fixed'; readonly size: number };

/** How the bytes of inputs become lines of the engines, and lines become output (src/input/framed.ts). */
export type Framing =
  /** Records of CSV, with the byte that separates fields; they may contain newlines, and end in NUL inside. */
  | { readonly kind: 'csv'; readonly separator: number }
  /** FASTQ records of four lines, `reads` of them together; they end in NUL inside. */
  | { readonly kind: 'fastq'; readonly reads: number }
  /** FASTA records of any number of lines; they end in NUL inside. */
  | { readonly kind: 'fasta' }
  /** Binary alignments, which contain no newline inside. */
  | { readonly kind: 'bam' };

/** What orders records, before the last-resort comparison. */
export type SortKey =
  | { readonly kind: 'record' }
  /** Bytes [offset, offset + length) of a fixed record, counted from 0; they lie inside the record. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number }
  /**
   * Parts of the record, each with its own ordering; earlier parts take precedence. Engines put a normalized key before
   * each record; its bytes compare as the parts do (src/keys/keyed.ts). Only with lines. `seed`: the 16-byte seed of
   * -R; null: not drawn yet.
   */
  | { readonly kind: 'normalized'; readonly parts: readonly KeyPart[]; readonly seed: Uint8Array | null }
  /**
   * Like `normalized`, but parts of order `bytes` are compared by the collation of a language (src/keys/collation/),
   * and records get no keys. There is at least one part. Only with lines. `locale`: a BCP 47 tag.
   */
  | {
      readonly kind: 'collated';
      readonly locale: string;
      readonly parts: readonly KeyPart[];
      readonly seed: Uint8Array | null;
    };

/**
 * A place in a record: `byte` bytes after the beginning of field `field`, or after its leading
 * blanks. Both count from 0.
 */
export interface FieldPosition {
  readonly field: number;
  readonly byte: number;
  readonly skipBlanks: boolean;
}

/** A part of a record as in `sort -k`: POS1[,POS2], with -t. */
export interface FieldSpan {
  readonly begin: FieldPosition;
  /** The place after the last byte: `byte` 0 is the end of field number `field`. Null: the record's end. */
  readonly end: FieldPosition | null;
  /** The 1 to 4 bytes that separate fields. Null: a field begins with its leading blanks. */
  readonly separator: Uint8Array | null;
  /**
   * Fields may be quoted as in CSV and are compared unquoted (kernels/wasm/keys/csv.ts). The separator is then one
   * byte.
   */
  readonly quoted?: true;
}

/**
 * The orderings of key parts: `-n -g -h -M -V -R`, `bytes` without any of these, and from `natural` on those of
 * genomics (docs/ordering.md). Kernels number them by their index here.
 */
export const PART_ORDERS = [
  'bytes',
  'numeric',
  'general-numeric',
  'human-numeric',
  'month',
  'version',
  'random',
  'natural',
  'length',
  'quality',
  'similar',
  'contig',
  'mate-contig',
  'integer',
  'signed',
  'strand',
  'template',
  'picard-template',
  'tag',
  'alleles',
  'comment',
] as const;
export type PartOrder = (typeof PART_ORDERS)[number];

/**
 * The fields of a BAM record that a key part can be (kernels/wasm/keys/bam.ts). Kernels number them by their index
 * here. Positions count from 1, as in SAM.
 */
export const BAM_FIELDS = [
  'name',
  'flag',
  'contig',
  'position',
  'mapq',
  'mate-contig',
  'mate-position',
  'template-length',
  'tags',
] as const;
export type BamField = (typeof BAM_FIELDS)[number];

/** Bits in memory that threads share, as in src/keys/presence.ts. */
export type Presence = Int32Array<SharedArrayBuffer>;

/** One `-k` with its ordering options. */
export interface KeyPart {
  readonly span: FieldSpan;
  /** The header's name for field 0 of `span`, until src/keys/names.ts resolves it to a number. */
  readonly name?: Uint8Array;
  /** The line is JSON; `span` is relative to the value at this path of names (kernels/wasm/keys/json.ts). */
  readonly path?: readonly Uint8Array[];
  /** The line is a BAM record, encoded by COBS, and the part is this field of it; `span` is the whole line. */
  readonly bam?: BamField;
  /** With orders `contig` and `mate-contig`: the names in their order, each followed by a newline. */
  readonly contigs?: Uint8Array;
  /** With order `tag`: the two characters of the optional field's name. */
  readonly tag?: string;
  /** Whether records have the part, as far as keys were made (src/keys/presence.ts); absent: nobody asks. */
  readonly presence?: Presence;
  readonly order: PartOrder;
  /** -d: only blanks, letters and digits count. */
  readonly dictionary: boolean;
  /** -i: only printable bytes count. */
  readonly printing: boolean;
  /** -f: fold lowercase to uppercase. */
  readonly fold: boolean;
  /** Larger parts first, whatever Ordering.reverse says. */
  readonly reverse: boolean;
}

/**
 * What identifies a record's segment. Neighbors of the same segment are sorted among themselves;
 * segments stay in place.
 */
export type Segments =
  /** Blank lines separate segments and stay in place. */
  | { readonly kind: 'blank' }
  /** Neighbors with equal bytes in `span` form a segment. */
  | { readonly kind: 'fields'; readonly span: FieldSpan }
  /** The same for fixed records, with bytes [offset, offset + length), counted from 0. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number };

/**
 * How engines hold fixed records with typed keys (src/keys/record-encoding.ts): a record keeps its length, and its key
 * becomes one range of bytes that compares as in memcmp. Bytes that no step names stay as they are.
 */
export interface RecordEncoding {
  /** The record's bytes. */
  readonly size: number;
  /** In an order in which they can be decoded: a step that needs a sign comes after the one that holds it. */
  readonly steps: readonly EncodingStep[];
}

/** Some bytes of a record, and what they become. */
export interface EncodingStep {
  readonly bytes: number;
  /** The byte of the encoded record at which they begin. */
  readonly to: number;
  /** The byte of the record that comes first. The others follow it or, with `backwards`, are those before it. */
  readonly from: number;
  readonly backwards: boolean;
  /** What the first byte and the others are XORed with. */
  readonly first: number;
  readonly rest: number;
  /**
   * The byte of the record that holds the sign of a floating-point number, in its top bit; null: there is none. If it
   * is set, the bits below the sign are complemented as well.
   */
  readonly sign: number | null;
}

/** The type of a number in a binary record. Floating-point numbers have IEEE 754's total order. */
export interface NumberType {
  readonly kind: 'unsigned' | 'signed' | 'float';
  /** 1, 2, 4, 8 or 16. */
  readonly bytes: number;
  readonly bigEndian: boolean;
}

/** A key of binary records: bytes [offset, offset + length), inside the record. */
export interface RecordPart {
  readonly offset: number;
  readonly length: number;
  /** Null: compared as bytes. */
  readonly type: NumberType | null;
  /** Larger keys first, whatever Ordering.reverse says. */
  readonly reverse: boolean;
}

/** All that decides which of two records comes first. Engines and merges get this and nothing else. */
export interface Ordering {
  readonly format: RecordFormat;
  readonly key: SortKey;
  /**
   * Larger keys first, and larger records in the last-resort comparison. Key parts have a `reverse` of their own. Equal
   * records still keep their input order.
   */
  readonly reverse: boolean;
  /** Of records with equal keys only the first of the input is kept. */
  readonly unique: boolean;
  /** Ties are broken by comparing whole records (reversed under `reverse`). False under `-s` and `-u`. */
  readonly lastResort: boolean;
  /** Absent: all records are one segment. Merges ignore it: each merge gets records of one segment. */
  readonly segments?: Segments;
  /**
   * Only with fixed records. `key` and `segments` are then places in encoded records, which is what engines and runs
   * hold; `order` encodes records and `merge` decodes them. Absent: they are as they were read.
   */
  readonly encoding?: RecordEncoding;
  /**
   * Only with normalized keys: the byte that `merge` writes in place of the delimiter when it leaves the keys out.
   * Records do not contain the delimiter otherwise. Absent: the delimiter.
   */
  readonly outputDelimiter?: number;
}

/** --top and --bottom: write only the first or the last `count` records. */
export interface Limit {
  readonly count: number;
  readonly end: 'first' | 'last';
}

/** --header and --header-prefix: records at the beginning of each input that are not sorted. */
export type Header =
  | { readonly kind: 'records'; readonly count: number }
  /** Lines that begin with one of these texts; none is empty or has the delimiter. Only with lines. */
  | { readonly kind: 'prefixes'; readonly prefixes: readonly Uint8Array[] }
  /** The header of BAM. */
  | { readonly kind: 'bam' };

/** The formats of genomics data. */
export const FORMAT_NAMES = ['fastq', 'fasta', 'sam', 'bam', 'bed', 'vcf', 'gff'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The tools whose rules about ties and names --as selects. */
export const TOOL_NAMES = ['samtools', 'picard', 'sort-bed', 'bcftools'] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** --format and --by. */
export interface Genomics {
  readonly format: FormatName;
  /** Whether the format was guessed. */
  readonly guessed: boolean;
  /** The order's name, as in `--by`. */
  readonly by: string;
  /** The tool whose rules apply. */
  readonly as: ToolName | null;
}

/** The forms of a compressed file that gpusort writes. */
export const COMPRESSED_FORMS = ['gzip', 'bgzf', 'zstd'] as const;
export type CompressedForm = (typeof COMPRESSED_FORMS)[number];

/** How output is compressed. */
export interface Compression {
  readonly kind: CompressedForm;
  readonly level: number;
}

/** What starts the tasks of a sort that is distributed. */
export type SchedulerRequest =
  /** `options`: words for its command. */
  | { readonly kind: 'slurm'; readonly options: readonly string[] }
  /** Processes of this host, so many at once. */
  | { readonly kind: 'local'; readonly processes: number }
  /** Another program: only the job directory is made. */
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

/** What is read, and what records it holds. */
export interface InputRequest {
  readonly files: readonly FileName[];
  /** --mate: files whose records belong to those of the first input, which is then the only one. */
  readonly mates: readonly FileName[];
  /** Whether compressed inputs are recognized by their content and decompressed. */
  readonly decompress: boolean;
  /** Whether a compressed input that is sorted as it is causes a warning. */
  readonly warnsOfCompression: boolean;
  /** Null: engines get the bytes of the inputs as they are. */
  readonly framing: Framing | null;
  /** Null: records are plain. */
  readonly genomics: Genomics | null;
  /** Null: no header. */
  readonly header: Header | null;
  /** --contigs: the file that lists contigs in their order, or `natural`; null: the header decides, or their bytes. */
  readonly contigs: Buffer | 'natural' | null;
  /** --random-source: the file with the seed for -R; null: the system's random source. */
  readonly randomSource: Buffer | null;
}

/** What is written, and where. */
export interface OutputRequest {
  readonly file: FileName;
  /** --mate: where the records of the input's mates go. */
  readonly mates: readonly FileName[];
  /** --sync: the output is on disk before the program ends. */
  readonly sync: boolean;
  /** Null: the output is not compressed. */
  readonly compression: Compression | null;
  /** --index: an index is written beside the output. */
  readonly index: boolean;
  /**
   * --count: write the first of the lines with equal keys, after the number of these lines. The ordering then keeps all
   * of them, in input order. Only with lines, without segments, and not in mode `check`.
   */
  readonly count: boolean;
  /** Null: write everything. Not in mode `check`, and not with segments. */
  readonly limit: Limit | null;
  /** --debug: underline the keys of each line. Keys then stay as they were given; none is left out. */
  readonly underline: boolean;
  /** --verify: check that the output is in order and consists of the records that were read. Not in mode `check`. */
  readonly verify: boolean;
}

/** What -c and -C report. */
export interface CheckRequest {
  /** -C: no message on disorder. */
  readonly quiet: boolean;
  /** --check=explain: the disorder message describes both records. */
  readonly explains: boolean;
  /** --check=orders: lists the orders of the format that the input is in. */
  readonly orders: boolean;
}

/** What the sort may use. */
export interface Resources {
  readonly engine: EngineChoice;
  readonly algorithm: Algorithm;
  /** -S in bytes; null: chosen for the machine. */
  readonly memoryBytes: number | null;
  /** --gpu-memory in bytes; null: what the device grants. */
  readonly gpuMemoryBytes: number | null;
  /** -T, else TMPDIR, else /tmp. At least one. */
  readonly temporaryDirectories: readonly FileName[];
  /** --batch-size: the maximum number of inputs -m merges at once, at least 2; null: chosen by the merge. */
  readonly batchSize: number | null;
  /** --compress-program: compresses temporary files; null: they are not compressed. */
  readonly compressProgram: Buffer | null;
  /** --parallel; null: chosen for the machine. */
  readonly parallel: number | null;
  /** --chunk-size: the maximum bytes of text sorted at once; null: chosen by the planner. */
  readonly chunkBytes: number | null;
}

/** What is reported besides the output. */
export interface ReportRequest {
  readonly explain: 'no' | 'text' | 'json';
  /** --stats; `drawing` names an SVG file for the timeline. */
  readonly stats: 'no' | 'text' | 'json' | { readonly drawing: Buffer };
  readonly progress: When;
  readonly color: When;
  /** The options in effect that GPUSORT_OPTIONS gave, as `--engine=cpu`. None of them can change the output. */
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

/** What the planner sees of a job. */
export type PlannedJob = Pick<SortJob, 'mode' | 'ordering' | 'resources'> & {
  readonly output: Pick<OutputRequest, 'count' | 'limit'>;
};

/** What the command of a task says instead of the job. It changes how the task works, but no output. */
export type TaskOverrides = Partial<Omit<Resources, 'batchSize' | 'compressProgram'>>;
