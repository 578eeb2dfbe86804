/** Counting: tables hold what a Map would, and an engine that counts writes what one that sorts does. */
import { existsSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BlockWriter, Engine, Sorted } from '../../../src/contract/engine.js';
import { Repeater } from '../../../src/engines/cpu/counting/repeater.js';
import { CountTable, expanded, type TableContent, unitedTable } from '../../../src/engines/cpu/counting/table.js';
import type { createCpuEngine } from '../../../src/engines/cpu/engine.js';
import { copyIn, layOut } from '../../../src/engines/cpu/kernels.js';
import type { CpuEngineOptions } from '../../../src/engines/cpu/options.js';
import type { ChunkReader } from '../../../src/input/chunks.js';
import { orderChunks } from '../../../src/input/order-chunks.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { finish } from '../../../src/system/resumable.js';
import { collector, silent } from '../../support/jobs.js';
import { byLines } from '../../support/orderings.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { join, sortedRecords } from '../../support/records.js';
import { kernelsFor } from './support.js';

/** `count` records of `kinds` kinds, of 0 to `bytes` bytes. */
function repeated(count: number, kinds: number, bytes: number, seed = kinds): Buffer[] {
  const below = randomBelow(seed);
  const list = Array.from({ length: kinds }, (_, kind) => Buffer.from(`${kind}`.padEnd(below(bytes + 1), 'ab')));
  return Array.from({ length: count }, () => list[Math.min(below(kinds), below(kinds))]);
}

/** A new table that counts lines until it is full. */
function tableOf(records: readonly Buffer[], limits: { entries: number; bytes: number }, seed?: number) {
  const kernels = kernelsFor(byLines());
  if (seed !== undefined) kernels.setSeed(seed, 0);
  const table = new CountTable(kernels, limits);
  const text = join(records);
  const [place] = layOut(kernels, [text.length], table.free);
  copyIn(kernels, text, place);
  return { kernels, table, counted: finish(table.count(place, place + text.length)) - place };
}

/** The lines of a text that a function writes into targets of `room` bytes. */
function filled(fill: (target: Uint8Array) => number, room: number): string[] {
  const parts: Buffer[] = [];
  for (;;) {
    const target = Buffer.alloc(room);
    const bytes = fill(target);
    if (bytes === 0) return Buffer.concat(parts).toString('latin1').split('\n').slice(0, -1);
    parts.push(target.subarray(0, bytes));
  }
}

const counts = (records: readonly Buffer[]): Map<string, number> => {
  const map = new Map<string, number>();
  for (const record of records) map.set(record.toString('latin1'), (map.get(record.toString('latin1')) ?? 0) + 1);
  return map;
};
/** The lines of a table's content and their counts. */
function listed({ text, counts: numbers }: TableContent): [string, number][] {
  const lines = Buffer.from(text).toString('latin1').split('\n').slice(0, -1);
  return lines.map((line, i) => [line, Number(new BigUint64Array(numbers)[i])]);
}

const LARGE = { entries: 2 ** 16, bytes: 1 << 22 };

property(
  'a table holds each distinct record and its count, in the order of their first occurrences',
  [fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(0, 3, 40, 700)],
  (kinds, bytes) => {
    const records = repeated(20_000, kinds, bytes);
    const { table, counted } = tableOf(records, { ...LARGE, bytes: 1 << 24 });
    expect(counted).toBe(join(records).length);
    const contents = finish(table.take());
    const found = contents.flatMap(listed);
    expect(found).toEqual([...counts(records)]);
    expect(filled(table.distinct(10), 1000)).toEqual(found.map(([line]) => line));
    expect(filled(expanded(kernelsFor(byLines()), contents, 800), 1700)).toEqual(
      found.flatMap(([line, count]) => Array(count).fill(line)),
    );
  },
  { runs: 16 },
);

const bytesOf = (records: readonly Buffer[]): number => join(records).length;
const numbered = (count: number): Buffer[] => Array.from({ length: count }, (_, i) => Buffer.from(`record ${i}`));

it.each([
  ['half of the table', { entries: 64, bytes: 1 << 20 }],
  ['the room for text', { entries: 1024, bytes: bytesOf(numbered(32)) }],
])('a table stops at the first record for which there is no place in %s', (_, limits) => {
  const some = numbered(32);
  const { counted } = tableOf([...some, ...some, ...numbered(33), ...some], limits);
  expect(counted).toBe(3 * bytesOf(some));
});

