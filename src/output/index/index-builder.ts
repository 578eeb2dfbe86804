/**
 * The interface of code that builds an index of an output while it is written. Knows bytes only: no files, no
 * compression.
 */

/**
 * Builds an index of one output. Feed it the uncompressed output in order, header included, in blocks that may split
 * records anywhere, and the sizes of BGZF blocks as they are known. Throws `bad-records` if the output is not sorted by
 * position, is not of its format, or holds positions that the index cannot.
 */
export interface IndexBuilder {
  /**
   * The kind of index, which is also the suffix of its name. A builder that chooses the kind knows it only at the end.
   */
  readonly kind: 'bai' | 'csi' | 'tbi';
  /** The next bytes of uncompressed output. */
  text(block: Uint8Array): void;
  /** The positions of the next records, in place of their text (see BlockOutput). Absent: the text is needed. */
  positions?(positions: Uint8Array): void;
  /**
   * The next BGZF block holds `textBytes` of the output and takes `compressedBytes` of the file. May come any time
   * after its text. The end block is not announced.
   */
  block(textBytes: number, compressedBytes: number): void;
  /** The index file: uncompressed for .bai; the caller compresses .csi and .tbi with BGZF. Call at the end. */
  finish(): Buffer;
}

/**
 * Where the BGZF blocks of an output lie: translates places in the text into places in the file. A place at the end of
 * a block is the beginning of the next one, as in htslib. Takes 16 bytes for a block, that is for up to 64 KB of text.
 */
export class BlockTable {
  /** Where each block begins in the text and in the file; the last entry is where the next block will begin. */
  #texts = new Float64Array(64);
  #addresses = new Float64Array(64);
  #count = 0;
  /** The block found last: most places are near the one before. */
  #found = 0;

  /** The end of the text whose blocks are known. */
  get textEnd(): number {
    return this.#texts[this.#count];
  }

  add(textBytes: number, compressedBytes: number): void {
    // A block without text holds no place; the next block begins after it.
    const next = textBytes === 0 ? this.#count : this.#count + 1;
    if (next === this.#texts.length) {
      this.#texts = doubled(this.#texts);
      this.#addresses = doubled(this.#addresses);
    }
    this.#texts[next] = this.#texts[this.#count] + textBytes;
    this.#addresses[next] = this.#addresses[this.#count] + compressedBytes;
    this.#count = next;
  }

  /** Where the block that holds the place begins in the text. No place may be after `textEnd`. */
  textBegin(place: number): number {
    return this.#texts[this.#find(place)];
  }

  /** The address in the file of the block that holds the place. */
  address(place: number): number {
    return this.#addresses[this.#find(place)];
  }

  /** Writes the place's virtual offset: the address of its block, and in the low 16 bits the place in the block. */
  writeOffset(place: number, out: DataView, at: number): void {
    const block = this.#find(place);
    const address = this.#addresses[block];
    const within = place - this.#texts[block];
    out.setUint32(at, (((address % 65536) << 16) | within) >>> 0, true);
    out.setUint32(at + 4, Math.floor(address / 65536), true);
  }

  /** The number of the block that holds the place: usually that of the place before. */
  #find(place: number): number {
    const block = this.#found;
    const isSame = this.#texts[block] <= place && (block === this.#count || place < this.#texts[block + 1]);
    return isSame ? block : this.#search(place);
  }

  /** Finds the block by steps from the one found last, which double, and a binary search in the last step. */
  #search(place: number): number {
    const texts = this.#texts;
    const end = this.#count + 1;
    let low = this.#found;
    let high = low + 1;
    for (let step = 1; texts[low] > place; step *= 2) {
      high = low;
      low = Math.max(0, low - step);
    }
    for (let step = 1; high < end && texts[high] <= place; step *= 2) {
      low = high;
      high = Math.min(end, high + step);
    }
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (texts[middle] <= place) low = middle;
      else high = middle;
    }
    this.#found = low;
    return low;
  }
}

function doubled(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
