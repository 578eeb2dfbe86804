/** Joins what one block leaves of a record to the next block, so that a parser sees whole records. */

/** Takes all whole records of `bytes` from `from` on and returns where the one begins that is not whole. */
type Taker = (bytes: Uint8Array, from: number) => number;

export class Remainder {
  #kept = Buffer.alloc(0);
  #used = 0;

  /** Bytes of the record that is not whole yet. */
  get bytes(): number {
    return this.#used;
  }

  get text(): Buffer {
    return this.#kept.subarray(0, this.#used);
  }

  give(block: Uint8Array, take: Taker): void {
    let from = 0;
    // Each round adds as much as there is already, so that a long record costs no more than twice its bytes to copy and
    // a short one does not copy the whole block.
    while (this.#used > 0 && from < block.length) {
      const kept = this.#used;
      const added = block.subarray(from, from + Math.max(kept, 1024));
      this.#append(added);
      const taken = take(this.text, 0);
      if (taken === 0) {
        from += added.length;
        continue;
      }
      // The rest of the text is in the block, too.
      from += taken - kept;
      this.#used = 0;
    }
    if (this.#used > 0 || from >= block.length) return;
    this.#append(block.subarray(take(block, from)));
  }

  #append(bytes: Uint8Array): void {
    if (this.#used + bytes.length > this.#kept.length) {
      const larger = Buffer.alloc(Math.max(4096, 2 * (this.#used + bytes.length)));
      larger.set(this.text);
      this.#kept = larger;
    }
    this.#kept.set(bytes, this.#used);
    this.#used += bytes.length;
  }
}
