/**
 * A line larger than a chunk, under normalised keys: it is made a keyed line, which takes memory for all of it, and is kept as a run of that one record.
 * Such lines are few: each has a maker of keys of its own, whose memory is then given back. One that no merge has room for is passed through.
 */
import type { Run, Slice, Sorted, StoredRun } from '../engine.js';
import type { Ordering } from '../job.js';
import { HEADER_BYTES, keyLength } from '../keys/keyed.js';
import { KeyMaker } from '../keys/key-maker.js';
import { internalError } from '../report/errors.js';
import { emitStored } from './emit-stored.js';
import type { LargeRecord } from './large.js';
import { BlobRun } from './stored-run.js';
import type { TemporaryStore } from './store.js';

/** Makes keyed lines of a line, which ends with its delimiter. */
export type KeyLine = (line: SharedArrayBuffer) => SharedArrayBuffer[] | Promise<SharedArrayBuffer[]>;

/** Bytes stored at a time. */
const STORED_BYTES = 16 << 20;

export async function keyedRun(record: LargeRecord, ordering: Ordering, store: TemporaryStore,
  keyLine: KeyLine = (text) => new KeyMaker(ordering).keyed(new Uint8Array(text))): Promise<Run> {
  const text = new SharedArrayBuffer(record.bytes + 1);
  const line = new Uint8Array(text);
  await record.readAt(0, line.subarray(0, record.bytes));
  line[record.bytes] = ordering.format.kind === 'lines' ? ordering.format.delimiter : 0;
  record.release?.();
  const blob = store.create(null);
  for (const piece of await keyLine(text)) {
    for (let at = 0; at < piece.byteLength; at += STORED_BYTES) await blob.write(new Uint8Array(piece, at, Math.min(STORED_BYTES, piece.byteLength - at)));
  }
  return new BlobRun(await blob.finish(), ordering);
}

/** Whether a slice to be written without keys is one line for which no merge has room; such are in stored runs only. */
export function isLongLine({ from, to }: Slice, mergeBytes: number): boolean {
  return to.byte - from.byte > mergeBytes;
}

/** The text of such a line, written from where it lies. It cannot be kept once more. */
export async function longLine({ run, from, to }: Slice, ordering: Ordering): Promise<Sorted> {
  const stored = run as StoredRun;
  const header = new Uint8Array(HEADER_BYTES);
  await stored.readAt(from.byte, header);
  const begin = from.byte + HEADER_BYTES + keyLength(ordering, header);
  // Not >=: a header that is no number must not pass.
  if (!(begin < to.byte)) throw internalError(`a keyed line of ${to.byte - from.byte} bytes has a key that ends at byte ${begin - from.byte}`);
  return {
    bytes: to.byte - begin,
    records: 1,
    borrowed: true,
    emit: (write) => emitStored(stored, begin, to.byte, write),
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}
