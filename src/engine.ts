/**
 * The contract that both engines keep. An engine owns the memory that records are sorted in: input is read straight into it,
 * chunks of records are ordered into runs, slices of runs are merged, and sorted text comes out in blocks. It knows nothing of
 * files, options or the planner.
 *
 *     openChunk -> openPiece/commit ... -> order -> Sorted --keep--> Run --slices--> merge -> Sorted --emit--> blocks
 *
 * Text always consists of whole records. With `lines` each record ends in the delimiter, also the last one: whoever fills a
 * chunk adds it. A record is never larger than a chunk's capacity.
 *
 * Under normalised keys the records of runs are keyed lines (src/keys/keyed.ts): `order` makes them, and so runs, samples and cuts have them; `merge` takes
 * the keys off what is to be written. Without such keys both are the same.
 *
 * An engine may distribute chunks into buckets where it should order them, which then are sorted where runs would be merged.
 */
import type { Digest } from './digest.js';

/** A place between two records of a run: before record `index`, whose first byte is byte `byte` of the run's sorted text. */
export interface Position {
  readonly index: number;
  readonly byte: number;
}

/** A run: records in order (and without equal keys under `unique`), or in buckets. Positions of one run are ordered alike by index and by byte. */
export interface Run {
  readonly kind: 'resident' | 'stored';
  /**
   * Where the run's buckets end, in bytes, of an engine that distributes: all records of a bucket come before those of the next one, and among themselves are in the order of the
   * input. Of such a run only whole buckets are merged; it cannot be sampled or cut, and its positions count bytes.
   */
  readonly buckets?: readonly number[];
  /** The place after the last record; `end.byte` is the run's length in bytes. The first place is { index: 0, byte: 0 }. */
  readonly end: Position;
  /**
   * At most `count` (at least 1) records spread evenly by bytes over [from, to), in order, without repeats: strictly between the
   * two, or at `from` where the range holds one record only; none where it is empty.
   */
  sample(from: Position, to: Position, count: number): Promise<Sample[]>;
  /** The whole record at a position, without its delimiter; it may be a view of the run's memory, and must not outlive it. */
  record(at: Position): Promise<Uint8Array>;
  /**
   * For each of `records` (whole records without delimiter, in sort order) the bounds of its equals within [from, to):
   * `lower` is the first place whose record is not before it, `upper` the first whose record is after it, compared by the
   * job's ordering without regard to input position (by key alone under `unique` or without `lastResort`).
   */
  cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]>;
  /** The ends of [from, to), which is not empty: views of the run's memory. Absent if the run would have to be read for them, or is distributed. */
  ends?(from: Position, to: Position): Ends;
  /** Gives the run's memory or space back. */
  release(): void;
}

