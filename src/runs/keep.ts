/**
 * Keeps sorted text until it is combined. While there is room, each text is a run in the engine's memory. If that is
 * full, the CPU engine merges all of its runs into one run in the store, and begins anew; the GPU engine stores new
 * runs one by one. Combines the runs in the memory that is left.
 */
import { textOf } from '../codecs/bgzf.js';
import type {
  BgzfWriter,
  BlockWriter,
  Distributed,
  DistributedRun,
  Engine,
  KeptRun,
  Run,
  Slice,
  Sorted,
} from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { GpusortError } from '../system/errors.js';
import { restartable } from '../system/restartable.js';
import { areDistributed, areSorted, bucketsFit, sortBuckets } from './buckets.js';
import { type CombineOptions, combine, lineUp, steps } from './combine.js';
import { Compactor, placesOf } from './compact.js';
import { mergesInAdvance, mostTexts, type WindowSizes } from './fan-in.js';
import type { LargeRecord } from './large.js';
import { sortLarge } from './large-order.js';
import { bytesOf } from './partition.js';
import { rounds } from './rounds.js';
import type { TemporaryStore } from './store.js';
import { storeDistributed, storeRun } from './stored-run.js';

interface KeepSettings {
  /** Whether the engine's memory has a configured limit. If not, it refuses a run only when the memory is full. */
  readonly bounded: boolean;
  readonly windows: WindowSizes;
}

/** What happens to runs after they have been combined. */
interface RunsAfter {
  /** Released while the last blocks are written, or kept. */
  readonly runs: 'released' | 'kept';
  /** A run that never moves to the store, and is not released early. */
  readonly needed?: Run | null;
}

export class RunKeeper {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly store: TemporaryStore;
  private readonly bounded: boolean;
  private readonly windows: WindowSizes;
  private readonly compactor: Compactor;
  private full = false;

  constructor(engine: Engine, ordering: Ordering, store: TemporaryStore, { bounded, windows }: KeepSettings) {
    this.engine = engine;
    this.ordering = ordering;
    this.store = store;
    this.bounded = bounded;
    this.windows = windows;
    this.compactor = new Compactor(engine, ordering, store, windows);
  }

  /**
   * Makes a run of `sorted`. `earlier`: the slices kept so far; some move to the store if the engine's memory has
   * become full. `large`: the records that will be combined with them.
   */
  keep(sorted: Sorted, earlier: Slice<KeptRun>[], large?: readonly LargeRecord[]): Promise<Run>;
  keep(text: Sorted | Distributed, earlier: Slice<KeptRun>[], large?: readonly LargeRecord[]): Promise<KeptRun>;
  async keep(
    text: Sorted | Distributed,
    earlier: Slice<KeptRun>[],
    large: readonly LargeRecord[] = [],
  ): Promise<KeptRun> {
    const { store, engine, ordering, compactor } = this;
    const isSorted = text.buckets === undefined;
    let kept = this.full ? null : await text.keep();
    if (kept === null && engine.shared !== null && isSorted) {
      const hasRoom = await compactor.mergeIntoStore({ slices: earlier, large });
      if (hasRoom) kept = await text.keep();
    }
    if (kept !== null) return kept;
    // If runs are combined in windows, they are read sequentially and need no index.
    const run = isSorted
      ? await storeRun(store, text, ordering, engine.shared === null)
      : await storeDistributed(store, text);
    if (!this.full && !this.bounded) {
      this.full = true;
      await compactor.makeRoom({ slices: earlier });
    }
    return run;
  }

  /** Called when all kept runs have been released: there is room again. */
  reset(): void {
    this.full = false;
  }

