/** Merges runs, wherever they lie, and records larger than a chunk into one ordered stream of blocks. */
import { textOf } from '../codecs/bgzf.js';
import type {
  BgzfWriter,
  BlockSize,
  BlockWriter,
  CompressedResult,
  DistributedRun,
  Ends,
  Engine,
  KeptRun,
  RecordForm,
  Slice,
  Sorted,
} from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { firstIndex } from '../system/binary-search.js';
import { Ahead, InOrder } from '../system/in-order.js';
import { allOver, quiet } from '../system/promises.js';
import { areSorted, bucketRanges } from './buckets.js';
import { emitLine, type LargeRecord } from './large.js';
import { amongRanges } from './large-order.js';
import { bytesOf, partition, type Range, type RangeSize } from './partition.js';

/** A step of the output: a range to merge, or a large record to copy. */
export type Step = (
  | { readonly kind: 'range'; readonly range: Range<KeptRun> }
  | { readonly kind: 'large'; readonly record: LargeRecord }
) & {
  /** Called when the step is written or abandoned. */
  readonly ended?: (how: 'written' | 'abandoned') => void;
};

/** How a combined stream is written. */
export interface CombineOptions {
  /** Absent: `plain`. */
  readonly form?: RecordForm;
  /** Takes what the engine compresses, in place of text; null or absent: only text is wanted. */
  readonly writeBlocks?: BgzfWriter | null;
  /** Returns true if no more output is needed. */
  readonly over?: () => boolean;
  /** The number of records needed at the end; earlier ones may be left out. Undefined: all are needed. */
  readonly last?: number | undefined;
  /** If a step fails, receives the steps that were not written, in order. */
  readonly unwritten?: Step[];
  /**
   * Called with the bytes, keys included, of each step that has been merged and written. RunKeeper also passes the
   * total bytes of all steps, once it is known.
   */
  readonly merged?: (bytes: number, totalBytes?: number) => void;
}

/** Bytes of memory released for each byte written: device memory is released at 55 GB/s, output written at 2 to 4. */
const RELEASED_PER_WRITTEN = 16;
/**
 * Results written at once, if each hands all of its blocks over at once. Writing one small result at a time would leave
 * the writers idle.
 */
const WRITTEN_AT_ONCE = 3;

/** A result of a merge: as text, or as text that the engine compresses. */
type MergeResult = Sorted | CompressedResult;

interface Begun {
  readonly step: Step;
  readonly merged: Promise<MergeResult[]> | null;
  /** Settles when the results need no run, unless they lie in one. */
  readonly independent: Promise<unknown> | null;
}

/** The engine, the ordering, and the destination of the result. */
interface Combination {
  readonly engine: Engine;
  readonly ordering: Ordering;
  readonly write: BlockWriter;
  /**
   * Runs to release, together with the engine's memory, once everything is merged. Null: the engine continues to sort,
   * and the caller keeps the runs.
   */
  readonly unneeded: KeptRun[] | null;
}

/**
 * Writes the results of `steps` in order, while later merges run ahead. If a step fails, the memory of all others is
 * still released.
 */
export function combine(
  steps: AsyncIterable<Step>,
  combination: Combination,
  options: CombineOptions = {},
): Promise<void> {
  return new Combiner(combination, options).combine(steps);
}

class Combiner {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly write: BlockWriter;
  private readonly unneeded: KeptRun[] | null;
  private readonly options: CombineOptions;
  private readonly form: RecordForm;
  /** Steps begun and not yet written, oldest first. */
  private readonly ahead: Ahead<Begun>;
  /** At most one step, taken from the generator but never begun. */
  private readonly lost: Step[] = [];
  /** Results not yet written that lie in a run. */
  private readonly borrowed = new Set<MergeResult>();
  /** Whether runs are no longer needed, except by `borrowed`. */
  private allMerged = false;
  /** Bytes of memory to release for the bytes written so far. */
  private due = 0;

  constructor({ engine, ordering, write, unneeded }: Combination, options: CombineOptions) {
    this.engine = engine;
    this.ordering = ordering;
    this.write = write;
    this.unneeded = unneeded;
    this.options = options;
    this.form = options.form ?? 'plain';
    this.ahead = new Ahead(engine.mergesAhead + 1);
  }

  async combine(steps: AsyncIterable<Step>): Promise<void> {
    const { ahead } = this;
    const giveUp = (error: unknown): never => {
      ahead.close();
      // The generator of steps may be waiting for those that have begun.
      for (const { step } of ahead.items) step.ended?.('abandoned');
      throw error;
    };
    try {
      await allOver([this.mergeAll(steps).catch(giveUp), this.writeAll().catch(giveUp)]);
    } catch (error) {
      this.options.unwritten?.push(...ahead.items.map(({ step }) => step), ...this.lost);
      for (const merged of await Promise.allSettled(ahead.items.map(({ merged }) => merged))) {
        if (merged.status === 'fulfilled') for (const result of merged.value ?? []) result.release();
      }
      throw error;
    }
  }

