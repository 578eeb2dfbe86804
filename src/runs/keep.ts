/**
 * Keeping sorted text until it is combined: in the engine's memory as far as that goes, then in the store; and combining
 * it with what room there is.
 */
import type { BlockWriter, Engine, Run, Slice, Sorted } from '../engine.js';
import type { Ordering } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { bucketsFit, isDistributed, sortBuckets } from './buckets.js';
import { combine, steps, type Step, type Written } from './combine.js';
import { frontInMemory, FrontInWindows, storedText, type Front } from './front.js';
import { sortLarge, type LargeRecord } from './large.js';
import { wholeRun } from './partition.js';
import { rounds } from './rounds.js';
import type { TemporaryStore } from './store.js';
import { BlobRun, storeRun } from './stored-run.js';
import { WindowMemory, type Windows } from './window-memory.js';

/** Chunks of text that leave the engine's memory where it is full: merges ahead of the writing then have room (with 8 they had not always). */
const MERGE_ROOM_CHUNKS = 12;
/** Larger windows make no read faster; with smaller ones records do not fit. */
const MOST_WINDOW = 8 << 20;
const LEAST_WINDOW = 4 << 10;

export class RunKeeper {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly store: TemporaryStore;
  /** Whether the engine has a limit of its own; without one it refuses a run only where its memory is full. */
  private readonly bounded: boolean;
  private readonly windows: Windows;
  private full = false;

  constructor(engine: Engine, ordering: Ordering, store: TemporaryStore, bounded: boolean, windows: Windows) {
    this.engine = engine;
    this.ordering = ordering;
    this.store = store;
    this.bounded = bounded;
    this.windows = windows;
  }

  /**
   * Makes a run of `sorted`. `earlier` are the slices kept so far, some of which are moved to the store where the engine's memory has become full, and
   * `large` the records that will be combined with them.
   */
  async keep(sorted: Sorted, earlier: Slice[], large: readonly LargeRecord[] = []): Promise<Run> {
    let kept = this.full ? null : await sorted.keep();
    if (kept === null && this.engine.shared !== null && sorted.buckets === undefined && await this.storeResident(earlier, large)) kept = await sorted.keep();
    if (kept !== null) return kept;
    // In windows it is read without questions.
    const run = await storeRun(this.store, sorted, this.ordering, this.engine.shared === null);
    if (!this.full && !this.bounded) {
      this.full = true;
      await this.makeRoom(earlier);
    }
    return run;
  }

  /** What was kept is released, so there is room again. */
  reset(): void { this.full = false; }

  /**
   * Combines `slices` and `large` (combine.ts). Where merges run out of the engine's memory, slices are moved to the store, and all begins again
   * behind what is written. `rest`: what becomes of the runs; those that are `released` are so while the last blocks are written, those
   * that are `kept` stay, and the one that is `needed` is not moved.
   */
  async combine(slices: Slice[], large: readonly LargeRecord[], write: BlockWriter, rest: { readonly runs: 'released' | 'kept'; readonly needed?: Run | null } & Written): Promise<void> {
    if (this.engine.shared !== null && slices.some(({ run }) => run.kind === 'stored') && !isDistributed(slices)) {
      await this.combineInWindows(slices, large, write, rest);
      return;
    }
    let written = 0;
    const inOrder = await sortLarge(large, this.ordering);
    for (;;) {
      if (isDistributed(slices) && (large.length > 0 || !bucketsFit(slices, this.engine.mergeBytes))) {
        slices.splice(0, slices.length, ...await sortBuckets(this.engine, slices, (sorted) => this.keep(sorted, [])));
      }
      let skip = written;
      const writeOn: BlockWriter = async (block) => {
        const part = block.subarray(Math.min(skip, block.length));
        skip -= block.length - part.length;
        if (part.length === 0) return;
        written += part.length;
        await write(part);
      };
      try {
        await combine(this.engine, steps(this.engine, slices, inOrder, this.ordering), this.ordering, writeOn, rest.runs === 'released' ? slices.map(({ run }) => run) : null, rest);
        return;
      } catch (error) {
        const full = error instanceof GpusortError && error.code === 'out-of-device-memory';
        if (!full || await this.makeRoom(slices, rest.needed ?? null) === 0) throw error;
      }
    }
  }

  /** Combines slices of which some are stored, each of which is read once, from front to back. */
  private async combineInWindows(slices: Slice[], large: readonly LargeRecord[], write: BlockWriter, { runs, needed = null, ...written }: { readonly runs: 'released' | 'kept'; readonly needed?: Run | null } & Written): Promise<void> {
    const resident = (): number => slices.reduce((sum, { run }) => sum + (run.kind === 'resident' ? run.end.byte : 0), 0);
    const mostFronts = (): number => Math.max(2, Math.floor((this.windows.bytes - resident()) / (2 * this.windows.least)));
    if (slices.length > mostFronts()) await this.storeResident(slices, large, needed);
    // As few as have to be are merged once more, always the shortest neighbours: each byte is so once for a level.
    for (let most = mostFronts(); slices.length > most;) {
      const together = neighbours(slices, large);
      const count = Math.min(most, slices.length - most + 1, Math.max(...together));
      if (count < 2) break;
      await this.mergeToOne(slices, shortest(slices, count, (from) => together[from]! >= count), count, large, needed);
    }
    const unneeded = slices.flatMap(({ run }) => (run.kind === 'resident' ? [run] : []));
    await this.inWindows(slices, Math.floor((this.windows.bytes - resident()) / 2), (fronts) =>
      combine(this.engine, rounds(this.engine, fronts, large, this.ordering), this.ordering, write, runs === 'released' ? unneeded : null, written),
    (run) => { if (runs === 'released') run.release(); });
  }

