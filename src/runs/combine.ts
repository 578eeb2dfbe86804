/** Merges runs, wherever they lie, and records larger than a chunk into one ordered stream of blocks. */
import type {
  BlockWriter,
  DistributedRun,
  Ends,
  Engine,
  KeptRun,
  RecordForm,
  Slice,
  Sorted,
} from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { compareRecords } from '../keys/compare.js';
import { firstIndex } from '../system/binary-search.js';
import { allOver } from '../system/promises.js';
import { Ahead } from './ahead.js';
import { areInOrder, bucketRanges } from './buckets.js';
import { type LargeRecord, truncated } from './large.js';
import { bytesOf, cutAround, partition, type Range, type RangeSize } from './partition.js';

/** A step of the output: a range to merge, or a large record to copy. */
export type Step = (
  | { readonly kind: 'range'; readonly range: Range<KeptRun> }
  | { readonly kind: 'large'; readonly record: LargeRecord }
) & {
  /** Called once the step is written, or will never be. */
  readonly over?: (isWritten: boolean) => void;
};

/** How a combined stream is written. */
export interface CombineOptions {
  /** Records as they were read (the default), or with keys, as runs hold them. */
  readonly form?: RecordForm;
  /** If it returns true, nothing more need be written. */
  readonly over?: () => boolean;
  /** Receives, in order, the steps that were not written if one fails. */
  readonly unwritten?: Step[];
  /**
   * Called with the bytes of each step that has been merged and written, keys included, and from RunKeeper also with
   * the bytes of all steps together, once they are known.
   */
  readonly merged?: (bytes: number, totalBytes?: number) => void;
}

/** Bytes of memory released for each byte written: device memory is released at 55 GB/s, output written at 2 to 4. */
const RELEASED_PER_WRITTEN = 16;
/**
 * Results written at once, if each hands all of its blocks over at once. One small result at a time would leave the
 * writers idle.
 */
const WRITTEN_AT_ONCE = 3;
/** Bytes of a large record copied at a time. */
const PASS_BYTES = 4 << 20;

interface Begun {
  readonly step: Step;
  readonly merged: Promise<Sorted[]> | null;
}

/**
 * Writes the results of `steps` in order, while later merges run ahead. If a step fails, the memory of all others is
 * released. `unneeded`: runs to release, together with the engine's memory, once everything is merged. If it is null,
 * the engine goes on sorting and the caller keeps the runs.
 */
export async function combine(
  engine: Engine,
  steps: AsyncIterable<Step>,
  ordering: Ordering,
  write: BlockWriter,
  unneeded: KeptRun[] | null,
  { form = 'output', over = () => false, unwritten = [], merged: report = () => {} }: CombineOptions = {},
): Promise<void> {
  const borrowed = new Set<Sorted>();
  let allMerged = false;
  // Releasing memory takes time. Spread over the blocks, it overlaps their writing and costs nothing.
  let due = 0;
  const writeAndRelease: BlockWriter = async (block) => {
    await write(block);
    if (!allMerged || unneeded === null) return;
    for (due += block.length * RELEASED_PER_WRITTEN; due > 0; ) {
      const bytes = engine.trim();
      const run = bytes === 0 && borrowed.size === 0 ? unneeded.pop() : undefined;
      run?.release();
      if (bytes === 0 && run === undefined) return;
      due -= bytes + (run?.end.byte ?? 0);
    }
  };
  const begin = (step: Step): Begun => {
    if (step.kind === 'large') return { step, merged: null };
    const merged = engine.merge(step.range.slices, step.range.commonPrefix, form).then((list) => {
      for (const sorted of list) if (sorted.borrowed) borrowed.add(sorted);
      return list;
    });
    merged.catch(() => {
      /* handled when it is written, or at the end */
    });
    return { step, merged };
  };
  /** Writes a step. Calls `handOver` early if all blocks of the step have been passed to `write`. */
  const emit = async ({ step, merged }: Begun, handOver: () => void): Promise<void> => {
    if (step.kind === 'large') await passThrough(step.record, ordering, form, write);
    const list = (await merged) ?? [];
    try {
      for (let sorted = list.shift(); sorted !== undefined; sorted = list.shift()) {
        if (over()) sorted.release();
        else {
          const emitted = sorted.emit(writeAndRelease);
          if (sorted.atOnce === true && list.length === 0) {
            await Promise.race([emitted, undefined]);
            handOver();
          }
          await emitted;
        }
        borrowed.delete(sorted);
      }
    } finally {
      for (const sorted of list.splice(0)) sorted.release();
    }
  };
  const ahead = new Ahead<Begun>(engine.mergesAhead + 1);
  /** At most one step, taken from `steps` but never begun. */
  const lost: Step[] = [];
  const mergeAll = async (): Promise<void> => {
    for await (const step of steps) {
      if (over()) break;
      if (!(await ahead.room())) {
        lost.push(step);
        break;
      }
      ahead.put(begin(step));
    }
    ahead.end();
    Promise.all(ahead.items.map(({ merged }) => merged)).then(
      () => {
        allMerged = true;
      },
      () => {
        /* handled when it is written */
      },
    );
  };
  const writeAll = async (): Promise<void> => {
    const emissions: Promise<void>[] = [];
    try {
      for (let next = await ahead.first(); next !== null; next = await ahead.first()) {
        const { step } = next;
        let handOver = (): void => {};
        const handedOver = new Promise<void>((resolve) => {
          handOver = resolve;
        });
        const emission = emit(next, handOver);
        await Promise.race([handedOver, emission]);
        ahead.remove();
        const written = emission.then(
          () => {
            step.over?.(true);
            report(step.kind === 'large' ? step.record.bytes : bytesOf(step.range.slices));
          },
          (error: unknown) => {
            step.over?.(false);
            throw error;
          },
        );
        written.catch(() => {
          /* handled below */
        });
        emissions.push(written);
        if (emissions.length >= WRITTEN_AT_ONCE) await emissions.shift();
      }
      await Promise.all(emissions);
    } finally {
      // Memory that is being written must not be released.
      await Promise.allSettled(emissions);
    }
  };
  const giveUp = (error: unknown): never => {
    ahead.close();
    // The generator of steps may be waiting for those that have begun.
    for (const { step } of ahead.items) step.over?.(false);
    throw error;
  };
  try {
    await allOver([mergeAll().catch(giveUp), writeAll().catch(giveUp)]);
  } catch (error) {
    unwritten.push(...ahead.items.map(({ step }) => step), ...lost);
    for (const merged of await Promise.allSettled(ahead.items.map(({ merged }) => merged))) {
      if (merged.status === 'fulfilled') for (const sorted of merged.value ?? []) sorted.release();
    }
    throw error;
  }
}

