/**
 * The contract of an engine. An engine owns the memory that records are sorted in: input is read straight into it, and
 * sorted text comes out in blocks. It knows nothing of files, options or the planner.
 *
 *     openChunk -> openPiece/commit ... -> order -> Sorted --keep--> Run --slices--> merge -> Sorted --emit--> blocks
 *
 * Text consists of whole records. For lines, the code that fills a chunk adds a missing last delimiter. Runs hold keyed
 * lines (src/keys/keyed.ts) if keys are normalized: `order` adds the keys, `merge` removes them. `order` may instead
 * distribute a chunk into buckets, which `merge` then sorts.
 */
import type { Digest } from '../report/digest.js';
import type { RandomAccess } from '../system/byte-source.js';
import type { SharedMemory } from '../system/threads/buffers.js';

/**
 * A place between two records of a run: before the record that begins at byte `byte` of its text. In its own runs, an
 * engine may store more about a place.
 */
export interface Position {
  readonly byte: number;
}

/** The properties of all runs. */
interface AnyRun {
  /** resident: in the engine's memory, where merges use it in place; stored: outside, and read for each merge. */
  readonly kind: 'resident' | 'stored';
  /** The place before the first record. */
  readonly begin: Position;
  /** The place after the last record. */
  readonly end: Position;
  /** Frees the run's memory or file space. */
  release(): void;
}

/** A sorted run: records in order, without equal keys under `unique`. */
export interface Run extends AnyRun {
  readonly buckets?: never;
  /**
   * At most `count` (at least 1) records, spread evenly by bytes over [from, to), in order and without repeats. They
   * lie strictly between the two places, or at `from` if the range holds one record. An empty range has none. `phase`,
   * from 0 to 1: where in each of `count` equal parts a sample lies; absent: in the middle. A run may ignore it.
   */
  sample(from: Position, to: Position, count: number, phase?: number): Promise<SampledRecord[]>;
  /**
   * The whole record at a position, without its delimiter. It may be a view of the run's memory; do not use it
   * after the run is released.
   */
  record(at: Position): Promise<Uint8Array>;
  /**
   * For each of `records` (whole, without delimiter, in sort order) the bounds of its equals within [from, to): `lower`
   * is the first place whose record does not sort before it, `upper` the first whose record sorts after it. Compares
   * by the job's ordering, regardless of input position (by key alone under `unique` or without `lastResort`). Pass
   * all runs the same list: a device gets it once.
   */
  cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]>;
  /**
   * The first and last record of [from, to), which is not empty: views of the run's memory. Absent or null if the run
   * would have to be read for them.
   */
  ends?(from: Position, to: Position): Ends | null;
  /** The number of records in [from, to). Absent if the run would have to be read for it. */
  count?(from: Position, to: Position): number;
}

/** A run whose records are in buckets. It is merged by whole buckets only, and cannot be sampled or cut. */
export interface DistributedRun extends AnyRun {
  /**
   * The end of each bucket in bytes. All records of a bucket sort before those of the next one; within a bucket they
   * keep the input order.
   */
  readonly buckets: readonly number[];
}

/** The result of `keep`, and the input of `merge`. */
export type KeptRun = Run | DistributedRun;

export interface SampledRecord<At extends Position = Position> {
  readonly at: At;
  /**
   * The beginning of the record's ordered bytes, at most SAMPLE_BYTES: a key comes first, even if it is not at the
   * record's beginning. With a collation: at most COLLATED_SAMPLE_BYTES of the record.
   */
  readonly head: Uint8Array;
  /** The record's length without its delimiter. */
  readonly bytes: number;
}

