/** Shared by the tests of the CPU engine's kernels: sorts of one text, checked against a plain stable sort. */
import { expect } from 'vitest';
import { type CpuKernels, compileKernels, openKernels, placeTexts } from '../../../src/engines/cpu/kernels.js';
import type { Outcome } from '../../../src/engines/cpu/outcome.js';
import { shapeOf } from '../../../src/engines/cpu/shape.js';
import { sortText } from '../../../src/engines/cpu/sort-text.js';
import type { Limit } from '../../../src/job/job.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { compareRecords } from '../../../src/keys/compare.js';
import { finish } from '../../../src/system/resumable.js';
import { join, positionsOf, sortedRecords } from '../../support/records.js';

export { byFixed } from '../../support/orderings.js';

const module = compileKernels();
export const kernelsFor = (ordering: Ordering): CpuKernels => openKernels(module, shapeOf(ordering));

/** Sorts a text in place; the remaining records are at its beginning. */
export function sortInPlace(
  kernels: CpuKernels,
  ordering: Ordering,
  text: Uint8Array,
  limit: Limit | null = null,
): Outcome {
  return finish(sortText(kernels, shapeOf(ordering), placeTexts(kernels, [text]), { limit, form: 'run' }, () => text));
}

/** The places of records in their text. */
export const placesOf = (records: readonly Uint8Array[], ordering: Ordering): number[] =>
  positionsOf(records, ordering)
    .slice(0, records.length)
    .map(({ byte }) => byte);

/** Checks a text and its outcome: exactly the records of `sorted`. */
export function expectText(
  { natural, ...outcome }: Outcome,
  text: Uint8Array,
  sorted: readonly Uint8Array[],
  ordering: Ordering,
): void {
  const expected = join(sorted, ordering);
  expect(outcome).toEqual({ bytes: expected.length, records: sorted.length });
  expect(Buffer.compare(text.subarray(0, expected.length), expected)).toBe(0);
}

/** Sorts records and checks the text; returns the natural order that the sort detected. */
export function expectSorted(
  kernels: CpuKernels,
  ordering: Ordering,
  records: readonly Uint8Array[],
): string | undefined {
  const text = join(records, ordering);
  const outcome = sortInPlace(kernels, ordering, text);
  expectText(outcome, text, sortedRecords(records, ordering), ordering);
  return outcome.natural;
}

/**
 * The text of `some`, repeated to at least `bytes` bytes, and its sorted records. They are made from the sorted `some`,
 * because a reference sort of millions of records takes seconds.
 */
export function repeatedRecords(
  some: readonly Buffer[],
  bytes: number,
  ordering: Ordering,
): { readonly text: Buffer; readonly sorted: Buffer[] } {
  const once = join(some, ordering);
  const times = Math.ceil(bytes / once.length);
  const groups: Buffer[][] = [];
  for (const record of sortedRecords(some, { ...ordering, unique: false })) {
    const group = groups.at(-1);
    if (group !== undefined && compareRecords(ordering, group[0], record) === 0) group.push(record);
    else groups.push([record]);
  }
  return {
    text: Buffer.concat(Array.from({ length: times }, () => once)),
    // Records with equal keys keep input order: all of the first repetition come before those of the second.
    sorted: groups.flatMap((group) => (ordering.unique ? group[0] : Array.from({ length: times }, () => group).flat())),
  };
}