/**
 * Yields the steps that merge `slices` and `large`, both in order. `keepsRepeats`: see `partition`. `numbers`: the
 * index of each slice among all slices that are combined; null: these are all.
 */
export async function* steps(
  engine: Engine,
  slices: readonly Slice[] | readonly Slice<DistributedRun>[],
  large: readonly LargeRecord[],
  ordering: Ordering,
  keepsRepeats = false,
  numbers: readonly number[] | null = null,
): AsyncGenerator<Step> {
  const size = { wanted: engine.rangeBytes, most: engine.mergeBytes, keepsRepeats };
  if (!areInOrder(slices)) {
    for (const range of bucketRanges(slices)) yield { kind: 'range', range };
    return;
  }
  let rest: readonly Slice[] = slices;
  for (const record of large) {
    const place = numbers === null ? record.place : numbers.filter((number) => number < (record.place ?? 0)).length;
    const around = await cutAround(rest, await truncated(record, engine.mergeBytes, rest, ordering), ordering, place);
    if (around === null) continue;
    for await (const range of rangesOf(around.before, ordering, size)) yield { kind: 'range', range };
    yield { kind: 'large', record };
    rest = around.after;
  }
  for await (const range of rangesOf(rest, ordering, size)) yield { kind: 'range', range };
}

/**
 * Ranges in order. If no slices overlap and none is much larger than a range, each slice is a range and needs no merge.
 */
function rangesOf(slices: readonly Slice[], ordering: Ordering, size: RangeSize): AsyncIterable<Range> | Range[] {
  const present = slices.filter(({ from, to }) => to.byte > from.byte);
  const fit = present.every(({ from, to }) => to.byte - from.byte <= Math.min(2 * size.wanted, size.most));
  const line = fit ? lineUp(present, ordering) : null;
  return line === null
    ? partition(slices, ordering, size)
    : line.map((slice) => ({ slices: [slice], commonPrefix: 0 }));
}

async function passThrough(
  record: LargeRecord,
  ordering: Ordering,
  form: RecordForm,
  write: BlockWriter,
): Promise<void> {
  for (let at = form === 'run' ? 0 : (record.keyBytes ?? 0); at < record.bytes; at += PASS_BYTES) {
    const block = Buffer.allocUnsafe(Math.min(PASS_BYTES, record.bytes - at));
    await record.readAt(at, block);
    await write(block);
  }
  const { format, outputDelimiter } = ordering;
  if (format.kind === 'lines')
    await write(Uint8Array.of(form === 'output' ? (outputDelimiter ?? format.delimiter) : format.delimiter));
}

/** Slices that do not overlap need no merge: they are written one after another. */
interface Bounded extends Ends {
  readonly slice: Slice;
}

/**
 * The slices in the order of their records, equal ones in the order of the list. Null if two slices overlap, if two
 * share a key under `unique`, or if a run does not give its ends. No slice may be empty. Slices in random order cost
 * only a few comparisons in all.
 */
export function lineUp(slices: readonly Slice[], ordering: Ordering): Slice[] | null {
  const line: Bounded[] = [];
  for (const slice of slices) {
    const ends = slice.run.ends?.(slice.from, slice.to);
    if (ends === undefined) return null;
    const next = { slice, ...ends };
    const at = placeIn(line, next.first, ordering);
    // All slices in `line` come before this one in the input.
    if (at > 0 && !follows(ordering, line[at - 1].last, next.first, true)) return null;
    if (at < line.length && !follows(ordering, next.last, line[at].first, false)) return null;
    line.splice(at, 0, next);
  }
  return line.map(({ slice }) => slice);
}

/** The index in `line` for a slice that begins with `first`: after all slices whose first record is not greater. */
function placeIn(line: readonly Bounded[], first: Uint8Array, ordering: Ordering): number {
  return firstIndex(0, line.length, (i) => compareRecords(ordering, line[i].first, first) > 0);
}

/**
 * Whether a slice that begins with `first` may follow one that ends with `last`. `inOrder`: it follows it in the input.
 */
function follows(ordering: Ordering, last: Uint8Array, first: Uint8Array, inOrder: boolean): boolean {
  const sign = compareRecords(ordering, last, first);
  return sign < 0 || (sign === 0 && inOrder && !ordering.unique);
}
