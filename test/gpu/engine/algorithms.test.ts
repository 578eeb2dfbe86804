/**
 * The table of sorts: each sorts chunks and merges slices. The engine compiles what it needs and waits for nothing
 * else.
 */
import { expect, it } from 'vitest';
import { algorithmsOn } from '../../../src/algorithm-table.js';
import type { Engine } from '../../../src/engine.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import type { SortStage } from '../../../src/gpu/engine/sort-stage.js';
import { describeGpu } from '../../setup/gpu.js';
import { collector, runOf, silent } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { join, LINES, sortedRecords } from '../../support/records.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';

/** The algorithms for lines; of two names for one sort, the first. */
const NAMES = algorithmsOn('gpu', 'lines').filter(
  (name, i, names) => names.findIndex((other) => SORT_STAGES[other] === SORT_STAGES[name]) === i,
);

describeGpu('every sort that the engine can use', () => {
  const gpu = useGpu();
  const engineWith = (stage: SortStage): Engine =>
    assembleGpuEngine(
      gpu(),
      {
        ordering: LINES,
        chunkBytes: 1 << 20,
        pieceBytes: 1 << 16,
        rangeBytes: 1 << 20,
        mostRecords: null,
        residentBytes: null,
        recorder: silent,
      },
      stage,
    );

  it.each(NAMES)('%s sorts chunks, whose runs are merged', async (name) => {
    const next = randomBelow(9);
    const engine = engineWith(SORT_STAGES[name]);
    const parts = [0, 1, 2].map(() => randomRecords(3000, () => next(40), next, 3));
    const runs = [];
    for (const part of parts) runs.push(await runOf(engine, join(part)));
    const { write, bytes } = collector();
    for (const sorted of await engine.merge(
      runs.map((run) => ({ run, from: { index: 0, byte: 0 }, to: run.end })),
      0,
    ))
      await sorted.emit(write);
    for (const run of runs) run.release();
    await engine.close();
    expect(bytes().equals(join(sortedRecords(parts.flat())))).toBe(true);
  });

  it('compiles merge kernels from the second chunk on, without delaying a chunk', async () => {
    const loaded: string[] = [];
    let mergesReady = (): void => {};
    const merges = new Promise<void>((resolve) => {
      mergesReady = resolve;
    });
    const engine = engineWith({
      load: () => {
        loaded.push('sort');
        return Promise.resolve();
      },
      loadMerge: () => {
        loaded.push('merge');
        return merges;
      },
      order: HOST_SORT.order,
    });
    expect(loaded).toEqual(['sort']);
    const runs = [await runOf(engine, Buffer.from('b\na\n'))];
    expect(loaded).toEqual(['sort']);
    runs.push(await runOf(engine, Buffer.from('d\nc\n')));
    expect(loaded).toEqual(['sort', 'merge']);
    const whole = runs.map((run) => ({ run, from: { index: 0, byte: 0 }, to: run.end }));
    let over = false;
    const merged = engine.merge(whole, 0).then((results) => {
      over = true;
      return results;
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect(over).toBe(false);
    mergesReady();
    for (const sorted of await merged) sorted.release();
    for (const run of runs) run.release();
    await engine.close();
  });

  it('compiles merge kernels for a single chunk that needs them, and reports a failure to the merge', async () => {
    const engine = engineWith({
      load: () => Promise.resolve(),
      loadMerge: () => Promise.reject(new Error('no such kernel')),
      order: HOST_SORT.order,
    });
    const run = await runOf(engine, Buffer.from('b\na\n'));
    await expect(engine.merge([{ run, from: { index: 0, byte: 0 }, to: run.end }], 0)).rejects.toThrow(
      'no such kernel',
    );
    run.release();
    await engine.close();
  });
});