export interface Sample {
  readonly at: Position;
  /**
   * The record's first bytes, at most SAMPLE_BYTES of what orders it (key first where the key is not the record's beginning); where records are collated,
   * at most COLLATED_SAMPLE_BYTES of the record.
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

/** How much of a record a sample carries: enough to tell most records apart, few enough to read back thousands. */
export const SAMPLE_BYTES = 64;
/** The same where any part of a record may order it. */
export const COLLATED_SAMPLE_BYTES = 1024;

export interface Bounds {
  readonly lower: Position;
  readonly upper: Position;
}

/** A run that lies outside the engine, in host memory or a temporary file. Its text can be read at any byte. */
export interface StoredRun extends Run {
  readonly kind: 'stored';
  /** Where the run's text lies in shared memory, its bytes from the first on; absent if it lies elsewhere. */
  readonly memory?: SharedArrayBuffer;
  /** Fills `target` with the run's bytes from `byte` on. `writeOnly`: the target is slow to read, as mapped upload memory is, and never read. */
  readAt(byte: number, target: Uint8Array, writeOnly?: boolean): Promise<void>;
}

/** Why an engine does not merge slices: one of them is not in order. */
export class OutOfOrder extends Error {}

/** The records of `run` in [from, to). */
export interface Slice {
  readonly run: Run;
  readonly from: Position;
  readonly to: Position;
}

/**
 * Takes the next block of sorted text; its memory may be reused once the promise is settled. Blocks come out in the order of the
 * calls, which need not wait for each other.
 */
export type BlockWriter = (block: Uint8Array) => Promise<void>;

/** The first and the last segment of sorted text; they may be the same. */
export interface SegmentEnds {
  /** The place after the first segment, and that before the last one, as positions of a resident run. */
  readonly firstEnd: Position;
  readonly lastBegin: Position;
  /** A record of each as it was read, without delimiter. */
  readonly firstRecord: Uint8Array;
  readonly lastRecord: Uint8Array;
}

/** Text in order, in the engine's memory, waiting to be written or kept. Exactly one of emit, keep, release is called. */
export interface Sorted {
  readonly bytes: number;
  readonly records: number;
  /** Whether the text lies in a run, which then must not be released before this is emitted. */
  readonly borrowed: boolean;
  /** As a run's: the text is distributed, not sorted. */
  readonly buckets?: readonly number[];
  /** Writes all the text in order, in blocks, and gives the memory back. What `order` gave has its keys. */
  emit(write: BlockWriter): Promise<void>;
  /** Whether `emit` calls `write` for all blocks before it returns, so that the next result may be emitted while they are written. */
  readonly atOnce?: boolean;
  /**
   * Keeps the text as a run in the engine's memory; null where no memory is left or the text is a slice of a kept run already
   * (the text then is still here, to be emitted).
   */
  keep(): Promise<Run | null>;
  release(): void;
  /**
   * Only of what `order` gives under an ordering with segments, before emit, keep and release: the segments that neighbouring
   * chunks may share.
   */
  segmentEnds?(): Promise<SegmentEnds>;
}

/** Shared memory that is handed out and taken back. */
export interface SharedMemory {
  /** A buffer of at least `bytes` bytes; its content is undefined. */
  take(bytes: number): SharedArrayBuffer;
  give(buffer: SharedArrayBuffer): void;
}

/** A part of a chunk's memory that can be written by the host. It is written in order and never read. */
export interface Piece {
  readonly bytes: Uint8Array;
  /** Hands the first `length` bytes over to the engine; the view must not be touched any more. */
  commit(length: number): void;
}

/** Memory for text that is still to be sorted. */
export interface Chunk {
  /** Most bytes of text. */
  readonly capacity: number;
  /**
   * Memory for the chunk's bytes from `offset`, a multiple of the engine's pieceBytes: a view of pieceBytes, or what is left to
   * the capacity. Several may be open at once; waits for memory. All but the chunk's last piece must be committed full.
   */
  openPiece(offset: number): Promise<Piece>;
  /** Gives up a chunk that will not be sorted. */
  release(): void;
}

export interface Engine {
  readonly name: 'gpu' | 'cpu';
  /** The digest of all records that were given to `order`, as they were read, hashed where they lay; absent unless it was asked for. */
  input?(): Promise<Digest>;
  /** Capacity of a chunk. */
  readonly chunkBytes: number;
  /** Bytes of the first chunks of a stream, which grow with what was read of it; absent: all are of chunkBytes. */
  readonly streamBytes?: number;
  /** Most bytes of runs that one merge takes; no record of a run is longer. Without normalised keys and buckets chunkBytes. */
  readonly mergeBytes: number;
  readonly pieceBytes: number;
  /** Bytes of text that a merge should be given for best use of the engine; at most mergeBytes. */
  readonly rangeBytes: number;
  /** How many chunks may be under way at once. */
  readonly lanes: number;
  /** How many merges may be under way, or done and waiting to be written. */
  readonly mergesAhead: number;
  /** Shared memory in blocks of chunkBytes, from which merges take the text of stored runs; null: it is best left where it is. */
  readonly shared: SharedMemory | null;
  /** Memory for a chunk, of which `expectedBytes` (the capacity at most) will be filled as far as is known. */
  openChunk(expectedBytes?: number): Promise<Chunk>;
  /**
   * Sorts the first `bytes` bytes of a chunk whose pieces are committed, each segment by itself where the ordering has segments, and
   * gives the chunk back. Usually one result; more in the order of the input where the records are too many for one. Results must be
   * consumed in order.
   */
  order(chunk: Chunk, bytes: number): Promise<Sorted[]>;
  /**
   * Merges slices (of distributed runs: sorts a bucket of each) whose order in the list is the order of the input: of equal records those of earlier slices come first (and
   * are the ones kept under `unique`). `commonPrefix` bytes at the start of the ordered bytes are known to be shared by all.
   * Usually one result; several, to be emitted one after another, where the records are too many for one. `form`: records as they were
   * read, to be written, or as runs have them, to be stored. Throws OutOfOrder.
   */
  merge(slices: readonly Slice[], commonPrefix: number, form?: 'output' | 'run'): Promise<Sorted[]>;
  /**
   * Gives back a part of the memory that is not in use and returns its bytes, 0 where there is none; no chunk will be opened and nothing
   * merged any more.
   */
  trim(): number;
  /** Gives all memory and the device back. No piece may be open. */
  close(): Promise<void>;
}
