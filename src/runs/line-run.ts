/**
 * A line larger than a chunk, ordered by a collation: a run of that one record, which is compared whole. The first
 * bytes that large.ts compares do not decide the order of a language.
 */
import type { Run } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import type { LargeRecord } from './large.js';
import type { TemporaryStore } from './store.js';
import { BlobRun } from './stored-run.js';

/** Bytes copied at a time. */
const COPY_BYTES = 4 << 20;

export async function lineRun(record: LargeRecord, ordering: Ordering, store: TemporaryStore): Promise<Run> {
  const blob = store.create(record.bytes + 1);
  for (let at = 0; at < record.bytes; at += COPY_BYTES) {
    const piece = Buffer.allocUnsafe(Math.min(COPY_BYTES, record.bytes - at));
    await record.readAt(at, piece);
    await blob.write(piece);
  }
  await blob.write(Uint8Array.of(ordering.format.kind === 'lines' ? ordering.format.delimiter : 0));
  record.release?.();
  return new BlobRun(await blob.finish(), ordering);
}
