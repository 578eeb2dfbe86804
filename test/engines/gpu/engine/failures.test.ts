/** Failures of the GPU engine: writes, reads and devices that fail, too little memory, kernels that do not compile. */
import { afterEach, expect, it } from 'vitest';
import type { Engine } from '../../../../src/contract/engine.js';
import { adapterBlocks, listAdapters, requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { type Gpu, openGpu } from '../../../../src/engines/gpu/device/device.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { describeGpu } from '../../../setup/gpu.js';
import { collector, runOf } from '../../../support/jobs.js';
import { randomBelow } from '../../../support/random.js';
import { join, plainRun, sortedRecords } from '../../../support/records.js';
import { withMemory } from '../device/wrapped.js';
import { engineOn, keptRuns, orderText } from '../engines.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describeGpu('the GPU engine', () => {
  const gpu = useGpu();
  const next = randomBelow(4);
  let engine: Engine | undefined;
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
  });
  const lines = (n: number, length: () => number): Buffer[] => randomRecords(n, length, next, 5);

  /** Sorts records, and expects the result. */
  async function expectSorted(records: readonly Buffer[], results = orderText(engine!, join(records))): Promise<void> {
    const { write, bytes } = collector();
    for (const sorted of await results) await sorted.emit(write);
    expect(bytes().equals(join(sortedRecords(records)))).toBe(true);
  }

  it('continues after a failed write, a failed read and an abandoned chunk', async () => {
    engine = engineOn(gpu(), { pieceBytes: 4096 }, HOST_SORT, { blockBytes: 1024 });
    const records = lines(2000, () => next(20));
    const [sorted] = await orderText(engine, join(records));
    const fails = async (): Promise<never> => {
      throw new Error('full');
    };
    await expect(sorted!.emit(fails)).rejects.toThrow('full');
    const bad = { ...plainRun(records), readAt: () => Promise.reject(new Error('gone')) };
    await expect(engine.merge([wholeRun(bad), wholeRun(bad)], 0)).rejects.toThrow('gone');
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    chunk.release();
    piece.commit(10);
    await expectSorted(records);
  });

  it('keeps runs until memory is exhausted, and still sorts', async () => {
    const small: Gpu = { ...gpu(), device: withMemory(gpu().device, () => 1_200_000) };
    engine = engineOn(small, { chunkBytes: 65536 }, HOST_SORT);
    let kept = 0;
    for (let i = 0; i < 20; i++) {
      const records = lines(3000, () => 19);
      const [sorted] = await orderText(engine, join(records));
      if ((await sorted!.keep()) !== null) kept++;
      else await expectSorted(records, Promise.resolve([sorted!]));
    }
    expect(kept).toBeGreaterThan(2);
    expect(kept).toBeLessThan(18);
  });

  it('reports too little memory for a chunk', async () => {
    const tiny: Gpu = { ...gpu(), device: withMemory(gpu().device, () => 100_000) };
    engine = engineOn(tiny, { chunkBytes: 65536, pieceBytes: 16384 }, HOST_SORT);
    const text = join(lines(3000, () => 19));
    await expect(orderText(engine, text)).rejects.toMatchObject({ code: 'out-of-device-memory' });
  });

  it('ends with an error when the device is lost', async () => {
    const own = await openGpu(await requestAdapter());
    engine = engineOn(own, {}, HOST_SORT);
    const [run] = await keptRuns(engine, join(lines(100, () => 9)));
    const [sorted] = await orderText(engine, join(lines(3000, () => 9)));
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    own.device.destroy();
    await sleep(50);
    piece.commit(10);
    const lost = { code: 'device-lost' };
    await expect(engine.order(chunk, 10)).rejects.toMatchObject(lost);
    await expect(sorted!.emit(async () => {})).rejects.toMatchObject(lost);
    await expect(run.sample(run.begin, run.end, 3)).rejects.toMatchObject(lost);
    await expect(engine.merge([wholeRun(run), wholeRun(run)], 0)).rejects.toMatchObject(lost);
  });

  it('compiles merge kernels from the second chunk on, without delaying a chunk', async () => {
    const loaded: string[] = [];
    let mergesReady = (): void => {};
    const merges = new Promise<void>((resolve) => {
      mergesReady = resolve;
    });
    engine = engineOn(
      gpu(),
      {},
      {
        load: async () => {
          loaded.push('sort');
        },
        loadMerge: () => {
          loaded.push('merge');
          return merges;
        },
        order: HOST_SORT.order,
      },
    );
    expect(loaded).toEqual(['sort']);
    const runs = [await runOf(engine, Buffer.from('b\na\n'))];
    expect(loaded).toEqual(['sort']);
    runs.push(await runOf(engine, Buffer.from('d\nc\n')));
    expect(loaded).toEqual(['sort', 'merge']);
    let isOver = false;
    const merged = engine.merge(runs.map(wholeRun), 0).then((results) => {
      isOver = true;
      return results;
    });
    await sleep(50);
    expect(isOver).toBe(false);
    mergesReady();
    for (const sorted of await merged) sorted.release();
    for (const run of runs) run.release();
  });

  it('compiles merge kernels for a single chunk that needs them, and reports a failure to the merge', async () => {
    engine = engineOn(
      gpu(),
      {},
      {
        load: () => Promise.resolve(),
        loadMerge: () => Promise.reject(new Error('no such kernel')),
        order: HOST_SORT.order,
      },
    );
    const run = await runOf(engine, Buffer.from('b\na\n'));
    await expect(engine.merge([wholeRun(run)], 0)).rejects.toThrow('no such kernel');
    run.release();
  });
});

describeGpu('--adapters', () => {
  it('describes this adapter', async () => {
    const list = await listAdapters();
    expect(list).toMatchObject({ isUsable: true, problem: null });
    const [first] = adapterBlocks(list);
    expect(first.split('\n')[0]).toBe(list.adapters[0].name);
    expect(first).toMatch(/^.+\n {2}vendor: +\S.*\n {2}driver: .*\n {2}kind: +(software|hardware)/);
    expect(first).toMatch(/binding: +[\d.]+ [MG]iB at most\n/);
  });
});
