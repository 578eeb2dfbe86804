/** Existing order: what the kernels detect, and that the result is that of a stable sort. */
import { describe, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/cpu/engine.js';
import {
  type CpuKernels,
  compileKernels,
  copyIn,
  INDEX_STEP,
  ITEM_BYTES,
  layOut,
  NATURAL,
  openKernels,
} from '../../src/cpu/kernels.js';
import { shapeOf } from '../../src/cpu/shape.js';
import { TILE_BYTES } from '../../src/cpu/tiles.js';
import type { Ordering } from '../../src/job.js';
import { compareRecords } from '../../src/keys/compare.js';
import { runOf, silent, sortChunk } from '../support/jobs.js';
import { ORDERS } from '../support/orders.js';
import { randomBelow } from '../support/random.js';
import { join, positionsOf, sortedRecords } from '../support/records.js';
import { byFixed, byLines, sortInPlace } from './support.js';

const module = compileKernels();
const ORDERINGS: readonly (readonly [string, Ordering])[] = [
  ['lines', byLines()],
  ['lines, -z', byLines({ format: { kind: 'lines', delimiter: 0 } })],
  ['lines, -r', byLines({ reverse: true })],
  ['lines, -u', byLines({ unique: true, lastResort: false })],
  ['lines, -ru', byLines({ reverse: true, unique: true, lastResort: false })],
  ['records', byFixed(12, null)],
  ['records by a key', byFixed(12, [0, 4])],
  ['records by a key, -r', byFixed(12, [0, 4], { reverse: true })],
  ['records by a key, -s', byFixed(12, [0, 4], { lastResort: false })],
  ['records by a key, -rs', byFixed(12, [0, 4], { lastResort: false, reverse: true })],
  ['records by a key, -u', byFixed(12, [0, 4], { lastResort: false, unique: true })],
];

/**
 * Records with one of `keys` keys of 4 digits, then 8 digits. If there are few keys, a line ends after at most one of
 * the 8 digits. Keys are ordered like their numbers.
 */
function recordsBy({ format }: Ordering, count: number, keys: number, seed: number): Buffer[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => {
    const text = `${String(below(keys)).padStart(4, '0')}${String(below(1e8)).padStart(8, '0')}`;
    return Buffer.from(format.kind === 'fixed' || keys > 100 ? text : text.slice(0, 4 + below(2)));
  });
}

/** The place of every INDEX_STEP-th record. */
const indexOf = (records: readonly Buffer[], ordering: Ordering): Uint32Array =>
  Uint32Array.from(
    positionsOf(records, ordering)
      .slice(0, records.length)
      .filter((_, i) => i % INDEX_STEP === 0),
    ({ byte }) => byte,
  );

/** Checks the sorted text and its index against a reference; returns the natural order that the sort detected. */
function expectSorted(kernels: CpuKernels, ordering: Ordering, records: readonly Buffer[]): string | undefined {
  const text = join(records, ordering);
  const sorted = sortedRecords(records, ordering);
  const expected = join(sorted, ordering);
  const { natural, ...outcome } = sortInPlace(kernels, shapeOf(ordering), text);
  expect(text.subarray(0, expected.length).equals(expected)).toBe(true);
  expect(outcome).toEqual({ bytes: expected.length, records: sorted.length, index: indexOf(sorted, ordering) });
  return natural;
}

