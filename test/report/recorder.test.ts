/** What the recorder keeps, and when it says that it keeps nothing. */
import { expect, it } from 'vitest';
import { createRecorder } from '../../src/report/recorder.js';

it('ends a span now, or where it is told', () => {
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
  expect(recorder).toMatchObject({ keepsSpans: false, spans: [], notes: [] });
});
