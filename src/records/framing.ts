/** What turns the bytes of a format into lines of the engines, and back. Knows no format and no files. */

/** Turns the bytes of one input into lines. */
export interface Framer {
  /**
   * Takes the next bytes of the input, which it may change in place. Returns text to hand on, valid until the next
   * call; it may be empty. Throws `bad-records`.
   */
  next(bytes: Uint8Array): Uint8Array;
  /** The end of the input: text still to hand on. Throws `bad-records` if a record is cut off. */
  end(): Uint8Array;
}

/** Turns blocks of lines, which may split records anywhere, into what the format writes. One per output. */
export interface Restorer {
  /** Restores `block`, without changing it, in `target`, which has as many bytes; returns the part that it fills. */
  next(block: Uint8Array, target: Uint8Array): Uint8Array;
  end(): Uint8Array;
}