  /**
   * Combines `slices` and `large` (combine.ts). If merges run out of the engine's memory, slices move to the store and
   * merging begins again, skipping the bytes already written. `options.merged` also gets the total, once it is known.
   */
  async combine(
    slices: Slice<KeptRun>[],
    large: readonly LargeRecord[],
    write: BlockWriter,
    options: RunsAfter & CombineOptions,
  ): Promise<void> {
    if (this.engine.shared !== null && areSorted(slices) && this.needsWindows(slices)) {
      await this.combineInWindows(slices, large, write, options);
      return;
    }
    const output = restartable(write);
    let { writeBlocks = null } = options;
    const counted: BgzfWriter = (bytes, blocks) => {
      output.passed(textOf(blocks));
      return options.writeBlocks!(bytes, blocks);
    };
    const progress = new MergeProgress(options.merged);
    const inOrder = await sortLarge(large, this.ordering);
    for (;;) {
      const mergeable = await this.mergeable(slices, large);
      const runs = slices.map(({ run }) => run);
      output.restart();
      progress.expect(slices, inOrder);
      try {
        await combine(
          steps(this.engine, mergeable, inOrder, this.ordering, { last: options.last }),
          {
            engine: this.engine,
            ordering: this.ordering,
            write: output.write,
            unneeded: options.runs === 'released' ? runs : null,
          },
          { ...options, writeBlocks: writeBlocks && counted, merged: progress.add },
        );
        return;
      } catch (error) {
        // What was written comes again as text, and is skipped.
        if (output.written > 0) writeBlocks = null;
        const full = error instanceof GpusortError && error.code === 'out-of-device-memory';
        const areThere = runs.length === slices.length;
        if (!full || !areThere || (await this.compactor.makeRoom({ slices, needed: options.needed ?? null })) === 0)
          throw error;
      }
    }
  }

  /**
   * Whether stored slices must be merged. `steps` also looks for slices that need no merge, but only once ranges were
   * chosen instead of windows.
   */
  private needsWindows(slices: readonly Slice[]): boolean {
    if (!slices.some(({ run }) => run.kind === 'stored')) return false;
    const present = slices.filter(({ from, to }) => to.byte > from.byte);
    return lineUp(present, this.ordering) === null;
  }

  /**
   * The slices, ready to be merged: all distributed, or all sorted. If records must be located in buckets, or a bucket
   * is too large, sorts the runs first.
   */
  private async mergeable(
    slices: Slice<KeptRun>[],
    large: readonly LargeRecord[],
  ): Promise<readonly Slice[] | readonly Slice<DistributedRun>[]> {
    const { engine } = this;
    if (areSorted(slices)) return slices;
    if (large.length === 0 && areDistributed(slices) && bucketsFit(slices, engine.mergeBytes)) return slices;
    const sorted = await sortBuckets(engine, slices, (text) => this.keep(text, []));
    slices.splice(0, slices.length, ...sorted);
    return sorted;
  }

  /** Combines slices of which some are stored. Each stored run is read once, sequentially. */
  private async combineInWindows(
    slices: Slice[],
    large: readonly LargeRecord[],
    write: BlockWriter,
    { runs, needed = null, ...written }: RunsAfter & CombineOptions,
  ): Promise<void> {
    const { engine, ordering, compactor } = this;
    const progress = new MergeProgress(written.merged);
    const merged = progress.add;
    const windowsBytes = (): number =>
      this.windows.bytes - slices.reduce((sum, { run }) => sum + (run.kind === 'resident' ? run.end.byte : 0), 0);
    const most = (): number => mostTexts(windowsBytes(), this.windows.least);
    const compactable = { slices, large, needed, merged };
    if (slices.length > most()) await compactor.mergeIntoStore(compactable);
    for (const neighbors of mergesInAdvance(
      slices.map((slice) => bytesOf([slice])),
      most(),
      placesOf(large),
    ))
      await compactor.mergeToOne(compactable, neighbors);
    progress.expect(slices, large);
    const resident = slices.flatMap(({ run }) => (run.kind === 'resident' ? [run] : []));
    const unneeded = runs === 'released' ? resident : null;
    await compactor.inWindows(
      slices,
      windowsBytes(),
      (fronts) =>
        combine(rounds(engine, fronts, large, ordering), { engine, ordering, write, unneeded }, { ...written, merged }),
      (run) => {
        if (runs === 'released') run.release();
      },
    );
  }
}

/** Counts the bytes that were merged. Merges before the last one are not known in advance. */
class MergeProgress {
  private readonly report: CombineOptions['merged'];
  private merged = 0;

  constructor(report: CombineOptions['merged']) {
    this.report = report;
  }

  readonly add = (bytes: number): void => {
    this.merged += bytes;
    this.report?.(bytes);
  };

  /** The last merge begins. */
  expect(slices: readonly Slice<KeptRun>[], large: readonly LargeRecord[]): void {
    this.report?.(0, this.merged + bytesOf(slices) + large.reduce((sum, record) => sum + record.bytes, 0));
  }
}
