/**
 * The contract of a sort into BAM that holds all records in memory. It inflates BAM or converts SAM, sorts, and
 * compresses. Threads take any order (src/engines/cpu/bam/); a GPU sorts by coordinate or name (src/engines/gpu/bam/).
 */
import type { Ordering } from '../job/ordering.js';
import type { BgzfWriter, BlockWriter, Chunk, StretchTaker } from './engine.js';

/** What is known of the input before it is read. */
export interface BamInput {
  /** The ordering of the records, whose keys are made; null: by coordinate. A GPU takes two others: by name. */
  readonly rows: Ordering | null;
  /** Bytes of all inputs as they are stored; null: a pipe goes on. */
  readonly bytes: number | null;
  /** The memory that holds what is kept of the inputs. It counts as memory of the sort. */
  readonly keptBytes: () => number;
  /** The number of references that each header lists. */
  readonly references: number;
  /**
   * If the files are SAM: the names of the references in their order, each followed by a newline. Null: they are BAM.
   */
  readonly contigs: Uint8Array | null;
}

/** Bytes of the position of a record of BAM. */
export const POSITION_BYTES = 16;

/**
 * Takes blocks of BGZF in place of text. Both may alternate, if the writes of one have settled before the other goes
 * on: a block begins after all text so far.
 */
export interface BlockOutput {
  readonly write: BgzfWriter;
  /** Takes text of the form that blocks have, which is compressed later. */
  readonly compress: BlockWriter;
  /** Takes the text of the next blocks, before they are written; null: it is not wanted. */
  readonly text: BlockWriter | null;
  /**
   * Takes the positions of the next records, POSITION_BYTES for each (kernels/wgsl/bam/positions.wgsl), in place of
   * their text, which has `textBytes` bytes. Null: they are not wanted.
   */
  readonly positions: ((positions: Uint8Array, textBytes: number) => void) | null;
}

/** Where records go. */
export interface BamOutput {
  /** Bytes of the header, which has already been written. */
  readonly headerBytes: number;
  /** Takes the text of the records if `blocks` is null; it is compressed later. */
  readonly text: BlockWriter;
  readonly blocks: BlockOutput | null;
}

/** Records that are ready to be written. */
export interface PreparedBam {
  readonly records: number;
  /** Bytes of the records, and of the input that they come from: the lines if it is SAM, else the same. */
  readonly bytes: number;
  readonly sourceBytes: number;
  write(output: BamOutput): Promise<void>;
}

/**
 * For each input: begin it, open its stretches one after another, add each when it is filled, and end it. Then prepare
 * and write. Close the sort in any case.
 */
export interface BamSort extends StretchTaker {
  /**
   * Begins an input whose first `headerBytes` inflated bytes are its header; 0 for SAM, whose header is not read again.
   */
  begin(headerBytes: number): void;
  /** Takes a stretch with the input's next `bytes` bytes. Throws Declined. */
  add(chunk: Chunk, bytes: number): Promise<void>;
  /** Ends an input. Throws Declined if it is cut off. */
  end(): Promise<void>;
  /** Sorts all records. Throws Declined. */
  prepare(): Promise<PreparedBam>;
  /** Frees all memory. No stretch may be open. */
  close(): Promise<void>;
}