/** The first and the last record of a part of a run, without delimiters. */
export interface Ends {
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

/** Bytes of a record that a sample carries: enough to distinguish most records, few enough to read back thousands. */
export const SAMPLE_BYTES = 64;
/** The same for collations, in which any part of a record may decide its order. */
export const COLLATED_SAMPLE_BYTES = 1024;

export interface Bounds<At extends Position = Position> {
  readonly lower: At;
  readonly upper: At;
}

/** Text of a run outside the engine, in host memory or a temporary file. */
export interface StoredText extends RandomAccess {
  readonly kind: 'stored';
}

export interface StoredRun extends Run, StoredText {
  readonly kind: 'stored';
}

export const isStored = (run: KeptRun): run is KeptRun & StoredText => run.kind === 'stored';

/**
 * How records are written. `run`: as runs hold them, with their keys; `plain`: as they were read, without keys;
 * `newlines`: the same, but ending in newlines; `bam`: as the BAM records that lines stand for. Engines take the last
 * two only for keyed lines, and `bam` only on the CPU.
 */
export type RecordForm = 'run' | 'plain' | 'newlines' | 'bam';

/**
 * Whether slices overlap. `none`: no record of a slice sorts after one of the next slice, and equal records are in
 * input order, so the slices need no merge. `possible`: not known; the slices are listed in input order.
 */
export type Overlap = 'possible' | 'none';

/** Thrown by a merge if a slice is not in order. */
export class OutOfOrder extends Error {}

/** Thrown by a sort that leaves its input to an engine, before it has written anything. The message says why. */
export class Declined extends Error {}

/** The records of `run` in [from, to). */
export interface Slice<Of extends KeptRun = Run> {
  readonly run: Of;
  readonly from: Of['begin'];
  readonly to: Of['begin'];
}

/**
 * Takes the next block of sorted text. The caller may reuse its memory once the promise is settled. Blocks are written
 * in the order of the calls, which need not wait for each other.
 */
export type BlockWriter = (block: Uint8Array) => Promise<void>;

/** The first and the last segment of sorted text, which may be the same one. */
export interface SegmentEnds {
  /** The end of the first segment and the beginning of the last one, as positions of the run that the text becomes. */
  readonly firstEnd: Position;
  readonly lastBegin: Position;
  /** One record of each segment as it was read, without delimiter. */
  readonly firstRecord: Uint8Array;
  readonly lastRecord: Uint8Array;
}

/** Text in the engine's memory, waiting to be written or kept. Call exactly one of emit, keep and release. */
export interface EngineText<Kept extends KeptRun> {
  readonly bytes: number;
  /** The number of records. Always present in results of `order`. */
  readonly records?: number;
  /** Whether the text lies in a run, which must then not be released before the text is emitted. */
  readonly borrowed: boolean;
  /** Writes the text in order, in blocks, and frees its memory. Text from `order` still has its keys. */
  emit(write: BlockWriter): Promise<void>;
  /**
   * Whether `emit` calls `write` for all blocks before it returns. If so, the next result may be emitted while
   * these blocks are written.
   */
  readonly atOnce?: boolean;
  /**
   * Keeps the text as a run in the engine's memory. Null if no memory is left or the text is a slice of a kept run; the
   * text can then still be emitted.
   */
  keep(): Promise<Kept | null>;
  release(): void;
}

/** The bytes of a block of BGZF, and of its text. */
export interface BlockSize {
  readonly text: number;
  readonly bytes: number;
}

/**
 * Writes whole blocks of BGZF: their bytes, which may be reused once the promise resolves, and the size of each. Calls
 * need not wait for each other.
 */
export type BgzfWriter = (bytes: Uint8Array, blocks: readonly BlockSize[]) => Promise<void>;

/** Text that the engine compresses to BGZF in its memory. Call one of emit and release. */
export interface CompressedResult {
  /** Settles when the text is compressed, or cannot be: no run is needed any more. */
  readonly compressed: Promise<unknown>;
  emit(write: BgzfWriter): Promise<void>;
  release(): void;
}

/**
 * Text that was already in order when it was read. Its checksums show whether reading it again gives the same bytes.
 */
export interface CheckedText {
  /** The checksum of each block of `blockBytes` bytes. */
  readonly sums: Uint32Array;
  readonly blockBytes: number;
  checksum(block: Uint8Array): number;
  /** Copies. */
  readonly ends: Ends;
}

export interface Sorted extends EngineText<Run> {
  readonly buckets?: never;
  /**
   * Begins to compress the text, in place of emit, keep and release. Absent: the engine was not opened to compress, or
   * the text is not in its memory.
   */
  readonly compress?: () => CompressedResult;
  /**
   * The checksums and ends of a text that is in order as it was read, byte for byte. Null or absent: it is not in
   * order, or the engine was not opened to compute them. Only before emit, keep and release.
   */
  asRead?(): CheckedText | null;
  /**
   * The segments that neighboring chunks may share. Only for results of `order` under an ordering with segments, and
   * only before emit, keep and release.
   */
  segmentEnds?(): Promise<SegmentEnds>;
}

/** Text in buckets instead of in order. */
export interface Distributed extends EngineText<DistributedRun> {
  /** As for the run that it becomes. */
  readonly buckets: readonly number[];
}

/**
 * The limits of the table in which a thread counts records: its entries, of which at most half are used, and the bytes
 * of its records.
 */
export interface CountingLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** With this many threads or more, the threads merge their counting tables. */
export const UNITING_THREADS = 4;

/** Records that were counted instead of ordered. */
export interface CountedRecords {
  /** The bytes that `fill` writes in all. */
  readonly bytes: number;
  /** The best size of a chunk, in bytes. */
  readonly chunkBytes: number;
  /** Fills the memory of a chunk with the next records, which are still to be ordered; returns their bytes. */
  fill(target: Uint8Array): number;
  /** Null: `fill` already writes each record as often as the output needs it. */
  readonly repeats: Repeats | null;
}

/** How often distinct records occurred. */
export interface Repeats {
  /**
   * A step of the output that writes each merged record as often as it was counted, or once if it was not counted.
   * `finish` follows the last block.
   */
  written(write: BlockWriter): { readonly write: BlockWriter; finish(): Promise<void> };
  readonly countsOf: CountsOf;
}

/** Returns the counts of whole records, 8 bytes each. */
export type CountsOf = (records: Uint8Array) => Uint8Array;

/** A part of a chunk's memory that the host can write: in order, and without reading it. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Passes the first `length` bytes to the engine. Do not touch the view afterwards. */
  commit(length: number): void;
}

