/** Inputs in segments for tests, the expected result of sorting them, and a run of an engine with a SegmentWriter. */
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { Engine } from '../../src/contract/engine.js';
import type { Ordering, SegmentRule } from '../../src/job/ordering.js';
import { isKeyed } from '../../src/keys/keyed.js';
import { RunKeeper } from '../../src/runs/keep.js';
import { keyedLarge } from '../../src/runs/large.js';
import { SegmentWriter } from '../../src/runs/segments.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { collector, largeRecord, SMALL_WINDOWS } from './jobs.js';
import { random, randomBelow } from './random.js';
import { join, LINES, sortedRecords } from './records.js';

export const text = (lines: readonly string[]): Buffer[] => lines.map((line) => Buffer.from(line));
export const BLANK: SegmentRule = { kind: 'blank' };
/** The separator has three bytes. */
export const SECOND_FIELD: SegmentRule = { kind: 'fields', span: parseFieldSpan('2,2', Buffer.from('€')) };
export const FIRST_FIELD: SegmentRule = { kind: 'fields', span: parseFieldSpan('1,1', Buffer.from(' ')) };

/** Sorts each segment. `nameOf` returns the segment's name of a record; null: the record is a segment by itself. */
export function expected(
  records: readonly Buffer[],
  nameOf: (record: string) => string | null,
  ordering: Ordering,
): Buffer {
  const segments: Buffer[][] = [];
  let name: string | null = null;
  records.forEach((record, i) => {
    const next = nameOf(record.toString('latin1'));
    if (i === 0 || name === null || next !== name) segments.push([]);
    segments.at(-1)!.push(record);
    name = next;
  });
  return join(
    segments.flatMap((segment) => sortedRecords(segment, ordering)),
    ordering,
  );
}

/** Sorts `records` with an engine in chunks of at most its `chunkBytes`. Longer records are added as large ones. */
export async function written(
  engine: Engine,
  records: readonly Buffer[],
  ordering: Ordering,
  bounded: boolean,
): Promise<Buffer> {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const out = collector();
  const writer = new SegmentWriter(
    engine,
    ordering,
    new RunKeeper(engine, ordering, store, { bounded, windows: SMALL_WINDOWS }),
    out.write,
    isKeyed(ordering) ? (record, slices) => keyedLarge(record, ordering, store, slices) : null,
  );
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
      await writer.addLarge(largeRecord(record));
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

/** Lines in segments of all lengths, with blank lines between them. */
export function blankParted(seed: number, count: number): Buffer[] {
  const next = random(seed);
  const below = randomBelow(seed + 1);
  const parting = next() * next();
  return text(
    Array.from({ length: count }, () =>
      next() < parting ? ['', ' ', '\t', '\r', ' \r'][below(5)] : `${'x'.repeat(below(3))}${below(50)}`,
    ),
  );
}

/** Lines whose first field repeats over several lines before it changes. */
export function keyed(seed: number, count: number): Buffer[] {
  const next = random(seed);
  const below = randomBelow(seed + 1);
  const change = next() * next();
  let key = 0;
  return text(
    Array.from({ length: count }, () => {
      if (next() < change) key = below(3);
      return `${'k'.repeat(key)} ${below(40)}`;
    }),
  );
}

export const ORDERS: readonly Ordering[] = [
  LINES,
  { ...LINES, reverse: true },
  { ...LINES, unique: true, lastResort: false },
];

/** For each kind of segments: its definition, a generator of inputs, and the name of a line's segment (null: alone). */
export const KINDS: readonly (readonly [
  SegmentRule,
  (seed: number, count: number) => Buffer[],
  (line: string) => string | null,
])[] = [
  [BLANK, blankParted, (line) => (/^[ \t\r]*$/.test(line) ? null : 'text')],
  [FIRST_FIELD, keyed, (line) => line.split(' ')[0]],
  [
    SECOND_FIELD,
    (seed, count) =>
      keyed(seed, count).map((line, i) => Buffer.from(`${'|'.repeat(i % 2)}x€${line.toString().replace(' ', '€')}`)),
    (line) => line.split(Buffer.from('€').toString('latin1'))[1],
  ],
];
