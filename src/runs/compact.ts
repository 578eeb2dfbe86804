/** Merges neighboring runs into one stored run, to have fewer of them or to empty the engine's memory. */
import type { BlockWriter, Engine, KeptRun, Run, Slice } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { internalError } from '../system/errors.js';
import { areDistributed, areSorted } from './buckets.js';
import { type CombineOptions, combine, type Step, steps } from './combine.js';
import { type Neighbors, type WindowSizes, windowBytes } from './fan-in.js';
import { type Front, FrontInWindows, frontInMemory, storedText } from './front.js';
import type { LargeRecord } from './large.js';
import { bytesOf, runBytes, wholeRun } from './partition.js';
import { rounds } from './rounds.js';
import type { TemporaryStore } from './store.js';
import { BlobRun, storeRun } from './stored-run.js';
import { WindowMemory } from './window-memory.js';

/**
 * The number of chunks moved out of the engine's memory when it is full, so that merges running ahead of the output
 * have room. With 8, they sometimes ran out of memory.
 */
const MERGE_ROOM_CHUNKS = 12;

/** Slices that are merged into fewer ones, and whatever must be updated with them. */
interface Compactable {
  readonly slices: Slice<KeptRun>[];
  /** Records whose place is an index in `slices`. Slices on both sides of such a place are not merged. */
  readonly large?: readonly LargeRecord[];
  /** The run that is not released. */
  readonly needed?: Run | null;
  /** Called with the bytes of each step that was merged. */
  readonly merged?: CombineOptions['merged'];
}

export class Compactor {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly store: TemporaryStore;
  private readonly windows: WindowSizes;

  constructor(engine: Engine, ordering: Ordering, store: TemporaryStore, windows: WindowSizes) {
    this.engine = engine;
    this.ordering = ordering;
    this.store = store;
    this.windows = windows;
  }

  /** Merges neighbors into one stored run, which replaces them. No large record may be placed between them. */
  async mergeToOne({ slices, large = [], needed, merged }: Compactable, { from, count }: Neighbors): Promise<void> {
    const { engine, ordering, store } = this;
    const group = slices.slice(from, from + count);
    const writer = store.create(ordering.unique ? null : bytesOf(group));
    const write: BlockWriter = (block) => writer.write(block);
    const merge = (steps: AsyncIterable<Step>): Promise<void> =>
      combine(steps, { engine, ordering, write, unneeded: null }, { form: 'run', ...(merged && { merged }) });
    if (areSorted(group) && group.some(({ run }) => run.kind === 'stored'))
      await this.inWindows(group, this.windows.bytes, (fronts) => merge(rounds(engine, fronts, [], ordering)));
    else if (areSorted(group) || areDistributed(group)) await merge(steps(engine, group, [], ordering));
    else throw internalError('sorted and distributed runs cannot become one');
    slices.splice(from, count, wholeRun(new BlobRun(await writer.finish(), ordering)));
    for (const record of large) if (record.place !== undefined && record.place > from) record.place -= count - 1;
    for (const { run } of group) if (run !== needed) run.release();
  }

  /**
   * Calls `merge` with fronts of `slices`. The windows of stored runs take `bytes` bytes. Calls `read` with each stored
   * run once it has been read completely.
   */
  async inWindows(
    slices: readonly Slice[],
    bytes: number,
    merge: (fronts: readonly Front[]) => Promise<void>,
    read: (run: Run) => void = () => {},
  ): Promise<void> {
    const { engine, ordering, windows } = this;
    const stored = slices.filter(({ run }) => run.kind === 'stored').length;
    const window = windowBytes(stored, bytes, windows.least, engine.chunkBytes);
    const memory = new WindowMemory(engine.shared!, engine.chunkBytes, window);
    const fronts = slices.map((slice): Front => {
      if (slice.run.kind === 'resident') return frontInMemory(slice);
      return new FrontInWindows(
        storedText(slice, () => read(slice.run)),
        ordering,
        memory,
      );
    });
    await merge(fronts);
    memory.close();
  }

  /**
   * Merges the resident slices into the store. Neighbors of one kind, distributed or not, become one run. Returns false
   * if there were none.
   */
  async mergeIntoStore(compactable: Compactable): Promise<boolean> {
    const { slices, large = [] } = compactable;
    let found = false;
    for (let from = 0; from < slices.length; from++) {
      const isSorted = slices[from].run.buckets === undefined;
      const places = placesOf(large);
      let to = from;
      while (
        to < slices.length &&
        (to === from || !places.has(to)) &&
        slices[to].run.kind === 'resident' &&
        isSorted === (slices[to].run.buckets === undefined)
      )
        to++;
      if (to === from) continue;
      await this.mergeToOne(compactable, { from, count: to - from });
      found = true;
    }
    return found;
  }

  /**
   * Moves resident slices to the store one by one, because merging needs more of the engine's memory than sorting
   * chunks did. Returns the bytes moved.
   */
  async makeRoom({ slices, needed }: Compactable): Promise<number> {
    const { engine } = this;
    let room = 0;
    // With keys, a merged range is larger than a chunk as it was read.
    const chunk = Math.max(engine.chunkBytes, engine.rangeBytes);
    for (let i = 0; i < slices.length && room < MERGE_ROOM_CHUNKS * chunk; i++) {
      const { run } = slices[i];
      if (run.kind !== 'resident' || run === needed) continue;
      const [sorted] = await engine.merge([slices[i]], 0, 'run');
      slices[i] = wholeRun(await storeRun(this.store, sorted!, this.ordering));
      run.release();
      room += runBytes(run);
    }
    return room;
  }
}

/** The indices of slices before which large records are placed. */
export function placesOf(large: readonly LargeRecord[]): Set<number> {
  return new Set(large.flatMap(({ place }) => (place === undefined ? [] : [place])));
}
