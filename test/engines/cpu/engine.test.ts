/** The CPU engine's side of the contract (order, runs, merge), in the calling thread and with workers. */
import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, Run, Slice, Sorted } from '../../../src/contract/engine.js';
import { createCpuEngine } from '../../../src/engines/cpu/engine.js';
import type { CpuEngineOptions } from '../../../src/engines/cpu/options.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { DISTRIBUTIONS, inputs, recordsOf, seedFor } from '../../support/distributions.js';
import { collector, silent, sortChunk } from '../../support/jobs.js';
import { byFixed, byLines, LINE_ORDERINGS, ORDERINGS } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { random } from '../../support/random.js';
import { join, plainRun, sortedRecords } from '../../support/records.js';

/** Workers run compiled code, so build first. */
const built = new URL('../../../dist/engines/cpu/engine.js', import.meta.url);

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function start(ordering: Ordering, options: Partial<CpuEngineOptions> = {}): Promise<Engine> {
  const { workers = 0, chunkBytes = 1 << 20 } = options;
  if (workers > 0) expect(existsSync(built), 'run npm run build first').toBe(true);
  const create =
    workers === 0
      ? createCpuEngine
      : ((await import(built.href)) as { createCpuEngine: typeof createCpuEngine }).createCpuEngine;
  await engine?.close();
  return (engine = await create({
    ordering,
    chunkBytes,
    rangeBytes: chunkBytes,
    workers,
    residentBytes: null,
    recorder: silent,
    ...options,
  }));
}

async function order(on: Engine, text: Uint8Array): Promise<Sorted> {
  const chunk = await on.openChunk();
  const piece = await chunk.openPiece(0);
  expect(piece.bytes.length).toBe(on.chunkBytes);
  piece.bytes.set(text);
  piece.commit(text.length);
  const results = await sortChunk(on, chunk, text.length);
  expect(results.length).toBe(1);
  return results[0];
}

it('merges up to four small chunks at once, and no more than a range or one chunk', async () => {
  const sizes = async (chunkBytes: number, rangeBytes: number): Promise<number[]> => {
    const on = await start(byLines(), { chunkBytes, rangeBytes });
    return [on.rangeBytes, on.mergeBytes];
  };
  expect(await sizes(1000, 1 << 20)).toEqual([4000, 4000]);
  expect(await sizes(1000, 3000)).toEqual([3000, 3000]);
  expect(await sizes(5000, 3000)).toEqual([3000, 5000]);
});

/** All results of a sort or merge, concatenated. */
async function emitted(...results: readonly Sorted[]): Promise<Buffer> {
  const out = collector();
  for (const sorted of results) await sorted.emit(out.write);
  return out.bytes();
}

const keptFrom = async (on: Engine, ordering: Ordering, records: readonly Buffer[]): Promise<Run> =>
  (await (await order(on, join(records, ordering))).keep())!;
const same = (found: Buffer, records: readonly Buffer[], ordering = byLines()): void => {
  expect(Buffer.compare(found, join(sortedRecords(records, ordering), ordering))).toBe(0);
};

describe.each([
  { workers: 0, helps: false, lanes: 1 },
  { workers: 2, helps: false, lanes: 3 },
  { workers: 1, helps: true, lanes: 6 },
])('with $workers workers, calling thread helps: $helps', ({ workers, helps, lanes }) => {
  it.each(LINE_ORDERINGS)(
    'sorts, keeps, cuts and merges to the same bytes as a plain sort: %s',
    async (_, ordering) => {
      const on = await start(ordering, { workers, helps });
      expect(on.lanes).toBe(lanes);
      for (const [name, make] of Object.entries(DISTRIBUTIONS)) {
        const records = make(1200, random(11));
        const runs = await Promise.all(
          [0, 100, 700].map((from, i) => keptFrom(on, ordering, records.slice(from, [100, 700, 1200][i]))),
        );
        const expected = sortedRecords(records, ordering);
        const cuts = await Promise.all(runs.map((run) => run.cut(run.begin, run.end, [expected[400] ?? records[0]])));
        const lower = runs.map((run, i) => ({ run, from: run.begin, to: cuts[i][0].lower }));
        const upper = runs.map((run, i) => ({ run, from: cuts[i][0].lower, to: run.end }));
        const merged = [...(await on.merge(lower, 0)), ...(await on.merge(upper, 0))];
        expect((await emitted(...merged)).equals(join(expected, ordering)), name).toBe(true);
        for (const run of runs) run.release();
      }
    },
  );

  it('sorts several chunks at once', async () => {
    const on = await start(byLines(), { workers, helps });
    const chunks = Array.from({ length: 9 }, (_, i) => DISTRIBUTIONS.lengths(300 + i, random(i)));
    const sorted = await Promise.all(chunks.map((records) => order(on, join(records))));
    for (const [i, each] of sorted.entries()) same(await emitted(each), chunks[i]);
  });

  it('rejects, and does not hang, when a task fails', async () => {
    const on = await start(byLines(), { workers, helps });
    const chunk = await on.openChunk();
    (await chunk.openPiece(0)).bytes.set(Buffer.from('b\na'));
    await expect(on.order(chunk, 3)).rejects.toThrow('whole records');
    const broken = {
      ...plainRun([Buffer.from('a')]),
      readAt: async () => {
        throw new Error('gone');
      },
    };
    await expect(on.merge([wholeRun(broken), wholeRun(broken)], 0)).rejects.toThrow('gone');
    expect((await emitted(await order(on, Buffer.from('b\na\n')))).toString()).toBe('a\nb\n');
    await on.close();
    await expect(order(on, Buffer.from('b\na\n'))).rejects.toThrow('closed');
  });
});

