/**
 * Writes one slice of keyed lines. Nothing needs merging, but a gather copies the records in order, without keys.
 */
import type { Slice, Sorted } from '../../contract.js';
import { Scratch } from '../device/pool.js';
import { gather } from '../records/gather.js';
import { countRecords, writeStarts } from '../records/tokenize.js';
import { layOut } from './copy-slices.js';
import { sortedText } from './sort-records.js';
import { deviceRun } from './sorted.js';
import type { Stages } from './stages.js';

/** Usually one text; several if there are too many records for one. */
export async function plainSlice(stages: Stages, slice: Slice): Promise<Sorted[]> {
  const { gpu, pool, ordering, recordLimit } = stages;
  const { from, to } = slice;
  const scratch = new Scratch(pool);
  const results: Sorted[] = [];
  try {
    const run = deviceRun(slice.run);
    const tokenized =
      run === undefined
        ? await countRecords(
            gpu,
            scratch,
            await layOut(stages, scratch, [slice]),
            to.byte - from.byte,
            ordering.format,
            [],
          )
        : null;
    const total = tokenized?.count ?? to.index - from.index;
    for (let first = 0; first < total; first += recordLimit) {
      const count = Math.min(recordLimit, total - first);
      const records = tokenized === null ? run!.records : await writeStarts(gpu, scratch, tokenized, first, count);
      // Only the gather writes it.
      const places = await scratch.take(count * 4, 'places of records');
      const result = await gather(gpu, scratch, records, places, count, null, {
        without: ordering,
        from: tokenized === null ? from.index + first : 0,
      });
      scratch.drop(places);
      if (tokenized !== null) scratch.drop(records.starts!);
      results.push(sortedText(stages, scratch, result));
    }
    return results;
  } catch (error) {
    for (const result of results) result.release();
    throw error;
  } finally {
    scratch.end();
  }
}
