/** What builds an index of an output while it is written. Knows bytes only: no files, no compression. */

/**
 * Builds an index of one output. Feed it the uncompressed output in order, header included, in blocks that may split
 * records anywhere, and the sizes of BGZF blocks as they are known. Throws `bad-records` if the output is not sorted by
 * position, is not of its format, or holds positions that the index cannot.
 */
export interface IndexBuilder {
  /** The kind of index, which is also how its name ends. A builder that chooses knows it after the header. */
  readonly kind: 'bai' | 'csi' | 'tbi';
  /** The next bytes of uncompressed output. */
  text(block: Uint8Array): void;
  /**
   * The next BGZF block holds `textBytes` of the output and takes `compressedBytes` of the file. May come any time
   * after its text. The end block is not announced.
   */
  block(textBytes: number, compressedBytes: number): void;
  /** The index file: uncompressed for .bai; the caller compresses .csi and .tbi with BGZF. Call at the end. */
  finish(): Buffer;
}
