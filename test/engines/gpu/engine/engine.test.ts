/**
 * The GPU engine end to end, with the sort itself on the host: chunks to runs; resident and stored runs, cut and
 * merged, with limits forced far down; limits on the number of records; the digest of the input.
 */
import { afterEach, expect, it } from 'vitest';
import type { Engine, Run, Slice, Sorted } from '../../../../src/contract/engine.js';
import type { GpuEngineLimits } from '../../../../src/engines/gpu/engine/engine-core.js';
import type { GpuEngineOptions } from '../../../../src/engines/gpu/engine/options.js';
import type { Limit } from '../../../../src/job/job.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { describeGpu } from '../../../setup/gpu.js';
import { digestOf } from '../../../support/digests.js';
import { collector, keptRun, sortChunk } from '../../../support/jobs.js';
import { randomBelow } from '../../../support/random.js';
import { join, LINES, plainRun, sortedRecords, split } from '../../../support/records.js';
import { sampled } from '../../../support/tier.js';
import { engineOn, keptRuns, mergedText, orderText } from '../engines.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';

const START = { index: 0, byte: 0 };
const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };
/** By key alone: the bytes after the key show the input order. */
const BY_KEY: Ordering = {
  ...LINES,
  format: { kind: 'fixed', size: 9 },
  key: { kind: 'bytes', offset: 0, length: 2 },
  lastResort: false,
};

/** The records of a sorted list that a limit keeps. */
function limited<T>(sorted: readonly T[], { count, end }: Limit): T[] {
  return end === 'first' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count));
}

