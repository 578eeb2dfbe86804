/**
 * The first of neighboring lines that are equal in a language, to which the next ones are compared. They are compared as
 * in the sort, by the strings made of them. This is slower than the kernel (kernels/wasm/keys/equal.ts), but takes only a
 * fraction of the comparisons of the sort.
 */
import type { Ordering } from '../job/ordering.js';
import { collationOf } from '../keys/collation/collation.js';

export class FirstCollated {
  /** The first of the current equal lines; null: there was no line yet. */
  line: Buffer | null = null;
  private values: readonly string[] = [];
  private readonly collation;

  constructor(ordering: Ordering) {
    this.collation = collationOf(ordering);
  }

  /** Takes the next line. Whether it equals the first one; if not, it is the first one now. */
  isEqual(line: Buffer): boolean {
    // Most lines that compare equal are identical.
    if (this.line?.equals(line)) return true;
    const values = this.collation.valuesOf(line);
    if (this.line !== null && this.collation.compareValues(this.values, values) === 0) return true;
    this.line = Buffer.from(line);
    this.values = values;
    return false;
  }
}

/** The lines of a text of whole lines, without their delimiters. */
export function* linesIn(text: Buffer, delimiter: number): Generator<Buffer> {
  let begin = 0;
  for (let end = text.indexOf(delimiter); end >= 0; end = text.indexOf(delimiter, begin)) {
    yield text.subarray(begin, end);
    begin = end + 1;
  }
}
