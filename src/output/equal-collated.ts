/**
 * Finds neighboring lines that are equal in a language. Each line is compared with the first of its equals as in the
 * sort, by strings made from the lines. This is slower than the kernel (kernels/wasm/keys/records/equal.ts), but takes
 * only a fraction of the comparisons of the sort.
 */
import type { Ordering } from '../job/ordering.js';
import { collationOf } from '../keys/collation/collation.js';
import { recordFinder } from '../records/record-finder.js';
import { linesIn, WholeRecords } from '../records/whole-records.js';

export class CollatedNeighbors {
  private readonly collation;
  private readonly delimiter: number;
  private readonly records: WholeRecords;
  /** The first of the current equal lines, and its strings; null: there was no line yet. */
  private first: Buffer | null = null;
  private values: readonly string[] = [];

  constructor(ordering: Ordering) {
    const finder = recordFinder(ordering.format);
    this.collation = collationOf(ordering);
    this.delimiter = finder.delimiter!;
    this.records = new WholeRecords(finder);
  }

  /**
   * The lines that a block completes. They are valid as long as the block is. `isFirst`: whether a line is the first of
   * its equals.
   */
  *of(block: Uint8Array): Generator<{ readonly line: Buffer; readonly isFirst: boolean }> {
    for (const text of this.records.texts(block))
      for (const line of linesIn(text, this.delimiter)) yield { line, isFirst: this.isFirst(line) };
  }

  private isFirst(line: Buffer): boolean {
    // Most lines that compare equal are identical.
    if (this.first?.equals(line)) return false;
    const values = this.collation.valuesOf(line.subarray(0, -1));
    if (this.first !== null && this.collation.compareValues(this.values, values) === 0) return false;
    this.first = Buffer.from(line);
    this.values = values;
    return true;
  }
}