describe.each(ORDERINGS)('%s', (_, ordering) => {
  it.each(Object.keys(ORDERS))('sorts a text: %s', (order) => {
    const kernels = openKernels(module, shapeOf(ordering));
    const below = randomBelow(1);
    for (const count of [1, 2, 3, 15, 16, 17, 33, 500])
      for (const keys of [1, 3, 40, 10_000]) {
        const ascending = sortedRecords(recordsBy(ordering, count, keys, count + keys), { ...ordering, unique: false });
        const natural = expectSorted(kernels, ordering, ORDERS[order](ascending, below));
        const distinct = ascending.every(
          (record, i) => i === 0 || compareRecords(ordering, ascending[i - 1], record) < 0,
        );
        if (order === 'in order' && (distinct || !ordering.unique)) expect(natural).toBe('in order');
        if (order === 'in reverse' && distinct && count > 1) expect(natural).toBe('in reverse');
      }
  });

  it('sorts texts of several tiles, with equal records across tiles', () => {
    // Enough bytes for three tiles. The smallest records of each ordering would take too long.
    const size = ordering.format.kind === 'fixed' ? 2048 : 0;
    const large: Ordering =
      size > 0
        ? {
            ...ordering,
            format: { kind: 'fixed', size },
            key: ordering.key.kind === 'record' ? ordering.key : { kind: 'bytes', offset: 0, length: 4 },
          }
        : ordering;
    const kernels = openKernels(module, shapeOf(large));
    const below = randomBelow(2);
    for (const keys of [2, 3000]) {
      const records = recordsBy(byFixed(12, null), Math.ceil((2.6 * TILE_BYTES) / 2048), keys, keys).map((record) =>
        size > 0
          ? Buffer.concat([record, Buffer.alloc(size - record.length, 'x')])
          : Buffer.concat([record.subarray(0, keys < 100 ? 4 : 12), Buffer.alloc(2036, 'x')]),
      );
      const ascending = sortedRecords(records, { ...large, unique: false });
      for (const [order, rearrange] of Object.entries(ORDERS)) {
        const natural = expectSorted(kernels, large, rearrange(ascending, below));
        if (order === 'in order' && !ordering.unique) expect(natural).toBe('in order');
        if (order === 'in reverse' && !ordering.unique && keys > 100 && ordering.lastResort)
          expect(natural).toBe('in reverse');
      }
    }
  });

  it.each(Object.keys(ORDERS))('detects the order of a tile: %s', (order) => {
    const kernels = openKernels(module, shapeOf(ordering));
    for (const count of [1, 2, 9, 60])
      for (const keys of [1, 4, 10_000]) {
        const records = ORDERS[order](
          sortedRecords(recordsBy(ordering, count, keys, count), { ...ordering, unique: false }),
          randomBelow(3),
        );
        const text = join(records, ordering);
        const [source, items] = layOut(kernels, [text.length, count * ITEM_BYTES]) as [number, number];
        copyIn(kernels, text, source);
        kernels.readRecords(source, source + text.length, items, count);
        let found: number = NATURAL.rising;
        for (let at = 0; at < count && found !== 0; at += 7) found = kernels.notice(items, at, Math.min(count, at + 7));
        const signs = records.slice(1).map((record, i) => compareRecords(ordering, records[i], record));
        const expected =
          (signs.some((sign) => sign > 0) ? 0 : NATURAL.rising) +
          (signs.some((sign) => sign < 0) ? 0 : NATURAL.falling);
        expect(found & (NATURAL.rising | NATURAL.falling)).toBe(expected);
        if (expected === 0) {
          // No record was dropped, so the sort can start from these items.
          const words = new Uint32Array(kernels.memory.buffer, items, (count * ITEM_BYTES) / 4);
          expect(records.map((_record, i) => words[4 * i + 2] - source)).toEqual(
            positionsOf(records, ordering)
              .slice(0, count)
              .map(({ byte }) => byte),
          );
        } else expect((found & NATURAL.equals) !== 0).toBe(signs.includes(0));
      }
  });
});

describe('a chunk in order', () => {
  it('becomes a run without a copy', async () => {
    const engine = await createCpuEngine({
      ordering: byLines(),
      chunkBytes: 1000,
      rangeBytes: 1000,
      workers: 0,
      residentBytes: null,
      recorder: silent,
    });
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    piece.bytes.set(Buffer.from('a\nb\nb\nc\n'.padEnd(1000, '\n')));
    // If the chunk were copied back, these bytes would appear again.
    const order = sortChunk(engine, chunk, 8);
    const [sorted] = await order;
    const run = (await sorted!.keep())!;
    expect((run as unknown as { buffer: SharedArrayBuffer }).buffer).toBe(piece.bytes.buffer);
    expect(run.ends!({ index: 0, byte: 0 }, run.end)).toEqual({ first: Buffer.from('a'), last: Buffer.from('c') });
    await engine.close();
  });

  it('is counted in the notes of --stats', async () => {
    const notes: string[] = [];
    const engine = await createCpuEngine({
      ordering: byLines(),
      chunkBytes: 1000,
      rangeBytes: 1000,
      workers: 0,
      residentBytes: null,
      recorder: {
        ...silent,
        note: (note) => {
          notes.push(note);
        },
      },
    });
    for (const text of ['a\nb\nb\n', 'a\nc\nb\n', 'c\nb\na\n', 'c\nd\n', 'e\n']) await runOf(engine, Buffer.from(text));
    await engine.close();
    expect(notes).toEqual([
      '3 of 5 chunks were already in order, and were not sorted',
      '1 of 5 chunks were already in reverse, and were not sorted',
    ]);
  });
});
