/**
 * Keeping sorted text until it is combined: in the engine's memory as far as that goes, then in the store.
 */
import type { Engine, Run, Slice, Sorted } from '../engine.js';
import type { Ordering } from '../job.js';
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

  /** Stores slices that have taken all of the engine's memory: merging needs more of it than sorting chunks did. */
  private async makeRoom(slices: Slice[]): Promise<void> {
    let room = 0;
    for (let i = 0; i < slices.length && room < MERGE_ROOM_CHUNKS * this.engine.chunkBytes; i++) {
      const { run } = slices[i]!;
      if (run.kind !== 'resident') continue;
      const [sorted] = await this.engine.merge([slices[i]!], 0);
      slices[i] = wholeRun(await storeRun(this.store, sorted!, this.ordering));
      run.release();
      room += run.end.byte;
    }
  }
}
