/**
 * All types of the library's functions, and nothing else, because this file is published unchanged. `string & {}`
 * stands for any other text: with it, editors still complete the words of a union; with `string` they would not.
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import type { Phase } from '../report/recorder.js';
import type { Statistics } from '../report/statistics.js';

/** A file name. Bytes need not be UTF-8. A URL has the scheme `file:`. */
export type PathLike = string | Buffer | URL;

/** What `sortedLines` makes of a record: text in UTF-8, text with a character for each byte, or its bytes. */
export type LineEncoding = 'utf8' | 'latin1' | 'buffer';

/** A record that `sortedLines` yields, without its delimiter. */
export type SortedLine<E extends LineEncoding = LineEncoding> = E extends 'buffer' ? Buffer : string;

/** A number of bytes, or text with a unit as the command takes it: `2G`, `64M`. */
export type Size = number | string;

/** The algorithms that `algorithm` accepts (docs/kernels.md). */
export type AlgorithmName =
  | 'auto'
  | 'merge'
  | 'radix'
  | 'quicksort'
  | 'string-merge'
  | 'radix-refine'
  | 'msd-radix'
  | 'msd-radix-hybrid'
  | 'locality'
  | 'segmented'
  | 'sample-sort';

/** The types of numbers in a packed array, in little-endian order. */
export type NumberTypeName = 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'i8' | 'i16' | 'i32' | 'i64' | 'f32' | 'f64';

/** The named orders of genomics data. */
export type GenomicsOrder =
  | 'name'
  | 'id'
  | 'natural'
  | 'seq'
  | 'length'
  | 'similar'
  | 'quality'
  | 'coordinate'
  | 'queryname'
  | 'queryname-ascii'
  | 'template-coordinate'
  | 'minimiser'
  | 'position'
  | 'contig'
  | 'start'
  | 'end'
  | 'strand'
  | 'flag'
  | 'mapq'
  | 'template-length'
  | 'score'
  | 'type';

/**
 * The ordering of a key. Each property stands for a letter of -k. A key without any of them uses the ordering options
 * of the sort.
 */
export interface KeyLetters {
  /** `b`. Ignores blanks before `byte` (`'start'`), before `endByte` (`'end'`), or before both (`true`). */
  ignoreLeadingBlanks?: boolean | 'start' | 'end' | undefined;
  /** `d` */
  dictionaryOrder?: boolean | undefined;
  /** `f` */
  ignoreCase?: boolean | undefined;
  /** `g` */
  generalNumeric?: boolean | undefined;
  /** `h` */
  humanNumeric?: boolean | undefined;
  /** `i` */
  ignoreNonprinting?: boolean | undefined;
  /** `M` */
  month?: boolean | undefined;
  /** `n` */
  numeric?: boolean | undefined;
  /** `R` */
  random?: boolean | undefined;
  /** `r` */
  reverse?: boolean | undefined;
  /** `V` */
  version?: boolean | undefined;
  /** `E`: empty keys come last, also with `reverse`. */
  emptyLast?: boolean | undefined;
}

/** A key of lines. `{ field: 2 }` is field 2 alone, like `2,2`. */
export interface FieldKey extends KeyLetters {
  /** The field in which the key begins, counted from 1. With `csv` or `tsv`, it may also be the name of a column. */
  field: number | string;
  /** The byte of the field at which the key begins, counted from 1. */
  byte?: number | undefined;
  /** The field in which the key ends; `'last'`: the key ends with the record. Default: the field in which it begins. */
  endField?: number | 'last' | undefined;
  /** The last byte of the key in the field in which it ends. Default: the last byte of that field. */
  endByte?: number | undefined;
}

/** A key of binary records (`recordSize`): bytes or a number. */
export interface BinaryKey {
  /** The first byte, counted from 0. */
  offset: number;
  /** The number of bytes. Optional if `type` is given. */
  length?: number | undefined;
  /** The type of the number, for example `u32` or `f64be`. Without a type, bytes are compared. */
  type?: NumberTypeName | (string & {}) | undefined;
  /** Whether the order is reversed. */
  reverse?: boolean | undefined;
}

/** A key as an object. */
export type KeyObject = FieldKey | BinaryKey;

/** A key of lines of JSON: a value in the object on each line. */
export interface JsonKey extends KeyLetters {
  /**
   * The path to the value: names separated by dots, or an array of names and of indices in JSON arrays, which count
   * from 0. Names in an array may contain dots. Empty: the whole value of the line.
   */
  path: string | readonly (string | number)[];
}

