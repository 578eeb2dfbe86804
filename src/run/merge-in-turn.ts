/** Merges inputs record by record, through a window of each. Correct for every input, sorted or not. */
import type { BlockWriter, RecordForm } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { isKeyed, textWithoutKey } from '../keys/keyed.js';
import { RecordEncoder } from '../keys/record-encoding.js';
import { recordFinder } from '../records/record-finder.js';
import { lineEnd, writingForm } from '../runs/large.js';
import type { ByteSource } from '../system/byte-source.js';
import { rest } from '../system/promises.js';
import { cursorOrder, RecordCursor, recordOf } from './record-cursor.js';

/** Bytes of an output block, unless one record has more. */
const BLOCK_BYTES = 1 << 20;
/** Records merged between two checks of the clock. */
const STEPS_PER_LOOK = 1024;
/** Records of at least this many bytes are copied with Buffer.copy, shorter ones by a loop. */
const BULK_COPY_BYTES = 64;

/** The output of a merge: its form, its limit and its destination. */
export interface MergedOutput {
  readonly form: RecordForm;
  /** The maximum number of records. */
  readonly most: number;
  readonly write: BlockWriter;
  /** Returns true once no more output is needed. */
  readonly over?: () => boolean;
}

/** Merges and closes `sources`, which have whole records, record by record. */
export async function mergeInTurn(
  sources: readonly ByteSource[],
  ordering: Ordering,
  output: MergedOutput,
): Promise<void> {
  try {
    const finder = recordFinder(ordering.format);
    await mergeCursors(
      sources.map((source) => new RecordCursor(source, finder)),
      ordering,
      output,
    );
  } finally {
    for (const source of sources) source.close();
  }
}

async function mergeCursors(
  cursors: readonly RecordCursor[],
  ordering: Ordering,
  { form, most, write, over = () => false }: MergedOutput,
): Promise<void> {
  const order = cursorOrder(cursors, ordering);
  const heap = new CursorHeap((a, b) => {
    const sign = order.compare(a, b);
    return sign !== 0 ? sign < 0 : a < b;
  });
  for (let i = 0; i < cursors.length; i++) {
    if (!(await cursors[i].refill())) continue;
    order.moved(i);
    heap.add(i);
  }
  heap.build();
  const decoder = form !== 'run' && ordering.encoding !== undefined ? new RecordEncoder(ordering.encoding) : null;
  const writeOn = writingForm(form, write);
  const out = new BlockBuilder(async (block) => {
    decoder?.decode(block);
    await writeOn(block);
  });
  const strips = form !== 'run' && isKeyed(ordering);
  const delimiter = ordering.format.kind === 'lines' ? ordering.format.delimiter : -1;
  const outputDelimiter = lineEnd(form, delimiter);
  let last: Uint8Array | null = null; // under unique
  let left = most;
  for (let steps = 1; heap.size > 0 && left > 0; steps++) {
    if (steps % STEPS_PER_LOOK === 0) await rest();
    const i = heap.first;
    const cursor = cursors[i];
    if (last === null || compareRecords(ordering, last, recordOf(cursor)) !== 0) {
      const begin = strips ? cursor.end - textWithoutKey(ordering, recordOf(cursor)).length : cursor.start;
      const bytes = cursor.end - begin + 1;
      if (!out.fits(bytes)) {
        await out.flush(bytes);
        if (over()) return;
      }
      out.append(cursor.window, begin, cursor.end, outputDelimiter);
      left--;
      if (ordering.unique) last = Buffer.from(recordOf(cursor));
    }
    if (cursor.step() || (await cursor.refill())) {
      order.moved(i);
      heap.sink(0);
    } else heap.removeFirst();
  }
  await out.flush(0);
}

/** A binary heap of cursor numbers; its root has the first record. */
class CursorHeap {
  private readonly heap: number[] = [];
  private readonly before: (a: number, b: number) => boolean;

  constructor(before: (a: number, b: number) => boolean) {
    this.before = before;
  }

  get size(): number {
    return this.heap.length;
  }

  get first(): number {
    return this.heap[0];
  }

  /** Adds a cursor; `build` follows. */
  add(cursor: number): void {
    this.heap.push(cursor);
  }

  build(): void {
    for (let i = (this.heap.length >> 1) - 1; i >= 0; i--) this.sink(i);
  }

  removeFirst(): void {
    const tail = this.heap.pop()!;
    if (this.heap.length === 0) return;
    this.heap[0] = tail;
    this.sink(0);
  }

  /** Restores the heap's order after the record at `root` was replaced by a later one. */
  sink(root: number): void {
    const { heap, before } = this;
    const item = heap[root];
    let at = root;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
      if (!before(heap[child], item)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = item;
  }
}

/** Assembles blocks of output. */
class BlockBuilder {
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  private filled = 0;
  private readonly write: BlockWriter;

  constructor(write: BlockWriter) {
    this.write = write;
  }

  fits(bytes: number): boolean {
    return this.filled + bytes <= this.block.length;
  }

  /** Appends bytes [start, end) of `from`, then a delimiter unless that is negative. They must fit. */
  append(from: Buffer, start: number, end: number, delimiter: number): void {
    const { block } = this;
    if (end - start >= BULK_COPY_BYTES) {
      from.copy(block, this.filled, start, end);
      this.filled += end - start;
    } else {
      let at = this.filled;
      for (let i = start; i < end; i++) block[at++] = from[i];
      this.filled = at;
    }
    if (delimiter >= 0) block[this.filled++] = delimiter;
  }

  /** Writes the pending bytes and makes room for `bytes`. */
  async flush(bytes: number): Promise<void> {
    if (this.filled > 0) await this.write(this.block.subarray(0, this.filled));
    this.filled = 0;
    if (bytes > this.block.length) this.block = Buffer.allocUnsafe(bytes);
  }
}
