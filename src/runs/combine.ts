/**
 * Combining runs, wherever they lie, and records too large for any chunk into one ordered stream of blocks.
 */
import type { BlockWriter, Engine, Run, Sorted } from '../engine.js';
import type { Ordering } from '../job.js';
import { sortLarge, truncated, type LargeRecord } from './large.js';
import { cutAround, partition, wholeRuns, type Range } from './partition.js';

/** A step of the output: a range to be merged, or a large record to be passed through. */
type Step = { readonly kind: 'range'; readonly range: Range } | { readonly kind: 'large'; readonly record: LargeRecord };

/** Bytes of a large record passed through at a time. */
const PASS_BYTES = 4 << 20;

/**
 * Writes all records of `runs` (in input order) and `large` (in input order) in order. Merges run ahead of the writing, as many
 * as the engine has lanes.
 */
export async function combine(engine: Engine, runs: readonly Run[], large: readonly LargeRecord[], ordering: Ordering, write: BlockWriter): Promise<void> {
  const ahead: (Promise<Sorted[]> | LargeRecord)[] = [];
  const emitOldest = async (): Promise<void> => {
    const oldest = ahead.shift()!;
    if (!(oldest instanceof Promise)) { await passThrough(oldest, ordering, write); return; }
    for (const sorted of await oldest) await sorted.emit(write);
  };
  try {
    for await (const step of steps(engine, runs, large, ordering)) {
      ahead.push(step.kind === 'large' ? step.record : engine.merge(step.range.slices, step.range.commonPrefix));
      if (ahead.length >= engine.lanes) await emitOldest();
    }
    while (ahead.length > 0) await emitOldest();
  } catch (error) {
    for (const merge of ahead) if (merge instanceof Promise) merge.catch(() => undefined);
    throw error;
  }
}

async function* steps(engine: Engine, runs: readonly Run[], large: readonly LargeRecord[], ordering: Ordering): AsyncGenerator<Step> {
  let rest = wholeRuns(runs);
  for (const record of await sortLarge(large, ordering)) {
    const { before, after } = await cutAround(rest, await truncated(record, engine.chunkBytes, rest, ordering));
    for await (const range of partition(before, ordering, engine.rangeBytes)) yield { kind: 'range', range };
    yield { kind: 'large', record };
    rest = after;
  }
  for await (const range of partition(rest, ordering, engine.rangeBytes)) yield { kind: 'range', range };
}

async function passThrough(record: LargeRecord, ordering: Ordering, write: BlockWriter): Promise<void> {
  for (let at = 0; at < record.bytes; at += PASS_BYTES) {
    const block = Buffer.allocUnsafe(Math.min(PASS_BYTES, record.bytes - at));
    await record.readAt(at, block);
    await write(block);
  }
  if (ordering.format.kind === 'lines') await write(Uint8Array.of(ordering.format.delimiter));
}
