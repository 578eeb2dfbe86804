/** What finds the ends of records on the host, whatever their format. */

/** Finds record ends in windows of text. Ends are counted from the window's beginning and include the delimiter. */
export interface RecordFinder {
  /** The byte after each record that is not part of it, added if an input's last record lacks it; null: none. */
  readonly delimiter: number | null;
  /**
   * The last record end in (0, bytes.length]; -1 if there is none. `offset`: bytes from a record's
   * beginning to the window.
   */
  lastEnd(bytes: Buffer, offset: number): number;
  /** The first record end in (0, bytes.length]; -1 if there is none. */
  firstEnd(bytes: Buffer, offset: number): number;
  /** Throws `bad-records` if an input of `bytes` bytes is not a whole number of records. */
  checkWhole(label: string, bytes: number): void;
}

/** The length of the delimiter after each record: 1 or 0. */
export function delimiterBytes(finder: RecordFinder): number {
  return finder.delimiter === null ? 0 : 1;
}