/** The hash of a record of up to 8 bytes with its delimiter, as in kernels/wasm/cpu/repeats.ts. */
function hashOf(record: string): bigint {
  const mix = (value: bigint): bigint => {
    const product = BigInt.asUintN(64, value * 0x9e3779b97f4a7c15n);
    return product ^ (product >> 32n);
  };
  const bytes = Buffer.alloc(8);
  bytes.write(`${record}\n`);
  return mix(mix(BigInt(record.length + 1) ^ bytes.readBigUInt64LE()));
}

it('a table stops if the hashes of too many records are equal, because it would be slow', () => {
  const entries = 1024;
  const alike = Array.from({ length: 400_000 }, (_, i) => `${i}`).filter(
    (record) => (hashOf(record) & BigInt(entries - 1)) === 5n,
  );
  const records = alike.slice(0, 300).map((record) => Buffer.from(record));
  expect(records).toHaveLength(300);
  expect(tableOf(records, { entries, bytes: 1 << 20 }, 0).counted).toBe(bytesOf(records.slice(0, 257)));
});

it('a table adds the counts of others', () => {
  const [a, b] = [repeated(3000, 500, 30, 1), repeated(4000, 800, 30, 2)];
  const contents = [a, b].flatMap((records) => finish(tableOf(records, LARGE).table.take()));
  const [united] = finish(finish(unitedTable(kernelsFor(byLines()), contents)).take());
  expect(new Map(listed(united))).toEqual(counts([...a, ...b]));
});

property(
  'tables with one seed put equal records into the same part',
  [fc.constantFrom(2, 4, 64), fc.integer({ min: 1, max: 3000 }), fc.constantFrom(0, 20, 500), fc.integer({ min: 0 })],
  (parts, kinds, bytes, seed) => {
    const tables = [1, 2].map((salt) => {
      const records = repeated(3000, kinds, bytes, salt);
      return { records, taken: finish(tableOf(records, { ...LARGE, bytes: 1 << 24 }, seed).table.take(parts)) };
    });
    const partOf = new Map<string, number>();
    for (const { records, taken } of tables) {
      expect(taken).toHaveLength(parts);
      expect(new Map(taken.flatMap(listed))).toEqual(counts(records));
      for (const [part, content] of taken.entries())
        for (const [line] of listed(content)) {
          expect(partOf.get(line) ?? part).toBe(part);
          partOf.set(line, part);
        }
    }
    // Half of them or fewer in one part, if there are many.
    const sizes = Array.from({ length: parts }, (_, part) => [...partOf.values()].filter((one) => one === part).length);
    if (partOf.size > 500) expect(Math.max(...sizes)).toBeLessThan(0.6 * partOf.size);
  },
  { runs: 15 },
);

/** Workers run compiled code. */
const BUILT = new URL('../../../dist/engines/cpu/engine.js', import.meta.url);

async function engineOf(ordering: Ordering, options: Partial<CpuEngineOptions>): Promise<Engine> {
  expect(existsSync(BUILT), 'run npm run build first').toBe(true);
  const { createCpuEngine: create } = (await import(BUILT.href)) as { createCpuEngine: typeof createCpuEngine };
  const chunkBytes = 4000;
  const counting = { entries: 2 ** 11, bytes: 1 << 16 };
  return create({
    ordering,
    chunkBytes,
    rangeBytes: 1 << 16,
    workers: 0,
    residentBytes: null,
    recorder: silent,
    counting,
    ...options,
  });
}

/** Sorts chunks of records as a sort does. Returns the text, and whether counts were written. */
async function sorted(engine: Engine, records: readonly Buffer[]): Promise<{ text: Buffer; isRepeated: boolean }> {
  const text = join(records);
  let at = 0;
  const portion = async (): ReturnType<ChunkReader['portion']> => {
    if (at === text.length) return null;
    const most = Math.min(engine.chunkBytes, engine.portionBytes?.() ?? engine.chunkBytes);
    const bytes = text.subarray(at, at + most).lastIndexOf(10) + 1;
    const chunk = await engine.openChunk(bytes);
    chunk.bytes!.set(text.subarray(at, at + bytes));
    at += bytes;
    return { kind: 'chunk', chunk, bytes, filled: Promise.resolve(), place: null };
  };
  const results: Sorted[] = [];
  const { bytes, repeats } = await orderChunks(
    engine,
    { portion } as unknown as ChunkReader,
    { verification: null, recorder: silent },
    {
      take: async (one) => {
        results.push(one as Sorted);
      },
      takeLarge: async () => expect.unreachable(),
    },
  );
  expect(bytes).toBe(text.length);
  const runs = await Promise.all(results.map(async (one) => wholeRun((await one.keep())!)));
  const out = collector();
  const repeating = repeats?.written(out.write);
  // Small blocks, which split records.
  const write: BlockWriter = async (block) => {
    for (let from = 0; from < block.length; from += 1001)
      await (repeating?.write ?? out.write)(block.subarray(from, from + 1001));
  };
  for (const merged of runs.length === 0 ? [] : await engine.merge(runs, 0)) await merged.emit(write);
  await repeating?.finish();
  return { text: out.bytes(), isRepeated: repeating !== undefined };
}