describeGpu('the GPU engine', () => {
  const gpu = useGpu();
  const next = randomBelow(4);
  let engine: Engine;
  afterEach(() => engine.close());

  function open(ordering: Ordering, options: Partial<GpuEngineOptions> = {}, limits: GpuEngineLimits = {}): Engine {
    engine = engineOn(gpu(), { ordering, pieceBytes: 4096, ...options }, HOST_SORT, limits);
    return engine;
  }

  /** The output of results; each must have the number of bytes that it reports. */
  async function emitted(results: readonly Sorted[]): Promise<Buffer> {
    const { write, bytes } = collector();
    for (const sorted of results) {
      const before = bytes().length;
      await sorted.emit(async (block) => {
        await new Promise(setImmediate);
        await write(block);
      });
      expect(bytes().length - before).toBe(sorted.bytes);
    }
    return bytes();
  }

  const make = (n: number, length: () => number): Buffer[] => randomRecords(n, length, next, 5);
  /** Records for an ordering, shorter than `most` if they are lines. */
  const recordsFor = ({ format }: Ordering, n: number, most: number): Buffer[] =>
    make(n, () => (format.kind === 'fixed' ? format.size : next(most)));

  it('sorts chunks of all sizes, which grow as they are filled by pieces in any order', async () => {
    open(LINES, { pieceBytes: 1024 });
    for (const n of [1, 2, 100, 4000, 50, 9000, 0]) {
      const records = make(n, () => next(40));
      const text = join(records);
      const chunk = await engine.openChunk();
      // If there are two pieces, the second is committed first.
      for (let at = 0; at < text.length; at += 2048) {
        const places = [at, at + 1024].filter((place) => place < text.length);
        const pair = await Promise.all(places.map(async (place) => ({ place, piece: await chunk.openPiece(place) })));
        for (const { place, piece } of pair.reverse()) {
          const part = text.subarray(place, place + 1024);
          piece.bytes.set(part);
          piece.commit(part.length);
        }
      }
      const results = await sortChunk(engine, chunk, text.length);
      expect(results.map((result) => result.records)).toEqual(n === 0 ? [] : [n]);
      expect((await emitted(results)).equals(join(sortedRecords(records)))).toBe(true);
    }
  });

  const FIXED = {
    ...BY_KEY,
    format: { kind: 'fixed', size: 10 },
    key: { kind: 'bytes', offset: 2, length: 3 },
  } as const;
  it.each<[string, Ordering]>([
    ['fixed records', { ...FIXED, lastResort: true }],
    ['fixed records without duplicates', { ...FIXED, unique: true }],
    ['lines in reverse without duplicates', { ...UNIQUE, reverse: true }],
  ])('sorts %s', async (_, ordering) => {
    open(ordering);
    const records = recordsFor(ordering, 3000, 5);
    const found = await emitted(await orderText(engine, join(records, ordering)));
    expect(found.equals(join(sortedRecords(records, ordering), ordering))).toBe(true);
  });

  it('runs fewer merges at once if memory is limited', async () => {
    const { mergesAhead } = open(LINES);
    await engine.close();
    expect(open(LINES, { mostRecords: 1000 }).mergesAhead).toBeLessThan(mergesAhead);
  });

  it('gives several results if there are too many records for one sort, and counts their text once', async () => {
    open(LINES, { mostRecords: 1000, verify: true }, { blockBytes: 4096 });
    const records = make(3500, () => next(9));
    const results = await orderText(engine, join(records));
    expect(results.map((r) => r.records)).toEqual([1000, 1000, 1000, 500]);
    for (const [i, sorted] of results.entries()) {
      const part = records.slice(i * 1000, i * 1000 + 1000);
      expect((await emitted([sorted])).equals(join(sortedRecords(part)))).toBe(true);
    }
    expect(await engine.input!()).toEqual(digestOf(records));
  });

  const MERGES = [false, true].flatMap((unique) =>
    (['resident', 'stored', 'mixed'] as const).flatMap((kinds) =>
      [null, 700].flatMap((mostRecords) =>
        [BY_KEY, LINES].map((by) => ({
          kinds,
          mostRecords,
          unique,
          by: by === LINES ? 'whole lines' : 'key',
          ordering: by === LINES && unique ? UNIQUE : { ...by, unique },
        })),
      ),
    ),
  );
  const merges = sampled(MERGES, {
    count: MERGES.length,
    seed: 1,
    values: ({ kinds, mostRecords, by, unique }) => [kinds, mostRecords, by, unique],
  });
  it.each(merges)('merges $kinds slices by $by, $mostRecords records at once (unique: $unique)', async (merge) => {
    const { kinds, mostRecords, ordering } = merge;
    open(ordering, { mostRecords }, { blockBytes: 2048 });
    const parts = Array.from({ length: 6 }, () => recordsFor(ordering, 300 + next(300), 30));
    const runs: Run[] = [];
    for (const [i, part] of parts.entries()) {
      const isStored = kinds === 'stored' || (kinds === 'mixed' && i % 2 === 1);
      if (isStored) runs.push(plainRun(sortedRecords(part, ordering), ordering));
      else runs.push(...(await keptRuns(engine, join(part, ordering))));
    }
    const expected = join(sortedRecords(parts.flat(), ordering), ordering);
    const mergeOf = async (slices: readonly Slice[]): Promise<Buffer> => emitted(await engine.merge(slices, 0));
    expect((await mergeOf(runs.map(wholeRun))).equals(expected)).toBe(true);

    // In two ranges, cut at a record, as in large merges.
    const [sample] = await runs[2].sample(START, runs[2].end, 1);
    const splitter = await runs[2].record(sample!.at);
    const cuts = await Promise.all(runs.map(async (run) => (await run.cut(START, run.end, [splitter]))[0].lower));
    const ranges = [
      await mergeOf(runs.map((run, i) => ({ ...wholeRun(run), to: cuts[i] }))),
      await mergeOf(runs.map((run, i) => ({ ...wholeRun(run), from: cuts[i] }))),
    ];
    expect(Buffer.concat(ranges).equals(expected)).toBe(true);
    for (const run of runs) run.release();
  });

  it.each([false, true])('merges more equal records than one sort takes (unique: %s)', async (unique) => {
    open(unique ? UNIQUE : LINES, { mostRecords: 100 });
    const run = plainRun(Array.from({ length: unique ? 1 : 90 }, () => Buffer.from('same')));
    const results = await engine.merge(
      Array.from({ length: 120 }, () => wholeRun(run)),
      4,
    );
    expect((await emitted(results)).toString()).toBe('same\n'.repeat(unique ? 1 : 90 * 120));
  });

  it('passes a single slice through, from any byte', async () => {
    open(LINES, {}, { blockBytes: 1024 });
    const records = sortedRecords(make(900, () => next(20)));
    const [resident] = await keptRuns(engine, join(records));
    for (const run of [resident, plainRun(records)]) {
      const [a, b] = await run.cut(START, run.end, [records[100], records[801]]);
      const text = await emitted(
        await engine.merge(
          [
            { run, from: a!.lower, to: b!.upper },
            { run, from: b!.upper, to: b!.upper },
          ],
          0,
        ),
      );
      expect(text.equals(join(records).subarray(a!.lower.byte, b!.upper.byte))).toBe(true);
    }
  });

  it('keeps no more runs than its limit', async () => {
    open(LINES, { residentBytes: 40_000 });
    const kept: Run[] = [];
    for (let i = 0; i < 5; i++) {
      const records = make(500, () => 19);
      const [sorted] = await orderText(engine, join(records));
      const run = await sorted!.keep();
      if (run !== null) kept.push(run);
      else expect((await emitted([sorted!])).equals(join(sortedRecords(records)))).toBe(true);
    }
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(4);
    for (const run of kept) run.release();
    expect(await keptRuns(engine, join(make(500, () => 19)))).not.toContain(null);
  });

  const LIMITS = ([LINES, UNIQUE] as const).flatMap((ordering) =>
    (['first', 'last'] as const).flatMap((end) =>
      (
        [
          [1, null],
          [64, 500],
          [200, null],
          [5000, 500],
        ] as const
      ).map(([count, mostRecords]) => ({ ordering, unique: ordering.unique, limit: { count, end }, mostRecords })),
    ),
  );
  const limits = sampled(LIMITS, {
    count: LIMITS.length,
    seed: 1,
    values: ({ unique, limit: { count, end } }) => [unique, count, end],
  });
  it.each(limits)('keeps the $limit.end $limit.count records, $mostRecords at once (unique: $unique)', async (one) => {
    const { ordering, limit, mostRecords } = one;
    open(ordering, { limit, mostRecords });
    const chunks = [300, 1200, 700].map((size) => randomRecords(size, () => next(12), next, 3));
    const runs: Run[] = [];
    for (const records of chunks)
      for (const sorted of await orderText(engine, join(records))) {
        // Bindings start at multiples of 256 bytes, so up to 64 more record numbers may be kept.
        expect(sorted.records).toBeLessThan(limit.count + 64);
        runs.push(await keptRun(sorted, ordering));
      }
    const found = limited(split(await mergedText(engine, runs.map(wholeRun))), limit);
    const expected = limited(sortedRecords(chunks.flat(), ordering), limit);
    expect(join(found).toString('latin1')).toBe(join(expected).toString('latin1'));
    for (const run of runs) run.release();
  });
});