/** The command's options, by their long names. The manual page, gpusort(1), describes each one. */
export interface SortOptions {
  ignoreLeadingBlanks?: boolean | undefined;
  dictionaryOrder?: boolean | undefined;
  ignoreCase?: boolean | undefined;
  generalNumericSort?: boolean | undefined;
  humanNumericSort?: boolean | undefined;
  ignoreNonprinting?: boolean | undefined;
  monthSort?: boolean | undefined;
  numericSort?: boolean | undefined;
  randomSort?: boolean | undefined;
  /** The file with the seed of `randomSort`, `shuffle` and `sample`. */
  randomSource?: PathLike | undefined;
  reverse?: boolean | undefined;
  /** The name of an ordering. */
  sort?: 'general-numeric' | 'human-numeric' | 'month' | 'numeric' | 'random' | 'version' | undefined;
  versionSort?: boolean | undefined;
  /**
   * One key or several, each as text for -k (`2,2n`; with `recordSize`: `0:4` or `8:u32`) or as an object: `{ field: 2,
   * numeric: true }`.
   */
  key?: string | KeyObject | readonly (string | KeyObject)[] | undefined;
  /**
   * Checks the order and writes nothing. If a record is out of order, the promise rejects with code `disorder`; with
   * `explain`, the hint shows both records.
   */
  check?: boolean | 'explain' | undefined;
  /** Merges inputs that are already in order. */
  merge?: boolean | undefined;
  stable?: boolean | undefined;
  /** One to four bytes. */
  fieldSeparator?: string | Buffer | undefined;
  /** The memory that a sort may use. */
  bufferSize?: Size | undefined;
  temporaryDirectory?: PathLike | readonly PathLike[] | undefined;
  /** The number of threads. */
  parallel?: number | undefined;
  /** The maximum number of inputs that `merge` merges at once. */
  batchSize?: number | undefined;
  /** A program that compresses temporary files. */
  compressProgram?: PathLike | undefined;
  /** Keeps the first or the last of the records with equal keys. `true`: the first. */
  unique?: boolean | 'first' | 'last' | undefined;
  zeroTerminated?: boolean | undefined;
  engine?: 'auto' | 'gpu' | 'cpu' | undefined;
  /** The name of a sorting algorithm (docs/kernels.md), optionally with tunings: `merge:search-wide,merge-windows`. */
  algorithm?: AlgorithmName | `${AlgorithmName}:${string}` | undefined;
  csv?: boolean | undefined;
  tsv?: boolean | undefined;
  /**
   * One path to a value or several, each with ordering letters (`user.age:n`), or as an object:
   * `{ path: 'user.age', numeric: true }`.
   */
  json?: string | JsonKey | readonly (string | JsonKey)[] | undefined;
  /** The size of binary records in bytes. */
  recordSize?: number | undefined;
  /**
   * The type of the numbers in a packed array, optionally with a byte order and with the type of their values: `f64`,
   * `u32be+u32`.
   */
  array?: NumberTypeName | (string & {}) | undefined;
  segmentBy?: string | undefined;
  segments?: 'blank' | undefined;
  /** A language tag, for example `de` or `sv`. */
  locale?: string | undefined;
  /** The number of leading records that stay first. */
  header?: number | undefined;
  /** Leading lines that begin with this text stay first. */
  headerPrefix?: string | Buffer | undefined;
  /** The records are in random order. */
  shuffle?: boolean | undefined;
  /** The number of records that are chosen at random. They stay in input order. */
  sample?: number | undefined;
  /** The seed of `shuffle`, `sample` and `randomSort`: the same number gives the same order. */
  seed?: number | undefined;
  count?: boolean | undefined;
  /** The file for the records that `unique` leaves out. Implies `unique`. */
  dupesOutput?: PathLike | undefined;
  top?: number | undefined;
  /** One key or several, as in `key` or `json`. `top` then counts the records of each group with equal keys. */
  per?: string | KeyObject | JsonKey | readonly (string | KeyObject | JsonKey)[] | undefined;
  bottom?: number | undefined;
  /** Checks the output while it is written. If it is wrong, the promise rejects with code `verify-failed`. */
  verify?: boolean | undefined;
  /** The output is on disk when the promise resolves. */
  sync?: boolean | undefined;
  chunkSize?: Size | undefined;
  gpuMemory?: Size | undefined;
  format?: 'fastq' | 'fasta' | 'sam' | 'bam' | 'bed' | 'vcf' | 'gff' | undefined;
  /** An order of genomics data, or several: `coordinate`, `tag:NM`, `length:r,name`. */
  by?: GenomicsOrder | (string & {}) | undefined;
  as?: 'samtools' | 'picard' | 'sort-bed' | 'bcftools' | undefined;
  /** A file that lists contigs, or `natural`. */
  contigs?: 'natural' | (string & {}) | Exclude<PathLike, string> | undefined;
  /** The files with the reads' mates. */
  mate?: PathLike | readonly PathLike[] | undefined;
  mateOut?: PathLike | readonly PathLike[] | undefined;
  interleaved?: boolean | undefined;
  combineRg?: boolean | undefined;
  combinePg?: boolean | undefined;
  /** Whether compressed inputs are decompressed. Default: only with `format` or `by`, whatever their names are. */
  decompress?: boolean | 'always' | 'never' | undefined;
  outputFormat?: 'plain' | 'gzip' | 'bgzf' | 'zstd' | 'xz' | 'bzip2' | 'lz4' | 'sam' | 'sam.gz' | 'bam' | undefined;
  level?: number | undefined;
  index?: boolean | 'auto' | 'csi' | undefined;
}

