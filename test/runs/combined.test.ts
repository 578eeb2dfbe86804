/**
 * Runs and records larger than a chunk become one text, however they are merged: by ranges of runs that can be cut, or
 * in rounds of windows that read each run once.
 */
import * as fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Engine, Run, Slice } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { combine, steps } from '../../src/runs/combine.js';
import { FrontInWindows, frontInMemory, storedText } from '../../src/runs/front.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { sortLarge } from '../../src/runs/large-order.js';
import { partition, wholeRun } from '../../src/runs/partition.js';
import { rounds } from '../../src/runs/rounds.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { WindowMemory } from '../../src/runs/window-memory.js';
import { inputs, recordsOf, seedFor, seeds } from '../support/distributions.js';
import { collector, largeRecord, runOf, smallEngine } from '../support/jobs.js';
import { ORDERINGS } from '../support/orderings.js';
import { property } from '../support/property.js';
import { random, shuffled } from '../support/random.js';
import { join, sortedRecords } from '../support/records.js';

const CHUNK_BYTES = 2048;
/** `ranges`, or the bytes of a window. Some records are longer than the smallest window. */
const WAYS = ['ranges', 48, 400, 10_000] as const;

/** Merges runs and large records; returns the text. */
async function combined(
  engine: Engine,
  slices: readonly Slice[],
  large: readonly LargeRecord[],
  ordering: Ordering,
  way: (typeof WAYS)[number],
): Promise<Buffer> {
  const out = collector();
  if (way === 'ranges') {
    const merges = steps(engine, slices, await sortLarge(large, ordering), ordering);
    const runs = slices.map(({ run }) => run);
    await combine(merges, { engine, ordering, write: out.write, unneeded: runs });
  } else {
    const memory = new WindowMemory(engine.shared!, engine.chunkBytes, way);
    const fronts = slices.map((slice) =>
      slice.run.kind === 'resident'
        ? frontInMemory(slice)
        : new FrontInWindows(
            storedText(slice, () => undefined),
            ordering,
            memory,
          ),
    );
    await combine(rounds(engine, fronts, large, ordering), { engine, ordering, write: out.write, unneeded: null });
    memory.close();
  }
  return out.bytes();
}

/** A run of each list of records, every second one stored. */
async function runsOf(
  engine: Engine,
  store: TemporaryStore,
  lists: readonly (readonly Buffer[])[],
  ordering: Ordering,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const [i, records] of lists.entries()) {
    const run = await runOf(engine, join(records, ordering));
    if (i % 2 === 0) runs.push(run);
    else runs.push(await storeRun(store, (await engine.merge([wholeRun(run)], 0))[0], ordering));
  }
  return runs;
}

/** Lists of records of at most `bytes` bytes. */
function listsOf(records: readonly Buffer[], bytes: number): Buffer[][] {
  const lists: Buffer[][] = [];
  let left = 0;
  for (const record of records) {
    if (left < record.length + 1) {
      lists.push([]);
      left = bytes;
    }
    lists.at(-1)!.push(record);
    left -= record.length + 1;
  }
  return lists;
}

describe.each(ORDERINGS)('%s', (by, ordering) => {
  const opened = async <T>(
    chunkBytes: number,
    use: (engine: Engine, store: TemporaryStore) => Promise<T>,
  ): Promise<T> => {
    const engine = await smallEngine(ordering, chunkBytes);
    const store = new TemporaryStore([Buffer.from('/tmp')]);
    store.allowMemory(1 << 20);
    try {
      return await use(engine, store);
    } finally {
      store.close();
      await engine.close();
    }
  };
  const expectSame = (found: Buffer, records: readonly Buffer[]): void => {
    expect(Buffer.compare(found, join(sortedRecords(records, ordering), ordering))).toBe(0);
  };

  property(
    'combines resident and stored runs',
    [inputs([10, 200, 900]), fc.constantFrom(...WAYS)],
    (input, way) =>
      opened(CHUNK_BYTES, async (engine, store) => {
        const records = recordsOf(ordering, input);
        const runs = await runsOf(engine, store, listsOf(records, 1500), ordering);
        expectSame(await combined(engine, runs.map(wholeRun), [], ordering, way), records);
      }),
    { runs: 25, seed: seedFor(by) },
  );

  property(
    'cuts runs into ranges that do not exceed the limit',
    [inputs([200, 900])],
    (input) =>
      opened(CHUNK_BYTES, async (engine, store) => {
        const runs = await runsOf(engine, store, listsOf(recordsOf(ordering, input), 1500), ordering);
        for await (const { slices } of partition(runs.map(wholeRun), ordering, {
          wanted: 1024,
          most: 1024,
          cutsAtOnce: 2,
        })) {
          expect(slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0)).toBeLessThanOrEqual(1024);
        }
      }),
    { runs: 10, seed: seedFor(by) },
  );

  if (ordering.format.kind === 'fixed') return;
  property(
    'places records larger than a chunk among runs',
    [fc.constantFrom(...WAYS), seeds],
    (way, seed) =>
      opened(600, async (engine, store) => {
        const next = random(seed);
        const large = shuffled([3000, 700, 700, 601], next).map((n) => Buffer.from((n === 601 ? 'c' : 'b').repeat(n)));
        const small = ['a', 'b', 'b'.repeat(599), 'b'.repeat(50), 'c', 'bc', '', 'd'.repeat(99)];
        const records = shuffled(small, next).map((text) => Buffer.from(text));
        const runs = await runsOf(engine, store, listsOf(records, 600), ordering);
        const found = await combined(engine, runs.map(wholeRun), large.map(largeRecord), ordering, way);
        expectSame(found, [...records, ...large]);
      }),
    { runs: 20, seed: seedFor(by) },
  );

  // More than is read of a record at first.
  const alike = 'p'.repeat(5000);
  property(
    'places records larger than a chunk among runs with which they share thousands of bytes',
    [fc.constantFrom(...WAYS), seeds],
    (way, seed) =>
      opened(6000, async (engine, store) => {
        const next = random(seed);
        const endings = [alike, `b${alike}`, `b${alike}c`, `d${alike}`, `${alike.repeat(15)}a`, alike.repeat(15)];
        const large = shuffled([...endings, ...endings], next).map((text) => Buffer.from(alike + text));
        const small = ['', 'a', 'b', 'bb', 'c', 'd', 'dz', 'p'].map((text) => alike + text);
        const records = shuffled([...small, ...small, 'o', 'q'], next).map((text) => Buffer.from(text));
        const runs = await runsOf(engine, store, listsOf(records, 6000), ordering);
        const found = await combined(engine, runs.map(wholeRun), large.map(largeRecord), ordering, way);
        expectSame(found, [...records, ...large]);
      }),
    { runs: 10, seed: seedFor(by) },
  );
});
