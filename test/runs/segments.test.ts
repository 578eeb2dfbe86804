/** Segments that chunks share: what is written equals each segment sorted by itself, however the text is cut. */
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/values.js';
import type { Engine } from '../../src/engine.js';
import type { Ordering, Segments } from '../../src/job.js';
import { RunKeeper } from '../../src/runs/keep.js';
import { SegmentWriter } from '../../src/runs/segments.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { collector, smallEngine } from '../support/jobs.js';
import { random, randomBelow } from '../support/random.js';
import { join, LINES, sortedRecords } from '../support/records.js';

const text = (lines: readonly string[]): Buffer[] => lines.map((line) => Buffer.from(line));
const BLANK: Segments = { kind: 'blank' };
const FIRST_FIELD: Segments = { kind: 'fields', span: parseFieldSpan('1,1', '-k', 32) };

/** The records of each segment sorted; `nameOf` tells its segment, null: alone. */
function expected(records: readonly Buffer[], nameOf: (record: string) => string | null, ordering: Ordering): Buffer {
  const segments: Buffer[][] = [];
  let name: string | null = null;
  records.forEach((record, i) => {
    const next = nameOf(record.toString('latin1'));
    if (i === 0 || name === null || next !== name) segments.push([]);
    segments.at(-1)!.push(record);
    name = next;
  });
  return join(segments.flatMap((segment) => sortedRecords(segment, ordering)), ordering);
}

/** Gives `records` to an engine in chunks of at most `chunkBytes`; longer ones are large. */
async function written(engine: Engine, records: readonly Buffer[], ordering: Ordering, bounded: boolean): Promise<Buffer> {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const out = collector();
  const writer = new SegmentWriter(engine, ordering, ordering.segments!, new RunKeeper(engine, ordering, store, bounded), out.write);
  let chunk: Buffer[] = [];
  let size = 0;
  const order = async (): Promise<void> => {
    if (chunk.length === 0) return;
    const bytes = join(chunk, ordering);
    const memory = await engine.openChunk();
    const piece = await memory.openPiece(0);
    piece.bytes.set(bytes);
    piece.commit(bytes.length);
    for (const sorted of await engine.order(memory, bytes.length)) await writer.add(sorted);
    [chunk, size] = [[], 0];
  };
  for (const record of records) {
    if (size + record.length + 1 > engine.chunkBytes) await order();
    if (record.length + 1 > engine.chunkBytes) {
      await writer.addLarge({ bytes: record.length, readAt: async (byte, target) => { target.set(record.subarray(byte, byte + target.length)); } });
    } else {
      chunk.push(record);
      size += record.length + 1;
    }
  }
  await order();
  await writer.finish();
  store.close();
  return out.bytes();
}

/** Lines in segments of all lengths, with blank ones between. */
function blankParted(seed: number, count: number): Buffer[] {
  const next = random(seed);
  const below = randomBelow(seed + 1);
  const parting = next() * next();
  return text(Array.from({ length: count }, () => (next() < parting ? ['', ' ', '\t', '\r', ' \r'][below(5)]! : `${'x'.repeat(below(3))}${below(50)}`)));
}

/** Lines whose first fields repeat for a while. */
function keyed(seed: number, count: number): Buffer[] {
  const next = random(seed);
  const below = randomBelow(seed + 1);
  const change = next() * next();
  let key = 0;
  return text(Array.from({ length: count }, () => { if (next() < change) key = below(3); return `${'k'.repeat(key)} ${below(40)}`; }));
}

const ORDERS: readonly Ordering[] = [LINES, { ...LINES, reverse: true }, { ...LINES, unique: true, lastResort: false }];

describe('segments over chunks', () => {
  it.each([20, 64, 300, 4096])('chunks of %d bytes', async (chunkBytes) => {
    for (const [k, order] of ORDERS.entries()) {
      for (const [segments, make, nameOf] of [
        [BLANK, blankParted, (line: string) => (/^[ \t\r]*$/.test(line) ? null : 'text')],
        [FIRST_FIELD, keyed, (line: string) => line.split(' ')[0]!],
      ] as const) {
        const ordering: Ordering = { ...order, segments };
        const engine = await smallEngine(ordering, chunkBytes);
        for (let seed = 0; seed < 20; seed++) {
          const records = make(1000 * k + seed, 1 + seed * 9);
          expect((await written(engine, records, ordering, seed % 2 === 0)).toString(), `seed ${seed}`).toBe(expected(records, nameOf, ordering).toString());
        }
        await engine.close();
      }
    }
  });

  it('takes records larger than a chunk into their segments', async () => {
    const long = (first: string, size: number): string => `${first} ${'z'.repeat(size)}`;
    const lines = ['a 2', long('a', 90), 'a 1', long('b', 100), long('b', 80), 'b 5', 'a 1', long('c', 100)];
    for (const order of ORDERS) {
      const ordering: Ordering = { ...order, segments: FIRST_FIELD };
      const engine = await smallEngine(ordering, 64);
      expect((await written(engine, text(lines), ordering, false)).toString()).toBe(expected(text(lines), (line) => line.split(' ')[0]!, ordering).toString());
      await engine.close();
    }
  });
});

describe('segments in one chunk of the CPU engine, over its tiles', () => {
  it.each([0.0001, 0.001, 0.5])('segments that end with probability %d a line', async (change) => {
    // 9 MB: three tiles of 4 MiB.
    const next = random(Math.round(1 / change));
    let key = 0;
    const records = text(Array.from({ length: 75_000 }, () => { if (next() < change) key++; return `${key} ${Math.floor(next() * 1e14)} ${'.'.repeat(100)}`; }));
    for (const unique of [false, true]) {
      const ordering: Ordering = { ...LINES, unique, lastResort: !unique, segments: FIRST_FIELD };
      const engine = await smallEngine(ordering, 16 << 20);
      expect((await written(engine, records, ordering, false)).equals(expected(records, (line) => line.split(' ')[0]!, ordering))).toBe(true);
      await engine.close();
    }
  });
});
