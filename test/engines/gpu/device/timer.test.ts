/** Times of passes: full sets of queries, and a device that is lost. timer.slow.test.ts: the passes of a sort. */
import { expect, it } from 'vitest';
import { requestAdapter } from '../../../../src/engines/gpu/device/adapters.js';
import { openGpu } from '../../../../src/engines/gpu/device/device.js';
import { submitPass } from '../../../../src/engines/gpu/device/dispatch.js';
import { PassTimer } from '../../../../src/engines/gpu/device/timer.js';
import { createRecorder } from '../../../../src/report/recorder.js';
import { describeGpu } from '../../../setup/gpu.js';
import { useGpu } from '../helpers.js';

describeGpu('times of passes', () => {
  const gpu = useGpu();

  it('reads full sets of queries back while timing continues', async () => {
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const own = { ...gpu(), timer: new PassTimer(gpu()) };
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
    const recorder = createRecorder(() => {}, { keepsSpans: true });
    const lost = await openGpu(await requestAdapter());
    lost.timer = new PassTimer(lost);
    submitPass(lost, 'sort', 'nothing', () => {});
    lost.close();
    await lost.timer.finish(recorder);
    expect(recorder.spans).toEqual([]);
  });
});
