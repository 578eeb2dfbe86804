/** What the recorder keeps: spans, notes and traffic; and nothing unless asked. */
import { expect, it } from 'vitest';
import { statsJson, statsText } from '../../src/report/print-stats.js';
import { createRecorder } from '../../src/report/recorder.js';

it('ends a span now, or at a given time', () => {
  const recorder = createRecorder(true, () => {});
  const before = performance.now();
  recorder.span('read', before, 7);
  recorder.span('sort', 1, 8, 3);
  const [read, sort] = recorder.spans;
  expect(read).toMatchObject({ stage: 'read', start: before, bytes: 7 });
  expect(read!.end).toBeGreaterThanOrEqual(before);
  expect(read!.end).toBeLessThanOrEqual(performance.now());
  expect(sort).toEqual({ stage: 'sort', start: 1, end: 3, bytes: 8 });
});

it('keeps nothing unless asked', () => {
  const recorder = createRecorder(false, () => {});
  recorder.span('read', 0, 1);
  recorder.note('a');
  recorder.traffic({ sentBytes: 1, readBackBytes: 2 });
  expect(recorder).toMatchObject({ keepsSpans: false, spans: [], notes: [], deviceTraffic: null });
});

it('adds up the bytes copied to a device and back, and reports them if there was a device', () => {
  const recorder = createRecorder(true, () => {});
  const totals = { version: '1', wall: 10, peakMemoryBytes: 0, exitCode: 0 };
  expect(statsText(recorder, totals)).not.toContain('device');
  expect(JSON.parse(statsJson(recorder, totals))).not.toHaveProperty('device');
  recorder.traffic({ sentBytes: 9 * 2 ** 30, readBackBytes: 10 * 2 ** 30 });
  recorder.traffic({ sentBytes: 2 ** 30, readBackBytes: 2 ** 28 });
  expect(statsText(recorder, totals)).toContain('\n- device: 10 GiB sent, 10.3 GiB read back\n');
  expect(JSON.parse(statsJson(recorder, totals)).device).toEqual({
    sentBytes: 10 * 2 ** 30,
    readBackBytes: 10.25 * 2 ** 30,
  });
});
