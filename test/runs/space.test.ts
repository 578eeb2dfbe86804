/** The temporary store reuses released space, so any number of segments can pass through it. */
import { mkdtempSync, readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCpuEngine } from '../../src/engines/cpu/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import type { Blob } from '../../src/runs/blob.js';
import { RunKeeper } from '../../src/runs/keep.js';
import { SegmentWriter } from '../../src/runs/segments.js';
import { type Extent, Space } from '../../src/runs/spill-file.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { collector, SMALL_WINDOWS, silent } from '../support/jobs.js';
import { randomBelow } from '../support/random.js';
import { LINES } from '../support/records.js';
import { FIRST_FIELD } from '../support/segments.js';
import { spilledFiles } from '../support/spilled.js';

let directory = '';
let store: TemporaryStore;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(process.env.GPUSORT_TEST_TMP ?? tmpdir(), 'space-')));
  store = new TemporaryStore([Buffer.from(directory)]);
});
afterEach(() => {
  store.close();
  expect(readdirSync(directory)).toEqual([]);
  rmSync(directory, { recursive: true });
});

const spilled = (): number[] => spilledFiles(directory).map(({ bytes }) => bytes);

it('reuses space in one file for blobs of all sizes', async () => {
  const below = randomBelow(4);
  const held: { blob: Blob; content: Buffer }[] = [];
  for (let i = 0; i < 2000; i++) {
    const content = Buffer.alloc(below(100), i);
    const writer = store.create(content.length);
    await writer.write(content);
    held.push({ blob: await writer.finish(), content });
    if (held.length < 10) continue;
    const { blob, content: expected } = held.splice(below(held.length), 1)[0];
    const found = Buffer.alloc(expected.length);
    await blob.readAt(0, found);
    expect(found.equals(expected)).toBe(true);
    blob.release();
  }
  // Of the 100,000 bytes, at most 1,000 were held at the same time.
  expect(spilled()[0]).toBeLessThan(3000);
});

it('never hands out overlapping extents, and fills gaps', () => {
  const below = randomBelow(6);
  const space = new Space();
  const held: Extent[][] = [];
  let [live, most, end] = [0, 0, 0];
  const bytesOf = (extents: readonly Extent[]): number =>
    extents.reduce((sum, extent) => sum + extent.end - extent.begin, 0);
  for (let i = 0; i < 4000; i++) {
    const bytes = 1 + below(i % 3 === 0 ? 40 << 20 : 3 << 20);
    const taken = space.take(bytes);
    expect(bytesOf(taken)).toBe(bytes);
    for (const extent of taken) {
      expect(held.flat().some((other) => other.begin < extent.end && extent.begin < other.end)).toBe(false);
      end = Math.max(end, extent.end);
    }
    held.push(taken);
    live += bytes;
    most = Math.max(most, live);
    if (held.length < 12) continue;
    for (const extent of held.splice(below(held.length), 1)[0]) {
      space.give(extent);
      live -= extent.end - extent.begin;
    }
  }
  // At most 1 MiB is wasted between two extents, and there are never more than a few dozen extents.
  expect(end).toBeLessThan(most + (64 << 20));
  // After everything is released, all space from the first byte on is free again.
  for (const extent of held.flat()) space.give(extent);
  expect(space.take(1e12)).toEqual([{ begin: 0, end: 1e12 }]);
});

it('stores thousands of blobs in one file per directory', async () => {
  const others = [mkdtempSync(join(directory, 'a-')), mkdtempSync(join(directory, 'b-'))];
  const spread = new TemporaryStore(others.map((name) => Buffer.from(name)));
  const before = readdirSync('/proc/self/fd').length;
  const writers = Array.from({ length: 3000 }, (_, i) => spread.create(i % 3 === 0 ? 90 : null));
  // Blobs of unknown size grow side by side.
  for (let round = 0; round < 3; round++)
    for (const [i, writer] of writers.entries()) await writer.write(Buffer.alloc(30, i + round));
  const blobs = await Promise.all(writers.map((writer) => writer.finish()));
  expect(readdirSync('/proc/self/fd').length - before).toBe(2);
  for (const name of others) expect(spilledFiles(name)).toMatchObject([{ bytes: 135_000 }]);
  for (const [i, blob] of blobs.entries()) {
    const content = Buffer.alloc(90);
    await blob.readAt(0, content);
    expect(content.equals(Buffer.concat([0, 1, 2].map((round) => Buffer.alloc(30, i + round))))).toBe(true);
  }
  spread.close();
  for (const name of others) rmdirSync(name);
});

it('keeps temporary files small for many stored segments and large records', async () => {
  const ordering: Ordering = { ...LINES, segments: FIRST_FIELD };
  const engine = await createCpuEngine({
    ordering,
    chunkBytes: 64,
    rangeBytes: 64,
    workers: 0,
    residentBytes: 0,
    recorder: silent,
  });
  const out = collector();
  const writer = new SegmentWriter(
    engine,
    ordering,
    new RunKeeper(engine, ordering, store, { bounded: true, windows: SMALL_WINDOWS }),
    out.write,
  );
  const add = async (lines: string): Promise<void> => {
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    piece.bytes.set(Buffer.from(lines));
    piece.commit(lines.length);
    for (const sorted of await engine.order(chunk, lines.length)) await writer.add(sorted);
  };
  const expected: string[] = [];
  for (let i = 0; i < 100; i++) {
    const large = `${i} ${'x'.repeat(80)}`;
    // A segment begins at the end of one chunk, fills a second, has a large record, and ends in a third.
    await add(`${i} d\n${i} b\n`);
    const blob = store.create(null);
    await blob.write(Buffer.from(large));
    await writer.addLarge(await blob.finish());
    await add(`${i} c\n${i} a\n${i + 1} e\n`);
    expected.push(`${i} a`, `${i} b`, `${i} c`, `${i} d`, ...(i === 0 ? [] : [`${i} e`]), large);
    expect(spilled()).toHaveLength(1);
  }
  expect(spilled()[0]).toBeLessThan(400);
  await writer.finish();
  expect(out.bytes().toString()).toBe([...expected, '100 e', ''].join('\n'));
  await engine.close();
});
