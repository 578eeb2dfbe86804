/**
 * With a limit, the GPU engine keeps only the first or last records: of chunks sorted in parts, and of merged runs; by
 * each sort.
 */
import { afterEach, expect, it } from 'vitest';
import { algorithmsOn } from '../../../src/algorithm-table.js';
import type { Engine, Run } from '../../../src/engine.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import type { Limit, Ordering } from '../../../src/job.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { describeGpu } from '../../setup/gpu.js';
import { collector, keptRun, silent, sortChunk } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { join, LINES, sortedRecords, split } from '../../support/records.js';
import { randomRecords, useGpu } from '../helpers.js';

const gpu = useGpu();
/** Bindings start at multiples of 256 bytes, so up to 64 more record numbers may be kept. */
const SLACK = 64;
const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };

function wanted<T>(sorted: readonly T[], { count, end }: Limit): T[] {
  return end === 'first' ? sorted.slice(0, count) : sorted.slice(Math.max(0, sorted.length - count));
}

describeGpu('limits', () => {
  let engine: Engine | undefined;
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
  });
  const algorithms = algorithmsOn('gpu', 'lines').filter((name) => name !== 'segmented');

  it.each(
    algorithms.flatMap(
      (name, i) =>
        [
          [name, 'first', i],
          [name, 'last', i],
        ] as const,
    ),
  )('%s keeps the %s records', async (name, end, i) => {
    const next = randomBelow(i);
    const ordering = [LINES, UNIQUE, { ...LINES, reverse: true }, UNIQUE][i % 4];
    for (const [count, mostRecords] of [
      [1, null],
      [64, 500],
      [200, null],
      [5000, 500],
    ] as const) {
      const limit: Limit = { count, end };
      engine = assembleGpuEngine(
        gpu(),
        {
          ordering,
          limit,
          chunkBytes: 1 << 16,
          pieceBytes: 1 << 16,
          rangeBytes: 1 << 16,
          mostRecords,
          residentBytes: null,
          recorder: silent,
        },
        SORT_STAGES[name],
      );
      const chunks = [300, 1200, 700].map((size) => randomRecords(size, () => next(12), next, 3));
      const runs: Run[] = [];
      for (const records of chunks) {
        const text = join(records);
        const chunk = await engine.openChunk(text.length);
        const piece = await chunk.openPiece(0);
        piece.bytes.set(text);
        piece.commit(text.length);
        for (const sorted of await sortChunk(engine, chunk, text.length)) {
          expect(sorted.records).toBeLessThan(count + SLACK);
          runs.push(await keptRun(sorted, ordering));
        }
      }
      const out = collector();
      for (const sorted of await engine.merge(runs.map(wholeRun), 0)) await sorted.emit(out.write);
      const expected = wanted(sortedRecords(chunks.flat(), ordering), limit);
      expect(join(wanted(split(out.bytes()), limit)).toString('latin1'), `${count}`).toBe(
        join(expected).toString('latin1'),
      );
      for (const run of runs) run.release();
      await engine.close();
      engine = undefined;
    }
  });
});
