/**
 * Records larger than a chunk. They are compared in windows and never loaded whole. Only lines can be this large.
 * Usually they are compared by the key, if any, and then by the whole line, so equal lines are identical. If only keys
 * count, equal lines keep their place among the runs of the input. Large lines under --locale are ordinary runs.
 */
import type { BlockWriter, RecordForm, Run } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compileKeyKernels } from '../keys/key-maker.js';
import { type LongKeyTask, openLongKeyWorker } from '../keys/long-key.js';
import { bamRestorer } from '../records/bam.js';
import type { RandomAccess } from '../system/byte-source.js';
import type { TemporaryStore } from './store.js';
import { BlobRun, emitStored } from './stored-run.js';

/** A record left in its file or in a blob. `bytes` excludes its delimiter. */
export interface LargeRecord extends RandomAccess {
  readonly bytes: number;
  /** For a keyed line, the bytes that precede the line as it was read; absent: none. */
  readonly keyBytes?: number;
  /**
   * Set if only keys count: how many of the slices it is combined with come before it in the input. Code that merges
   * slices must update it.
   */
  place?: number;
  /** Frees its own storage, if it has any. */
  release?(): void;
}

/**
 * Makes a record that can be compared, or a run, of a large record as it was read. `slices`: the number of slices
 * before it.
 */
export type PlaceLarge = (record: LargeRecord, slices: number) => Promise<LargeRecord | Run>;

export const isRun = (placed: LargeRecord | Run): placed is Run => 'kind' in placed;

/** Passes to `write` everything that precedes the line in its keyed line. */
export type WriteKey = (record: Pick<LargeRecord, 'bytes' | 'readAt'>, write: BlockWriter) => Promise<void>;

const NEWLINE = 10;
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
 * The keyed line of `record`, as a record that is compared without loading it. Its key is a blob of the store; the line
 * stays where it is. Only making the key needs the line in memory (keys/long-key.ts). Releasing it releases `record`
 * too. `slices`: the number of slices before it in the input.
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

/**
 * A line larger than a chunk, ordered by a collation: a run of that one record, which is compared whole, because the
 * first bytes of a line do not decide the order of a language.
 */
export async function lineRun(record: LargeRecord, ordering: Ordering, store: TemporaryStore): Promise<Run> {
  const blob = store.create(record.bytes + 1);
  await emitLine(record, { from: 0, to: record.bytes }, ordering, 'run', (piece) => blob.write(piece));
  record.release?.();
  return new BlobRun(await blob.finish(), ordering);
}

/** The byte that ends a line in `form`, before `writingForm`. */
export function lineEnd(form: RecordForm, delimiter: number): number {
  return form === 'newlines' ? NEWLINE : delimiter;
}

/** Writes a line and the byte that ends it. The line is bytes [from, to) of `text`, without its delimiter. */
export async function emitLine(
  text: RandomAccess,
  { from, to }: { readonly from: number; readonly to: number },
  { format }: Ordering,
  form: RecordForm,
  write: BlockWriter,
): Promise<void> {
  await emitStored(text, from, to, writingForm(form, write));
  // Records of BAM need no such byte.
  if (format.kind === 'lines' && form !== 'bam') await write(Uint8Array.of(lineEnd(form, format.delimiter)));
}

/** A writer that takes one line in parts. If the line is written as BAM, it turns them into parts of the BAM record. */
export function writingForm(form: RecordForm, write: BlockWriter): BlockWriter {
  if (form !== 'bam') return write;
  const restorer = bamRestorer();
  return (part) => write(restorer.next(part, new Uint8Array(part.length)));
}
