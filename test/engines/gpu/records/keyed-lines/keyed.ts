/**
 * Keyed lines on the GPU engine and in whole jobs, by every sort: numbers by value against Array.sort, in chunks of all
 * sizes, on spilled runs, in segments. test/keys/ tests the keys themselves.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { expect, it } from 'vitest';
import type { Engine, Run, Slice, Sorted } from '../../../../../src/contract/engine.js';
import type { GpuEngineOptions } from '../../../../../src/engines/gpu/engine/options.js';
import { type DeviceAlgorithm, SORT_STAGES } from '../../../../../src/engines/gpu/engine/sorts.js';
import { algorithmsOn } from '../../../../../src/job/algorithm-table.js';
import type { Ordering } from '../../../../../src/job/ordering.js';
import { runJob } from '../../../../../src/run/run-job.js';
import { keyedLarge, lineRun } from '../../../../../src/runs/large.js';
import { wholeRun } from '../../../../../src/runs/partition.js';
import { TemporaryStore } from '../../../../../src/runs/store.js';
import { storeRun } from '../../../../../src/runs/stored-run.js';
import { freshDirectory } from '../../../../battery/runner.js';
import { type JobSettings, job, keptRun, silent } from '../../../../support/jobs.js';
import { byNumber, KEYED_ORDERINGS, numberLines, numericPart, sortedNumbers } from '../../../../support/keyed.js';
import { written } from '../../../../support/segments.js';
import { sampled, tier } from '../../../../support/tier.js';
import { engineBy, engineOn, keptRuns, mergedText, orderText } from '../../engines.js';
import { useGpu } from '../../helpers.js';

const textOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1');
const START = { index: 0, byte: 0 };

/** Registers the tests. */
export function keyedLines(): void {
  const gpu = useGpu();
  const engineFor = (
    ordering: Ordering,
    options: Partial<GpuEngineOptions> = {},
    algorithm: DeviceAlgorithm = 'string-merge',
  ): Engine => engineOn(gpu(), { ordering, ...options }, SORT_STAGES[algorithm]);
  const order = (engine: Engine, lines: readonly string[]): Promise<Sorted[]> => orderText(engine, textOf(lines));
  const merged = async (engine: Engine, slices: readonly Slice[]): Promise<string[]> =>
    (await mergedText(engine, slices)).toString('latin1').split('\n').slice(0, -1);

  /** The runs of three parts of the lines; the second part is tiny. */
  async function runsOf(engine: Engine, lines: readonly string[], ordering: Ordering): Promise<Run[]> {
    const runs: Run[] = [];
    for (const [from, to] of [
      [0, 900],
      [900, 910],
      [910, lines.length],
    ]) {
      for (const sorted of await order(engine, lines.slice(from, to))) runs.push(await keptRun(sorted, ordering));
    }
    return runs;
  }

  /** Every third ordering; other tests take the rest: a software GPU must compile many kernels for each. */
  const some = (i: number): typeof KEYED_ORDERINGS => KEYED_ORDERINGS.filter((_, j) => j % 3 === i % 3);
  const someOf = (i: number): typeof KEYED_ORDERINGS => sampled(some(i), { count: 2, seed: i });

  const cells = algorithmsOn('gpu', 'lines').flatMap((algorithm, i) =>
    some(i).map(([name, ordering], j) => ({ algorithm, name, ordering, deviceKeys: (i + j) % 2 === 0 })),
  );
  // The battery has all algorithms, each of which needs kernels of its own.
  const drawn = sampled(
    cells.filter(({ algorithm }) => tier() !== 'quick' || algorithm === 'radix' || algorithm === 'segmented'),
    { count: cells.length, seed: 1, values: ({ algorithm, deviceKeys }) => [algorithm, deviceKeys] },
  );
  it.each(drawn)(
    'sorted by $algorithm, and merged: $name, keys of the device: $deviceKeys',
    async ({ algorithm, ordering, deviceKeys }) => {
      const lines = numberLines(2500, 5);
      const engine = await engineBy(gpu(), algorithm, { ordering, deviceKeys });
      const runs = await runsOf(engine, lines, ordering);
      expect(await merged(engine, runs.map(wholeRun))).toEqual(sortedNumbers(lines, ordering));
      for (const run of runs) run.release();
      await engine.close();
    },
  );

  it('in several texts, if keys make one too long, and if one sort cannot take all records', async () => {
    const lines = numberLines(700, 6).map((line) => line.slice(0, 3));
    for (const [name, ordering] of someOf(0)) {
      for (const options of [
        { mergeBytes: 1700, chunkBytes: 840 },
        { mergeBytes: 1700, chunkBytes: 840, deviceKeys: true },
        { mostRecords: 100 },
        { mostRecords: 100, deviceKeys: true },
      ]) {
        const engine = engineFor(ordering, options);
        const runs: Run[] = [];
        for (let at = 0; at < lines.length; at += 200) {
          const sorted = await order(engine, lines.slice(at, at + 200));
          if (at + 200 <= lines.length) expect(sorted.length, name).toBeGreaterThan(1);
          for (const one of sorted) runs.push((await one.keep())!);
        }
        // The parts of a chunk are runs in input order; they are merged like any others.
        const slices = runs.map(wholeRun);
        const results = await engine.merge(slices, 0);
        if (!ordering.unique) expect(results.length, name).toBeGreaterThan(1);
        for (const result of results) result.release();
        expect(await merged(engine, slices), name).toEqual(sortedNumbers(lines, ordering));
        for (const run of runs) run.release();
        await engine.close();
      }
    }
  });

  it('written without keys if there is nothing to merge: from the device, from the store, and in parts', async () => {
    const ordering = byNumber();
    const lines = numberLines(1000, 7);
    const sorted = sortedNumbers(lines, ordering);
    for (const mostRecords of [null, 300]) {
      const engine = engineFor(ordering, { mostRecords: null });
      const few = engineFor(ordering, { mostRecords });
      const [run] = await keptRuns(engine, textOf(lines));
      const store = new TemporaryStore([Buffer.from(freshDirectory('plain'))]);
      const [kept] = await engine.merge([wholeRun(run)], 0, 'run');
      const stored = await storeRun(store, kept!, ordering);
      expect(stored.end.byte).toBe(run.end.byte);
      for (const each of [run, stored]) {
        const [cut] = await each.cut(START, each.end, [await run.record(START)]);
        expect(cut!.lower.byte).toBe(0);
        expect(await merged(few, [wholeRun(each)])).toEqual(sorted);
        expect(await merged(few, [{ run: each, from: cut!.upper, to: each.end }])).toEqual(sorted.slice(1));
      }
      run.release();
      store.close();
      await engine.close();
      await few.close();
    }
  });

  it('that do not fit a merge are passed through', async () => {
    const line = Buffer.from(`12${'x'.repeat(9000)}`);
    for (const [name, ordering] of someOf(2)) {
      const engine = engineFor(ordering, { chunkBytes: 500, mergeBytes: 3000 });
      const store = new TemporaryStore([Buffer.from(freshDirectory('long'))]);
      const long = await lineRun(
        await keyedLarge(
          {
            bytes: line.length,
            readAt: async (byte, target) => {
              target.set(line.subarray(byte, byte + target.length));
            },
          },
          ordering,
          store,
          1,
        ),
        ordering,
        store,
      );
      const lines = numberLines(20, 8);
      const [run] = await keptRuns(engine, textOf(lines));
      expect(await merged(engine, [wholeRun(run), wholeRun(long)]), name).toEqual(
        sortedNumbers([...lines, line.toString()], ordering),
      );
      expect(await merged(engine, [wholeRun(long)])).toEqual([line.toString()]);
      run.release();
      store.close();
      await engine.close();
    }
  });

  it('in segments, wherever chunks are cut', async () => {
    const lines = numberLines(600, 9);
    const blocks = [lines.slice(0, 5), lines.slice(5, 400), lines.slice(400, 401), lines.slice(401, 600)];
    const records = blocks.flatMap((block) => [...block, '']).map((line) => Buffer.from(line));
    for (const [name, order] of someOf(1)) {
      const ordering: Ordering = { ...order, segments: { kind: 'blank' } };
      for (const chunkBytes of [200, 1 << 20]) {
        const engine = engineFor(ordering, { chunkBytes, deviceKeys: chunkBytes > 1000 }, 'segmented');
        expect((await written(engine, records, ordering, false)).toString(), name).toBe(
          textOf(blocks.flatMap((block) => [...sortedNumbers(block, order), ''])).toString(),
        );
        await engine.close();
      }
    }
  });

  it('in whole jobs, with keys made by threads, runs outside memory, and lines longer than a chunk', async () => {
    const directory = freshDirectory('keyed-gpu');
    const lines = [...numberLines(4000, 10), `7${'y'.repeat(5000)}`, `-7${'z'.repeat(20000)}`];
    const [input, output] = [path(directory, 'in'), path(directory, 'out')];
    writeFileSync(input, textOf(lines));
    for (const [i, [name, ordering]] of some(2).entries()) {
      const changes: JobSettings = [
        { chunkBytes: 3000 },
        { chunkBytes: 3000, memoryBytes: 20_000, gpuMemoryBytes: 100_000 },
      ][i % 2];
      await runJob(
        job({
          engine: 'gpu',
          inputs: [Buffer.from(input)],
          output: Buffer.from(output),
          ordering,
          parallel: 2,
          ...changes,
        }),
        silent,
      );
      expect(readFileSync(output, 'latin1').split('\n').slice(0, -1), name).toEqual(sortedNumbers(lines, ordering));
      rmSync(output);
    }
  });

  it('with keys made by the host if they would take the device too long', async () => {
    const ordering: Ordering = {
      ...byNumber(),
      key: { kind: 'normalized', parts: [{ ...numericPart(true), order: 'bytes' }], seed: null },
    };
    const lines = [...numberLines(500, 11), `y${'x'.repeat(9000)}`, `x${'x'.repeat(5000)}`];
    const expected = [...lines].sort((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
    for (const mostRecords of [null, 300]) {
      const engine = engineFor(ordering, { deviceKeys: true, mostRecords });
      const runs = await keptRuns(engine, textOf(lines));
      expect(runs.length).toBe(mostRecords === null ? 1 : 2);
      expect(await merged(engine, runs.map(wholeRun))).toEqual(expected);
      for (const run of runs) run.release();
      await engine.close();
    }
  });

  it('that end in NUL, newlines among their bytes', async () => {
    const ordering = byNumber({ format: { kind: 'lines', delimiter: 0 } });
    const engine = engineFor(ordering);
    const [run] = await keptRuns(engine, Buffer.from('10\nb\0' + '9\0' + '\n8\0' + '10\na\0'));
    const text = await mergedText(engine, [wholeRun(run)]);
    expect(text.toString()).toBe('\n8\0' + '9\0' + '10\na\0' + '10\nb\0');
    run.release();
    await engine.close();
  });
}
