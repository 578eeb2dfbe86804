/**
 * Compares records under --locale by a language's collation: the runtime's ICU (Intl.Collator), which compares strings
 * and gives no sort keys. So there are no bytes to sort by. Parts with another ordering (-n and the like) compare by
 * their rows (kernels/wasm/keys/). Each part of a record becomes a string. Records that are compared often are
 * converted only once. The other files of src/keys/ know only bytes; ../compare.ts decides which way a comparison goes.
 */

import type { KeyPart, Ordering } from '../../job/ordering.js';
import type { Presence } from '../../report/recorder.js';
import { isPlainPart } from '../fields.js';
import { KeyMaker, type KeyMakerOptions } from '../key-maker.js';
import { CollatedPart, type CollationStep, PartRows } from './part.js';
import { type Intervals, PrimaryWeights } from './primary-weights.js';

export class Collation {
  readonly ordering: Ordering;
  readonly steps: readonly CollationStep[];
  private readonly locale: string;
  private weights: PrimaryWeights | undefined;

  /**
   * `module`: the kernels of kernels/wasm/keys/, if already compiled. Parts with another ordering and parts in CSV and
   * JSON need them. `presence`: the bits of the first part, as for KeyMaker. Later parts are not watched, because they
   * are compared only if the first parts are equal.
   */
  constructor(
    ordering: Ordering,
    {
      module,
      presence = null,
    }: { readonly module?: WebAssembly.Module | undefined; readonly presence?: Presence | null } = {},
  ) {
    const { key } = ordering;
    if (key.kind !== 'collated') throw new Error('there is nothing to collate');
    this.ordering = ordering;
    this.locale = key.locale;
    const collator = new Intl.Collator(key.locale);
    const steps: CollationStep[] = [];
    // Records get values several times, so they are not counted here.
    const watched = (i: number): Pick<KeyMakerOptions, 'presence' | 'counts'> => ({
      presence: i === 0 ? presence : null,
      counts: false,
    });
    for (let i = 0; i < key.parts.length; ) {
      const others = key.parts.slice(i, endOfOthers(key.parts, i));
      const rowsOf = (parts: readonly KeyPart[]): Ordering => ({
        ...ordering,
        reverse: false,
        key: { kind: 'normalized', parts, seed: key.seed },
      });
      if (others.length > 0) steps.push(new PartRows(rowsOf(others), { module, ...watched(i) }));
      else {
        const part = key.parts[i];
        steps.push(
          new CollatedPart(
            part,
            collator,
            key.locale,
            isPlainPart(part) ? null : new KeyMaker(rowsOf([part]), { module, ...watched(i) }),
          ),
        );
      }
      i += Math.max(1, others.length);
    }
    this.steps = steps;
  }

  /**
   * Intervals that order most values of the first step without the collator; lines are given as to `valuesOf`. Null if
   * that step is not collated.
   */
  intervalsOf(text: Buffer, from: number, ends: Uint32Array): Intervals | null {
    const [first] = this.steps;
    if (!(first instanceof CollatedPart)) return null;
    return first.intervalsOf((this.weights ??= new PrimaryWeights(this.locale, first.reverse)), text, from, ends);
  }

  /** The values of a record, one for each step. */
  valuesOf(record: Uint8Array): string[] {
    return this.steps.map((step) => step.valueOf(record));
  }

  /** Compares two records by their values. */
  compareValues(a: readonly string[], b: readonly string[]): number {
    for (let i = 0; i < this.steps.length; i++) {
      const sign = this.steps[i].compare(a[i], b[i]);
      if (sign !== 0) return sign;
    }
    return 0;
  }

  /** Compares two records (without delimiters) with equal values. 0 if only their input positions decide. */
  compareLast(a: Uint8Array, b: Uint8Array): number {
    const { lastResort, reverse } = this.ordering;
    return !lastResort ? 0 : reverse ? Buffer.compare(b, a) : Buffer.compare(a, b);
  }

  /** Compares two records (without delimiters). 0 if only their input positions decide. */
  compare(a: Uint8Array, b: Uint8Array): number {
    return this.compareValues(this.valuesOf(a), this.valuesOf(b)) || this.compareLast(a, b);
  }
}

/** The end of the neighboring parts from `begin` on that have an ordering other than `bytes`. */
function endOfOthers(parts: readonly KeyPart[], begin: number): number {
  let end = begin;
  while (end < parts.length && parts[end].order !== 'bytes') end++;
  return end;
}

const collations = new WeakMap<Ordering, Collation>();

/** The collation of an ordering, cached in each thread. */
export function collationOf(ordering: Ordering): Collation {
  let collation = collations.get(ordering);
  if (collation === undefined) collations.set(ordering, (collation = new Collation(ordering)));
  return collation;
}

export const isCollated = ({ key }: Ordering): boolean => key.kind === 'collated';
