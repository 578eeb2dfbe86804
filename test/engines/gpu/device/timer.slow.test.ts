/**
 * Device times of a sort: its stages are reported in order and within the run; nothing is measured unless asked. Slow,
 * because a software GPU compiles a sort with its statistics.
 */
import { expect, it } from 'vitest';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { type Gpu, openGpu } from '../../../../src/engines/gpu/device/device.js';
import { createRecorder, type Stage, type Traffic } from '../../../../src/report/recorder.js';
import { type StageSummary, summarize } from '../../../../src/report/timeline.js';
import { wholeRun } from '../../../../src/runs/partition.js';
import { describeGpu } from '../../../setup/gpu.js';
import { randomBelow } from '../../../support/random.js';
import { join } from '../../../support/records.js';
import { engineOn, keptRuns, mergedText } from '../engines.js';
import { HOST_SORT, randomRecords, useGpu } from '../helpers.js';
import { withReplaced } from './wrapped.js';

interface Timed {
  readonly stages: Map<Stage, StageSummary>;
  /** Of both chunks. */
  readonly bytes: number;
  readonly traffic: Traffic | null;
  readonly kernels: readonly string[];
}

describeGpu('device times', () => {
  const gpu = useGpu();
  const next = randomBelow(7);

  /** Sorts two chunks and merges them. */
  async function timed(
    on: Gpu,
    keepsSpans: boolean,
    mostRecords: number | null = null,
    stage?: typeof HOST_SORT,
  ): Promise<Timed> {
    const recorder = createRecorder(() => {}, { keepsSpans });
    const engine = engineOn(on, { recorder, mostRecords }, stage);
    const texts = [0, 1].map(() => join(randomRecords(4000, () => next(30), next)));
    const runs = [...(await keptRuns(engine, texts[0])), ...(await keptRuns(engine, texts[1]))];
    await runs[0].sample(runs[0].begin, runs[0].end, 3);
    await mergedText(engine, runs.map(wholeRun));
    for (const run of runs) run.release();
    await engine.close();
    return {
      stages: new Map(summarize(recorder.spans).map((stage) => [stage.stage, stage])),
      bytes: texts[0].length + texts[1].length,
      traffic: recorder.deviceTraffic,
      kernels: [...recorder.deviceKernels],
    };
  }

  it('reports when each stage ran, and counts its text once', async () => {
    const start = performance.now();
    const { stages, bytes } = await timed(gpu(), true);
    const end = performance.now();
    const inOrder = (['tokenize', 'prefix', 'sort', 'gather'] as const).map((stage) => stages.get(stage)!);
    inOrder.forEach((stage, i) => {
      expect(stage.firstStart).toBeGreaterThan(Math.max(start, inOrder[i - 1]?.firstStart ?? 0));
      expect(stage.lastEnd).toBeLessThan(end);
      expect(stage.busy).toBeGreaterThan(0);
    });
    // The merge skips the stage `sort`, but takes the same text through the other stages once more.
    expect(inOrder.map((stage) => stage.bytes)).toEqual([2 * bytes, 2 * bytes, bytes, 2 * bytes]);
    const combine = stages.get('combine')!;
    expect(combine.firstStart).toBeGreaterThan(inOrder[3].firstStart);
    expect(combine.bytes).toBe(bytes);
    expect(stages.has('order') || stages.has('merge')).toBe(false);
    // All stages share one queue, so their busy times add up to less than the run.
    expect([...inOrder, combine].reduce((sum, stage) => sum + stage.busy, 0)).toBeLessThan(end - start);
  });

  it('reports the bytes sent to the device and read back', async () => {
    const { traffic, bytes } = await timed(gpu(), true);
    // Apart from the texts: a few counts and samples, and the times of passes.
    expect(traffic!.sentBytes).toBeGreaterThanOrEqual(bytes);
    expect(traffic!.sentBytes).toBeLessThan(bytes + 1000);
    expect(traffic!.readBackBytes).toBeGreaterThanOrEqual(bytes);
    expect(traffic!.readBackBytes).toBeLessThan(bytes + 10_000);
  });

  it('reports the kernels that ran, and none of a job before', async () => {
    gpu().dispatched.add('of a job before');
    const { kernels } = await timed(gpu(), true);
    expect(kernels).toContain('strings/string-merge/prefix');
    expect(kernels).not.toContain('of a job before');
  });

  it('counts the text of a chunk once, even if it is sorted in parts', async () => {
    const { stages, bytes } = await timed(gpu(), true, 1500);
    // A part's bytes are estimated from its share of the records, and rounded.
    expect(Math.abs(stages.get('sort')!.bytes - bytes)).toBeLessThan(6);
  });

  it('makes no queries and times nothing unless requested', async () => {
    let sets = 0;
    const device = withReplaced(gpu().device, {
      createQuerySet: (descriptor) => {
        sets++;
        return gpu().device.createQuerySet(descriptor);
      },
    });
    const counting: Gpu = { ...gpu(), device };
    expect((await timed(counting, false)).stages.size).toBe(0);
    expect(sets).toBe(0);
    await timed(counting, true);
    expect(sets).toBeGreaterThan(0);
  });

  it('times chunks and merges as a whole if the device has no clock', async () => {
    const adapter = await requestAdapter();
    const own = await openGpu(withReplaced(adapter, { features: new Set() as unknown as GPUSupportedFeatures }));
    try {
      const { stages, bytes } = await timed(own, true, null, HOST_SORT);
      expect(stages.get('order')!.bytes).toBe(bytes);
      expect(stages.get('merge')!.bytes).toBe(bytes);
      expect(stages.has('sort')).toBe(false);
    } finally {
      own.close();
    }
  });
});
