/** Slices that do not overlap need no merge: they are written one after another. */
import type { Ends, Slice } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { compareRecords } from '../keys/compare.js';

interface Bounded extends Ends {
  readonly slice: Slice;
}

/**
 * The slices in the order of their records, equal ones in the order of the list. Null if two slices overlap, if two
 * share a key under `unique`, or if a run does not give its ends. No slice may be empty. Slices in random order cost
 * only a few comparisons in all.
 */
export function lineUp(slices: readonly Slice[], ordering: Ordering): Slice[] | null {
  const line: Bounded[] = [];
  for (const slice of slices) {
    const ends = slice.run.ends?.(slice.from, slice.to);
    if (ends === undefined) return null;
    const next = { slice, ...ends };
    const at = placeIn(line, next.first, ordering);
    // All slices in `line` come before this one in the input.
    if (at > 0 && !follows(ordering, line[at - 1].last, next.first, true)) return null;
    if (at < line.length && !follows(ordering, next.last, line[at].first, false)) return null;
    line.splice(at, 0, next);
  }
  return line.map(({ slice }) => slice);
}

/** The index in `line` for a slice that begins with `first`: after all slices whose first record is not greater. */
function placeIn(line: readonly Bounded[], first: Uint8Array, ordering: Ordering): number {
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRecords(ordering, line[middle].first, first) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Whether a slice that begins with `first` may follow one that ends with `last`. `inOrder`: it follows it in the input.
 */
function follows(ordering: Ordering, last: Uint8Array, first: Uint8Array, inOrder: boolean): boolean {
  const sign = compareRecords(ordering, last, first);
  return sign < 0 || (sign === 0 && inOrder && !ordering.unique);
}