/** Memory for text that is to be sorted. */
export interface Chunk {
  /** The maximum number of bytes of text. */
  readonly capacity: number;
  /** The memory of all pieces, if it can be read as fast as it is written. It needs no commit. */
  readonly bytes?: Uint8Array;
  /**
   * The chunk's memory from `offset`, a multiple of the engine's pieceBytes: a view of pieceBytes, or of the rest of
   * the capacity. Waits for memory; several pieces may be open at once. All but the chunk's last piece must be full
   * when they are committed.
   */
  openPiece(offset: number): Promise<Piece>;
  /** Discards a chunk that will not be sorted. */
  release(): void;
}

/** Memory for the next bytes of an input as it is stored. Fill it from byte `from` on. */
export interface StretchMemory {
  readonly chunk: Chunk;
  readonly from: number;
}

/** Takes the stored bytes of inputs in stretches, one input after another. */
export interface StretchTaker {
  /** Maximum bytes of the next stretch. It may grow with an input of unknown size. */
  readonly stretchBytes: number;
  readonly pieceBytes: number;
  openStretch(bytes: number): StretchMemory;
}

/**
 * Inflates inputs of BGZF in the engine's memory, and orders their records. For each input: begin it, open its
 * stretches one after another, add each when it is filled, and end it. Only `openStretch` may be called while another
 * call is under way. Throws Declined.
 */