  /**
   * Merges `slices`, stored ones in windows of `bytes` bytes together (twice as many are filled: some are merged, others
   * read). `read` is called with each run once it is read.
   */
  private async inWindows(slices: readonly Slice[], bytes: number, merge: (fronts: readonly Front[]) => Promise<void>, read: (run: Run) => void): Promise<void> {
    const stored = slices.filter(({ run }) => run.kind === 'stored').length;
    const share = Math.floor(bytes / stored);
    // Where large records keep too many from being merged.
    const least = stored > 2 ? Math.min(this.windows.least, Math.max(LEAST_WINDOW, share)) : this.windows.least;
    const windowBytes = Math.max(least, Math.min(this.engine.chunkBytes, MOST_WINDOW, share));
    const memory = new WindowMemory(this.engine.shared!, this.engine.chunkBytes, windowBytes);
    const fronts = slices.map((slice): Front => (slice.run.kind === 'resident' ? frontInMemory(slice)
      : new FrontInWindows(storedText(slice, () => { read(slice.run); }), this.ordering, memory)));
    await merge(fronts);
    memory.close();
  }

  /** Merges `count` slices from number `from` on, between which no large record has its place, into one stored run, which takes their place. The run that is `needed` is not released. */
  private async mergeToOne(slices: Slice[], from: number, count: number, large: readonly LargeRecord[], needed: Run | null): Promise<void> {
    const { engine, ordering, store } = this;
    const group = slices.slice(from, from + count);
    const bytes = group.reduce((sum, slice) => sum + slice.to.byte - slice.from.byte, 0);
    const writer = store.create(ordering.unique ? null : bytes);
    const write: BlockWriter = (block) => writer.write(block);
    const merge = (merged: AsyncIterable<Step>): Promise<void> => combine(engine, merged, ordering, write, null, { form: 'run' });
    if (group.every(({ run }) => run.kind === 'resident')) await merge(steps(engine, group, [], ordering));
    else await this.inWindows(group, Math.floor(this.windows.bytes / 2), (fronts) => merge(rounds(engine, fronts, [], ordering)), () => {});
    slices.splice(from, count, wholeRun(new BlobRun(await writer.finish(), ordering)));
    for (const record of large) if (record.place !== undefined && record.place > from) record.place -= count - 1;
    for (const { run } of group) if (run !== needed) run.release();
  }

  /** Stores the slices in the engine's memory, those that lie side by side, and are distributed or are not, as one run; false if there are none. */
  private async storeResident(slices: Slice[], large: readonly LargeRecord[], needed: Run | null = null): Promise<boolean> {
    let found = false;
    for (let i = 0; i < slices.length; i++) {
      let count = 0;
      const most = neighbours(slices, large)[i]!;
      const isLike = ({ run }: Slice): boolean => run.kind === 'resident' && isDistributed([slices[i]!]) === (run.buckets !== undefined);
      while (count < most && isLike(slices[i + count]!)) count++;
      if (count === 0) continue;
      await this.mergeToOne(slices, i, count, large, needed);
      found = true;
    }
    return found;
  }

  /** Stores slices that have taken all of the engine's memory, since merging needs more of it than sorting chunks did; returns how many bytes. */
  private async makeRoom(slices: Slice[], needed: Run | null = null): Promise<number> {
    let room = 0;
    // With keys, a range of a merge is more than a chunk as it is read.
    const chunk = Math.max(this.engine.chunkBytes, this.engine.rangeBytes);
    for (let i = 0; i < slices.length && room < MERGE_ROOM_CHUNKS * chunk; i++) {
      const { run } = slices[i]!;
      if (run.kind !== 'resident' || run === needed) continue;
      const [sorted] = await this.engine.merge([slices[i]!], 0, 'run');
      slices[i] = wholeRun(await storeRun(this.store, sorted!, this.ordering));
      run.release();
      room += run.end.byte;
    }
    return room;
  }
}

/** How many slices there are from each one on until a large record has its place. */
function neighbours(slices: readonly Slice[], large: readonly LargeRecord[]): number[] {
  const places = new Set(large.map(({ place }) => place));
  const counts = slices.map(() => 1);
  for (let i = slices.length - 2; i >= 0; i--) if (!places.has(i + 1)) counts[i] = counts[i + 1]! + 1;
  return counts;
}

/** Where the `count` neighbours begin that have the fewest bytes together, of those that may be merged. */
export function shortest(slices: readonly Slice[], count: number, isAllowed: (from: number) => boolean = () => true): number {
  const bytes = slices.map(({ from, to }) => to.byte - from.byte);
  let sum = 0;
  let least = Infinity;
  let found = 0;
  for (const [i, more] of bytes.entries()) {
    sum += more - (i >= count ? bytes[i - count]! : 0);
    if (i + 1 < count || sum >= least || !isAllowed(i + 1 - count)) continue;
    least = sum;
    found = i + 1 - count;
  }
  return found;
}
