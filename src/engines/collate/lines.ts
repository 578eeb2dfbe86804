/**
 * Lines of a text as a thread compares them: their places, and their values in the collation
 * (src/keys/collation/collation.ts). Intervals decide most comparisons. A line's strings are made once, when a
 * comparison first needs them.
 */
import type { Collation } from '../../keys/collation/collation.js';
import { compareIntervals, type Intervals } from '../../keys/collation/primary-weights.js';
import type { Outcome } from '../cpu/outcome.js';

/** Consecutive lines of a text. */
export interface Lines {
  readonly text: Buffer;
  readonly count: number;
  /** The first line begins at `from`, every other one where the previous one ends. Lines include their delimiters. */
  readonly from: number;
  readonly ends: Uint32Array;
  /** For each step of the collation, the values of lines made so far. */
  readonly values: readonly (string | undefined)[][];
  /** Intervals of the values of the first step; null: not made. */
  readonly intervals: Intervals | null;
}

/** Reads the lines of [from, to). `weighs`: there are enough of them to make intervals worth it. */
export function readLines(collation: Collation, text: Buffer, from: number, to: number, weighs: boolean): Lines {
  const { format } = collation.ordering;
  const ends = lineEnds(text, from, to, format.kind === 'lines' ? format.delimiter : 0);
  const values = collation.steps.map(
    (step) => step.valuesOf?.(text, from, ends) ?? new Array<string | undefined>(ends.length),
  );
  return {
    text,
    count: ends.length,
    from,
    ends,
    values,
    intervals: weighs ? collation.intervalsOf(text, from, ends) : null,
  };
}

function lineEnds(text: Buffer, from: number, to: number, delimiter: number): Uint32Array {
  let ends = new Uint32Array(1024);
  let count = 0;
  for (let at = from; at < to; at++) {
    if (text[at] !== delimiter) continue;
    if (count === ends.length) {
      const more = new Uint32Array(2 * count);
      more.set(ends);
      ends = more;
    }
    ends[count++] = at + 1;
  }
  return ends.subarray(0, count);
}

function lineBegin(lines: Lines, i: number): number {
  return i === 0 ? lines.from : lines.ends[i - 1];
}

/** Line `i` without its delimiter. */
export function record(lines: Lines, i: number): Buffer {
  return lines.text.subarray(lineBegin(lines, i), lines.ends[i] - 1);
}

/** Compares line `i` of `a` with line `j` of `b`; 0 if only their input positions decide. */
export function compareLines(collation: Collation, a: Lines, i: number, b: Lines, j: number): number {
  if (a.intervals !== null && b.intervals !== null) {
    const sign = compareIntervals(a.intervals, i, b.intervals, j);
    if (sign !== 0) return sign;
  }
  if (areSame(a, i, b, j)) return 0;
  const { steps } = collation;
  for (let step = 0; step < steps.length; step++) {
    const sign = steps[step].compare(valueAt(collation, step, a, i), valueAt(collation, step, b, j));
    if (sign !== 0) return sign;
  }
  return collation.ordering.lastResort ? collation.compareLast(record(a, i), record(b, j)) : 0;
}

/** Whether two lines have the same bytes. Most equal lines do, and need no strings. */
function areSame(a: Lines, i: number, b: Lines, j: number): boolean {
  const [beginA, beginB] = [lineBegin(a, i), lineBegin(b, j)];
  const length = a.ends[i] - beginA;
  if (b.ends[j] - beginB !== length) return false;
  for (let at = 0; at < length; at++) if (a.text[beginA + at] !== b.text[beginB + at]) return false;
  return true;
}

function valueAt(collation: Collation, step: number, lines: Lines, i: number): string {
  return (lines.values[step][i] ??= collation.steps[step].valueOf(record(lines, i)));
}

/** Lines of at least this many bytes are copied with Buffer.copy, shorter ones by a loop. */
const BULK_COPY_BYTES = 64;

export class LineBuffer {
  private readonly target: Buffer;
  private at = 0;
  private records = 0;

  /** `target` must have room for everything that is written. */
  constructor(target: Buffer) {
    this.target = target;
  }

  /** The number of lines written. */
  get count(): number {
    return this.records;
  }

  /** The number of bytes written. */
  get bytes(): number {
    return this.at;
  }

  write(lines: Lines, i: number): void {
    const { text } = lines;
    const begin = lineBegin(lines, i);
    const end = lines.ends[i];
    this.records++;
    if (end - begin >= BULK_COPY_BYTES) {
      text.copy(this.target, this.at, begin, end);
      this.at += end - begin;
    } else {
      for (let from = begin; from < end; from++) this.target[this.at++] = text[from];
    }
  }

  outcome(): Outcome {
    return { bytes: this.at, records: this.records };
  }
}