/** The part of a Web ReadableStream that the library uses. */
export interface WebReadable {
  /** As in ReadableStream. */
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | string | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
}

/** Records as a Node stream or a Web stream, or any iterable of blocks of bytes or text. */
export type StreamInput = Readable | WebReadable | Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/**
 * A string, a Buffer or a URL is the name of a file, and an array is a list of such names. Everything else is a source
 * of records; text becomes UTF-8.
 */
export type SortInput = PathLike | readonly PathLike[] | StreamInput;

/** The part of a Web WritableStream that the library uses. */
export interface WebWritable {
  /** As in WritableStream. */
  getWriter(): {
    readonly ready: Promise<unknown>;
    write(block: Uint8Array): Promise<void>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
  };
}

/** A file, which may be one of the inputs; a stream; or null if the job writes nothing. */
export type SortOutput = PathLike | Writable | WebWritable | null;

/** The progress of a phase. */
export interface SortProgress {
  /** The name of the phase. */
  readonly phase: Phase;
  /** Bytes done in this phase so far. */
  readonly bytes: number;
  /** The total bytes of the phase; null: unknown. */
  readonly totalBytes: number | null;
}

/** The options of a sort, and settings that only the library has. */
export interface SortSettings extends SortOptions {
  /**
   * Ends the sort when it is aborted: the promise rejects with the signal's reason, and an output file keeps its
   * contents.
   */
  signal?: AbortSignal | undefined;
  /**
   * Called with the progress of the sort. If it throws, or returns a promise that rejects, the sort ends with that
   * error.
   */
  onProgress?: ((progress: SortProgress) => unknown) | undefined;
  /**
   * Called for each warning at once, with the text that the command prints after `warning: `. Errors end the sort, as
   * in `onProgress`.
   */
  onWarning?: ((sentence: string) => unknown) | undefined;
  /** Whether the result has statistics. */
  statistics?: boolean | undefined;
}

/** The settings of `sortedLines`. */
export interface LineSettings<E extends LineEncoding = LineEncoding> extends SortSettings {
  /**
   * The form of each record. Default: `'utf8'`, which replaces bytes that are not UTF-8 by U+FFFD. `'latin1'` and
   * `'buffer'` keep all bytes.
   */
  encoding?: E | undefined;
}

/** The result of a sort. */
export interface SortResult {
  /** Bytes of sorted text, before compression. */
  readonly bytes: number;
  /**
   * Records in the output, without its header: lines, rows of CSV, reads, alignments. Reads that stay together
   * (`interleaved`, `mate`) count as one record. With `check`: 0.
   */
  readonly records: number;
  /** All texts that `onWarning` gets, in order. */
  readonly warnings: readonly string[];
  /** The object of --stats=json (docs/json.md); times are relative to the start of this sort. */
  readonly statistics?: Statistics;
}

/** A stream that a sort reads or writes. If the stream is destroyed, or left early by `for await`, the sort ends. */
export interface SortStream {
  /**
   * Settles when the sort is over and its temporary files are deleted. Rejects with the error of the stream, or with
   * code `broken-pipe` if the stream was closed early without an error. Needs no handler.
   */
  readonly result: Promise<SortResult>;
}

/** Sorted output as a stream, which is also an async iterable of Buffers. */
export interface SortedReadable extends Readable, SortStream {
  /** Iterates over blocks of the output. They may end anywhere, even within a record. */
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer>;
}

/** A stream that takes records and returns them sorted, for `pipeline` of node:stream. Blocks may end anywhere. */
export interface SortDuplex extends Duplex, SortStream {
  /** As in SortedReadable. */
  [Symbol.asyncIterator](): NodeJS.AsyncIterator<Buffer>;
}

/**
 * Runs sorts with common settings, and keeps a GPU's device and its compiled kernels between sorts, because these take
 * long to start.
 */
export interface Sorter extends AsyncDisposable {
  /** Like the function `sort`; settings given here take precedence over the common ones. */
  sort(input: SortInput, output: SortOutput, settings?: SortSettings): Promise<SortResult>;
  /** Like the function `sortFile`, which accepts only names of files, with settings as for `sort`. */
  sortFile(input: PathLike | readonly PathLike[], output: PathLike, settings?: SortSettings): Promise<SortResult>;
  /** Like the function `sorted`, with settings as for `sort`. */
  sorted(input: SortInput, settings?: SortSettings): SortedReadable;
  /** Like the function `sortedLines`, with settings as for `sort` and `encoding`. */
  sortedLines<E extends LineEncoding = 'utf8'>(
    input: SortInput,
    settings?: LineSettings<E>,
  ): AsyncGenerator<SortedLine<E>, void, undefined>;
  /** Like the function `createSort`, with settings as for `sort`. */
  createSort(settings?: SortSettings): SortDuplex;
  /** Waits for sorts in progress, and frees the device. Later sorts are refused. */
  close(): Promise<void>;
}
