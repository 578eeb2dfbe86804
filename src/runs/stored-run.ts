/**
 * A run outside the engine: sorted text in a blob. A record is found by looking for a delimiter from any byte; a sparse
 * index narrows the search.
 */
import type {
  Bounds,
  Distributed,
  DistributedRun,
  Position,
  SampledRecord,
  Sorted,
  StoredRun,
  StoredText,
} from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { delimiterBytes, type RecordFinder, recordFinder } from '../records/record-finder.js';
import type { RandomAccess, TargetMemory } from '../system/byte-source.js';
import { internalError } from '../system/errors.js';
import { quiet, rest, Turns } from '../system/promises.js';
import type { Blob } from './blob.js';
import { type RunIndex, SparseIndexBuilder, sampleHead } from './run-index.js';
import type { TemporaryStore } from './store.js';

/** Pieces of a blob retained during a call: a search alternates between a few places. */
const RECENT_PIECES = 4;
/**
 * Once a search is within this many bytes, it reads them in one piece. A system call costs as much as reading and
 * checking about ten KiB more.
 */
const SEARCH_BYTES = 64 << 10;
/** With this many samples, the index alone is enough. */
const ENOUGH_SAMPLES = 16;
/** Calls to `sample`, `record` and `cut` served at once, over all runs: each holds its pieces in memory. */
const QUESTIONS = 16;
const turns = new Turns(QUESTIONS);

/** Writes sorted text to the store. `isIndexed`: the run will be sampled and cut. */
export async function storeRun(
  store: TemporaryStore,
  sorted: Sorted,
  ordering: Ordering,
  isIndexed = true,
): Promise<StoredRun> {
  const writer = store.create(sorted.bytes);
  const index = isIndexed ? new SparseIndexBuilder(ordering) : null;
  await sorted.emit((block) => {
    index?.add(block);
    return writer.write(block);
  });
  return new BlobRun(await writer.finish(), ordering, index?.finish() ?? null);
}

/** Writes distributed text to the store. */
export async function storeDistributed(store: TemporaryStore, text: Distributed): Promise<DistributedRun & StoredText> {
  const writer = store.create(text.bytes);
  await text.emit((block) => writer.write(block));
  const blob = await writer.finish();
  return {
    kind: 'stored',
    buckets: text.buckets,
    begin: { byte: 0 },
    end: { byte: blob.bytes },
    readAt: (byte, target, memory) => blob.readAt(byte, target, memory),
    release: () => blob.release(),
  };
}

/** A blob of sorted records as a run. */
export class BlobRun implements StoredRun {
  readonly kind = 'stored';
  readonly begin: Position = { byte: 0 };
  readonly end: Position;
  private readonly blob: Blob;
  private readonly ordering: Ordering;
  private readonly index: RunIndex | null;
  private readonly finder: RecordFinder;
  private readonly hold: (record: Uint8Array) => Uint8Array;

  /** `hold`: for a blob of plain text, turns a record into the form in which runs hold it. */
  constructor(
    blob: Blob,
    ordering: Ordering,
    index: RunIndex | null = null,
    hold: (record: Uint8Array) => Uint8Array = (record) => record,
  ) {
    this.blob = blob;
    this.ordering = ordering;
    this.index = index;
    this.finder = recordFinder(ordering.format);
    this.hold = hold;
    this.end = { byte: blob.bytes };
  }

  readAt(byte: number, target: Uint8Array, memory?: TargetMemory): Promise<void> {
    return this.blob.readAt(byte, target, memory);
  }

  release(): void {
    this.blob.release();
  }

  sample(from: Position, to: Position, count: number): Promise<SampledRecord[]> {
    return turns.run(() => this.samples(from, to, count));
  }

  /** Copied, because a view would retain the whole piece it lies in. */
  record({ byte }: Position): Promise<Uint8Array> {
    return turns.run(async () => new Uint8Array(this.hold(await this.recordFrom(new RecentPieces(this.blob), byte))));
  }

