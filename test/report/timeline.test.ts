/** Spans to summaries, bars and quantities. */
import { describe, expect, it } from 'vitest';
import { drawTimeline } from '../../src/report/draw-timeline.js';
import { statsJson } from '../../src/report/print-stats.js';
import { drawBar, summarise } from '../../src/report/timeline.js';
import { formatBytes, formatRate, formatTime } from '../../src/report/units.js';
import type { Span } from '../../src/report/stats.js';

const SPANS: Span[] = [
  { stage: 'write', start: 60, end: 100, bytes: 5 },
  { stage: 'read', start: 10, end: 30, bytes: 1_000_000 },
  { stage: 'read', start: 0, end: 20, bytes: 2_000_000 },
  { stage: 'read', start: 50, end: 55, bytes: 500_000 },
];

it('counts time once where spans of a stage overlap', () => {
  expect(summarise(SPANS)).toEqual([
    { stage: 'read', spans: 3, firstStart: 0, lastEnd: 55, busy: 35, bytes: 3_500_000, stretches: [[0, 30], [50, 55]] },
    { stage: 'write', spans: 1, firstStart: 60, lastEnd: 100, busy: 40, bytes: 5, stretches: [[60, 100]] },
  ]);
});

it('draws when a stage was busy', () => {
  expect(drawBar([[0, 30], [50, 52]], 100, 10)).toBe('###  .');
  expect(drawBar([[95, 100]], 100, 10)).toBe('         #');
});

it('writes units into the names of the JSON', () => {
  const totals = { version: '1.2.3', wall: 100.00049, peakMemoryBytes: 7, exitCode: 0 };
  expect(JSON.parse(statsJson({ spans: SPANS.slice(1, 2), notes: ['n'] }, totals))).toEqual({
    schema_version: 1, gpusort_version: '1.2.3', exit_status: 0, wall_ms: 100, peak_memory_bytes: 7, notes: ['n'],
    stages: [{ stage: 'read', spans: 1, first_start_ms: 10, last_end_ms: 30, busy_ms: 20, waiting_ms: 0, bytes: 1_000_000, gb_per_s: 0.05, busy_from_to_ms: [[10, 30]] }],
  });
});

it('draws a bar for each stretch of each stage', () => {
  const totals = { version: '1.2.3', wall: 100, peakMemoryBytes: 7, exitCode: 0 };
  const picture = drawTimeline({ spans: SPANS, notes: ['a < b'] }, totals);
  const stretches = summarise(SPANS).reduce((sum, stage) => sum + stage.stretches.length, 0);
  expect(picture.match(/<rect/g)).toHaveLength(stretches);
  expect(picture).toContain('a &lt; b');
});

describe('quantities', () => {
  it.each<[number, string]>([[0, '0 B'], [999, '999 B'], [1000, '1.00 kB'], [99_949, '99.9 kB'], [999_499, '999 kB'], [999_500, '1.00 MB'], [2e9, '2.00 GB'], [1.5e12, '1.50 TB']])('%d bytes', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
  it.each<[number, string]>([[0, '0.000 s'], [250, '0.250 s'], [1500, '1.50 s'], [59_940, '59.9 s'], [59_960, '1 min 00 s'], [185_000, '3 min 05 s'], [7_800_000, '2 h 10 min']])('%d ms', (milliseconds, text) => {
    expect(formatTime(milliseconds)).toBe(text);
  });
  it('rates', () => {
    expect(formatRate(1e9, 500)).toBe('2.00 GB/s');
    expect(formatRate(1, 0)).toBe('-');
  });
});
