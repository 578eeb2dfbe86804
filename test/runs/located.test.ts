/** Cuts and samples of runs equal those of a linear scan: in shared memory, in host memory, in files, with an index. */
import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position, Run } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { compareRecords } from '../../src/keys/compare.js';
import { SparseIndexBuilder, sampleHead } from '../../src/runs/run-index.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { BlobRun } from '../../src/runs/stored-run.js';
import { TextRun } from '../../src/runs/text-run.js';
import { inputs, recordsOf, seedFor, seeds } from '../support/distributions.js';
import { runOf, smallEngine } from '../support/jobs.js';
import { byLines, ORDERINGS } from '../support/orderings.js';
import { property } from '../support/property.js';
import { random, randomBelow } from '../support/random.js';
import { join, LINES, positionsOf, sortedRecords } from '../support/records.js';

interface Opened {
  readonly run: Run;
  /** The position of each record, and of the end. */
  readonly places: readonly Position[];
  close(): unknown;
}

async function stored(
  records: readonly Buffer[],
  ordering: Ordering,
  memoryBytes: number,
  index?: SparseIndexBuilder,
): Promise<Opened> {
  const text = join(records, ordering);
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  store.allowMemory(memoryBytes);
  const writer = store.create(text.length);
  for (let at = 0; at < text.length; at += 1000) await writer.write(text.subarray(at, at + 1000));
  for (let at = 0, block = 1; at < text.length; at += block) {
    block = 1 + ((block * 7919) % 300_000);
    index?.add(text.subarray(at, at + block));
  }
  return {
    run: new BlobRun(await writer.finish(), ordering, index?.finish()),
    places: positionsOf(records, ordering),
    close: () => store.close(),
  };
}

/** The places where a run of sorted records may lie. */
const KINDS: Readonly<Record<string, (records: readonly Buffer[], ordering: Ordering) => Promise<Opened>>> = {
  'in shared memory': async (records, ordering) => {
    const engine = await smallEngine(ordering, 1 << 23);
    const run = await runOf(engine, join(records, ordering));
    return { run, places: positionsOf(records, ordering), close: () => engine.close() };
  },
  'in host memory': (records, ordering) => stored(records, ordering, Infinity),
  'in a file': (records, ordering) => stored(records, ordering, 0),
  'in a file with an index': (records, ordering) => stored(records, ordering, 0, new SparseIndexBuilder(ordering)),
};

/** The first of the records in [from, to) for which `holds`, else `to`. */
function firstOf(records: readonly Buffer[], from: number, to: number, holds: (record: Buffer) => boolean): number {
  let i = from;
  while (i < to && !holds(records[i])) i++;
  return i;
}

async function expectScans(
  { run, places }: Opened,
  records: readonly Buffer[],
  [from, to]: readonly [number, number],
  targets: readonly Buffer[],
  count: number,
  ordering: Ordering,
): Promise<void> {
  expect(run.end).toEqual(places.at(-1));
  expect(await run.cut(places[from], places[to], targets)).toEqual(
    targets.map((target) => {
      const bound = (sign: number): Position =>
        places[firstOf(records, from, to, (record) => compareRecords(ordering, record, target) >= sign)];
      return { lower: bound(0), upper: bound(1) };
    }),
  );
  const samples = await run.sample(places[from], places[to], count);
  expect(samples.length).toBeLessThanOrEqual(count);
  const numbers = new Map(places.map(({ byte }, i) => [byte, i]));
  // The first record is sampled only if it is the only one.
  let last = to === from + 1 ? from - 1 : from;
  for (const { at, head, bytes } of samples) {
    const i = numbers.get(at.byte)!;
    expect(at).toEqual(places[i]);
    expect(i).toBeGreaterThan(last);
    expect(i).toBeLessThan(to);
    expect(bytes).toBe(records[i].length);
    expect(Buffer.from(head).equals(sampleHead(ordering, records[i]))).toBe(true);
    expect(Buffer.from(await run.record(at)).equals(records[i])).toBe(true);
    last = i;
  }
}

describe.each(ORDERINGS.filter(([, { unique }]) => !unique))('%s', (by, ordering) => {
  describe.each(Object.keys(KINDS))('a run %s', (kind) => {
    property(
      `cuts and samples a run like a linear scan, ${kind}`,
      [inputs([2, 17, 300, 700]), fc.tuple(fc.nat(1000), fc.nat(1000)), fc.array(fc.nat(1000)), fc.nat(9), seeds],
      async (input, ends, targets, count, seed) => {
        const records = sortedRecords(recordsOf(ordering, input), ordering);
        const [from, to] = ends.map((end) => end % (records.length + 1)).sort((a, b) => a - b);
        const others = recordsOf(ordering, { ...input, count: 20, seed });
        const drawn = sortedRecords([...targets.map((i) => records[i % records.length]), ...others], ordering);
        const opened = await KINDS[kind](records, ordering);
        if (to > from) await expectScans(opened, records, [from, to], drawn, 1 + count, ordering);
        else
          expect(await opened.run.cut(opened.places[from], opened.places[from], drawn)).toEqual(
            drawn.map(() => ({ lower: opened.places[from], upper: opened.places[from] })),
          );
        await opened.close();
      },
      { runs: 10, seed: seedFor(by + kind) },
    );
  });
});

it.each(Object.keys(KINDS))(
  'cuts between lines that are prefixes of lines with control characters: %s',
  async (kind) => {
    const records = ['a', 'a\0', 'a\0\0', 'a\x01', 'b'].map((line) => Buffer.from(line));
    const opened = await KINDS[kind](records, LINES);
    await expectScans(opened, records, [0, 5], records, 3, LINES);
    await opened.close();
  },
);

