/**
 * The CPU engine's results (of tasks, and slices of runs) as text to be emitted, kept or released, and the memory of
 * slices for tasks. Knows buffers, but no threads.
 */

import {
  type BlockWriter,
  type Distributed,
  type DistributedRun,
  type EngineText,
  isStored,
  type KeptRun,
  type Slice,
  type Sorted,
  type StoredRun,
  type StoredText,
} from '../../contract/engine.js';
import type { Ordering } from '../../job/ordering.js';
import { textWithoutKey } from '../../keys/keyed.js';
import { emitParts } from '../../runs/stored-run.js';
import { type EntryPosition, EntryRun } from '../../runs/entry-run.js';
import { TextRun } from '../../runs/text-run.js';
import { internalError } from '../../system/errors.js';
import { allOver } from '../../system/promises.js';
import type { SharedMemory } from '../../system/threads/buffers.js';
import type { Checksums } from './checksums.js';
import type { CompressedText } from './compress-text.js';
import type { RecordShape } from './shape.js';
import type { Result, TaskSlice } from './task.js';

/** Maximum bytes of an output block: small enough that progress is visible. */
const BLOCK_BYTES = 16 << 20;

/** The context in which sorted text becomes a run. */
export interface ResultMemory {
  readonly pool: SharedMemory;
  /** The maximum bytes of resident runs, and their current bytes. */
  readonly budget: { readonly limit: number | null; used: number };
  readonly shape: RecordShape;
  readonly ordering: Ordering;
  readonly checksums: Checksums;
}

/**
 * The memory that holds the bytes of each slice. Stored slices outside shared memory are first read into one buffer,
 * `staged`.
 */
export async function inMemory(
  slices: readonly Slice<KeptRun>[],
  pool: SharedMemory,
): Promise<{ placed: TaskSlice[]; staged: SharedArrayBuffer | null }> {
  let bytes = 0;
  for (const { run, from, to } of slices) if (memoryOf(run) === null) bytes += to.byte - from.byte;
  const staged = bytes > 0 ? pool.take(bytes) : null;
  const placed: TaskSlice[] = [];
  const reads: Promise<void>[] = [];
  let place = 0;
  for (const { run, from, to } of slices) {
    const length = to.byte - from.byte;
    if (length === 0) continue;
    const memory = memoryOf(run);
    if (run instanceof EntryRun) {
      const { entriesAt } = run.place;
      placed.push({
        ...{ buffer: memory!, from: from.byte, to: to.byte },
        ...{ entriesFrom: entriesAt + (from as EntryPosition).entry, entriesTo: entriesAt + (to as EntryPosition).entry },
      });
    } else if (memory !== null) placed.push({ buffer: memory, from: from.byte, to: to.byte });
    else {
      reads.push((run as KeptRun & StoredText).readAt(from.byte, new Uint8Array(staged!, place, length)));
      placed.push({ buffer: staged!, from: place, to: place + length });
      place += length;
    }
  }
  await Promise.all(reads);
  return { placed, staged };
}

/** A result to be emitted, kept or released. `runIn` turns the buffer with the text into a run. */
function resultText<Kept extends KeptRun>(
  { pool, budget }: ResultMemory,
  { buffer, outcome: { bytes, records } }: Result,
  runIn: (buffer: SharedArrayBuffer, release: () => void) => Kept,
): EngineText<Kept> {
  let held = buffer;
  return {
    bytes,
    records,
    borrowed: false,
    atOnce: true,
    async emit(write) {
      await emitBlocks(held, 0, bytes, write);
      pool.give(held);
    },
    async keep() {
      held = trimmed(pool, held, bytes);
      const needed = held.byteLength;
      if (budget.limit !== null && budget.used + needed > budget.limit) return null;
      budget.used += needed;
      let released = false;
      return runIn(held, () => {
        if (released) return;
        released = true;
        budget.used -= needed;
        pool.give(held);
      });
    },
    release: () => pool.give(held),
  };
}

export function sortedResult(memory: ResultMemory, result: Result): Sorted {
  const { shape, ordering, checksums } = memory;
  const { buffer, outcome } = result;
  return {
    asRead() {
      const { sums, bytes } = outcome;
      if (sums === undefined) return null;
      const { first, last } = new TextRun(buffer, { begin: 0, end: bytes }, ordering).ends(
        { byte: 0 },
        { byte: bytes },
      );
      const { blockBytes, checksum } = checksums;
      return { sums, blockBytes, checksum, ends: { first: new Uint8Array(first), last: new Uint8Array(last) } };
    },
    ...resultText(
      memory,
      result,
      (held, release) => new TextRun(held, { begin: 0, end: outcome.bytes }, ordering, release),
    ),
    async segmentEnds() {
      const { bytes, segments } = outcome;
      const text = Buffer.from(buffer, 0, bytes);
      const tail = shape.size > 0 ? 0 : 1;
      const firstStop = shape.size > 0 ? shape.size : text.indexOf(shape.delimiter) + 1;
      const lastStart = shape.size > 0 ? bytes - shape.size : text.lastIndexOf(shape.delimiter, -2) + 1;
      const [first, last] = [text.subarray(0, firstStop - tail), text.subarray(lastStart, bytes - tail)];
      return {
        firstEnd: { byte: segments!.firstEnd },
        lastBegin: { byte: segments!.lastBegin },
        firstRecord: Buffer.from(textWithoutKey(ordering, first)),
        lastRecord: Buffer.from(textWithoutKey(ordering, last)),
      };
    },
  };
}

