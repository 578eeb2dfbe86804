/**
 * What was asked: the frozen result of reading the command line. Nothing here touches a file or the machine.
 */

/** A file name as the bytes the system knows it by (names need not be UTF-8); `null` is standard input or output. */
export type FileName = Buffer | null;

/** Where one record ends and the next begins. */
export type RecordFormat =
  /** Records end in `delimiter` (10 or 0), which is no part of the key and is added where the last record of an input lacks it. */
  | { readonly kind: 'lines'; readonly delimiter: number }
  /** Every record is exactly `size` bytes; there is no delimiter. */
  | { readonly kind: 'fixed'; readonly size: number };

/** The bytes of a record that decide its place first. */
export type KeySpec =
  | { readonly kind: 'record' }
  /** Bytes [offset, offset + length) of the record, counted from 0. Only with fixed records, inside the record. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number }
  /**
   * Parts of the record, each in an order of its own, the first of which that differs decides. Engines put a key made of them before each
   * record, whose bytes compare as the parts do: src/keys/keyed.ts. Only with lines.
   */
  | { readonly kind: 'normalised'; readonly parts: readonly KeyPart[]; /** 16 bytes that shuffle under -R; null: not drawn yet. */ readonly seed: Uint8Array | null }
  /**
   * The same by the collation of a language (src/keys/collation.ts): it compares the parts of order `bytes`, and no keys are put before records. There
   * is at least one part. Only with lines.
   */
  | { readonly kind: 'collated'; /** A BCP 47 tag. */ readonly locale: string; readonly parts: readonly KeyPart[]; /** As above. */ readonly seed: Uint8Array | null };

/** A place in a record by fields, both counted from 0: so many bytes behind the beginning of field `field`, or behind its leading blanks. */
export interface FieldPosition {
  readonly field: number;
  readonly byte: number;
  readonly skipBlanks: boolean;
}

/** A part of a record as `sort -k` names it: POS1[,POS2], with -t. */
export interface FieldSpan {
  readonly begin: FieldPosition;
  /** The place after the last byte: `byte` 0 is the end of field number `field`; null: the record's end. */
  readonly end: FieldPosition | null;
  /** The 1 to 4 bytes that part fields; null: fields begin where blanks do. */
  readonly separator: Uint8Array | null;
  /** Fields may stand in quotes, as those of CSV do, and are what they stand for (kernels/keys/csv.ts); the separator is one byte. */
  readonly quoted?: true;
}

/** How two parts of records are compared: `-n -g -h -M -V -R`; without any of these as bytes. Kernels number them by their place in PART_ORDERS. */
export const PART_ORDERS = ['bytes', 'numeric', 'general-numeric', 'human-numeric', 'month', 'version', 'random'] as const;
export type PartOrder = (typeof PART_ORDERS)[number];

/** One `-k`, with all that holds for it. */
export interface KeyPart {
  readonly span: FieldSpan;
  /** What the header calls the field that is field 0 of `span`, while its number is not known (src/keys/names.ts). */
  readonly name?: Uint8Array;
  /** The line is JSON, and `span` one of the value at the end of these names (kernels/keys/json.ts). */
  readonly path?: readonly Uint8Array[];
  readonly order: PartOrder;
  /** -d: only blanks, letters and digits count. */
  readonly dictionary: boolean;
  /** -i: only printing bytes count. */
  readonly printing: boolean;
  /** -f: small letters are as large ones. */
  readonly fold: boolean;
  /** Larger parts first; whether Ordering.reverse is set changes nothing of it. */
  readonly reverse: boolean;
}

/** What tells a record's segment: neighbours of which it is the same are sorted among themselves, and segments stay where they are. */
export type Segments =
  /** Blank lines part segments and stay where they are. */
  | { readonly kind: 'blank' }
  /** Neighbours with equal bytes there are one segment. */
  | { readonly kind: 'fields'; readonly span: FieldSpan }
  /** The same for fixed records: bytes [offset, offset + length), counted from 0. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly length: number };

/** All that decides which of two records comes first; both engines and the merge are given this and nothing else. */
export interface Ordering {
  readonly format: RecordFormat;
  readonly key: KeySpec;
  /**
   * Larger keys first, and larger records where the last resort decides; keys made of parts say themselves which of these are reversed.
   * Records that compare equal still keep their input order.
   */
  readonly reverse: boolean;
  /** Of records with equal keys only the first of the input is kept. */
  readonly unique: boolean;
  /** Records with equal keys are ordered by all their bytes (reversed too under `reverse`); false under `-s` and `-u`. */
  readonly lastResort: boolean;
  /** Absent: all records are one segment. Merges never look at it: what they are given is of one segment. */
  readonly segments?: Segments;
}

