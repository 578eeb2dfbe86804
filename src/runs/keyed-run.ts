/**
 * A line larger than a chunk, under normalised keys: it is made a keyed line, which takes memory for all of it, and kept as a run of that one record.
 * Such lines are few: each has a maker of keys of its own, whose memory is then given back.
 */
import type { Run } from '../engine.js';
import type { Ordering } from '../job.js';
import { KeyMaker } from '../keys/key-maker.js';
import type { LargeRecord } from './large.js';
import { BlobRun } from './stored-run.js';
import type { TemporaryStore } from './store.js';

/** Makes a run of a large record. */
export type RunOfLarge = (record: LargeRecord) => Promise<Run>;

export async function keyedRun(record: LargeRecord, ordering: Ordering, store: TemporaryStore): Promise<Run> {
  const line = Buffer.allocUnsafe(record.bytes + 1);
  await record.readAt(0, line.subarray(0, record.bytes));
  line[record.bytes] = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
  record.release?.();
  const blob = store.create(null);
  for (const piece of new KeyMaker(ordering).keyed(line)) await blob.write(new Uint8Array(piece));
  return new BlobRun(blob.finish(), ordering);
}