  /** The first records at or after the given bytes. */
  samplesAt(bytes: readonly number[]): Promise<SampledRecord[]> {
    return turns.run(async () => {
      const window = new RecentPieces(this.blob);
      const samples: SampledRecord[] = [];
      for (const byte of bytes) {
        const start = await this.startFrom(window, byte, this.blob.bytes);
        if (start < this.blob.bytes) samples.push(await this.sampleAt(window, start));
      }
      return samples;
    });
  }

  cut(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    return turns.run(() => this.bounds(from, to, records));
  }

  private async samples(from: Position, to: Position, count: number): Promise<SampledRecord[]> {
    const known = this.index?.spread(from.byte, to.byte, count) ?? [];
    if (known.length >= Math.min(count, ENOUGH_SAMPLES)) return known;
    const window = new RecentPieces(this.blob);
    // Read a small slice in one piece: it is cut and merged next, and the blob retains its last read.
    if (from.byte < to.byte && to.byte - from.byte <= SEARCH_BYTES) await window.view(from.byte, to.byte - from.byte);
    const samples: SampledRecord[] = [];
    let after = from.byte;
    for (let i = 1; i <= count; i++) {
      const target = Math.max(after + 1, from.byte + Math.floor(((to.byte - from.byte) * i) / (count + 1)));
      const start = await this.startFrom(window, target, to.byte);
      if (start >= to.byte) break;
      await rest();
      samples.push(await this.sampleAt(window, start));
      after = start;
    }
    if (samples.length === 0) {
      const second = await this.startFrom(window, from.byte + 1, to.byte);
      samples.push(await this.sampleAt(window, second < to.byte ? second : from.byte));
    }
    return samples;
  }

  private async sampleAt(window: RecentPieces, start: number): Promise<SampledRecord> {
    const record = await this.recordFrom(window, start);
    return {
      at: { byte: start },
      head: new Uint8Array(sampleHead(this.ordering, this.hold(record))),
      bytes: record.length,
    };
  }

  private async bounds(from: Position, to: Position, records: readonly Uint8Array[]): Promise<Bounds[]> {
    const window = new RecentPieces(this.blob);
    const bounds: Bounds[] = [];
    const compare = (other: Uint8Array, record: Uint8Array): number =>
      compareRecords(this.ordering, this.hold(other), record);
    let begin = from.byte;
    for (const record of records) {
      const part = { low: begin, high: to.byte };
      const { low, high } = this.index?.narrow(part, record) ?? part;
      const lower = await this.search(window, low, high, (other) => compare(other, record) >= 0);
      // Few records have equals here, so the second search is rare.
      const found = lower < high && compare(await this.recordFrom(window, lower), record) === 0;
      const upper = found ? await this.search(window, lower, high, (other) => compare(other, record) > 0) : lower;
      bounds.push({ lower: { byte: lower }, upper: { byte: upper } });
      begin = lower;
    }
    return bounds;
  }

  /**
   * The first record in [from, to) for which `beyond` is true, or `to`. `beyond` must also be true for all later
   * records. `from` begins a record. An exponential search, then a binary one: each of many cuts lies near the one
   * before, so distant text is not read.
   */
  private async search(
    window: RecentPieces,
    from: number,
    to: number,
    beyond: (record: Uint8Array) => boolean,
  ): Promise<number> {
    let low = from; // a record begins here; all before it are known not to be beyond
    let high = to; // records that begin at or after it are decided
    let answer = to;
    let step = SEARCH_BYTES;
    while (low < high) {
      await rest();
      if (high - low <= SEARCH_BYTES) await window.view(low, high - low);
      const middle = low + Math.min(step, Math.floor((high - low) / 2));
      const start = middle === low ? low : await this.startFrom(window, middle, high);
      if (start < high) {
        const record = await this.recordFrom(window, start);
        if (!beyond(record)) {
          low = start + record.length + delimiterBytes(this.finder);
          step *= 2;
          continue;
        }
        answer = start;
      }
      high = middle;
      step = Infinity;
    }
    return answer;
  }

  /** The start of the first record at or after `byte`; `limit` or more if there is none before `limit`. */
  private async startFrom(window: RecentPieces, byte: number, limit: number): Promise<number> {
    if (byte <= 0) return 0;
    for (let low = byte - 1; low < limit; ) {
      const view = await window.view(low, 1);
      const end = this.finder.firstEnd(view, low);
      if (end >= 0) return low + end;
      low += view.length;
    }
    return limit;
  }

