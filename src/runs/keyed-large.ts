/**
 * A line larger than a chunk, ordered by normalized keys, as a record that is compared without loading it (large.ts).
 * Its key is a blob of the store; the line stays where it is. Only making the key needs the line in memory
 * (keys/long-key.ts).
 */
import type { BlockWriter } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { type LongKeyTask, openLongKeyWorker } from '../keys/long-key.js';
import type { LargeRecord } from './large.js';
import type { TemporaryStore } from './store.js';

/** Passes to `write` everything that precedes the line in its keyed line. */
export type WriteKey = (record: Pick<LargeRecord, 'bytes' | 'readAt'>, write: BlockWriter) => Promise<void>;

/** Bytes per read of the line and per write of the key. */
const PIECE_BYTES = 1 << 20;

/** Makes keys through `perform`, which executes LongKey tasks in this thread or in a worker. */
export class KeyReader {
  private readonly piece = new SharedArrayBuffer(PIECE_BYTES);
  private readonly perform: (task: LongKeyTask) => number | Promise<number>;

  constructor(perform: (task: LongKeyTask) => number | Promise<number>) {
    this.perform = perform;
  }

  async write(record: Pick<LargeRecord, 'bytes' | 'readAt'>, write: BlockWriter): Promise<void> {
    const { piece, perform } = this;
    await perform({ kind: 'open', bytes: record.bytes });
    for (let at = 0; at < record.bytes; at += PIECE_BYTES) {
      const bytes = Math.min(PIECE_BYTES, record.bytes - at);
      await record.readAt(at, new Uint8Array(piece, 0, bytes));
      await perform({ kind: 'add', piece, bytes });
    }
    for (;;) {
      const bytes = await perform({ kind: 'read', target: piece });
      if (bytes === 0) return;
      await write(new Uint8Array(piece, 0, bytes));
    }
  }
}

/** Makes keys in the calling thread. */
function keysHere(ordering: Ordering): WriteKey {
  const reader = new KeyReader(openLongKeyWorker({ ordering, module: compileKeyKernels() }));
  return (record, write) => reader.write(record, write);
}

/**
 * The keyed line of `record`. Releasing it releases `record` too. `slices`: the number of slices before it in the
 * input.
 */
export async function keyedLarge(
  record: LargeRecord,
  ordering: Ordering,
  store: TemporaryStore,
  slices: number,
  writeKey = keysHere(ordering),
): Promise<LargeRecord> {
  const writer = store.create(null);
  await writeKey(record, (piece) => writer.write(piece));
  const key = await writer.finish();
  return {
    bytes: key.bytes + record.bytes,
    keyBytes: key.bytes,
    ...(!ordering.lastResort && { place: slices }),
    async readAt(byte, target) {
      const ofKey = Math.max(0, Math.min(target.length, key.bytes - byte));
      if (ofKey > 0) await key.readAt(byte, target.subarray(0, ofKey));
      if (ofKey < target.length) await record.readAt(byte + ofKey - key.bytes, target.subarray(ofKey));
    },
    release() {
      key.release();
      record.release?.();
    },
  };
}
