/** The steps of a collation: the values of a record that it compares one after another. */

/** A collated part, or all neighbouring parts with other orderings. */
export interface CollationStep {
  /** The part of a record (without its delimiter) as a string. */
  valueOf(record: Uint8Array): string;
  /**
   * The same for many lines of `text`, if that is faster. The first line begins at `from`, each other one at the end of
   * the one before; `ends` include delimiters.
   */
  valuesOf?(text: Buffer, from: number, ends: Uint32Array): string[];
  /** Negative, 0 or positive; reversed if the part is. */
  compare(a: string, b: string): number;
}
