/**
 * Combining runs, wherever they lie, and records too large for any chunk into one ordered stream of blocks.
 */
import type { BlockWriter, Engine, Run, Slice, Sorted } from '../engine.js';
import type { Ordering } from '../job.js';
import { bucketRanges, isDistributed } from './buckets.js';
import { sortLarge, truncated, type LargeRecord } from './large.js';
import { cutAround, partition, type Range } from './partition.js';

/** A step of the output: a range to be merged, or a large record to be passed through. */
type Step = { readonly kind: 'range'; readonly range: Range } | { readonly kind: 'large'; readonly record: LargeRecord };

/** What is written of a combined stream. */
export interface Written {
  /** Records as they were read, which is usual, or as runs have them. */
  readonly form?: 'output' | 'run';
  /** Once it holds, nothing more need be written. */
  readonly over?: () => boolean;
}

/** Bytes of memory given back for each byte that is written: device memory goes at 55 GB/s, output at 2 to 4. */
const RELEASED_A_WRITTEN = 16;
/** Bytes of a large record passed through at a time. */
const PASS_BYTES = 4 << 20;

/**
 * Writes all records of `slices` (in input order) and `large` (in input order) in order. Merges run ahead of the writing, and the next
 * is submitted while blocks are written. Where one fails, all memory of the others is given back. `unneeded`: runs that are released when all is merged, and with them the engine's memory; null:
 * the engine goes on sorting, and the runs stay the caller's.
 */
export async function combine(engine: Engine, slices: readonly Slice[], large: readonly LargeRecord[], ordering: Ordering, write: BlockWriter,
  unneeded: Run[] | null, { form = 'output', over = () => false }: Written = {}): Promise<void> {
  const ahead: (Promise<Sorted[]> | LargeRecord)[] = [];
  let emitting: Promise<void> = Promise.resolve();
  const borrowed = new Set<Sorted>();
  let allMerged = false;
  // Giving memory back takes time: a little with every block, while others are written, it costs none.
  let due = 0;
  const writeAndRelease: BlockWriter = async (block) => {
    await write(block);
    if (!allMerged || unneeded === null) return;
    for (due += block.length * RELEASED_A_WRITTEN; due > 0;) {
      const bytes = engine.trim();
      const run = bytes === 0 && borrowed.size === 0 ? unneeded.pop() : undefined;
      run?.release();
      if (bytes === 0 && run === undefined) return;
      due -= bytes + (run?.end.byte ?? 0);
    }
  };
  const merge = async ({ slices, commonPrefix }: Range): Promise<Sorted[]> => {
    const list = await engine.merge(slices, commonPrefix, form);
    for (const sorted of list) if (sorted.borrowed) borrowed.add(sorted);
    return list;
  };
  const emit = async (oldest: Promise<Sorted[]> | LargeRecord): Promise<void> => {
    if (!(oldest instanceof Promise)) { await passThrough(oldest, ordering, write); return; }
    const list = [...await oldest];
    try {
      for (let sorted = list.shift(); sorted !== undefined; sorted = list.shift()) {
        if (over()) sorted.release();
        else await sorted.emit(writeAndRelease);
        borrowed.delete(sorted);
      }
    } catch (error) {
      for (const sorted of list) sorted.release();
      throw error;
    }
  };
  const emitOldest = async (): Promise<void> => {
    await emitting;
    emitting = emit(ahead.shift()!);
    emitting.catch(() => { /* met when the next one is emitted, or below */ });
  };
  try {
    for await (const step of steps(engine, slices, large, ordering)) {
      const next = step.kind === 'large' ? step.record : merge(step.range);
      if (next instanceof Promise) next.catch(() => { /* met when it is emitted, or below */ });
      ahead.push(next);
      if (ahead.length >= engine.mergesAhead) await emitOldest();
      if (over()) break;
    }
    Promise.all(ahead).then(() => { allMerged = true; }, () => { /* met when it is emitted */ });
    while (ahead.length > 0) await emitOldest();
    await emitting;
  } catch (error) {
    await Promise.allSettled([emitting]);
    for (const merged of await Promise.allSettled(ahead)) {
      if (merged.status === 'fulfilled' && Array.isArray(merged.value)) for (const sorted of merged.value) sorted.release();
    }
    throw error;
  }
}

async function* steps(engine: Engine, slices: readonly Slice[], large: readonly LargeRecord[], ordering: Ordering): AsyncGenerator<Step> {
  const size = { wanted: engine.rangeBytes, most: engine.mergeBytes };
  if (isDistributed(slices)) {
    for (const range of bucketRanges(slices)) yield { kind: 'range', range };
    return;
  }
  let rest = slices;
  for (const record of await sortLarge(large, ordering)) {
    const { before, after } = await cutAround(rest, await truncated(record, engine.mergeBytes, rest, ordering));
    for await (const range of partition(before, ordering, size)) yield { kind: 'range', range };
    yield { kind: 'large', record };
    rest = after;
  }
  for await (const range of partition(rest, ordering, size)) yield { kind: 'range', range };
}

async function passThrough(record: LargeRecord, ordering: Ordering, write: BlockWriter): Promise<void> {
  for (let at = 0; at < record.bytes; at += PASS_BYTES) {
    const block = Buffer.allocUnsafe(Math.min(PASS_BYTES, record.bytes - at));
    await record.readAt(at, block);
    await write(block);
  }
  if (ordering.format.kind === 'lines') await write(Uint8Array.of(ordering.format.delimiter));
}
