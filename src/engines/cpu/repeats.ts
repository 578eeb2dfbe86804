/**
 * Sorts a text with many repeated records. If it has few distinct ones, only these are ordered. The text is then not
 * cut into tiles, so nothing is merged.
 */

import type { RecordForm } from '../../contract/engine.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, FORM, type PlacedText, STEP_RECORDS } from './kernels.js';
import type { RecordShape } from './shape.js';
import type { Tiling } from './tiles.js';

/** Smaller texts are sorted as usual. */
const LEAST_BYTES = 64 << 10;
/**
 * The number of evenly spaced records that predict whether counting repeats is worth it, and how many of them may be
 * distinct.
 */
const SAMPLE_RECORDS = 1024;
const MOST_SAMPLED = 768;
/** Entries of the table, a power of two: 4 MiB, of which frequent records touch little. */
const TABLE_ENTRIES = 2 ** 18;
const ENTRY_BYTES = 16;
/** Counting stops if more than 1 in LEAST_REPEATS records is distinct, beyond the first FIRST_DISTINCT. */
const LEAST_REPEATS = 2;
const FIRST_DISTINCT = 8192;

/**
 * Sorts a text to the target of the tiling. Returns false, and leaves the text unchanged, if it has too many distinct
 * records or if equal records may not be exchanged.
 */
export function* sortRepeats(
  kernels: CpuKernels,
  shape: RecordShape,
  { items, room, ranges, target, tileRecords }: Tiling,
  { begin, end }: PlacedText,
  form: RecordForm,
): Resumable<boolean> {
  if (end - begin < LEAST_BYTES || !(shape.unique || shape.equalsAreIdentical)) return false;
  const entries = Math.min(TABLE_ENTRIES, 2 ** Math.floor(Math.log2(tileRecords / 2)));
  // The table takes the upper half of `room`, or less. Distinct records take the lower half. The items of the tile stay
  // unchanged.
  const table = room + (tileRecords - entries) * ENTRY_BYTES;
  kernels.openRepeats(table, entries, room);
  kernels.countSome(begin, end, SAMPLE_RECORDS);
  if (kernels.distinctRecords() > MOST_SAMPLED) return false;
  kernels.openRepeats(table, entries, room);
  let records = 0;
  for (let from = begin; from < end; records += STEP_RECORDS) {
    const next = kernels.countRecords(from, end, STEP_RECORDS);
    if (next === from || kernels.distinctRecords() > FIRST_DISTINCT + records / LEAST_REPEATS) return false;
    from = next;
    yield;
  }
  const distinct = kernels.distinctRecords();
  kernels.moveDistinct(items);
  kernels.order(items, distinct, room - items, ranges);
  kernels.openOutput(target, FORM[form]);
  for (let from = 0; from < distinct; from += STEP_RECORDS) {
    kernels.gatherRepeats(from, Math.min(STEP_RECORDS, distinct - from));
    yield;
  }
  return true;
}
