/**
 * Results of the GPU engine that it compresses: merged text and slices of runs, written or released at any time. Slow:
 * compiles the kernels that compress.
 */
import { afterEach, expect, it } from 'vitest';
import type { CompressedResult, Engine, Run, Slice } from '../../../../src/contract/engine.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { describeGpu } from '../../../setup/gpu.js';
import { BGZF_END, unBgzf } from '../../../support/genomics-bam.js';
import { randomBelow } from '../../../support/random.js';
import { engineOn, keptRuns } from '../engines.js';
import { HOST_SORT, useGpu } from '../helpers.js';

describeGpu('results that the GPU compresses', () => {
  const gpu = useGpu();
  let engine: Engine;
  afterEach(async () => {
    await engine.close();
    await gpu().noteErrors();
    expect(gpu().lostReason()).toBeUndefined();
  });
  const below = randomBelow(8);
  const lines = (count: number): string[] =>
    Array.from({ length: count }, () => `${below(1e9)} ${'ab'.repeat(below(9))}\n`);
  const inOrder = (all: readonly string[]): string => [...all].sort((a, b) => (a < b ? -1 : 1)).join('');

  /** Runs of an engine that compresses at `level`, and all of their lines. */
  async function runsOf(count: number, level = 1): Promise<{ readonly runs: Run[]; readonly texts: string[][] }> {
    engine = engineOn(gpu(), { chunkBytes: 1 << 18, deflateLevel: level }, HOST_SORT);
    const [runs, texts]: [Run[], string[][]] = [[], []];
    for (let run = 0; run < count; run++) {
      const text = lines(6000);
      texts.push(text);
      runs.push(...(await keptRuns(engine, Buffer.from(text.join('')))));
    }
    return { runs, texts };
  }

  async function begun(slices: readonly Slice[]): Promise<CompressedResult[]> {
    const results = await engine.merge(slices, 0);
    return results.map((result) => result.compress!());
  }

  /** The text of results, each with the sizes of its blocks. */
  async function textOf(results: readonly CompressedResult[]): Promise<string> {
    const blocks: Buffer[] = [];
    for (const result of results)
      await result.emit(async (bytes, sizes) => {
        const block = Buffer.from(bytes);
        await new Promise(setImmediate);
        expect(sizes.reduce((sum, size) => sum + size.bytes, 0)).toBe(block.length);
        const text = unBgzf(Buffer.concat([block, BGZF_END]));
        expect(sizes.reduce((sum, size) => sum + size.text, 0)).toBe(text.length);
        blocks.push(block);
      });
    return unBgzf(Buffer.concat([...blocks, BGZF_END])).toString();
  }

  it.each([1, 6])('have the text of a merge, and of a slice, at level %i', async (level) => {
    const { runs, texts } = await runsOf(2, level);
    const merged = await begun(runs.map(wholeRun));
    const slices = await Promise.all(runs.map((run) => begun([wholeRun(run)])));
    expect(await textOf(merged)).toBe(inOrder(texts.flat()));
    for (const [i, slice] of slices.entries()) expect(await textOf(slice)).toBe(inOrder(texts[i]));
    for (const run of runs) run.release();
  });

  it('may be released while they are compressed, and their runs at once', async () => {
    const { runs, texts } = await runsOf(3);
    const [merged] = await engine.merge(runs.slice(1).map(wholeRun), 0);
    const slices = await Promise.all(runs.map(async (run) => (await engine.merge([wholeRun(run)], 0))[0]));
    const results = [...slices, merged].map((result) => result.compress!());
    for (const result of results.slice(1)) result.release();
    for (const run of runs.slice(1)) run.release();
    // Begun last, it is compressed after all others have ended.
    const last = await begun([wholeRun(runs[0])]);
    expect(await textOf(results.slice(0, 1))).toBe(inOrder(texts[0]));
    expect(await textOf(last)).toBe(inOrder(texts[0]));
    runs[0].release();
  });

  it('may all be released, before and after a write that fails', async () => {
    const { runs } = await runsOf(2);
    const [first, second] = await Promise.all(runs.map((run) => begun([wholeRun(run)])));
    const full = new Error('disk full');
    await expect(first[0].emit(() => Promise.reject(full))).rejects.toBe(full);
    second[0].release();
    for (const run of runs) run.release();
  });
});
