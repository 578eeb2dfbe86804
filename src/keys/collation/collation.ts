/**
 * How records compare under --locale: by the collation of a language, as the runtime's ICU has it (Intl.Collator). It compares strings and gives no sort
 * keys, so there are no bytes that records could be sorted by. Parts with an order of their own (-n and the like) compare by their rows (kernels/keys/).
 *
 * A record is made a string for each part, once where it is compared often, and these are compared. Files of src/keys/ that know bytes only do not
 * meet this: compare.ts is where the two ways part.
 */
import type { KeyPart, Ordering } from '../../job.js';
import { isPlainPart } from '../fields.js';
import { KeyMaker } from '../key-maker.js';
import { CollatedPart } from './part.js';
import { PrimaryWeights, type Intervals } from './primary-weights.js';
import { PartRows } from './rows.js';

/** A part that is collated, or neighbouring parts of other orders together. */
export interface CollationStep {
  /** What a record (without its delimiter) has there, as a string. */
  valueOf(record: Uint8Array): string;
  /**
   * The same of many lines, where that takes less time at once: those of `text`, of which the first begins at `from` and the others behind the ends, delimiters
   * included, of those before them.
   */
  valuesOf?(text: Buffer, from: number, ends: Uint32Array): string[];
  /** Negative, 0 or positive; reversed where the part is. */
  compare(a: string, b: string): number;
}

export class Collation {
  readonly ordering: Ordering;
  readonly steps: readonly CollationStep[];
  private readonly locale: string;
  private weights: PrimaryWeights | undefined;

  /** `keyModule`: the kernels of kernels/keys/, which parts with an order of their own need, and those in CSV and JSON, where they are compiled already. */
  constructor(ordering: Ordering, keyModule?: WebAssembly.Module) {
    const { key } = ordering;
    if (key.kind !== 'collated') throw new Error('there is nothing to collate');
    this.ordering = ordering;
    this.locale = key.locale;
    const collator = new Intl.Collator(key.locale);
    const steps: CollationStep[] = [];
    for (let i = 0; i < key.parts.length;) {
      const others = key.parts.slice(i, endOfOthers(key.parts, i));
      const rowsOf = (parts: readonly KeyPart[]): Ordering => ({ ...ordering, reverse: false, key: { kind: 'normalised', parts, seed: key.seed } });
      if (others.length > 0) steps.push(new PartRows(rowsOf(others), keyModule));
      else {
        const part = key.parts[i]!;
        steps.push(new CollatedPart(part, collator, key.locale, isPlainPart(part) ? null : new KeyMaker(rowsOf([part]), keyModule)));
      }
      i += Math.max(1, others.length);
    }
    this.steps = steps;
  }

  /** What tells most values of the first step apart without the collator, for lines as given to `valuesOf`; null where that step collates nothing. */
  intervalsOf(text: Buffer, from: number, ends: Uint32Array): Intervals | null {
    const [first] = this.steps;
    if (!(first instanceof CollatedPart)) return null;
    return first.intervalsOf(this.weights ??= new PrimaryWeights(this.locale, first.reverse), text, from, ends);
  }

  /** The values of a record, one for each step. */
  valuesOf(record: Uint8Array): string[] {
    return this.steps.map((step) => step.valueOf(record));
  }

  /** Which of two records comes first by their values; 0 where these are equal. */
  compareValues(a: readonly string[], b: readonly string[]): number {
    for (let i = 0; i < this.steps.length; i++) {
      const sign = this.steps[i]!.compare(a[i]!, b[i]!);
      if (sign !== 0) return sign;
    }
    return 0;
  }

  /** Which of two records (without delimiters) with equal values comes first; 0 where only their places in the input decide. */
  compareLast(a: Uint8Array, b: Uint8Array): number {
    const { lastResort, reverse } = this.ordering;
    return !lastResort ? 0 : reverse ? Buffer.compare(b, a) : Buffer.compare(a, b);
  }

  /** Which of two records (without delimiters) comes first; 0 where only their places in the input decide. */
  compare(a: Uint8Array, b: Uint8Array): number {
    return this.compareValues(this.valuesOf(a), this.valuesOf(b)) || this.compareLast(a, b);
  }
}

/** The end of the parts from `begin` on that have an order of their own. */
function endOfOthers(parts: readonly KeyPart[], begin: number): number {
  let end = begin;
  while (end < parts.length && parts[end]!.order !== 'bytes') end++;
  return end;
}

const collations = new WeakMap<Ordering, Collation>();

/** The collation of an ordering, in this thread. */
export function collationOf(ordering: Ordering): Collation {
  let collation = collations.get(ordering);
  if (collation === undefined) collations.set(ordering, collation = new Collation(ordering));
  return collation;
}

/** Whether records are compared by a collation. */
export const isCollated = ({ key }: Ordering): boolean => key.kind === 'collated';