/** The records of a group, which lie in the arena or, if they did not fit there, in memory of their own. */
export function groupResult(
  { budget, ordering }: ResultMemory,
  { buffer, at = 0, outcome: { bytes, records, place } }: Result,
  free: () => void,
): Sorted {
  return {
    bytes,
    records,
    borrowed: false,
    atOnce: true,
    async emit(write) {
      await emitBlocks(buffer, at, at + bytes, write);
      free();
    },
    async keep() {
      if (budget.limit !== null && budget.used + bytes > budget.limit) return null;
      budget.used += bytes;
      let released = false;
      const release = (): void => {
        if (released) return;
        released = true;
        budget.used -= bytes;
        free();
      };
      return new EntryRun({ ...place!, memory: buffer }, ordering, release);
    },
    release: free,
  };
}

/** Text that a merge has compressed. */
export function compressedResult(
  { pool }: ResultMemory,
  { buffer, outcome: { bytes, records } }: Result,
  { sizes, head, tail, textAt }: CompressedText,
  wantsText: boolean,
): Sorted {
  const text = (from: number, length: number): Uint8Array => new Uint8Array(buffer, textAt + from, length);
  const textBytes = bytes - head - tail;
  return {
    bytes,
    records,
    borrowed: false,
    atOnce: true,
    emit: () => Promise.reject(internalError('compressed text is written as blocks')),
    async emitBlocks(taker) {
      const writes: Promise<void>[] = [];
      if (head > 0) writes.push(taker.text(text(0, head)));
      if (textBytes > 0) {
        const blocks = new Uint8Array(buffer, 0, textAt);
        writes.push(taker.blocks(blocks, sizes, textBytes, wantsText ? text(head, textBytes) : null));
      }
      if (tail > 0) writes.push(taker.text(text(wantsText ? bytes - tail : head, tail)));
      await allOver(writes);
      pool.give(buffer);
    },
    keep: () => Promise.resolve(null),
    release: () => pool.give(buffer),
  };
}

export function distributedResult(memory: ResultMemory, result: Result, buckets: readonly number[]): Distributed {
  const { bytes } = result.outcome;
  return {
    ...resultText(memory, result, (held, release): DistributedRun & InMemory => ({
      kind: 'resident',
      memory: held,
      buckets,
      begin: { byte: 0 },
      end: { byte: bytes },
      release,
    })),
    buckets,
  };
}

/** Slices that are in order where they lie, one after another. They cannot be kept again. */
export function slicesSorted(slices: readonly Slice[]): Sorted {
  const inMemory = slices.every(({ run }) => memoryOf(run) !== null);
  return {
    bytes: slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0),
    borrowed: true,
    atOnce: inMemory,
    async emit(write) {
      if (inMemory)
        await allOver(slices.map(({ run, from, to }) => emitBlocks(memoryOf(run)!, from.byte, to.byte, write)));
      else await emitMixed(slices, write);
    },
    keep: () => Promise.resolve(null),
    release: () => {},
  };
}

/** Writes slices, some of which are stored. The stored ones are read ahead. */
async function emitMixed(slices: readonly Slice[], write: BlockWriter): Promise<void> {
  for (let next = 0; next < slices.length; ) {
    const memory = memoryOf(slices[next].run);
    if (memory !== null) {
      const { from, to } = slices[next++];
      await emitBlocks(memory, from.byte, to.byte, write);
      continue;
    }
    const begin = next;
    while (next < slices.length && memoryOf(slices[next].run) === null) next++;
    const stored = slices.slice(begin, next);
    await emitParts(
      stored.map(({ run, from, to }) => ({ run: run as StoredRun, from: from.byte, to: to.byte })),
      write,
    );
  }
}

async function emitBlocks(buffer: SharedArrayBuffer, from: number, to: number, write: BlockWriter): Promise<void> {
  const writes: Promise<void>[] = [];
  for (let at = from; at < to; at += BLOCK_BYTES)
    writes.push(write(new Uint8Array(buffer, at, Math.min(BLOCK_BYTES, to - at))));
  await allOver(writes);
}

/** Copies a text that fills less than half of its buffer: under `unique` little may be left of a chunk. */
function trimmed(pool: SharedMemory, buffer: SharedArrayBuffer, bytes: number): SharedArrayBuffer {
  if (buffer.byteLength <= 2 * bytes + 4096) return buffer;
  const smaller = pool.take(bytes);
  new Uint8Array(smaller).set(new Uint8Array(buffer, 0, bytes));
  pool.give(buffer);
  return smaller;
}

/** A run in shared memory. */
type InMemory = Pick<TextRun, 'memory'>;

/** The shared memory that a run lies in; null if it lies elsewhere. */
function memoryOf(run: KeptRun): SharedArrayBuffer | null {
  return isStored(run) ? null : (run as KeptRun & InMemory).memory;
}
