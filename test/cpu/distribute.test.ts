/**
 * Sample sort on the CPU engine: distribution into buckets and the sorted result, whatever the splitters. By day each
 * ordering meets a third of the distributions.
 */
import { describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/cpu/engine.js';
import { TILE_BYTES } from '../../src/cpu/tiles.js';
import type { Engine, KeptRun, Slice } from '../../src/engine.js';
import { engineRecords } from '../../src/input/keyed-bytes.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { type DistributionLimits, divideSample } from '../../src/keys/splitters.js';
import { RunKeeper } from '../../src/runs/keep.js';
import type { LargeRecord } from '../../src/runs/large.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { collector, SMALL_WINDOWS, silent } from '../support/jobs.js';
import { KEYED_ORDERINGS, numberLines, sortedNumbers } from '../support/keyed.js';
import { random } from '../support/random.js';
import { join, sortedRecords, split } from '../support/records.js';
import { NIGHTLY, sampled } from '../support/tier.js';
import { byFixed, byLines, DISTRIBUTIONS, fixedRecords } from './support.js';

const COUNT = 700;
/** With chunks this small, a bucket of more than four times as many bytes is too large to sort at once. */
const CHUNK_BYTES = 1024;
const BUCKETS = 8;

const ORDERINGS: readonly (readonly [string, Ordering])[] = [
  ['lines', byLines()],
  ['lines, reversed', byLines({ reverse: true })],
  ['lines, unique', byLines({ unique: true, lastResort: false })],
  ['fixed records', byFixed(24, null)],
  ['by a part of a record', byFixed(24, [3, 5])],
  ['by a part, stable, reversed', byFixed(24, [3, 5], { reverse: true, lastResort: false })],
  ['by a part, unique', byFixed(24, [3, 5], { unique: true, lastResort: false })],
];

/** An engine that distributes by splitters from `sample` and keeps at most `residentBytes` of runs in memory. */
function engineFor(
  ordering: Ordering,
  sample: readonly Uint8Array[],
  residentBytes: number | null = null,
  chunkBytes = CHUNK_BYTES,
  distributed: DistributionLimits | null = null,
): Promise<Engine> {
  const { splitters } = divideSample(engineRecords([sample], ordering), ordering, BUCKETS);
  return createCpuEngine({
    ordering,
    splitters,
    distributed,
    chunkBytes,
    rangeBytes: chunkBytes,
    workers: 0,
    residentBytes,
    recorder: silent,
  });
}

/** Cuts `records` into chunks and turns each chunk into a run. */
async function runsOf(
  engine: Engine,
  keeper: RunKeeper,
  ordering: Ordering,
  records: readonly Uint8Array[],
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
async function sampleSorted(
  engine: Engine,
  ordering: Ordering,
  records: readonly Uint8Array[],
  large: readonly LargeRecord[] = [],
): Promise<Buffer> {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')], null);
  const keeper = new RunKeeper(engine, ordering, store, true, SMALL_WINDOWS);
  try {
    const output = collector();
    await keeper.combine(await runsOf(engine, keeper, ordering, records), large, output.write, { runs: 'released' });
    return output.bytes();
  } finally {
    await engine.close();
    store.close();
  }
}

const PAIRS = ORDERINGS.flatMap(([by]) => Object.keys(DISTRIBUTIONS).map((name, i) => ({ by, name, turn: i % 2 })));
/** The orderings and distributions of this run, for two tests. */
const [WHOLE, SAMPLED] = [1, 2].map((seed) =>
  sampled(PAIRS, { count: PAIRS.length / 3, seed, values: ({ by, name, turn }) => [`${by} ${turn}`, name] }),
);

describe.each(ORDERINGS)('%s', (by, ordering) => {
  const mine = (pairs: typeof WHOLE): typeof WHOLE => pairs.filter((pair) => pair.by === by);
  const make = (name: string, seed: number): Buffer[] => {
    const made = DISTRIBUTIONS[name](COUNT, random(seed));
    return ordering.format.kind === 'fixed' ? fixedRecords(made, ordering.format.size, true) : made;
  };

  it.each(mine(WHOLE))('puts buckets in order, each in input order: $name', async ({ name }) => {
    const records = make(name, 1);
    const engine = await engineFor(ordering, records.slice(0, 200));
    const slices = await runsOf(
      engine,
      new RunKeeper(engine, ordering, new TemporaryStore([], null), true, SMALL_WINDOWS),
      ordering,
      records,
    );
    const chunks = records.slice();
    for (const { run } of slices) {
      const text = Buffer.from((run as unknown as { buffer: SharedArrayBuffer }).buffer, 0, run.end.byte);
      expect(run.buckets).toHaveLength(BUCKETS);
      expect(run.buckets!.at(-1)).toBe(run.end.byte);
      const buckets = run.buckets!.map((end, bucket) =>
        split(text.subarray(bucket === 0 ? 0 : run.buckets![bucket - 1], end), ordering),
      );
      const input = chunks.splice(0, buckets.flat().length);
      let last: Uint8Array | null = null;
      for (const bucket of buckets) {
        // A bucket holds its records in input order.
        const members = new Set(bucket.map((record) => Buffer.from(record).toString('latin1')));
        expect(
          Buffer.concat(bucket).equals(Buffer.concat(input.filter((record) => members.has(record.toString('latin1'))))),
        ).toBe(true);
        const sorted = bucket.slice().sort((a, b) => compareRecords(ordering, a, b));
        if (sorted.length === 0) continue;
        if (last !== null) expect(compareRecords(ordering, last, sorted[0])).toBeLessThan(0);
        last = sorted.at(-1)!;
      }
    }
    expect(chunks).toEqual([]);
    await engine.close();
  });

  it.each(mine(SAMPLED))(
    'sorts with a good and a bad sample, from memory and from files: $name',
    async ({ name, turn }) => {
      const records = make(name, 2);
      const expected = join(sortedRecords(records, ordering), ordering);
      const samples = [records.slice(0, 200), turn === 0 ? records.slice(0, 1) : make('twins', 3)];
      for (const [i, sample] of samples.entries()) {
        expect(
          (await sampleSorted(await engineFor(ordering, sample, i === turn ? null : 0), ordering, records)).equals(
            expected,
          ),
        ).toBe(true);
      }
    },
  );
});

describe.each(KEYED_ORDERINGS)('keyed lines, %s', (_, ordering) => {
  it('are sorted', async () => {
    const lines = numberLines(3000, 5);
    const records = lines.map((line) => Buffer.from(line));
    const expected = sortedNumbers(lines, ordering)
      .map((line) => `${line}\n`)
      .join('');
    for (const residentBytes of [null, 0]) {
      expect(
        (
          await sampleSorted(await engineFor(ordering, records.slice(0, 100), residentBytes), ordering, records)
        ).toString(),
      ).toBe(expected);
    }
  });
});

describe('distribution', () => {
  const none: DistributionLimits = { bucketBytes: Infinity, bytes: Infinity, share: 1, judgedBytes: 0 };
  const ordering = byLines();
  const uniform = DISTRIBUTIONS.uniform(COUNT, random(8));
  const ascending = sortedRecords(uniform, ordering);
  const distributed = (slices: readonly Slice<KeptRun>[]): boolean[] =>
    slices.map(({ run }) => run.buckets !== undefined);
  it.each([
    ['one bucket is too large', { bucketBytes: 3000 }, ascending],
    ['the limit of bytes is reached', { bytes: 3000 }, uniform],
    ['one bucket has too large a share', { share: 0.5, judgedBytes: 3000 }, ascending],
  ] as const)('stops when %s', async (_, limits, records) => {
    const engine = await engineFor(ordering, ascending.slice(0, 60), null, CHUNK_BYTES, { ...none, ...limits });
    const found = distributed(
      await runsOf(
        engine,
        new RunKeeper(engine, ordering, new TemporaryStore([], null), true, SMALL_WINDOWS),
        ordering,
        records as Buffer[],
      ),
    );
    const first = found.indexOf(false);
    expect(first).toBeGreaterThan(1);
    expect(found.slice(first).every((is) => !is)).toBe(true);
    await engine.close();
  });
  it('does not stop otherwise', async () => {
    const engine = await engineFor(ordering, uniform.slice(0, 200), null, CHUNK_BYTES, {
      ...none,
      share: 0.5,
      judgedBytes: 3000,
      bucketBytes: 1e6,
      bytes: 1e6,
    });
    expect(
      distributed(
        await runsOf(
          engine,
          new RunKeeper(engine, ordering, new TemporaryStore([], null), true, SMALL_WINDOWS),
          ordering,
          uniform,
        ),
      ),
    ).not.toContain(false);
    await engine.close();
  });
  // Memory for all runs, for none, and amounts that run out before, when and after distribution stops.
  const MEMORIES = [null, 0, 2500, 4000, 6000, 9000];
  it.each(MEMORIES)('combines distributed chunks with sorted ones, with memory for %s bytes', async (residentBytes) => {
    // By day, each ordering meets two amounts of memory.
    const turn = MEMORIES.indexOf(residentBytes);
    for (const [, by] of ORDERINGS.filter((_, i) => NIGHTLY || (i + turn) % 3 === 0)) {
      const made = DISTRIBUTIONS.twins(COUNT, random(9));
      const records = by.format.kind === 'fixed' ? fixedRecords(made, by.format.size, true) : made;
      const sorted = await sampleSorted(
        await engineFor(by, records.slice(0, 200), residentBytes, CHUNK_BYTES, { ...none, bytes: 4000 }),
        by,
        records,
      );
      expect(sorted.equals(join(sortedRecords(records, by), by))).toBe(true);
    }
  });
});

it('writes keyed lines that fill several tiles, without their keys', async () => {
  const [, ordering] = KEYED_ORDERINGS[2];
  const lines = numberLines(700_000, 6);
  const engine = await engineFor(ordering, [Buffer.from('-1000')], null, TILE_BYTES);
  expect(engine.mergeBytes).toBeGreaterThan(2 * TILE_BYTES);
  const sorted = await sampleSorted(
    engine,
    ordering,
    lines.map((line) => Buffer.from(line)),
  );
  expect(
    sorted.equals(
      Buffer.from(
        sortedNumbers(lines, ordering)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    ),
  ).toBe(true);
});

it('places records larger than a chunk among buckets', async () => {
  const ordering = byLines();
  const records = DISTRIBUTIONS.uniform(COUNT, random(7));
  const wide = Buffer.alloc(3 * CHUNK_BYTES, '8');
  const large: LargeRecord = {
    bytes: wide.length,
    readAt: async (at, target) => {
      target.set(wide.subarray(at, at + target.length));
    },
  };
  const expected = join(sortedRecords([...records, wide], ordering));
  expect(
    (await sampleSorted(await engineFor(ordering, records.slice(0, 100)), ordering, records, [large])).equals(expected),
  ).toBe(true);
});
