/**
 * The engine contract for collated lines: runs answer like a linear scan, threads report errors, segments sort
 * separately.
 */
import { expect, it } from 'vitest';
import type { Engine, Position } from '../../../src/contract/engine.js';
import { createCollateEngine } from '../../../src/engines/collate/engine.js';
import type { Ordering } from '../../../src/job/ordering.js';
import { compareRecords } from '../../../src/keys/compare.js';
import { lineRun } from '../../../src/runs/large.js';
import { partition, wholeRun } from '../../../src/runs/partition.js';
import { TemporaryStore } from '../../../src/runs/store.js';
import { runOf, silent } from '../../support/jobs.js';
import { positionsOf } from '../../support/records.js';
import { expected, KINDS, written } from '../../support/segments.js';
import { sampled } from '../../support/tier.js';
import { join, orderingOf, referenceSort, textLines } from './support.js';

const start = (ordering: Ordering, chunkBytes: number, workers = 0): Promise<Engine> =>
  createCollateEngine({ ordering, chunkBytes, rangeBytes: chunkBytes, workers, residentBytes: null, recorder: silent });

it('cuts, samples and partitions runs in the order of the language', async () => {
  const ordering = orderingOf('--locale=sv');
  const engine = await start(ordering, 1 << 20);
  const all = textLines(2, 1500);
  const runs = await Promise.all(
    [0, 500, 700].map((from, i, begins) => runOf(engine, join(all.slice(from, begins[i + 1])))),
  );
  const first = referenceSort(all.slice(0, 500), { locale: 'sv', keys: [(line) => line] });
  const positions = positionsOf(first);
  expect(runs[0].end).toEqual(positions[500]);
  const targets = [3, 77, 300].map((i) => all[i]).sort((a, b) => compareRecords(ordering, a, b));
  const place = (target: Uint8Array, sign: number): Position =>
    positions[first.filter((line) => compareRecords(ordering, line, target) < sign).length];
  expect(await runs[0].cut(positions[0], runs[0].end, targets)).toEqual(
    targets.map((target) => ({ lower: place(target, 0), upper: place(target, 1) })),
  );
  for (const { at, head } of await runs[0].sample(positions[0], runs[0].end, 9))
    expect(Buffer.from(head)).toEqual(first[positions.findIndex(({ byte }) => byte === at.byte)]);

  // Ranges have no common prefix to skip, and each is before the next.
  const ranges: Uint8Array[][] = [];
  for await (const { slices, commonPrefix } of partition(runs.map(wholeRun), ordering, {
    wanted: 1000,
    most: 2000,
    cutsAtOnce: 3,
  })) {
    expect(commonPrefix).toBe(0);
    expect(slices.reduce((sum, { from, to }) => sum + to.byte - from.byte, 0)).toBeLessThanOrEqual(2000);
    const [sorted] = await engine.merge(slices, commonPrefix);
    const blocks: Buffer[] = [];
    await sorted!.emit(async (block) => {
      blocks.push(Buffer.from(block));
    });
    ranges.push(blocks);
  }
  // Samples compare by language, so ranges have about the wanted size, except the first and the last.
  expect(ranges.length).toBeGreaterThan(5);
  for (const range of ranges.slice(1, -1)) expect(Math.abs(Buffer.concat(range).length - 1000)).toBeLessThan(500);
  expect(Buffer.concat(ranges.flat()).equals(join(referenceSort(all, { locale: 'sv', keys: [(line) => line] })))).toBe(
    true,
  );
  await engine.close();
});

it('reports errors of the calling thread and of workers', async () => {
  for (const workers of [0, 1]) {
    const engine = await start(orderingOf('--locale=de'), 1000, workers);
    const chunk = await engine.openChunk();
    (await chunk.openPiece(0)).bytes.set(Buffer.from('b\na'));
    await expect(engine.order(chunk, 3)).rejects.toThrow('whole records');
    await engine.close();
  }
});

it('turns a line larger than a chunk into a run', async () => {
  const store = new TemporaryStore([Buffer.from(process.env.GPUSORT_TEST_TMP ?? '/tmp')]);
  const bytes = Buffer.from('äö'.repeat(3_000_000));
  const run = await lineRun(
    {
      bytes: bytes.length,
      readAt: async (byte, target) => {
        target.set(bytes.subarray(byte, byte + target.length));
      },
    },
    orderingOf('--locale=de'),
    store,
  );
  expect(run.end.byte).toBe(bytes.length + 1);
  expect(bytes.equals(await run.record(run.begin))).toBe(true);
  store.close();
});

const ORDERS = ['-s', '-r', '-u'];
const SEGMENTED = KINDS.flatMap((kind, i) => ORDERS.map((order) => ({ i, order, kind })));
it.each(sampled(SEGMENTED, { count: Infinity, seed: 1, values: ({ i, order }) => [i, order] }))(
  'sorts segments one by one: kind $i, $order',
  async ({ order, kind: [segments, make, nameOf] }) => {
    const ordering: Ordering = { ...orderingOf('--locale=de', order), segments };
    for (let seed = 0; seed < 4; seed++) {
      const records = make(40 + seed, 300).map((line) =>
        Buffer.from(line.toString('latin1').replaceAll('4', 'ä').replaceAll('2', 'Ä')),
      );
      for (const chunkBytes of [40, 300, 1 << 16]) {
        const engine = await start(ordering, chunkBytes);
        expect((await written(engine, records, ordering, true)).toString('latin1')).toBe(
          expected(records, nameOf, ordering).toString('latin1'),
        );
        await engine.close();
      }
    }
  },
);
