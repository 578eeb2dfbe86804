/**
 * Keeps sorted text until it is combined: in the engine's memory while there is room, then in the store. Combines it in
 * the memory that is left.
 */
import type {
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
import { GpusortError, internalError } from '../system/errors.js';
import { restartable } from '../system/restartable.js';
import { areDistributed, areSorted, bucketsFit, sortBuckets } from './buckets.js';
import { type CombineOptions, combine, lineUp, type Step, steps } from './combine.js';
import { type Front, FrontInWindows, frontInMemory, storedText } from './front.js';
import type { LargeRecord } from './large.js';
import { sortLarge } from './large-order.js';
import { bytesOf, wholeRun } from './partition.js';
import { rounds } from './rounds.js';
import type { TemporaryStore } from './store.js';
import { BlobRun, storeDistributed, storeRun } from './stored-run.js';
import { WindowMemory, type WindowSizes } from './window-memory.js';

/**
 * Chunks moved out of the engine's memory when it is full, so that merges running ahead of the output have room. With 8
 * they sometimes ran out of it.
 */
const MERGE_ROOM_CHUNKS = 12;
/** A larger window makes no read faster. A smaller one is too short for many records. */
const MOST_WINDOW = 8 << 20;
const LEAST_WINDOW = 4 << 10;

interface KeepSettings {
  /** Whether the engine's memory has a configured limit. If not, it refuses a run only when the memory is full. */
  readonly bounded: boolean;
  readonly windows: WindowSizes;
}

export class RunKeeper {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly store: TemporaryStore;
  private readonly bounded: boolean;
  private readonly windows: WindowSizes;
  private full = false;

  constructor(engine: Engine, ordering: Ordering, store: TemporaryStore, { bounded, windows }: KeepSettings) {
    this.engine = engine;
    this.ordering = ordering;
    this.store = store;
    this.bounded = bounded;
    this.windows = windows;
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
    const { store, engine, ordering } = this;
    let kept = this.full ? null : await text.keep();
    const isSorted = text.buckets === undefined;
    if (kept === null && engine.shared !== null && isSorted && (await this.storeResident(earlier, large)))
      kept = await text.keep();
    if (kept !== null) return kept;
    // If runs are combined in windows, they are read sequentially and need no index.
    const run = isSorted
      ? await storeRun(store, text, ordering, engine.shared === null)
      : await storeDistributed(store, text);
    if (!this.full && !this.bounded) {
      this.full = true;
      await this.makeRoom(earlier);
    }
    return run;
  }

  /** Called when all kept runs have been released: there is room again. */
  reset(): void {
    this.full = false;
  }

  /**
   * Combines `slices` and `large` (combine.ts). If merges run out of the engine's memory, slices move to the store and
   * merging begins again, skipping the bytes already written. `rest.runs`: release the runs while the last blocks are
   * written, or keep them. The run `rest.needed` is not moved. `rest.merged` also gets the total, once it is known.
   */
  async combine(
    slices: Slice<KeptRun>[],
    large: readonly LargeRecord[],
    write: BlockWriter,
    rest: { readonly runs: 'released' | 'kept'; readonly needed?: Run | null } & CombineOptions,
  ): Promise<void> {
    if (this.engine.shared !== null && areSorted(slices) && this.needsWindows(slices)) {
      await this.combineInWindows(slices, large, write, rest);
      return;
    }
    const output = restartable(write);
    const progress = new MergeProgress(rest.merged);
    const inOrder = await sortLarge(large, this.ordering);
    for (;;) {
      const mergeable = await this.mergeable(slices, large);
      output.restart();
      progress.expect(slices, inOrder);
      try {
        await combine(
          steps(this.engine, mergeable, inOrder, this.ordering, { last: rest.last }),
          {
            engine: this.engine,
            ordering: this.ordering,
            write: output.write,
            unneeded: rest.runs === 'released' ? slices.map(({ run }) => run) : null,
          },
          { ...rest, merged: progress.add },
        );
        return;
      } catch (error) {
        const full = error instanceof GpusortError && error.code === 'out-of-device-memory';
        if (!full || (await this.makeRoom(slices, rest.needed ?? null)) === 0) throw error;
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
   * The slices, ready to be merged: by buckets, or in order. If records must be located in buckets, or a bucket is too
   * large, sorts the runs first.
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
    {
      runs,
      needed = null,
      ...written
    }: { readonly runs: 'released' | 'kept'; readonly needed?: Run | null } & CombineOptions,
  ): Promise<void> {
    const resident = (): number =>
      slices.reduce((sum, { run }) => sum + (run.kind === 'resident' ? run.end.byte : 0), 0);
    const mostFronts = (): number =>
      Math.max(2, Math.floor((this.windows.bytes - resident()) / (2 * this.windows.least)));
    const progress = new MergeProgress(written.merged);
    if (slices.length > mostFronts()) await this.storeResident(slices, large, needed, progress);
    // Merges as few runs as possible in advance, always the neighbors with the fewest bytes. Each byte is read and
    // written once per level of merges.
    for (let most = mostFronts(); slices.length > most; ) {
      const together = neighbors(slices, large);
      const count = Math.min(most, slices.length - most + 1, Math.max(...together));
      if (count < 2) break;
      await this.mergeToOne(
        slices,
        { from: shortest(slices, count, (from) => together[from] >= count), count: count },
        large,
        needed,
        progress,
      );
    }
    progress.expect(slices, large);
    const unneeded = slices.flatMap(({ run }) => (run.kind === 'resident' ? [run] : []));
    await this.inWindows(
      slices,
      Math.floor((this.windows.bytes - resident()) / 2),
      (fronts) =>
        combine(
          rounds(this.engine, fronts, large, this.ordering),
          { engine: this.engine, ordering: this.ordering, write, unneeded: runs === 'released' ? unneeded : null },
          { ...written, merged: progress.add },
        ),
      (run) => {
        if (runs === 'released') run.release();
      },
    );
  }

  /**
   * Merges `slices`. The windows of stored runs together take `bytes` bytes, and as much again while one set is merged
   * and the next is filled. Calls `read` with each run once it has been read.
   */
  private async inWindows(
    slices: readonly Slice[],
    bytes: number,
    merge: (fronts: readonly Front[]) => Promise<void>,
    read: (run: Run) => void,
  ): Promise<void> {
    const stored = slices.filter(({ run }) => run.kind === 'stored').length;
    const share = Math.floor(bytes / stored);
    // Smaller windows if large records prevent runs from being merged in advance.
    const least = stored > 2 ? Math.min(this.windows.least, Math.max(LEAST_WINDOW, share)) : this.windows.least;
    const windowBytes = Math.max(least, Math.min(this.engine.chunkBytes, MOST_WINDOW, share));
    const memory = new WindowMemory(this.engine.shared!, this.engine.chunkBytes, windowBytes);
    const fronts = slices.map(
      (slice): Front =>
        slice.run.kind === 'resident'
          ? frontInMemory(slice)
          : new FrontInWindows(
              storedText(slice, () => {
                read(slice.run);
              }),
              this.ordering,
              memory,
            ),
    );
    await merge(fronts);
    memory.close();
  }

  /**
   * Merges neighbors into one stored run, which replaces them. No large record may be placed between them. Releases the
   * runs except `needed`.
   */
  private async mergeToOne(
    slices: Slice<KeptRun>[],
    { from, count }: Neighbors,
    large: readonly LargeRecord[],
    needed: Run | null,
    progress: MergeProgress | null = null,
  ): Promise<void> {
    const { engine, ordering, store } = this;
    const group = slices.slice(from, from + count);
    const writer = store.create(ordering.unique ? null : bytesOf(group));
    const write: BlockWriter = (block) => writer.write(block);
    const merge = (merged: AsyncIterable<Step>): Promise<void> =>
      combine(
        merged,
        { engine, ordering, write, unneeded: null },
        { form: 'run', ...(progress && { merged: progress.add }) },
      );
    if (areSorted(group) && group.some(({ run }) => run.kind === 'stored'))
      await this.inWindows(
        group,
        Math.floor(this.windows.bytes / 2),
        (fronts) => merge(rounds(engine, fronts, [], ordering)),
        () => {},
      );
    else if (areSorted(group) || areDistributed(group)) await merge(steps(engine, group, [], ordering));
    else throw internalError('sorted and distributed runs cannot become one');
    slices.splice(from, count, wholeRun(new BlobRun(await writer.finish(), ordering)));
    for (const record of large) if (record.place !== undefined && record.place > from) record.place -= count - 1;
    for (const { run } of group) if (run !== needed) run.release();
  }

  /**
   * Moves the resident slices to the store. Neighbors of one kind, distributed or not, become one run. Returns false
   * if there were none.
   */
  private async storeResident(
    slices: Slice<KeptRun>[],
    large: readonly LargeRecord[],
    needed: Run | null = null,
    progress: MergeProgress | null = null,
  ): Promise<boolean> {
    let found = false;
    for (let i = 0; i < slices.length; i++) {
      let count = 0;
      const most = neighbors(slices, large)[i];
      const isSorted = slices[i].run.buckets === undefined;
      const isLike = ({ run }: Slice<KeptRun>): boolean =>
        run.kind === 'resident' && isSorted === (run.buckets === undefined);
      while (count < most && isLike(slices[i + count])) count++;
      if (count === 0) continue;
      await this.mergeToOne(slices, { from: i, count }, large, needed, progress);
      found = true;
    }
    return found;
  }

  /**
   * Moves resident slices to the store, because merging needs more of the engine's memory than sorting chunks did.
   * Returns the bytes moved.
   */
  private async makeRoom(slices: Slice<KeptRun>[], needed: Run | null = null): Promise<number> {
    let room = 0;
    // With keys, a merged range is larger than a chunk as it was read.
    const chunk = Math.max(this.engine.chunkBytes, this.engine.rangeBytes);
    for (let i = 0; i < slices.length && room < MERGE_ROOM_CHUNKS * chunk; i++) {
      const { run } = slices[i];
      if (run.kind !== 'resident' || run === needed) continue;
      const [sorted] = await this.engine.merge([slices[i]], 0, 'run');
      slices[i] = wholeRun(await storeRun(this.store, sorted!, this.ordering));
      run.release();
      room += run.end.byte;
    }
    return room;
  }
}

/** `count` slices of a list, from index `from` on. */
interface Neighbors {
  readonly from: number;
  readonly count: number;
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

/** For each slice, how many slices there are from it to the next place of a large record. */
function neighbors(slices: readonly Slice<KeptRun>[], large: readonly LargeRecord[]): number[] {
  const places = new Set(large.map(({ place }) => place));
  const counts = slices.map(() => 1);
  for (let i = slices.length - 2; i >= 0; i--) if (!places.has(i + 1)) counts[i] = counts[i + 1] + 1;
  return counts;
}

/** The index where the `count` neighbors with the fewest bytes begin, among those that may be merged. */
export function shortest(
  slices: readonly Slice<KeptRun>[],
  count: number,
  isAllowed: (from: number) => boolean = () => true,
): number {
  const bytes = slices.map(({ from, to }) => to.byte - from.byte);
  let sum = 0;
  let least = Infinity;
  let found = 0;
  for (const [i, more] of bytes.entries()) {
    sum += more - (i >= count ? bytes[i - count] : 0);
    if (i + 1 < count || sum >= least || !isAllowed(i + 1 - count)) continue;
    least = sum;
    found = i + 1 - count;
  }
  return found;
}