  /**
   * The record that begins at `start`, without its delimiter; valid until the window is used again. Throws if the run
   * ends before the record does.
   */
  private async recordFrom(window: RecentPieces, start: number): Promise<Uint8Array> {
    for (let least = 1; ; ) {
      const view = await window.view(start, least);
      const end = this.finder.firstEnd(view, start);
      if (end >= 0) return view.subarray(0, end - delimiterBytes(this.finder));
      if (start + view.length >= this.blob.bytes)
        throw internalError(`the record at byte ${start} of a stored run has no end`);
      least = 2 * view.length;
    }
  }
}

/** The most recently read pieces of a blob, each of whole blocks. Each concurrent call has a window of its own. */
class RecentPieces {
  private readonly blob: Blob;
  /** Least recently used first. */
  private readonly pieces: { readonly begin: number; readonly bytes: Buffer }[] = [];

  constructor(blob: Blob) {
    this.blob = blob;
  }

  /** The blob's bytes from `byte` on: at least `least` bytes or all there are, and at least one. */
  async view(byte: number, least: number): Promise<Buffer> {
    const {
      blob: { blockBytes, bytes: end },
      pieces,
    } = this;
    const to = Math.min(byte + least, end);
    if (byte >= end) throw internalError(`byte ${byte} was looked up in a stored run of ${end}`);
    const found = pieces.findIndex(({ begin, bytes }) => begin <= byte && to <= begin + bytes.length);
    const piece =
      found >= 0
        ? pieces.splice(found, 1)[0]
        : await this.read(
            Math.floor(byte / blockBytes) * blockBytes,
            Math.min(end, Math.ceil(to / blockBytes) * blockBytes),
          );
    pieces.push(piece);
    if (pieces.length > RECENT_PIECES) pieces.shift();
    return piece.bytes.subarray(byte - piece.begin);
  }

  private async read(begin: number, end: number): Promise<{ begin: number; bytes: Buffer }> {
    const bytes = Buffer.allocUnsafe(end - begin);
    await this.blob.readAt(begin, bytes);
    return { begin, bytes };
  }
}

/** Bytes per read, and the number of blocks that are read while another one is written. */
const STORED_BLOCK_BYTES = 4 << 20;
const READ_AHEAD = 1;

/** Bytes [from, to) of a text that is read by position. */
interface StoredPart {
  readonly run: RandomAccess;
  readonly from: number;
  readonly to: number;
}

/** Writes bytes [from, to) of a stored run, or of anything else that is read by position, in blocks that are reused. */
export function emitStored(
  run: RandomAccess,
  from: number,
  to: number,
  write: (block: Buffer) => Promise<void>,
): Promise<void> {
  return emitParts([{ run, from, to }], write);
}

/** Writes several texts, one after another, in blocks that are reused. Each is read while the one before is written. */
export async function emitParts(parts: readonly StoredPart[], write: (block: Buffer) => Promise<void>): Promise<void> {
  const blocks: StoredPart[] = [];
  let size = 0;
  for (const { run, from, to } of parts)
    for (let at = from; at < to; at += STORED_BLOCK_BYTES) {
      blocks.push({ run, from: at, to: Math.min(to, at + STORED_BLOCK_BYTES) });
      size = Math.max(size, blocks.at(-1)!.to - at);
    }
  const buffers = blocks.slice(0, READ_AHEAD + 1).map(() => Buffer.allocUnsafe(size));
  const reads: Promise<Buffer>[] = [];
  const read = async (i: number): Promise<Buffer> => {
    const { run, from, to } = blocks[i];
    const block = buffers[i % buffers.length].subarray(0, to - from);
    await run.readAt(from, block);
    return block;
  };
  try {
    for (let i = 0, begun = 0; i < blocks.length; i++) {
      for (; begun < Math.min(blocks.length, i + buffers.length); begun++) {
        reads.push(read(begun));
        // A failed read is handled when its block is to be written.
        quiet(reads.at(-1)!);
      }
      await write(await reads.shift()!);
    }
  } finally {
    // The buffers must not be filled after this.
    await Promise.allSettled(reads);
  }
}
