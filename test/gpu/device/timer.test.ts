/**
 * Device times of passes: a sort's stages are reported in order and within the run; nothing is measured unless asked.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Engine, Run } from '../../../src/engine.js';
import { type Gpu, openGpu } from '../../../src/gpu/device/device.js';
import { submitPass } from '../../../src/gpu/device/dispatch.js';
import { requestAdapter } from '../../../src/gpu/device/request-adapter.js';
import { PassTimer } from '../../../src/gpu/device/timer.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import { createRecorder } from '../../../src/report/recorder.js';
import type { Stage, Traffic } from '../../../src/report/stats.js';
import { type StageSummary, summarise } from '../../../src/report/timeline.js';
import { describeGpu } from '../../setup/gpu.js';
import { sortChunk } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { join, LINES } from '../../support/records.js';
import { randomRecords, useGpu } from '../helpers.js';

const useTestGpu = useGpu();

describeGpu('device times', () => {
  let gpu: Gpu;
  const next = randomBelow(7);
  beforeAll(() => {
    gpu = useTestGpu();
  });

  /**
   * Sorts two chunks and merges them. Returns the recorded times by stage, the bytes of both chunks, and the traffic.
   */
  async function sorted(
    keepsSpans: boolean,
    records: number | null = null,
  ): Promise<{ stages: Map<Stage, StageSummary>; bytes: number; traffic: Traffic | null }> {
    const recorder = createRecorder(keepsSpans, () => {});
    const engine = assembleGpuEngine(
      gpu,
      {
        ordering: LINES,
        chunkBytes: 1 << 20,
        pieceBytes: 1 << 20,
        rangeBytes: 1 << 20,
        mostRecords: records,
        residentBytes: null,
        recorder,
      },
      SORT_STAGES['string-merge'],
    );
    const texts = [0, 1].map(() => join(randomRecords(4000, () => next(30), next)));
    const runs: Run[] = [];
    for (const text of texts) runs.push(...(await ordered(engine, text)));
    const whole = runs.map((run) => ({ run, from: { index: 0, byte: 0 }, to: run.end }));
    await runs[0].sample(whole[0].from, whole[0].to, 3);
    for (const result of await engine.merge(whole, 0)) await result.emit(() => Promise.resolve());
    for (const run of runs) run.release();
    await engine.close();
    return {
      stages: new Map(summarise(recorder.spans).map((stage) => [stage.stage, stage])),
      bytes: texts[0].length + texts[1].length,
      traffic: recorder.deviceTraffic,
    };
  }

  async function ordered(engine: Engine, text: Uint8Array): Promise<Run[]> {
    const chunk = await engine.openChunk();
    const piece = await chunk.openPiece(0);
    piece.bytes.set(text);
    piece.commit(text.length);
    return Promise.all((await sortChunk(engine, chunk, text.length)).map(async (result) => (await result.keep())!));
  }

  it('reports when each stage ran, and counts its text once', async () => {
    const start = performance.now();
    const { stages, bytes } = await sorted(true);
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
    const { traffic, bytes } = await sorted(true);
    // Apart from the texts: a few counts and samples, and the times of passes.
    expect(traffic!.sentBytes).toBeGreaterThanOrEqual(bytes);
    expect(traffic!.sentBytes).toBeLessThan(bytes + 1000);
    expect(traffic!.readBackBytes).toBeGreaterThanOrEqual(bytes);
    expect(traffic!.readBackBytes).toBeLessThan(bytes + 10_000);
  });

  it('counts the text of a chunk once, even if it is sorted in parts', async () => {
    const { stages, bytes } = await sorted(true, 1500);
    // A part's bytes are estimated from its share of the records, and rounded.
    expect(Math.abs(stages.get('sort')!.bytes - bytes)).toBeLessThan(6);
  });

  it('reads full sets of queries back while timing continues', async () => {
    const recorder = createRecorder(true, () => {});
    const own = { ...gpu, timer: new PassTimer(gpu) };
    for (let i = 0; i < 2500; i++) {
      if (i % 500 === 0) own.timer.handles(10, 'prefix', 'gather');
      submitPass(own, i % 2 === 0 ? 'prefix' : 'gather', 'nothing', () => {});
    }
    await own.timer.finish(recorder);
    expect(recorder.spans.length).toBe(2500);
    recorder.spans.forEach(({ stage, start, end }, i) => {
      expect(stage).toBe(i % 2 === 0 ? 'prefix' : 'gather');
      expect(start).toBeGreaterThanOrEqual(recorder.spans[i - 1]?.end ?? 0);
      expect(end).toBeGreaterThanOrEqual(start);
    });
    expect(recorder.spans.at(-1)!.end).toBeLessThan(performance.now());
    expect(recorder.spans.reduce((sum, span) => sum + span.bytes, 0)).toBe(100);
  });

  it('records no times of a lost device', async () => {
    const recorder = createRecorder(true, () => {});
    const lost = await openGpu(await requestAdapter());
    lost.timer = new PassTimer(lost);
    submitPass(lost, 'sort', 'nothing', () => {});
    lost.close();
    await lost.timer.finish(recorder);
    expect(recorder.spans).toEqual([]);
  });

  it('makes no queries and times nothing unless requested', async () => {
    const full = gpu;
    let sets = 0;
    const device = new Proxy(gpu.device, {
      get: (target, name) => {
        if (name === 'createQuerySet') sets++;
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? (value as (...a: unknown[]) => unknown).bind(target) : value;
      },
    });
    gpu = { ...full, device };
    try {
      expect((await sorted(false)).stages.size).toBe(0);
      expect(sets).toBe(0);
      await sorted(true);
      expect(sets).toBeGreaterThan(0);
    } finally {
      gpu = full;
    }
  });

  it('times chunks and merges as a whole if the device has no clock', async () => {
    const full = gpu;
    const adapter = await requestAdapter();
    gpu = await openGpu(
      new Proxy(adapter, {
        get: (target, name) => {
          if (name === 'features') return new Set();
          const value = Reflect.get(target, name, target) as unknown;
          return typeof value === 'function' ? (value as (...a: unknown[]) => unknown).bind(target) : value;
        },
      }),
    );
    try {
      const { stages, bytes } = await sorted(true);
      expect(stages.get('order')!.bytes).toBe(bytes);
      expect(stages.get('merge')!.bytes).toBe(bytes);
      expect(stages.has('sort')).toBe(false);
    } finally {
      gpu.close();
      gpu = full;
    }
  });
});
