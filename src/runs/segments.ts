/**
 * Writes chunks whose segments are sorted separately. They are written as they arrive, except for a segment that
 * several chunks share: its parts are kept until it ends, and then combined.
 */
import type {
  BlockWriter,
  Distributed,
  Engine,
  Position,
  Run,
  SegmentEnds,
  Slice,
  Sorted,
} from '../contract/engine.js';
import type { Ordering, SegmentRule } from '../job/ordering.js';
import { type SegmentMark, sameSegment, segmentMark } from '../keys/fields.js';
import { isKeyed } from '../keys/keyed.js';
import { GpusortError, internalError } from '../system/errors.js';
import type { RunKeeper } from './keep.js';
import { isRun, type LargeRecord, type PlaceLarge } from './large.js';
import { wholeRun } from './partition.js';

/** Bytes of a large record that are searched for the mark of its segment. */
const LARGE_HEAD_BYTES = 64 << 20;

/** A segment with parts in more than one chunk, or with large records. */
interface OpenSegment {
  readonly mark: SegmentMark;
  readonly slices: Slice[];
  readonly large: LargeRecord[];
}

/** Sorted text not yet written or kept, because its last segment may continue. */
interface Waiting {
  readonly sorted: Sorted;
  readonly ends: SegmentEnds;
  readonly mark: SegmentMark;
}

export class SegmentWriter {
  private readonly engine: Engine;
  private readonly segments: SegmentRule;
  private readonly placeLarge: PlaceLarge | null;
  /** Whether sorted text has keys or is encoded; only a merge removes keys and decodes. */
  private readonly mustMerge: boolean;
  private readonly keeper: RunKeeper;
  private readonly write: BlockWriter;
  /** At most one of `waiting` and `open` is set. */
  private waiting: Waiting | null = null;
  private open: OpenSegment | null = null;

  /** The ordering must have segments. `placeLarge`: null if large records are compared as they were read. */
  constructor(
    engine: Engine,
    ordering: Ordering,
    keeper: RunKeeper,
    write: BlockWriter,
    placeLarge: PlaceLarge | null = null,
  ) {
    this.engine = engine;
    this.segments = ordering.segments!;
    this.placeLarge = placeLarge;
    this.mustMerge = isKeyed(ordering) || ordering.encoding !== undefined;
    this.keeper = keeper;
    this.write = write;
  }

  /** Takes a result of `order` for the next chunk. */
  async add(sorted: Sorted | Distributed): Promise<void> {
    if (sorted.buckets !== undefined) throw internalError('segments were distributed');
    const ends = await sorted.segmentEnds!();
    const mark = segmentMark(this.segments, ends.lastRecord);
    const open = await this.openFor(segmentMark(this.segments, ends.firstRecord));
    if (open === null) {
      this.waiting = { sorted, ends, mark };
      return;
    }
    const run = await this.keeper.keep(sorted, open.slices, open.large);
    const firstEnd = ends.firstEnd;
    open.slices.push({ run, from: run.begin, to: firstEnd });
    if (firstEnd.byte === run.end.byte) return;
    await this.close(run);
    await this.writeAndOpen(run, firstEnd, ends, mark);
  }

  /** Takes a record larger than a chunk. */
  async addLarge(record: LargeRecord): Promise<void> {
    const mark = await this.markOfLarge(record);
    const open = (await this.openFor(mark)) ?? (this.open = { mark, slices: [], large: [] });
    const placed = this.placeLarge === null ? record : await this.placeLarge(record, open.slices.length);
    if (isRun(placed)) open.slices.push(wholeRun(placed));
    else open.large.push(placed);
  }

  async finish(): Promise<void> {
    if (this.waiting !== null) await this.writeWaiting(this.waiting);
    await this.close(null);
  }

  /**
   * The open segment that a record with this mark continues; null if the record begins a new one. In that case,
   * everything before it has been written.
   */
  private async openFor(mark: SegmentMark): Promise<OpenSegment | null> {
    const { waiting } = this;
    if (waiting !== null) {
      if (!sameSegment(waiting.mark, mark)) {
        await this.writeWaiting(waiting);
        return null;
      }
      this.waiting = null;
      const run = await this.keeper.keep(waiting.sorted, []);
      await this.writeAndOpen(run, run.begin, waiting.ends, waiting.mark);
    } else if (this.open !== null && !sameSegment(this.open.mark, mark)) await this.close(null);
    return this.open;
  }

  private async writeWaiting({ sorted }: Waiting): Promise<void> {
    this.waiting = null;
    if (!this.mustMerge) {
      await sorted.emit(this.write);
      return;
    }
    const run = await this.keeper.keep(sorted, []);
    await this.writeSlice(wholeRun(run));
    run.release();
  }

  private async writeSlice(slice: Slice): Promise<void> {
    for (const sorted of await this.engine.merge([slice], 0)) await sorted.emit(this.write);
  }

  /** Writes the segments of `run` after `from` except the last one, which stays open. */
  private async writeAndOpen(run: Run, from: Position, ends: SegmentEnds, mark: SegmentMark): Promise<void> {
    const lastBegin = ends.lastBegin;
    if (lastBegin.byte > from.byte) await this.writeSlice({ run, from, to: lastBegin });
    this.open = { mark, slices: [{ run, from: lastBegin, to: run.end }], large: [] };
  }

  /** Writes the open segment, if any. Releases its large records, and its runs except `needed`. */
  private async close(needed: Run | null): Promise<void> {
    const { open } = this;
    if (open === null) return;
    this.open = null;
    await this.keeper.combine(open.slices, open.large, this.write, { runs: 'kept', needed });
    for (const { run } of open.slices) if (run !== needed) run.release();
    for (const record of open.large) record.release?.();
    this.keeper.reset();
  }

  private async markOfLarge(record: LargeRecord): Promise<SegmentMark> {
    const head = Buffer.allocUnsafe(Math.min(record.bytes, LARGE_HEAD_BYTES));
    await record.readAt(0, head);
    const mark = segmentMark(this.segments, head);
    // A mark that reaches the end of the head may continue after it.
    const ends =
      head.length === record.bytes ||
      (mark !== null &&
        (this.segments.kind === 'blank' || mark.byteOffset + mark.length < head.byteOffset + head.length));
    if (ends) return mark === null ? null : new Uint8Array(mark);
    throw new GpusortError(
      'bad-records',
      `the first ${LARGE_HEAD_BYTES} bytes of a record of ${record.bytes} bytes do not show ` +
        'which segment it belongs to',
      { hint: 'Use a --chunk-size larger than the record.' },
    );
  }
}
