/**
 * Writes one slice of encoded records. Nothing needs merging, but its records are decoded.
 */
import type { Slice, Sorted } from '../../contract.js';
import { Scratch } from '../device/pool.js';
import type { Recoder } from '../records/recode.js';
import { countRecords, writeStarts } from '../records/tokenize.js';
import { layOut } from './copy-slices.js';
import { sortedText } from './sort-records.js';
import { deviceRun } from './sorted.js';
import type { Stages } from './stages.js';

/** Usually one text; several if the slice is larger than a merge may be. */
export async function decodedSlice(stages: Stages, { run, from, to }: Slice, recoder: Recoder): Promise<Sorted[]> {
  const { gpu, pool, ordering, recordLimit, textBytes } = stages;
  const most = Math.max(1, Math.min(recordLimit, Math.floor(textBytes / recoder.recordBytes))) * recoder.recordBytes;
  const scratch = new Scratch(pool);
  const results: Sorted[] = [];
  try {
    for (let byte = from.byte; byte < to.byte; byte += most) {
      const bytes = Math.min(most, to.byte - byte);
      const part = { run, from: { ...from, byte }, to: { ...to, byte: byte + bytes } };
      const resident = deviceRun(run);
      const held = resident?.records.text ?? (await layOut(stages, scratch, [part]));
      const text = await recoder.decode(scratch, held, resident === undefined ? 0 : byte, bytes);
      if (resident === undefined) scratch.drop(held);
      const decoded = await countRecords(gpu, scratch, text, bytes, ordering.format, []);
      results.push(sortedText(stages, scratch, await writeStarts(gpu, scratch, decoded, 0, decoded.count)));
    }
    return results;
  } catch (error) {
    for (const result of results) result.release();
    throw error;
  } finally {
    scratch.end();
  }
}