  private async mergeAll(steps: AsyncIterable<Step>): Promise<void> {
    const { ahead } = this;
    for await (const step of steps) {
      if (this.isOver()) break;
      if (!(await ahead.room())) {
        this.lost.push(step);
        break;
      }
      ahead.put(this.begin(step));
    }
    ahead.end();
    Promise.all(ahead.items.map(({ independent }) => independent)).then(
      () => {
        this.allMerged = true;
      },
      () => {
        /* handled when it is written */
      },
    );
  }

  private begin(step: Step): Begun {
    if (step.kind === 'large') return { step, merged: null, independent: null };
    const { slices, commonPrefix, overlap } = step.range;
    const merged = this.engine.merge(slices, commonPrefix, this.form, overlap).then((list) =>
      list.map((sorted): MergeResult => {
        const result = this.options.writeBlocks == null ? sorted : (sorted.compress?.() ?? sorted);
        if (sorted.borrowed) this.borrowed.add(result);
        return result;
      }),
    );
    // If text cannot be compressed, the runs are merged again.
    const independent = merged.then((list) =>
      Promise.all(list.map((result) => ('bytes' in result ? null : result.compressed))),
    );
    // Handled when it is written, or at the end.
    quiet(merged);
    quiet(independent);
    return { step, merged, independent };
  }

  private async writeAll(): Promise<void> {
    const { ahead } = this;
    const emissions = new InOrder<void>(WRITTEN_AT_ONCE - 1, () => {});
    try {
      for (let next = await ahead.first(); next !== null; next = await ahead.first()) {
        let handOver = (): void => {};
        const handedOver = new Promise<void>((resolve) => {
          handOver = resolve;
        });
        const emission = this.emit(next, handOver);
        await Promise.race([handedOver, emission]);
        ahead.remove();
        emissions.put(this.reported(next.step, emission));
        await emissions.room();
      }
      await emissions.taken();
    } finally {
      // Memory that is being written must not be released.
      await Promise.allSettled([emissions.taken()]);
    }
  }

  /** Reports that the step has ended once it is written. */
  private async reported(step: Step, emission: Promise<void>): Promise<void> {
    try {
      await emission;
    } catch (error) {
      step.ended?.('abandoned');
      throw error;
    }
    step.ended?.('written');
    this.options.merged?.(step.kind === 'large' ? step.record.bytes : bytesOf(step.range.slices));
  }

  /** Writes a step. Calls `handOver` early if all blocks of the step have been passed to `write`. */
  private async emit({ step, merged }: Begun, handOver: () => void): Promise<void> {
    if (step.kind === 'large') await this.emitLarge(step.record);
    const list = (await merged) ?? [];
    try {
      for (let result = list.shift(); result !== undefined; result = list.shift()) {
        if (this.isOver()) result.release();
        else if (!('bytes' in result)) await result.emit((bytes, blocks) => this.writeBlocks(bytes, blocks));
        else {
          const emitted = result.emit((block) => this.writeAndRelease(block));
          if (result.atOnce === true && list.length === 0) {
            await Promise.race([emitted, undefined]);
            handOver();
          }
          await emitted;
        }
        this.borrowed.delete(result);
      }
    } finally {
      for (const result of list.splice(0)) result.release();
    }
  }

  private emitLarge(record: LargeRecord): Promise<void> {
    const { ordering, form, write } = this;
    const from = form === 'run' ? 0 : (record.keyBytes ?? 0);
    return emitLine(record, { from, to: record.bytes }, ordering, form, write);
  }

  private async writeAndRelease(block: Uint8Array): Promise<void> {
    await this.write(block);
    this.releaseMemory(block.length);
  }

  private async writeBlocks(bytes: Uint8Array, blocks: readonly BlockSize[]): Promise<void> {
    await this.options.writeBlocks!(bytes, blocks);
    this.releaseMemory(textOf(blocks));
  }

  /**
   * Called when a block of `bytes` bytes of text is written. Releasing memory takes time. Spread over the blocks, it
   * overlaps their writing and costs nothing.
   */
  private releaseMemory(bytes: number): void {
    const { engine, unneeded } = this;
    if (!this.allMerged || unneeded === null) return;
    for (this.due += bytes * RELEASED_PER_WRITTEN; this.due > 0; ) {
      const bytes = engine.trim();
      const run = bytes === 0 && this.borrowed.size === 0 ? unneeded.pop() : undefined;
      run?.release();
      if (bytes === 0 && run === undefined) return;
      this.due -= bytes + (run?.end.byte ?? 0);
    }
  }

  private isOver(): boolean {
    return this.options.over?.() ?? false;
  }
}