/** --top and --bottom: of all that would be written only so many records, the first or the last ones. */
export interface Limit {
  readonly count: number;
  readonly end: 'first' | 'last';
}

/** --header and --header-prefix: the lines at the beginning of each input that are not sorted. */
export type Header =
  | { readonly kind: 'lines'; readonly count: number }
  /** Lines that begin with these bytes, at least one, none of them a delimiter. */
  | { readonly kind: 'prefix'; readonly prefix: Uint8Array };

export type EngineChoice = 'auto' | 'gpu' | 'cpu';

/** The sorts that can be named with --algorithm, by the engine that runs them. A new one of the GPU's also goes into src/gpu/engine/algorithms.ts and src/plan/costs.ts. */
export const GPU_ALGORITHMS = ['string-merge', 'radix-refine', 'msd-radix', 'locality', 'segmented'] as const;
export const CPU_ALGORITHMS = ['radix', 'sample-sort'] as const;
export const ALGORITHMS = ['auto', ...GPU_ALGORITHMS, ...CPU_ALGORITHMS] as const;
/** Those that keep segments apart. */
export const SEGMENT_ALGORITHMS: readonly Algorithm[] = ['auto', 'segmented', 'radix'];
/** What sorts records that are collated: it goes with the key, and has no name on the command line. */
export const COLLATED_ALGORITHM = 'collate';
export type GpuAlgorithm = (typeof GPU_ALGORITHMS)[number];
export type Algorithm = (typeof ALGORITHMS)[number];

export type When = 'auto' | 'always' | 'never';

export interface SortJob {
  /** `check` is -c and -C, `merge` is -m. */
  readonly mode: 'sort' | 'merge' | 'check';
  /** -C: no message on disorder. */
  readonly quietCheck: boolean;
  /** --check=explain: the message of disorder tells of both records. */
  readonly explainsCheck: boolean;
  readonly inputs: readonly FileName[];
  readonly output: FileName;
  /** --sync: the output is on disk before the program ends. */
  readonly sync: boolean;
  readonly ordering: Ordering;
  /** --csv, --tsv: the byte that parts fields. Records may then hold newlines, and inside end in NUL (src/input/csv.ts), as the ordering says. Null: inputs are no CSV. */
  readonly csvSeparator: number | null;
  /**
   * --count: of lines with equal keys the first of the input is written, behind how many they are. The ordering then keeps them all, in the order
   * of the input. Only with lines, without segments, and not in mode `check`.
   */
  readonly count: boolean;
  /** Null: there is none. Only with lines. */
  readonly header: Header | null;
  /** Null: all is written. Not in mode `check`, and not with segments. */
  readonly limit: Limit | null;
  readonly engine: EngineChoice;
  readonly algorithm: Algorithm;
  /** --verify: what is written is checked to be in order, and to have the records that were read. Not in mode `check`. */
  readonly verify: boolean;
  /** -S in bytes; null: chosen from the machine. */
  readonly memoryBytes: number | null;
  /** --gpu-memory in bytes; null: what the device grants. */
  readonly gpuMemoryBytes: number | null;
  /** -T, else TMPDIR, else /tmp. At least one. */
  readonly temporaryDirectories: readonly FileName[];
  /** --batch-size: most inputs that -m merges at once, 2 at least; null: chosen by the merge. */
  readonly batchSize: number | null;
  /** --compress-program, which temporary files go through; null: they stay as they are. */
  readonly compressProgram: Buffer | null;
  /** --random-source: the file that the seed of -R is read from; null: the system's own source. */
  readonly randomSource: Buffer | null;
  /** --parallel; null: chosen from the machine. */
  readonly parallel: number | null;
  /** --chunk-size: most bytes of text sorted at once; null: chosen by the planner. */
  readonly chunkBytes: number | null;
  /** --debug: lines are written with their keys underlined. Keys are then as they were given, nothing left out. */
  readonly debug: boolean;
  readonly explain: 'no' | 'text' | 'json';
  /** --stats; with `drawing` the timeline goes to that file as SVG. */
  readonly stats: 'no' | 'text' | 'json' | { readonly drawing: Buffer };
  readonly progress: When;
  readonly color: When;
}
