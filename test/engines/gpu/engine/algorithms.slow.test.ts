/**
 * Every sort that users name, on the engine: it sorts chunks, whose runs are merged, and sorts by tiles report merged
 * and copied tiles (Baxter's tables). Slow, because a software GPU compiles the kernels of all sorts.
 */
import { expect, it } from 'vitest';
import type { Run } from '../../../../src/contract/engine.js';
import { type DeviceAlgorithm, SORT_STAGES } from '../../../../src/engines/gpu/engine/sorts.js';
import { tileOf } from '../../../../src/engines/gpu/keys/segmented-sort/tile-merges.js';
import { PACKED } from '../../../../src/engines/gpu/strings/radix-refine/survey.js';
import { algorithmsOn, type GpuAlgorithm } from '../../../../src/job/algorithm-table.js';
import type { Ordering } from '../../../../src/job/ordering.js';
import type { MergeStatistics } from '../../../../src/report/merges.js';
import { createRecorder } from '../../../../src/report/recorder.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { describeGpu, hasGpu } from '../../../setup/gpu.js';
import { keptRun } from '../../../support/jobs.js';
import { randomBelow } from '../../../support/random.js';
import { join, LINES, plainRun, sortedRecords, split } from '../../../support/records.js';
import { engineBy, engineOn, keptRuns, mergedText, orderText } from '../engines.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';

const UNIQUE: Ordering = { ...LINES, unique: true, lastResort: false };
const ALGORITHMS = algorithmsOn('gpu', 'lines');
/** Without the second name of a sort: for lines, these are merge and radix. */
const SORTS = ALGORITHMS.filter((name) => name !== 'string-merge' && name !== 'radix-refine');
const gpu = useGpu();

/** Sorts chunks with an algorithm and merges their runs, with a stored one among them. */
async function sorted(
  name: GpuAlgorithm,
  parts: readonly (readonly Buffer[])[],
  ordering: Ordering,
): Promise<Uint8Array[]> {
  const engine = await engineBy(gpu(), name, { ordering });
  const runs: Run[] = [];
  for (const [i, part] of parts.entries()) {
    if (i === 1) runs.push(plainRun(sortedRecords(part, ordering), ordering));
    else for (const one of await orderText(engine, join(part))) runs.push(await keptRun(one, ordering));
  }
  const text = await mergedText(engine, runs.map(wholeRun));
  for (const run of runs) run.release();
  await engine.close();
  return split(text);
}

describeGpu('each sort on the engine', () => {
  const latin = (records: readonly Uint8Array[]): string => join(records).toString('latin1');

  it.each(SORTS)('%s sorts chunks, whose runs are merged', async (name) => {
    const next = randomBelow(9);
    const parts = [40, 4, 40].map((most) => randomRecords(3000, () => next(most), next, 3));
    parts.push(randomRecords(20, () => next(20_000), next, 3));
    for (const ordering of [LINES, { ...UNIQUE, reverse: true }])
      expect(latin(await sorted(name, parts, ordering))).toBe(latin(sortedRecords(parts.flat(), ordering)));
  });
});

it.runIf(hasGpu())('the engine merges hundreds of tiny runs, several merges and outputs at once', async () => {
  const next = randomBelow(4);
  const engine = engineOn(gpu(), { chunkBytes: 8192 }, HOST_SORT);
  const parts = Array.from({ length: 400 }, () => randomRecords(1 + next(3), () => next(12), next, 5));
  const runs = (await Promise.all(parts.map((part) => keptRuns(engine, join(part))))).flat();
  const halves = [0, 200].map((from) => ({ part: parts.slice(from, from + 200), run: runs.slice(from, from + 200) }));
  const texts = await Promise.all(halves.map(({ run }) => mergedText(engine, run.map(wholeRun))));
  for (const [h, { part }] of halves.entries()) expect(texts[h].equals(join(sortedRecords(part.flat())))).toBe(true);
  for (const run of runs) run.release();
  await engine.close();
});

describeGpu('statistics of merges', () => {
  async function merges(
    algorithm: DeviceAlgorithm,
    lines: readonly string[],
    keepsSpans = true,
    ordering: Ordering = LINES,
  ): Promise<MergeStatistics | null> {
    const recorder = createRecorder(() => {}, { keepsSpans });
    const engine = engineOn(gpu(), { ordering, recorder }, SORT_STAGES[algorithm]);
    const text = join(lines.map((line) => Buffer.from(line)));
    for (const one of await orderText(engine, text)) one.release();
    await engine.close();
    return recorder.mergeStatistics;
  }

  const tiles = 4;
  const lines = (): string[] =>
    Array.from({ length: tiles * tileOf(gpu(), PACKED, {}) }, (_, i) => String(i).padStart(6, '0'));
  const none = { merged: 0, inPlace: 0 };

  it('show that lines in order are not merged, and the cost of a late line', async () => {
    const inOrder = lines();
    expect(await merges('locality', inOrder)).toEqual({ tiles, levels: [none, none], copied: 0 });
    const border = inOrder.length / 2;
    const late = inOrder.with(border, inOrder[border - 1]).with(border - 1, inOrder[border]);
    expect(await merges('locality', late)).toEqual({ tiles, levels: [{ merged: 0, inPlace: 1 }, none], copied: 0 });
  });

  it('show that lines in reverse are merged at each level', async () => {
    const { levels, copied } = (await merges('locality', lines().reverse()))!;
    expect(levels.map(({ merged }) => merged)).toEqual([tiles, tiles]);
    // All tiles changed sides twice.
    expect(copied).toBe(0);
  });

  it('are those of segments, whose borders stop merges', async () => {
    const all = lines().reverse();
    const ordering: Ordering = { ...LINES, segments: { kind: 'blank' } };
    // One segment: as without segments.
    expect(await merges('segmented', all, true, ordering)).toEqual(await merges('segmented', all));
    // A blank line every 100 lines: only segments over a border of tiles are merged, in place.
    const blank = all.map((line, i) => (i % 100 === 99 ? '' : line));
    const { levels, copied } = (await merges('segmented', blank, true, ordering))!;
    expect(levels.reduce((sum, { merged }) => sum + merged, 0) + copied).toBe(0);
    expect(levels.reduce((sum, { inPlace }) => sum + inPlace, 0)).toBeLessThan(tiles);
  });

  it('count nothing unless requested, nor for sorts without tiles', async () => {
    expect(await merges('locality', lines(), false)).toBeNull();
    expect(await merges('msd-radix', lines())).toBeNull();
  });
});

describeGpu('statistics of ties', () => {
  it.each([true, false])('reach the recorder, summed over chunks, if it keeps spans: %s', async (keepsSpans) => {
    const recorder = createRecorder(() => undefined, { keepsSpans });
    const engine = engineOn(gpu(), { recorder });
    for (const count of [200, 300]) {
      const others = Array.from({ length: count }, (_, i) => `n${100 + i}, and more`);
      const lines = ['a pair that ties, y', 'a pair that ties, x', ...others].map((line) => Buffer.from(line));
      for (const result of await orderText(engine, join(lines))) result.release();
    }
    await engine.close();
    if (!keepsSpans) expect(recorder.tieStatistics).toBeNull();
    else
      expect(recorder.tieStatistics).toMatchObject({
        records: 504,
        keyBytes: 8,
        tied: 4,
        blockReads: 2,
        mergeReads: [],
        runs: [500, 2],
      });
  });
});
