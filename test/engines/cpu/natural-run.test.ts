/** Existing order is detected by the kernels; the result is that of a stable sort. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/contract/engine.js';
import { createCpuEngine } from '../../../src/engines/cpu/engine.js';
import { copyIn, ITEM_BYTES, layOut, NATURAL } from '../../../src/engines/cpu/kernels.js';
import { TILE_BYTES } from '../../../src/engines/cpu/tiles.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { compareRecords } from '../../../src/keys/compare.js';
import { seedFor, seeds } from '../../support/distributions.js';
import { runOf, silent, sortChunk } from '../../support/jobs.js';
import { byLines, ORDERINGS, sizeOf } from '../../support/orderings.js';
import { ORDERS } from '../../support/orders.js';
import { property } from '../../support/property.js';
import { randomBelow } from '../../support/random.js';
import { join, sortedRecords } from '../../support/records.js';
import { sampled } from '../../support/tier.js';
import { expectSorted, kernelsFor, placesOf } from './support.js';

const ORDER_NAMES = Object.keys(ORDERS);
const KEYS = [1, 3, 40, 10_000];
const drawn = (counts: readonly number[]) => [fc.constantFrom(...counts), fc.constantFrom(...KEYS), seeds] as const;

/**
 * Records in one of the ORDERS, with one of `keys` keys of 5 digits after two bytes, then 6 digits. If there are few
 * keys, a line ends after at most one of these digits. Keys are ordered like their numbers.
 */
function recordsIn(ordering: Ordering, order: string, count: number, keys: number, seed: number): Buffer[] {
  const below = randomBelow(seed);
  const size = sizeOf(ordering);
  const records = Array.from({ length: count }, () => {
    const text = `__${String(below(keys)).padStart(5, '0')}${String(below(1e6)).padStart(6, '0')}`;
    return Buffer.from(size > 0 ? text.padEnd(size, 'x') : keys > 100 ? text : text.slice(0, 7 + below(2)));
  });
  return ORDERS[order](sortedRecords(records, { ...ordering, unique: false }), below);
}

describe.each(ORDERINGS)('%s', (by, ordering) => {
  const kernels = kernelsFor(ordering);
  const isSet = (records: readonly Buffer[]): boolean =>
    records.every((record, i) => i === 0 || compareRecords(ordering, records[i - 1], record) !== 0);

  property(
    'sorts a text, and detects its order',
    [fc.constantFrom(...ORDER_NAMES), ...drawn([1, 2, 3, 15, 16, 17, 33, 500])],
    (order, count, keys, seed) => {
      const records = recordsIn(ordering, order, count, keys, seed);
      const natural = expectSorted(kernels, ordering, records);
      if (order === 'in order' && (isSet(records) || !ordering.unique)) expect(natural).toBe('in order');
      if (order === 'in reverse' && isSet(records) && count > 1) expect(natural).toBe('in reverse');
    },
    { runs: 100, seed: seedFor(by) },
  );

  property(
    'detects the order of a tile',
    [fc.constantFrom(...ORDER_NAMES), ...drawn([1, 2, 9, 60])],
    (order, count, keys, seed) => {
      const records = recordsIn(ordering, order, count, keys, seed);
      const text = join(records, ordering);
      const [source, items] = layOut(kernels, [text.length, count * ITEM_BYTES]) as [number, number];
      copyIn(kernels, text, source);
      kernels.readRecords(source, source + text.length, items, count);
      let found: number = NATURAL.rising;
      for (let at = 0; at < count && found !== 0; at += 7) found = kernels.notice(items, at, Math.min(count, at + 7));
      const signs = records.slice(1).map((record, i) => compareRecords(ordering, records[i], record));
      const expected =
        (signs.some((sign) => sign > 0) ? 0 : NATURAL.rising) + (signs.some((sign) => sign < 0) ? 0 : NATURAL.falling);
      expect(found & (NATURAL.rising | NATURAL.falling)).toBe(expected);
      if (expected !== 0) expect((found & NATURAL.equals) !== 0).toBe(signs.includes(0));
      else {
        // No record was dropped, so the sort can start from these items.
        const words = new Uint32Array(kernels.memory.buffer, items, (count * ITEM_BYTES) / 4);
        expect(records.map((_record, i) => words[4 * i + 2] - source)).toEqual(placesOf(records, ordering));
      }
    },
    { runs: 50, seed: seedFor(by) },
  );
});