it.each([
  ['as bytes', byLines()],
  ['in reverse', byLines({ reverse: true })],
  ['under -u', byLines({ unique: true })],
])('an engine that counts sorts %s, in threads too', async (_, ordering) => {
  for (const options of [{ workers: 0 }, { workers: 2 }, { workers: 1, helps: true }]) {
    const engine = await engineOf(ordering, options);
    try {
      const records = repeated(10_000, 300, 50);
      const { text, isRepeated } = await sorted(engine, records);
      expect(text.equals(join(sortedRecords(records, ordering)))).toBe(true);
      expect(isRepeated).toBe(!ordering.unique);
    } finally {
      await engine.close();
    }
  }
});

it('threads unite large tables by parts', async () => {
  const engine = await engineOf(byLines(), {
    workers: 5,
    chunkBytes: 1 << 16,
    counting: { entries: 2 ** 17, bytes: 1 << 22 },
  });
  try {
    const records = repeated(200_000, 40_000, 12);
    const { text, isRepeated } = await sorted(engine, records);
    expect(isRepeated).toBe(true);
    expect(text.equals(join(sortedRecords(records, byLines())))).toBe(true);
  } finally {
    await engine.close();
  }
});

const COUNTED = repeated(5000, 100, 30);
const DISTINCT = Array.from({ length: 12_000 }, (_, i) => Buffer.from(`distinct ${(i * 7919) % 12_007}`));

it.each([
  ['a few others follow', true, [...COUNTED, ...COUNTED, ...DISTINCT.slice(0, 3000)]],
  ['many others follow', false, [...COUNTED, ...DISTINCT]],
  ['others come first', false, [...DISTINCT, ...COUNTED]],
  ['all are distinct', false, DISTINCT],
])('what was counted is sorted with the rest if %s', async (_, repeats, records) => {
  for (const ordering of [byLines(), byLines({ unique: true })])
    for (const options of ordering.unique ? [{ workers: 0 }] : [{ workers: 0 }, { workers: 2 }]) {
      const engine = await engineOf(ordering, options);
      try {
        const { text, isRepeated } = await sorted(engine, records);
        expect(text.equals(join(sortedRecords(records, ordering)))).toBe(true);
        expect(isRepeated).toBe(repeats && !ordering.unique);
      } finally {
        await engine.close();
      }
    }
});

it('a step of the output repeats records among others, however blocks split them', async () => {
  // The end of a long record looks like a counted one, if its beginning is forgotten.
  const counted = [...COUNTED, ...Array.from({ length: 5 }, () => Buffer.alloc(998, 'y'))];
  const long = [Buffer.from('x'.repeat(8002) + 'y'.repeat(998)), Buffer.alloc(9000, 'w')];
  const others = [
    Buffer.from('xy'),
    ...COUNTED.slice(0, 50),
    ...DISTINCT.slice(0, 100),
    ...long,
    Buffer.alloc(3999, 'z'),
  ];
  const distinct = [...new Set(counted.map(String))].map((text) => Buffer.from(text));
  const merged = join([...distinct, ...others].sort(Buffer.compare));
  const expected = join([...counted, ...others].sort(Buffer.compare));
  for (const blockBytes of [1, 7, 3000, 10_000, 1 << 20]) {
    const out = collector();
    const { kernels, table } = tableOf(counted, LARGE);
    const form = { delimiter: 10, most: 4000, bytes: expected.length };
    const repeater = new Repeater(kernels, table.free, form, out.write);
    for (let at = 0; at < merged.length; at += blockBytes) await repeater.write(merged.subarray(at, at + blockBytes));
    await repeater.finish();
    expect(out.bytes().equals(expected)).toBe(true);
  }
});
