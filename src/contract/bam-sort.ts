/**
 * The contract of a sort of BAM by coordinate that holds all records in the memory of a device (src/engines/gpu/bam/):
 * it inflates, sorts and compresses.
 */
import type { BlockTaker, BlockWriter, Chunk } from './engine.js';

/** What is known of the input before it is read. */
export interface BamInput {
  /** Bytes of all inputs as they are stored; null: a pipe goes on. */
  readonly bytes: number | null;
  /** The memory that holds what is kept of the inputs. It counts as memory of the sort. */
  readonly keptBytes: () => number;
  /** The number of references that each header lists. */
  readonly references: number;
}

/** Bytes of the position of a record of BAM. */
export const POSITION_BYTES = 16;

/** Takes blocks of BGZF. */
export interface BlockOutput {
  /** Called first. `head` is the last part of the text so far, which ends with a block of its own. */
  begin(head: Uint8Array): Promise<void>;
  /** Takes the text of the blocks; null: it is not wanted. */
  readonly text: BlockWriter | null;
  /**
   * Takes the positions of the next records, POSITION_BYTES for each (kernels/wgsl/bam/positions.wgsl), in place of the
   * text of their blocks. Null: they are not wanted.
   */
  readonly positions: ((positions: Uint8Array) => void) | null;
  /** Announces a block: the bytes of its text, and its own. */
  announce(textBytes: number, blockBytes: number): void;
  /** Writes bytes of blocks that are announced. */
  write(bytes: Uint8Array): Promise<void>;
  /** The same for blocks and text that merges have made, in any order. */
  readonly taker: BlockTaker;
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
  readonly bytes: number;
  write(output: BamOutput): Promise<void>;
}

/**
 * For each input: begin it, open its stretches one after another, add each when it is filled, and end it. Then prepare
 * and write. Close the sort in any case.
 */
export interface BamSort {
  /** Maximum bytes of the next stretch. */
  readonly stretchBytes: number;
  readonly pieceBytes: number;
  /** Begins an input whose first `headerBytes` inflated bytes are its header. */
  begin(headerBytes: number): void;
  /** Memory for a stretch: fill it from byte `from` on. */
  openStretch(bytes: number): { readonly chunk: Chunk; readonly from: number };
  /** Takes a stretch with the input's next `bytes` bytes. Throws Declined. */
  add(chunk: Chunk, bytes: number): Promise<void>;
  /** Ends an input. Throws Declined if it is cut off. */
  end(): Promise<void>;
  /** Sorts all records. Throws Declined. */
  prepare(): Promise<PreparedBam>;
  /** Frees all memory. No stretch may be open. */
  close(): Promise<void>;
}
