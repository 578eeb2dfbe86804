/** Lines that are too long for a merge are written from their runs, and the engine never gets them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decorated } from '../../src/contract/decorated.js';
import type { Engine, KeptRun, RecordForm, Slice } from '../../src/contract/engine.js';
import type { Ordering } from '../../src/job/ordering.js';
import { combine, steps } from '../../src/runs/combine.js';
import { withLongLines } from '../../src/runs/long-lines.js';
import { wholeRun } from '../../src/runs/partition.js';
import { TemporaryStore } from '../../src/runs/store.js';
import { storeRun } from '../../src/runs/stored-run.js';
import { collector, runOf, smallEngine } from '../support/jobs.js';
import { byNumber } from '../support/keyed.js';
import { byLines } from '../support/orderings.js';

let store: TemporaryStore;
beforeEach(() => {
  store = new TemporaryStore([]);
  store.allowMemory(Infinity);
});
afterEach(() => {
  store.close();
});

/** Stored runs of the lines of each text. */
async function storedRuns(texts: readonly string[], ordering: Ordering): Promise<Slice[]> {
  const engine = await smallEngine(ordering, 100_000);
  const slices: Slice[] = [];
  for (const text of texts) {
    const [sorted] = await engine.merge([wholeRun(await runOf(engine, Buffer.from(text)))], 0, 'run');
    slices.push(wholeRun(await storeRun(store, sorted!, ordering)));
  }
  await engine.close();
  return slices;
}

/** An engine for merges of few bytes, which shows the slices that it got. */
async function watchedEngine(ordering: Ordering): Promise<{ engine: Engine; got: Slice<KeptRun>[] }> {
  const small = await smallEngine(ordering, 400);
  const got: Slice<KeptRun>[] = [];
  const watched = decorated(small, {
    merge: (slices, ...rest) => {
      got.push(...slices);
      return small.merge(slices, ...rest);
    },
  });
  return { engine: withLongLines(watched, ordering), got };
}

const bytesOf = ({ from, to }: Slice<KeptRun>): number => to.byte - from.byte;

/** Merges runs of the texts, which hold lines that are too long for a merge. */
async function merged(texts: readonly string[], ordering: Ordering, form: RecordForm = 'plain'): Promise<string> {
  const slices = await storedRuns(texts, ordering);
  const { engine, got } = await watchedEngine(ordering);
  const out = collector();
  await combine(steps(engine, slices, [], ordering), { engine, ordering, write: out.write, unneeded: null }, { form });
  for (const slice of got) expect(bytesOf(slice)).toBeLessThanOrEqual(engine.mergeBytes);
  await engine.close();
  return out.bytes().toString('latin1');
}

const LONG = 'x'.repeat(5000);
const UNIQUE = { unique: true, lastResort: false } as const;

it('writes a long line between those that are merged', async () => {
  const lines = `1 ${LONG}\n2 a\n3 ${LONG}\n4\n5 b\n6 ${LONG}y\n`;
  expect(await merged([`1 ${LONG}\n4\n`, `2 a\n6 ${LONG}y\n`, `3 ${LONG}\n5 b\n`], byLines())).toBe(lines);
  expect(await merged([`3 ${LONG}\n5 b\n`, `1 ${LONG}\n4\n`, `2 a\n6 ${LONG}y\n`], byNumber())).toBe(lines);
  expect(await merged([`1 ${LONG}\n4\n`, `2 a\n6 ${LONG}y\n3 ${LONG}\n5 b\n`], byNumber(), 'newlines')).toBe(lines);
});

it.each([
  ['plain', '\0'],
  ['newlines', '\n'],
] as const)('ends a long line in the form %s like those that are merged', async (form, end) => {
  const ordering = byNumber({ format: { kind: 'lines', delimiter: 0 } });
  const texts = ['1\0', `2 ${LONG}\0`, '3\0'];
  expect(await merged(texts, ordering, form)).toBe(`1${end}2 ${LONG}${end}3${end}`);
});

it.each([byLines(UNIQUE), byNumber(UNIQUE)])('writes the first of equal long lines under -u', async (ordering) => {
  const texts = [`1\n2 ${LONG}\n`, `2 ${LONG}\n3\n`, `0\n2 ${LONG}\n`];
  expect(await merged(texts, ordering)).toBe(`0\n1\n2 ${LONG}\n3\n`);
});

it.each([
  ['one slice of several lines', [`1 ${LONG}\n2\n`], byLines()],
  ['long lines with different keys', [`2 ${LONG}\n`, `1 ${LONG}\n`], byLines(UNIQUE)],
  ['equal long lines that are all written', [`1 ${LONG}\n`, `1 ${LONG}\n`], byLines()],
])('leaves to the engine: %s', async (_, texts, ordering) => {
  const slices = await storedRuns(texts, ordering);
  const { engine, got } = await watchedEngine(ordering);
  const results = await engine.merge(slices, 0);
  expect(got).toEqual(slices);
  for (const result of results) result.release();
  await engine.close();
});
