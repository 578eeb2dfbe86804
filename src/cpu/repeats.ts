/**
 * A text whose records occur again and again: what is ordered are its distinct records, if they are few. It is not cut into
 * tiles then, so that nothing is merged.
 */
import type { Steps } from '../steps.js';
import { STEP_RECORDS, type Kernels, type PlacedText } from './kernels.js';
import { equalsAreAlike, type Shape } from './shape.js';
import type { Tiling } from './tiles.js';

/** Smaller texts are sorted as they are. */
const LEAST_BYTES = 64 << 10;
/** Records, evenly spaced, that say whether counting repeats will pay, and how many of them may be distinct. */
const SAMPLE_RECORDS = 1024;
const MOST_SAMPLED = 768;
/** Entries of the table, a power of two: 4 MiB, of which frequent records use little. */
const TABLE_ENTRIES = 2 ** 18;
const ENTRY_BYTES = 16;
/** Counting ends if more than one of so many records is distinct, and as many besides. */
const LEAST_REPEATS = 2;
const FIRST_DISTINCT = 8192;

/**
 * Writes a text in order to where the tiling has its target, and returns true; false if its distinct records are too many, or
 * may not be taken for one another: then it is as it was.
 */
export function* sortRepeats(kernels: Kernels, shape: Shape, { items, room, ranges, target, index, tileRecords }: Tiling, { begin, end }: PlacedText, plain: boolean): Steps<boolean> {
  if (end - begin < LEAST_BYTES || !(shape.unique || equalsAreAlike(shape))) return false;
  const entries = Math.min(TABLE_ENTRIES, 2 ** Math.floor(Math.log2(tileRecords / 2)));
  // The upper half of the room, at most; the lower one takes the distinct records: the items of a tile stay as they are.
  const table = room + (tileRecords - entries) * ENTRY_BYTES;
  kernels.openRepeats(table, entries, room);
  kernels.countSome(begin, end, SAMPLE_RECORDS);
  if (kernels.distinctRecords() > MOST_SAMPLED) return false;
  kernels.openRepeats(table, entries, room);
  let records = 0;
  for (let from = begin; from < end; records += STEP_RECORDS) {
    from = kernels.countRecords(from, end, STEP_RECORDS);
    const distinct = kernels.distinctRecords();
    // Counting goes no further than half of the table.
    if (distinct >= entries / 2 || distinct > FIRST_DISTINCT + records / LEAST_REPEATS) return false;
    yield;
  }
  const distinct = kernels.distinctRecords();
  kernels.moveDistinct(items);
  kernels.order(items, distinct, room - items, ranges);
  kernels.openOutput(target, index, Number(plain));
  for (let from = 0; from < distinct; from += STEP_RECORDS) {
    kernels.gatherRepeats(from, Math.min(STEP_RECORDS, distinct - from));
    yield;
  }
  return true;
}
