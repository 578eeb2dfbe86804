/**
 * -m: merging inputs that are in order already, streaming: no input is held but a window of it. Like GNU sort it takes the
 * smallest of the inputs' next records, so input out of order loses nothing.
 */
import { cursorOrder, recordOf } from './input/cursor-order.js';
import { engineBytes } from './input/keyed-bytes.js';
import { RecordCursor, type ByteSource } from './input/record-cursor.js';
import type { InputFile } from './input/files.js';
import { withFieldNumbers, type Headers } from './input/header.js';
import type { Ordering, SortJob } from './job.js';
import { mostOpenInputs } from './limits.js';
import { compareRecords } from './keys/compare.js';
import { isKeyed, textOf } from './keys/keyed.js';
import type { Filter } from './output/filter.js';
import { rest } from './promises.js';
import { recordFinder } from './records/format.js';
import type { Blob } from './runs/blob.js';
import type { TemporaryStore } from './runs/store.js';
import type { BlockWriter } from './engine.js';
import type { Verification } from './verify/verification.js';

/** Most inputs merged at once, where no smaller number is asked for: each takes a descriptor and a window of 256 KiB or more. */
const FAN_IN = 256;
const BLOCK_BYTES = 1 << 20;
/** Records between two looks at the clock. */
const STEPS_A_LOOK = 1024;
/** Records at least this long are copied by the runtime, shorter ones by a loop. */
const BULK_COPY_BYTES = 64;

/**
 * Merges `inputs`, at most `batchSize` at once (null: as many as is good), and gives `output` the result, under `count` with all that has equal keys and
 * the keys. Where `limit` wants the first records, no more than these are merged, and no more is read. `headers`: what the inputs begin with, which is not merged. `verification`: is given all that is read.
 */
export async function mergeInputs(inputs: readonly InputFile[], job: Pick<SortJob, 'ordering' | 'csvSeparator' | 'batchSize' | 'count' | 'limit'>, store: TemporaryStore,
  output: Filter, headers: Headers | null = null, verification: Verification | null = null): Promise<void> {
  const { batchSize, count, limit } = job;
  const most = limit?.end === 'first' && !count ? limit.count : Infinity;
  const ordering = (): Ordering => withFieldNumbers(job.ordering, headers, job.csvSeparator);
  // Fewer than two would never become fewer.
  const fanIn = Math.max(2, Math.min(FAN_IN, batchSize ?? FAN_IN, mostOpenInputs()));
  let sources: (() => Promise<ByteSource>)[] = inputs.map((input) => () => engineBytes(input, job.ordering, headers, verification?.openInput()));
  while (sources.length > fanIn) {
    const merged: typeof sources = [];
    for (let at = 0; at < sources.length; at += fanIn) {
      const blob = store.create(null);
      await mergeSources(sources.slice(at, at + fanIn), ordering, false, most, (block) => blob.write(block));
      const finished = await blob.finish();
      merged.push(async () => blobBytes(finished));
    }
    sources = merged;
  }
  await mergeSources(sources, ordering, !count, most, output.write, output.over);
}

function blobBytes(blob: Blob): ByteSource {
  let at = 0;
  return {
    label: 'a temporary file',
    read: async () => {
      const bytes = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, blob.bytes - at));
      if (bytes.length === 0) return null;
      await blob.readAt(at, bytes);
      at += bytes.length;
      return bytes;
    },
    close: () => blob.release(),
  };
}

/** Blocks of output under construction. */
class BlockBuilder {
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  private filled = 0;
  private readonly write: BlockWriter;

  constructor(write: BlockWriter) { this.write = write; }

  /** Whether `bytes` more fit. */
  fits(bytes: number): boolean { return this.filled + bytes <= this.block.length; }

  /** Appends bytes [start, end) of `from` and, unless negative, a delimiter. They must fit. */
  append(from: Buffer, start: number, end: number, delimiter: number): void {
    const { block } = this;
    if (end - start >= BULK_COPY_BYTES) {
      from.copy(block, this.filled, start, end);
      this.filled += end - start;
    } else {
      let at = this.filled;
      for (let i = start; i < end; i++) block[at++] = from[i]!;
      this.filled = at;
    }
    if (delimiter >= 0) block[this.filled++] = delimiter;
  }

  /** Writes what there is and makes room for `bytes`. */
  async flush(bytes: number): Promise<void> {
    if (this.filled > 0) await this.write(this.block.subarray(0, this.filled));
    this.filled = 0;
    if (bytes > this.block.length) this.block = Buffer.allocUnsafe(bytes);
  }
}

/** `orderingOf`: asked when all are open. `plain`: records are written as they were read, without keys. `most`: so many records at most. `over`: nothing more need be written. */
async function mergeSources(open: readonly (() => Promise<ByteSource>)[], orderingOf: () => Ordering, plain: boolean, most: number, write: BlockWriter,
  over: () => boolean = () => false): Promise<void> {
  const cursors: RecordCursor[] = [];
  try {
    for (const source of open) cursors.push(new RecordCursor(await source(), recordFinder(orderingOf().format)));
    await mergeCursors(cursors, orderingOf(), plain, most, write, over);
  } finally {
    for (const cursor of cursors) cursor.source.close();
  }
}

async function mergeCursors(cursors: readonly RecordCursor[], ordering: Ordering, plain: boolean, most: number, write: BlockWriter, over: () => boolean): Promise<void> {
  const order = cursorOrder(cursors, ordering);
  const before = (a: number, b: number): boolean => {
    const sign = order.compare(a, b);
    return sign !== 0 ? sign < 0 : a < b;
  };
  // A binary heap of cursor numbers, the earliest record first.
  const heap: number[] = [];
  const sink = (root: number): void => {
    const item = heap[root]!;
    let at = root;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
      if (!before(heap[child]!, item)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = item;
  };
  for (let i = 0; i < cursors.length; i++) {
    if (!(await cursors[i]!.refill(0))) continue;
    order.moved(i);
    heap.push(i);
  }
  for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(i);
  const out = new BlockBuilder(write);
  const strips = plain && isKeyed(ordering);
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : -1;
  let last: Buffer | null = null; // the record written last, under unique
  let left = most;
  for (let steps = 1; heap.length > 0 && left > 0; steps++) {
    if (steps % STEPS_A_LOOK === 0) await rest();
    const i = heap[0]!;
    const cursor = cursors[i]!;
    if (last === null || compareRecords(ordering, last, recordOf(cursor)) !== 0) {
      const begin = strips ? cursor.end - textOf(ordering, recordOf(cursor)).length : cursor.start;
      const bytes = cursor.end - begin + 1;
      if (!out.fits(bytes)) {
        await out.flush(bytes);
        if (over()) return;
      }
      out.append(cursor.window, begin, cursor.end, delimiter);
      left--;
      if (ordering.unique) last = Buffer.from(recordOf(cursor));
    }
    if (cursor.step() || await cursor.refill(cursor.end + (delimiter >= 0 ? 1 : 0))) {
      order.moved(i);
    } else {
      const tail = heap.pop()!;
      if (heap.length === 0) break;
      heap[0] = tail;
    }
    sink(0);
  }
  await out.flush(0);
}