/** Bytes of a record of a large text; copies of 16 bytes at a time reach beyond its end. */
const LARGE = 2043;
const LARGE_COUNT = Math.ceil((2.6 * TILE_BYTES) / LARGE);

/** Texts of three tiles. The smallest records of each ordering would take too long. */
const TILE_CASES = ORDERINGS.flatMap(([by, ordering]) =>
  [2, 3000].flatMap((keys) => ORDER_NAMES.map((order) => ({ by, ordering, keys, order }))),
);

describe('texts of several tiles, with equal records across tiles, are sorted', () => {
  it.each(
    sampled(TILE_CASES, {
      count: TILE_CASES.length / 2,
      seed: 1,
      values: ({ by, ordering, keys, order }) => [by, `${keys} ${order}`, `${ordering.unique} ${order}`],
    }),
  )('$by, $keys keys, $order', ({ ordering, keys, order }) => {
    const isFixed = sizeOf(ordering) > 0;
    const large: Ordering = isFixed ? { ...ordering, format: { kind: 'fixed', size: LARGE } } : ordering;
    const records = recordsIn(large, order, LARGE_COUNT, keys, keys).map((record) =>
      isFixed ? record : Buffer.concat([record.subarray(0, keys < 100 ? 7 : 13), Buffer.alloc(LARGE - 14, 'x')]),
    );
    const natural = expectSorted(kernelsFor(large), large, records);
    if (order === 'in order' && !ordering.unique) expect(natural).toBe('in order');
    if (order === 'in reverse' && !ordering.unique && keys > 100 && ordering.lastResort)
      expect(natural).toBe('in reverse');
  });
});

/** Lines that are distinct except for two neighbors near the end of the first of three tiles. */
const BORDERS = [-1, 0, 1].flatMap((place) =>
  ['in order', 'in reverse'].map((order) => ({ place: Math.round(LARGE_COUNT / 3) + place, order })),
);

it.each(BORDERS)(
  'keeps one of two equal records under -u if a tile ends between them: $order, $place',
  ({ place, order }) => {
    const ordering = byLines({ unique: true, lastResort: false });
    const line = (i: number): Buffer =>
      Buffer.from(
        String(i)
          .padStart(8, '0')
          .padEnd(LARGE - 1, 'x'),
      );
    const records = Array.from({ length: LARGE_COUNT }, (_, i) => line(i));
    if (order === 'in reverse') records.reverse();
    records[place] = records[place - 1];
    expectSorted(kernelsFor(ordering), ordering, records);
  },
);

it('gathers reversed short lines, of which a tile holds a limited number', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => Buffer.from((i >> 2).toString(36).padStart(3, '0')));
  expect(expectSorted(kernelsFor(byLines()), byLines(), lines.reverse())).toBe('in reverse');
});

describe('a chunk in order', () => {
  const start = (notes: string[] = []): Promise<Engine> =>
    createCpuEngine({
      ordering: byLines(),
      chunkBytes: 1000,
      rangeBytes: 1000,
      workers: 0,
      residentBytes: null,
      recorder: { ...silent, note: (note) => void notes.push(note) },
    });

  it('becomes a run without a copy', async () => {
    const engine = await start();
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    piece.bytes.set(Buffer.from('a\nb\nb\nc\n'.padEnd(1000, '\n')));
    // If the chunk were copied back, these bytes would appear again.
    const order = sortChunk(engine, chunk, 8);
    const [sorted] = await order;
    const run = (await sorted!.keep())!;
    expect((run as unknown as { memory: SharedArrayBuffer }).memory).toBe(piece.bytes.buffer);
    expect(run.ends!(run.begin, run.end)).toEqual({ first: Buffer.from('a'), last: Buffer.from('c') });
    await engine.close();
  });

  it('is counted in the notes of --stats', async () => {
    const notes: string[] = [];
    const engine = await start(notes);
    for (const text of ['a\nb\nb\n', 'a\nc\nb\n', 'c\nb\na\n', 'c\nd\n', 'e\n']) await runOf(engine, Buffer.from(text));
    await engine.close();
    expect(notes).toEqual([
      '3 of 5 chunks were already in order, and were not sorted',
      '1 of 5 chunks were already in reverse, and were not sorted',
    ]);
  });
});