describe('a merge', () => {
  for (const [name, ordering] of ORDERINGS)
    property(
      `combines resident and stored slices of uneven lengths: ${name}`,
      [
        fc.array(fc.record({ records: fc.nat(100), skipped: fc.nat(2), isStored: fc.boolean() }), { maxLength: 64 }),
        inputs([0]),
      ],
      async (parts, input) => {
        const on = await start(ordering);
        const count = parts.reduce((sum, { records }) => sum + records!, 0);
        const records = recordsOf(ordering, { ...input, count });
        const slices: Slice[] = [];
        const expected: Buffer[] = [];
        let at = 0;
        for (const { records: length, skipped, isStored } of parts) {
          const part = sortedRecords(records.slice(at, at + length), ordering);
          at += length;
          const stored = plainRun(part, ordering);
          const from = Math.min(part.length, skipped);
          const run = isStored ? stored : await keptFrom(on, ordering, part);
          slices.push({ run, from: stored.positions[from], to: stored.end });
          expected.push(...part.slice(from));
        }
        const isShared = input.distribution === 'urls' && ordering.format.kind === 'lines';
        const merged = await on.merge(slices, isShared ? 20 : 0);
        same(await emitted(...merged), expected, ordering);
      },
      { runs: 20, seed: seedFor(name) },
    );

  it.each([false, true])('skips a common prefix from the key into the record (reverse: %s)', async (reverse) => {
    const next = random(3);
    const records = Array.from({ length: 600 }, () =>
      Buffer.from(`aa${Array.from({ length: 24 }, () => 'ab'[Math.floor(next() * 2)]).join('')}k`),
    );
    const ordering = byFixed(27, [26, 1], { reverse });
    const on = await start(ordering);
    const parts = [0, 200, 400].map((from) => records.slice(from, from + 200));
    const runs = await Promise.all(parts.map((part) => keptFrom(on, ordering, part)));
    // The slices share 'k', 'aa': ordered bytes are the key's, then the record's.
    same(await emitted(...(await on.merge(runs.map(wholeRun), 3))), records, ordering);
  });

  it('keeps its result as a run', async () => {
    const on = await start(byLines());
    const records = DISTRIBUTIONS.lengths(1000, random(17));
    const parts = [records.slice(0, 400), records.slice(400)];
    const runs = await Promise.all(parts.map((part) => keptFrom(on, byLines(), part)));
    const merged = (await (await on.merge(runs.map(wholeRun), 0))[0].keep())!;
    const expected = sortedRecords(records);
    expect(merged.end).toEqual({ byte: join(records).length });
    const [bounds] = await merged.cut(merged.begin, merged.end, [expected[777]]);
    expect(Buffer.from(await merged.record(bounds.lower)).equals(expected[777])).toBe(true);
  });

  it('passes a single slice on without a copy, and does not keep it again', async () => {
    const on = await start(byLines());
    const records = DISTRIBUTIONS.lengths(1000, random(17));
    for (const run of [await keptFrom(on, byLines(), records), plainRun(sortedRecords(records))]) {
      const [single] = await on.merge([wholeRun(run)], 0);
      expect(single.borrowed).toBe(true);
      expect(await single.keep()).toBeNull();
      same(await emitted(single), records);
    }
  });

  it('returns all memory except that of its result', async () => {
    const on = await start(byLines());
    const { take, give } = on.shared!;
    const taken = new Set<SharedArrayBuffer>();
    Object.assign(on.shared!, {
      take: (bytes: number) => {
        const buffer = take.call(on.shared, bytes);
        taken.add(buffer);
        return buffer;
      },
      give: (buffer: SharedArrayBuffer) => {
        taken.delete(buffer);
        give.call(on.shared, buffer);
      },
    });
    const records = DISTRIBUTIONS.lengths(1000, random(18));
    const stored = [records.slice(0, 400), records.slice(400)].map((part) => plainRun(sortedRecords(part)));
    const [merged] = await on.merge(stored.map(wholeRun), 0);
    expect(taken.size).toBe(1);
    same(await emitted(merged), records);
    expect(taken.size).toBe(0);
  });
});

describe('runs', () => {
  it('stay within the memory limit, and text that is not kept can still be written', async () => {
    const on = await start(byLines(), { chunkBytes: 50_000, residentBytes: 220_000 });
    const chunks = Array.from({ length: 6 }, (_, i) => DISTRIBUTIONS.uniform(5000, random(i)));
    const kept: Run[] = [];
    for (const [i, records] of chunks.entries()) {
      const sorted = await order(on, join(records));
      const stays = await sorted.keep();
      // Each run keeps a buffer for a chunk, of 53,248 bytes.
      expect(stays !== null).toBe(i < 4);
      if (stays !== null) kept.push(stays);
      else same(await emitted(sorted), records);
    }
    kept[1].release();
    const again = await (await order(on, join(chunks[4]))).keep();
    expect(again).not.toBeNull();
    expect(await (await order(on, join(chunks[5]))).keep()).toBeNull();
    const firsts = [kept[0], kept[2], kept[3], again!].map((run) => ({ run, from: run.begin, to: { byte: 9 } }));
    expect((await emitted(...(await on.merge(firsts, 0)))).length).toBe(4 * 9);
  });

  it('keep only as much memory as their text needs', async () => {
    const on = await start(byLines(), { chunkBytes: 50_000, residentBytes: 60_000 });
    for (let i = 0; i < 50; i++)
      expect(await (await order(on, Buffer.from('b\na\n'.repeat(250)))).keep()).not.toBeNull();
  });
});