/** How these slices relate to everything that is combined. */
interface StepOptions {
  /** See `partition`. */
  readonly keepsRepeats?: boolean;
  /** The index of each slice among all slices that are combined; absent: `slices` are all of them. */
  readonly numbers?: readonly number[];
  /** See `CombineOptions`. */
  readonly last?: number | undefined;
}

/** Yields the steps that merge `slices` and `large`, both in order. */
export async function* steps(
  engine: Engine,
  slices: readonly Slice[] | readonly Slice<DistributedRun>[],
  large: readonly LargeRecord[],
  ordering: Ordering,
  { keepsRepeats = false, numbers, last }: StepOptions = {},
): AsyncGenerator<Step> {
  const { rangeBytes: wanted, mergeBytes: most, cutsAtOnce = Infinity } = engine;
  const size = { wanted, most, keepsRepeats, cutsAtOnce };
  if (!areSorted(slices)) {
    for (const range of bucketRanges(slices)) yield { kind: 'range', range };
    return;
  }
  const all = rangesOf(slices, ordering, size);
  const ranges = last === undefined || large.length > 0 ? all : lastRanges(all, last);
  for await (const next of amongRanges(ranges, slices, large, ordering, { recordBytes: most, numbers }))
    if (!('slices' in next)) yield { kind: 'large', record: next };
    // Only a merge notices that inputs of -m are out of order, and `comeFirst` needs them in input order.
    else yield { kind: 'range', range: keepsRepeats ? next : inLine(next, ordering) };
}

/**
 * The ranges that hold the last `count` records. Yields all ranges if more than half of them are needed, or if a run
 * does not know how many records it has.
 */
async function* lastRanges(ranges: AsyncIterable<Range> | Range[], count: number): AsyncGenerator<Range> {
  const all: Range[] = [];
  for await (const range of ranges) all.push(range);
  const recordsIn = ({ slices }: Range): number =>
    slices.reduce((sum, { run, from, to }) => sum + (run.count?.(from, to) ?? -Infinity), 0);
  let [first, missing] = [all.length, count];
  while (missing > 0 && first > all.length / 2) missing -= recordsIn(all[--first]!);
  yield* missing > 0 ? all : all.slice(first);
}

/**
 * Ranges in order. Slices that do not overlap need no merge. If some of them are stored, they all form one range;
 * otherwise each slice is a range, unless one is much larger than a range should be. Only placed runs can be stored and
 * line up: their text is copied and not merged, so the range may have any size.
 */
function rangesOf(slices: readonly Slice[], ordering: Ordering, size: RangeSize): AsyncIterable<Range> | Range[] {
  const present = slices.filter(({ from, to }) => to.byte > from.byte);
  const isStored = present.some(({ run }) => run.kind === 'stored');
  const fit = present.every(({ from, to }) => to.byte - from.byte <= Math.min(2 * size.wanted, size.most));
  const line = isStored || fit ? lineUp(present, ordering) : null;
  if (line === null) return partition(slices, ordering, size);
  if (isStored) return [{ slices: line, commonPrefix: 0, overlap: 'none' }];
  return line.map((slice) => ({ slices: [slice], commonPrefix: 0 }));
}

/** The range with its slices in line, if they do not overlap. */
function inLine(range: Range, ordering: Ordering): Range {
  if (range.overlap === 'none' || range.slices.length === 1) return range;
  const line = lineUp(range.slices, ordering);
  return line === null ? range : { ...range, slices: line, overlap: 'none' };
}

/** Slices that do not overlap need no merge: they are written one after another. */
interface Bounded extends Ends {
  readonly slice: Slice;
}

/**
 * The slices in the order of their records, equal ones in the order of the list. Null if two slices overlap, if two
 * share a key under `unique`, or if a run does not report its ends. No slice may be empty. If the slices overlap at
 * random, this takes only a few comparisons in all.
 */
export function lineUp(slices: readonly Slice[], ordering: Ordering): Slice[] | null {
  const line: Bounded[] = [];
  for (const slice of slices) {
    const ends = slice.run.ends?.(slice.from, slice.to) ?? null;
    if (ends === null) return null;
    const next = { slice, ...ends };
    const at = placeIn(line, next.first, ordering);
    // All slices in `line` come before this one in the input.
    if (at > 0 && !follows(ordering, line[at - 1].last, next.first, { inOrder: true })) return null;
    if (at < line.length && !follows(ordering, next.last, line[at].first, { inOrder: false })) return null;
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
function follows(
  ordering: Ordering,
  last: Uint8Array,
  first: Uint8Array,
  { inOrder }: { readonly inOrder: boolean },
): boolean {
  const sign = compareRecords(ordering, last, first);
  return sign < 0 || (sign === 0 && inOrder && !ordering.unique);
}