it.each([
  ['newlines', 10],
  ['zeros', 0],
])('finds the ends of lines of all lengths, among bytes that resemble %s', async (_, delimiter) => {
  const below = randomBelow(3);
  const others = [0, 1, 9, 10, 11, 0x80, 0x8a, 0x8b, 0xff].filter((byte) => byte !== delimiter);
  const lines = Array.from({ length: 1200 }, (_, length) =>
    Buffer.from(Array.from({ length }, () => others[below(others.length)])),
  );
  const ordering = byLines({ format: { kind: 'lines', delimiter } });
  // Texts end at each byte of a word.
  for (let last = 0; last < 4; last++) {
    const records = [...lines, Buffer.alloc(last, 'x')];
    const text = join(records, ordering);
    const memory = new SharedArrayBuffer(text.length);
    new Uint8Array(memory).set(text);
    const run = new TextRun(memory, { begin: 0, end: text.length }, ordering);
    const places = positionsOf(records, ordering);
    for (const [i, record] of records.entries())
      expect(record.equals(await run.record(places[i])), `a line of ${record.length} bytes`).toBe(true);
  }
});

describe('a long run', () => {
  /** Lines that share up to a hundred bytes with their neighbors; a few are very long, and many are equal. */
  function longLines(count: number): Buffer[] {
    const [next, below] = [random(5), randomBelow(5)];
    const line = (): Buffer =>
      Buffer.from(`${'p'.repeat(below(3) * 50)}${below(300)}${'x'.repeat(next() < 0.001 ? 200_000 : below(60))}`);
    return Array.from({ length: count }, line);
  }

  it.each([
    ['lines', byLines()],
    ['lines, -r', byLines({ reverse: true })],
  ])('cuts and samples a long run with an index evenly: %s', async (_, ordering) => {
    const records = sortedRecords(longLines(40_000), ordering);
    const opened = await KINDS['in a file with an index'](records, ordering);
    const targets = sortedRecords([...longLines(40_010).slice(40_000), records[0], records.at(-1)!], ordering);
    const ends = [
      [0, 40_000],
      [1234, 30_000],
      [20_000, 20_100],
      [20_000, 20_001],
    ] as const;
    for (const [i, range] of ends.entries()) {
      await expectScans(opened, records, range, targets, [7, 20, 1000, 1][i], ordering);
    }
    // No gap is much larger than an equal share, as far as the index resolves.
    const { run, places } = opened;
    const samples = await run.sample(places[0], run.end, 7);
    const bounds = [0, ...samples.map(({ at }) => at.byte), run.end.byte];
    for (let i = 1; i < bounds.length; i++) expect(bounds[i] - bounds[i - 1]).toBeLessThan(run.end.byte / 2 + 500_000);
    await opened.close();
  });

  it.each([
    ['lines', byLines()],
    ['lines, -r', byLines({ reverse: true })],
  ])('cuts a long run in shared memory, wherever it was cut before: %s', async (_, ordering) => {
    const records = sortedRecords(longLines(5000), ordering);
    const opened = await KINDS['in shared memory'](records, ordering);
    const targets = sortedRecords([...longLines(5100).slice(5000), records[0], records.at(-1)!], ordering);
    const near = records.slice(2000, 2050);
    const ends = [
      [0, 5000],
      [1990, 2100],
      [1000, 4900],
      [2000, 2001],
    ] as const;
    for (const range of ends)
      for (const some of [targets, near, targets.slice(50, 51)])
        await expectScans(opened, records, range, some, 20, ordering);
    await opened.close();
  });

  it('returns as many samples of equally long records in shared memory as requested', async () => {
    const records = sortedRecords(
      Array.from({ length: 700 }, (_, i) => Buffer.from(createHash('md5').update(`${i}`).digest('hex'))),
    );
    const { run, places, close } = await KINDS['in shared memory'](records, LINES);
    for (const count of [1, 5, 9]) expect(await run.sample(places[100], places[600], count)).toHaveLength(count);
    await close();
  });

  it('keeps a bounded number of samples of a long run', () => {
    const text = Buffer.alloc(64 << 20, 'abcdefghijklmnopqrstuvwxyzabcdefghijklm\n');
    const builder = new SparseIndexBuilder(LINES);
    for (let at = 0; at < text.length; at += 300_000) builder.add(text.subarray(at, at + 300_000));
    const index = builder.finish();
    const all = index.spread(0, text.length, Infinity);
    expect(all.length).toBeGreaterThanOrEqual(128);
    expect(all.length).toBeLessThan(256);
    for (const { at, bytes } of all) expect({ at: at.byte % 40, bytes }).toEqual({ at: 0, bytes: 39 });
    expect(index.spread(0, text.length, 10)).toHaveLength(10);
  });

  it('answers concurrent queries on a run like sequential ones', async () => {
    const next = random(9);
    const records = Array.from({ length: 2000 }, (_, i) =>
      Buffer.from(`${String(i).padStart(5, '0')}${'x'.repeat(next() < 0.02 ? 50_000 : Math.floor(next() * 200))}`),
    );
    const { run, places, close } = await KINDS['in a file'](records, LINES);
    const questions = Array.from({ length: 30 }, (_, i) => [
      () => run.cut(places[0], run.end, [records[i * 20], records[1999 - i]]),
      () => run.sample(places[i], run.end, 20),
      () => run.record(places[i * 60]),
    ]).flat();
    const apart: unknown[] = [];
    for (const ask of questions) apart.push(structuredClone(await ask()));
    expect(await Promise.all(questions.map((ask) => ask()))).toEqual(apart);
    await close();
  });
});
