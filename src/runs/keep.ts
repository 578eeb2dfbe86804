/**
 * Keeping sorted text until it is combined: in the engine's memory as far as that goes, then in the store; and combining it with what room there is.
 */
import type { BlockWriter, Engine, Run, Slice, Sorted } from '../engine.js';
import type { Ordering } from '../job.js';
import { GpusortError } from '../report/errors.js';
import { bucketsFit, isDistributed, sortBuckets } from './buckets.js';
import { combine, type Written } from './combine.js';
import type { LargeRecord } from './large.js';
import { wholeRun } from './partition.js';
import type { TemporaryStore } from './store.js';
import { storeRun } from './stored-run.js';

/** Chunks of text that leave the engine's memory where it is full: merges ahead of the writing then have room (with 8 they had not always). */
const MERGE_ROOM_CHUNKS = 12;

export class RunKeeper {
  private readonly engine: Engine;
  private readonly ordering: Ordering;
  private readonly store: TemporaryStore;
  /** Whether the engine has a limit of its own; without one it refuses a run only where its memory is full. */
  private readonly bounded: boolean;
  private full = false;

  constructor(engine: Engine, ordering: Ordering, store: TemporaryStore, bounded: boolean) {
    this.engine = engine;
    this.ordering = ordering;
    this.store = store;
    this.bounded = bounded;
  }

  /** Makes a run of `sorted`. `earlier` are the slices kept so far, some of which are moved to the store where the engine's memory has become full. */
  async keep(sorted: Sorted, earlier: Slice[]): Promise<Run> {
    const kept = this.full ? null : await sorted.keep();
    if (kept !== null) return kept;
    const run = await storeRun(this.store, sorted, this.ordering);
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
    let written = 0;
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
        await combine(this.engine, slices, large, this.ordering, writeOn, rest.runs === 'released' ? slices.map(({ run }) => run) : null, rest);
        return;
      } catch (error) {
        const full = error instanceof GpusortError && error.code === 'out-of-device-memory';
        if (!full || await this.makeRoom(slices, rest.needed ?? null) === 0) throw error;
      }
    }
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
