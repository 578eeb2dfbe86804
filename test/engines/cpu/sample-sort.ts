/** Sample sort on the CPU engine in small chunks: its runs, and the sorted text. */

import type { Engine, KeptRun, Slice } from '../../../src/contract/engine.js';
import { createCpuEngine } from '../../../src/engines/cpu/engine.js';
import { engineRecords } from '../../../src/input/keyed-bytes.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { type DistributionLimits, DividedSample } from '../../../src/keys/splitters.js';
import { RunKeeper } from '../../../src/runs/keep.js';
import type { LargeRecord } from '../../../src/runs/large.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { TemporaryStore } from '../../../src/runs/store.js';
import { collector, SMALL_WINDOWS, silent } from '../../support/jobs.js';
import { join } from '../../support/records.js';

/** With chunks this small, a bucket of more than four times as many bytes is too large to sort at once. */
export const CHUNK_BYTES = 1024;
export const BUCKETS = 8;
export const UNLIMITED: DistributionLimits = { bucketBytes: Infinity, bytes: Infinity, share: 1, judgedBytes: 0 };

interface Options {
  /** Maximum bytes of runs in memory; null: all. */
  readonly residentBytes?: number | null;
  readonly chunkBytes?: number;
  readonly limits?: Partial<DistributionLimits>;
}

/** An engine that distributes by splitters from `sample`. */
export function engineFor(
  ordering: Ordering,
  sample: readonly Uint8Array[],
  { residentBytes = null, chunkBytes = CHUNK_BYTES, limits }: Options = {},
): Promise<Engine> {
  const { splitters } = new DividedSample(engineRecords([sample], ordering), ordering).divide(BUCKETS);
  return createCpuEngine({
    ordering,
    splitters,
    distributed: limits === undefined ? null : { ...UNLIMITED, ...limits },
    chunkBytes,
    rangeBytes: chunkBytes,
    workers: 0,
    residentBytes,
    recorder: silent,
  });
}

const keeperFor = (engine: Engine, ordering: Ordering, store = new TemporaryStore([], null)): RunKeeper =>
  new RunKeeper(engine, ordering, store, { bounded: true, windows: SMALL_WINDOWS });

/** Cuts `records` into chunks and turns each chunk into a run. */
export async function runsOf(
  engine: Engine,
  ordering: Ordering,
  records: readonly Uint8Array[],
  keeper = keeperFor(engine, ordering),
): Promise<Slice<KeptRun>[]> {
  const slices: Slice<KeptRun>[] = [];
  for (let at = 0; at < records.length; ) {
    let [end, bytes] = [at, 0];
    for (; end < records.length && bytes + records[end].length + 1 <= engine.chunkBytes; end++)
      bytes += records[end].length + 1;
    const text = join(records.slice(at, end), ordering);
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    piece.bytes.set(text);
    piece.commit(text.length);
    for (const sorted of await engine.order(chunk, text.length))
      slices.push(wholeRun(await keeper.keep(sorted, slices)));
    at = end;
  }
  return slices;
}

/** Sorts the records through the engine's buckets. */
export async function sampleSorted(
  ordering: Ordering,
  records: readonly Uint8Array[],
  sample: readonly Uint8Array[],
  options: Options = {},
  large: readonly LargeRecord[] = [],
): Promise<Buffer> {
  const engine = await engineFor(ordering, sample, options);
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')], null);
  const keeper = keeperFor(engine, ordering, store);
  try {
    const output = collector();
    const slices = await runsOf(engine, ordering, records, keeper);
    await keeper.combine(slices, large, output.write, { runs: 'released' });
    return output.bytes();
  } finally {
    await engine.close();
    store.close();
  }
}
