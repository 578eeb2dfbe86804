/** The CPU engine's side of the contract (order, runs, cuts, merge), in the calling thread and with workers. */
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/cpu/engine.js';
import type { Engine, Run, Slice, Sorted } from '../../src/engine.js';
import { SAMPLE_BYTES } from '../../src/engine.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { silent, sortChunk } from '../support/jobs.js';
import { random } from '../support/random.js';
import { join, plainRun, sortedRecords } from '../support/records.js';
import { byFixed, byLines, DISTRIBUTIONS, fixedRecords } from './support.js';

const first = { index: 0, byte: 0 };
/** Workers run compiled code, so build first. */
const built = new URL('../../dist/cpu/engine.js', import.meta.url);

let engine: Engine | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

async function start(
  ordering: Ordering,
  workers = 0,
  helps = false,
  chunkBytes = 1 << 20,
  residentBytes: number | null = null,
): Promise<Engine> {
  if (workers > 0) expect(existsSync(built), 'run npm run build first').toBe(true);
  const create =
    workers === 0
      ? createCpuEngine
      : ((await import(built.href)) as { createCpuEngine: typeof createCpuEngine }).createCpuEngine;
  return (engine = await create({
    ordering,
    chunkBytes,
    rangeBytes: chunkBytes,
    workers,
    helps,
    residentBytes,
    recorder: silent,
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

async function emitted(sorted: Sorted): Promise<Buffer> {
  const blocks: Buffer[] = [];
  await sorted.emit(async (block) => {
    blocks.push(Buffer.from(block));
  });
  return Buffer.concat(blocks);
}

/** All results of a merge, concatenated. */
const allOf = async (results: readonly Sorted[]): Promise<Buffer> => {
  const texts: Buffer[] = [];
  for (const sorted of results) texts.push(await emitted(sorted));
  return Buffer.concat(texts);
};
const recordsIn = (results: readonly Sorted[]): number => results.reduce((sum, { records }) => sum + records, 0);

const run = async (on: Engine, ordering: Ordering, records: readonly Buffer[]): Promise<Run> =>
  (await (await order(on, join(records, ordering))).keep())!;
const whole = (of: Run): Slice => ({ run: of, from: first, to: of.end });

describe.each([
  [0, false, 1],
  [2, false, 3],
  [1, true, 6],
])('with %i workers, calling thread helps: %s', (workers, helps, lanes) => {
  it('sorts, keeps, cuts and merges to the same bytes as a plain sort', async () => {
    for (const ordering of [byLines(), byLines({ reverse: true }), byLines({ unique: true, lastResort: false })]) {
      const on = await start(ordering, workers, helps);
      expect(on.lanes).toBe(lanes);
      for (const [name, make] of Object.entries(DISTRIBUTIONS)) {
        const records = make(1200, random(11));
        const runs = await Promise.all(
          [0, 100, 700].map((from, i) => run(on, ordering, records.slice(from, [100, 700, 1200][i]))),
        );
        const middle = [sortedRecords(records, ordering)[400] ?? records[0]];
        const cuts = await Promise.all(runs.map((each) => each.cut(first, each.end, middle)));
        const lower = await on.merge(
          runs.map((each, i) => ({ run: each, from: first, to: cuts[i][0].lower })),
          0,
        );
        const upper = await on.merge(
          runs.map((each, i) => ({ run: each, from: cuts[i][0].lower, to: each.end })),
          0,
        );
        const expected = sortedRecords(records, ordering);
        expect(recordsIn([...lower, ...upper]), name).toBe(expected.length);
        const bytes = await allOf([...lower, ...upper]);
        expect(bytes.equals(join(expected, ordering)), name).toBe(true);
        for (const each of runs) each.release();
      }
      await on.close();
    }
  });

  it('sorts several chunks at once', async () => {
    const on = await start(byLines(), workers, helps);
    const inputs = Array.from({ length: 9 }, (_, i) => DISTRIBUTIONS.lengths(300 + i, random(i)));
    const sorted = await Promise.all(inputs.map((records) => order(on, join(records))));
    for (const [i, each] of sorted.entries()) {
      expect((await emitted(each)).equals(join(sortedRecords(inputs[i])))).toBe(true);
    }
  });

  it('rejects, and does not hang, when a task fails', async () => {
    const on = await start(byLines(), workers, helps);
    const chunk = await on.openChunk();
    (await chunk.openPiece(0)).bytes.set(Buffer.from('b\na'));
    await expect(on.order(chunk, 3)).rejects.toThrow('whole records');
    const broken = {
      ...plainRun([Buffer.from('a')]),
      readAt: async () => {
        throw new Error('gone');
      },
    };
    await expect(on.merge([whole(broken), whole(broken)], 0)).rejects.toThrow('gone');
    expect((await emitted(await order(on, Buffer.from('b\na\n')))).toString()).toBe('a\nb\n');
    await on.close();
    await expect(order(on, Buffer.from('b\na\n'))).rejects.toThrow('closed');
  });
});

describe('merge', () => {
  const orderings: [string, Ordering, number][] = [
    ['lines', byLines(), 0],
    ['lines, reverse', byLines({ reverse: true }), 0],
    ['lines, unique', byLines({ unique: true, lastResort: false }), 0],
    ['fixed records, stable', byFixed(20, [2, 9], { lastResort: false }), 20],
    ['fixed records, last resort, reverse', byFixed(20, [2, 9], { reverse: true }), 20],
  ];
  for (const [name, ordering, size] of orderings) {
    it(`combines 0 to 64 resident and stored slices of uneven lengths: ${name}`, async () => {
      const on = await start(ordering);
      for (const count of [0, 1, 2, 3, 7, 64])
        for (const distribution of ['uniform', 'zero', 'sixteen', 'urls', 'prefixes', 'nuls', 'lengths', 'sorted']) {
          const next = random(count + 13);
          const all = DISTRIBUTIONS[distribution](count * 40, next);
          const records = size > 0 ? fixedRecords(all, size, true) : all;
          const slices: Slice[] = [];
          const expected: Buffer[] = [];
          for (let i = 0, at = 0; i < count; i++) {
            const length =
              i === count - 1
                ? records.length - at
                : Math.floor(next() * (i % 5 === 0 ? 100 : 40)) % (records.length - at + 1);
            const part = sortedRecords(records.slice(at, at + length), ordering);
            at += length;
            const stored = plainRun(part, ordering);
            const from = Math.min(part.length, i % 3);
            const positions = { from: stored.positions[from], to: stored.end };
            slices.push(
              i % 2 === 0 ? { run: stored, ...positions } : { run: await run(on, ordering, part), ...positions },
            );
            expected.push(...part.slice(from));
          }
          const sorted = sortedRecords(expected, ordering);
          let shared = 0;
          if (distribution === 'urls' && size === 0) shared = 20;
          const merged = await on.merge(slices, shared);
          expect(recordsIn(merged), `${distribution} ${count}`).toBe(sorted.length);
          expect((await allOf(merged)).equals(join(sorted, ordering)), `${distribution} ${count}`).toBe(true);
        }
    });
  }

  it('skips a common prefix that reaches from the key into the record', async () => {
    const next = random(3);
    const records = Array.from({ length: 600 }, () =>
      Buffer.from(`aa${Array.from({ length: 4 }, () => 'ab'[Math.floor(next() * 2)]).join('')}k`),
    );
    for (const reverse of [false, true]) {
      const ordering = byFixed(7, [6, 1], { reverse });
      const on = await start(ordering);
      const runs = await Promise.all([0, 200, 400].map((from) => run(on, ordering, records.slice(from, from + 200))));
      // The slices share 'k', 'aa': ordered bytes are the key's, then the record's.
      const [merged] = await on.merge(runs.map(whole), 3);
      expect((await emitted(merged)).equals(join(sortedRecords(records, ordering), ordering))).toBe(true);
      await on.close();
    }
  });

  it('keeps its result as a run', async () => {
    const on = await start(byLines());
    const records = DISTRIBUTIONS.lengths(1000, random(17));
    const parts = await Promise.all([
      run(on, byLines(), records.slice(0, 400)),
      run(on, byLines(), records.slice(400)),
    ]);
    const merged = (await (await on.merge(parts.map(whole), 0))[0].keep())!;
    const expected = sortedRecords(records);
    expect(merged.end).toEqual({ index: 1000, byte: join(records).length });
    const [bounds] = await merged.cut(first, merged.end, [expected[777]]);
    expect(Buffer.from(await merged.record(bounds.lower)).equals(expected[777])).toBe(true);
  });

  it('passes a single slice on without a copy, and does not keep it again', async () => {
    const on = await start(byLines());
    const records = DISTRIBUTIONS.lengths(1000, random(17));
    const resident = await run(on, byLines(), records);
    const stored = plainRun(sortedRecords(records));
    for (const each of [resident, stored]) {
      const [single] = await on.merge([whole(each)], 0);
      expect(single.borrowed).toBe(true);
      expect(await single.keep()).toBeNull();
      expect((await emitted(single)).equals(join(sortedRecords(records)))).toBe(true);
    }
  });
});

describe('runs', () => {
  it('stay within the memory limit, and text that is not kept can still be written', async () => {
    const on = await start(byLines(), 0, false, 50_000, 210_000);
    const texts = Array.from({ length: 6 }, (_, i) => join(DISTRIBUTIONS.uniform(5000, random(i))));
    const kept: Run[] = [];
    for (const [i, text] of texts.entries()) {
      const sorted = await order(on, text);
      const stays = await sorted.keep();
      // Each run keeps a chunk of 50 kB and an index of 1.25 kB.
      expect(stays !== null).toBe(i < 4);
      if (stays !== null) kept.push(stays);
      else
        expect((await emitted(sorted)).equals(join(sortedRecords(DISTRIBUTIONS.uniform(5000, random(i)))))).toBe(true);
    }
    kept[1].release();
    const again = await (await order(on, texts[4])).keep();
    expect(again).not.toBeNull();
    expect(await (await order(on, texts[5])).keep()).toBeNull();
    const all = [kept[0], kept[2], kept[3], again!];
    expect(
      recordsIn(
        await on.merge(
          all.map((each) => ({ run: each, from: first, to: { ...each.end, byte: 9, index: 1 } })),
          0,
        ),
      ),
    ).toBe(4);
  });

  it('keep only as much memory as their text needs', async () => {
    const on = await start(byLines(), 0, false, 50_000, 60_000);
    for (let i = 0; i < 50; i++)
      expect(await (await order(on, Buffer.from('b\na\n'.repeat(250)))).keep()).not.toBeNull();
  });

  const cases: [string, Ordering, Buffer[]][] = Object.entries(DISTRIBUTIONS).map(([name, make]) => [
    name,
    byLines(),
    make(700, random(19)),
  ]);
  cases.push(['reverse', byLines({ reverse: true }), DISTRIBUTIONS.zipf(700, random(20))]);
  cases.push([
    'fixed, stable',
    byFixed(20, [2, 3], { lastResort: false }),
    fixedRecords(DISTRIBUTIONS.uniform(700, random(21)), 20, true),
  ]);
  cases.push([
    'fixed, last resort',
    byFixed(20, [2, 3]),
    fixedRecords(DISTRIBUTIONS.uniform(700, random(22)), 20, true),
  ]);

  it.each(cases)('answer cut, record and sample like a linear scan: %s', async (_, ordering, records) => {
    const on = await start(ordering);
    const kept = await run(on, ordering, records);
    const sorted = sortedRecords(records, ordering);
    const { positions } = plainRun(sorted, ordering);
    expect(kept.end).toEqual(positions[700]);
    const next = random(23);
    for (let round = 0; round < 25; round++) {
      const [a, b] = [Math.floor(next() * 701), Math.floor(next() * 701)].sort((x, y) => x - y);
      const [from, to] = [positions[a], positions[b]];
      const targets = sortedRecords(
        [records[round], records[699 - round], Buffer.alloc(records[0].length), Buffer.alloc(20, 255)],
        ordering,
      );
      const bounds = await kept.cut(from, to, targets);
      const place = (target: Buffer, sign: number): number => {
        let i = a;
        while (i < b && compareRecords(ordering, sorted[i], target) < sign) i++;
        return i;
      };
      expect(bounds).toEqual(
        targets.map((target) => ({ lower: positions[place(target, 0)], upper: positions[place(target, 1)] })),
      );

      const count = 1 + Math.floor(next() * 9);
      const samples = await kept.sample(from, to, count);
      expect(samples.length).toBeLessThanOrEqual(count);
      if (a === b) expect(samples).toEqual([]);
      else if (b === a + 1) expect(samples.map(({ at }) => at)).toEqual([from]);
      else expect(samples.length).toBeGreaterThan(0);
      let last = b === a + 1 ? a - 1 : a;
      for (const { at, head, bytes } of samples) {
        expect(at.index).toBeGreaterThan(last);
        expect(at.index).toBeLessThan(b);
        expect(at).toEqual(positions[at.index]);
        const record = sorted[at.index];
        expect(bytes).toBe(record.length);
        expect(Buffer.from(await kept.record(at)).equals(record)).toBe(true);
        const key = ordering.key.kind === 'bytes' ? record.subarray(2, 5) : record;
        expect(Buffer.from(head.subarray(0, key.length)).equals(key.subarray(0, SAMPLE_BYTES))).toBe(true);
        last = at.index;
      }
      // With records much smaller than a share, there are as many samples as requested, spread evenly by bytes.
      if (b - a > 400 && records.every((record) => record.length === records[0].length))
        expect(samples.length).toBe(count);
    }
  });
});
