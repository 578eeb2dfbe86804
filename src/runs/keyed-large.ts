/**
 * A line larger than a chunk, under normalised keys, as a record that is compared where it lies (large.ts): its key is
 * in the store, and the line itself stays where it is. It is in memory only while its key is made (keys/long-key.ts).
 */
import type { BlockWriter } from '../engine.js';
import type { Ordering } from '../job.js';
import { openLongKeyWorker, type LongKeyTask } from '../keys/long-key.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import type { LargeRecord } from './large.js';
import type { TemporaryStore } from './store.js';

/** Gives `write` what stands before a line in its keyed line. */
export type WriteKey = (record: Pick<LargeRecord, 'bytes' | 'readAt'>, write: BlockWriter) => Promise<void>;

/** Bytes of a line read, and of a key stored, at a time. */
const PIECE_BYTES = 1 << 20;

/** Has keys made by what does tasks of a LongKey, here or in a thread. */
export class KeyReader {
  private readonly piece = new SharedArrayBuffer(PIECE_BYTES);
  private readonly perform: (task: LongKeyTask) => number | Promise<number>;

  constructor(perform: (task: LongKeyTask) => number | Promise<number>) { this.perform = perform; }

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
export function keysHere(ordering: Ordering): WriteKey {
  const reader = new KeyReader(openLongKeyWorker({ ordering, module: compileKeyKernels() }));
  return (record, write) => reader.write(record, write);
}

/** The keyed line of `record`, which is released with it; `slices`: how many come before it in the input. */
export async function keyedLarge(
  record: LargeRecord, ordering: Ordering, store: TemporaryStore, slices: number, writeKey = keysHere(ordering),
): Promise<LargeRecord> {
  const writer = store.create(null);
  await writeKey(record, (piece) => writer.write(piece));
  const key = await writer.finish();
  return {
    bytes: key.bytes + record.bytes,
    keyBytes: key.bytes,
    ...!ordering.lastResort && { place: slices },
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