export interface EngineInflater extends StretchTaker {
  /** Begins an input whose first `headerBytes` bytes of text are its header. */
  begin(headerBytes: number): void;
  add(chunk: Chunk, bytes: number): Promise<InflatedRecords>;
  end(): Promise<InflatedRecords>;
}

/** Sorted texts, in input order, and the bytes of text that they were made from. */
export interface InflatedRecords {
  readonly texts: readonly Sorted[];
  readonly bytes: number;
}

export interface Engine {
  readonly name: 'gpu' | 'cpu';
  /**
   * The digest of all records given to `order`, hashed as they were read, in the engine's memory. Absent unless the
   * engine was opened to verify.
   */
  input?(): Promise<Digest>;
  /** Takes inputs of BGZF as they are stored. Absent: the host inflates them. */
  readonly inflater?: EngineInflater;
  /** Whether results of `order` have the checksums for reading ordered text again (`asRead`). Absent: no. */
  readonly checksText?: boolean;
  /** The capacity of a chunk. */
  readonly chunkBytes: number;
  /**
   * Bytes of the first chunks of inputs that are read sequentially; chunks grow as more is read. Absent: all chunks
   * have chunkBytes.
   */
  readonly firstChunkBytes?: number;
  /** The maximum bytes of runs in one merge; at least chunkBytes. The engine never receives a longer line. */
  readonly mergeBytes: number;
  readonly pieceBytes: number;
  /** The best number of bytes of text for a merge; at most mergeBytes. */
  readonly rangeBytes: number;
  /**
   * The number of splitters at which runs are cut before the first merges begin. Absent: all of them, because the
   * engine answers many questions at once, or because the calling thread also merges and would then cut no more.
   */
  readonly cutsAtOnce?: number;
  /** How many chunks may be in progress at once. */
  readonly lanes: number;
  /** How many merges may be in progress or waiting to be written. */
  readonly mergesAhead: number;
  /**
   * Shared memory in blocks of chunkBytes, from which merges take the text of stored runs. Null: merges read
   * stored runs where they are.
   */
  readonly shared: SharedMemory | null;
  /** The best size of the next chunk in bytes, if smaller than chunkBytes or firstChunkBytes. */
  portionBytes?(): number;
  /** Memory for a chunk. `expectedBytes` (at most the capacity) is how much of it will probably be filled. */
  openChunk(expectedBytes?: number): Promise<Chunk>;
  /**
   * Sorts the first `bytes` bytes of a chunk whose pieces are committed, and frees the chunk. If there are segments, it
   * sorts each one separately. Usually one result; several, in input order, if one cannot hold all records. Consume
   * them in order. None, if all records were counted.
   */
  order(chunk: Chunk, bytes: number): Promise<(Sorted | Distributed)[]>;
  /**
   * Called once all chunks are ordered: returns the records that were counted, or null. `others`: the bytes of records,
   * with delimiters, that were in no chunk. Absent: nothing is counted.
   */
  counted?(others: number): Promise<CountedRecords | null>;
  /**
   * Merges slices that are listed in input order (of distributed runs: sorts one bucket of each). Among equal records,
   * those of earlier slices come first, and are the ones kept under `unique`. All records share the first
   * `commonPrefix` bytes of their ordered bytes. Usually one result; several, to be emitted in order, if one cannot
   * hold all records. `form`: `plain` if it is absent. `overlap`: `possible` if it is absent; `none` may save the
   * merge. Throws OutOfOrder.
   */
  merge(
    slices: readonly Slice<KeptRun>[],
    commonPrefix: number,
    form?: RecordForm,
    overlap?: Overlap,
  ): Promise<Sorted[]>;
  /**
   * Frees part of the unused memory and returns its bytes, 0 if there is none. Call it only when no chunk will be
   * opened and nothing will be merged after that.
   */
  trim(): number;
  /** Frees all memory and the device. No piece may be open. */
  close(): Promise<void>;
}
