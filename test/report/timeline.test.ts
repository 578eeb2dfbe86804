/** Spans turned into summaries, bars and quantities. */
import { describe, expect, it } from 'vitest';
import { drawTimeline, statsJson } from '../../src/report/print-stats.js';
import type { Span } from '../../src/report/recorder.js';
import { drawBar, summarize } from '../../src/report/timeline.js';
import { formatBytes, formatRate, formatTime } from '../../src/report/units.js';

const SPANS: Span[] = [
  { stage: 'write', start: 60, end: 100, bytes: 5 },
  { stage: 'read', start: 10, end: 30, bytes: 1_000_000 },
  { stage: 'read', start: 0, end: 20, bytes: 2_000_000 },
  { stage: 'read', start: 50, end: 55, bytes: 500_000 },
];

const TOTALS = { version: '1.2.3', wall: 100, peakMemoryBytes: 7, exitCode: 0 };
const NOTHING = {
  tieStatistics: null,
  mergeStatistics: null,
  deviceTraffic: null,
  deviceKernels: new Set<string>(),
  verification: null,
};
const recordOf = (spans: readonly Span[], ...notes: readonly string[]) => ({ ...NOTHING, spans, notes });

it('counts time once if spans of a stage overlap', () => {
  expect(summarize(SPANS)).toEqual([
    {
      stage: 'read',
      spans: 3,
      firstStart: 0,
      lastEnd: 55,
      busy: 35,
      bytes: 3_500_000,
      stretches: [
        [0, 30],
        [50, 55],
      ],
    },
    { stage: 'write', spans: 1, firstStart: 60, lastEnd: 100, busy: 40, bytes: 5, stretches: [[60, 100]] },
  ]);
});

it('counts a span within another one once', () => {
  const spans: Span[] = [
    [0, 30],
    [5, 10],
    [12, 31],
  ].map(([start, end]) => ({ stage: 'read', start, end, bytes: 1 }));
  expect(summarize(spans)).toMatchObject([{ spans: 3, lastEnd: 31, busy: 31, stretches: [[0, 31]] }]);
  expect(summarize(spans.slice(0, 2))).toMatchObject([{ lastEnd: 30, busy: 30 }]);
});

it('draws when a stage was busy', () => {
  const busy = [
    [0, 30],
    [50, 52],
  ] as const;
  expect(drawBar(busy, 100, 10)).toBe('###  .');
  expect(drawBar([[95, 100]], 100, 10)).toBe('         #');
});

it('writes units into the names of the JSON', () => {
  const totals = { ...TOTALS, wall: 100.00049 };
  expect(JSON.parse(statsJson(recordOf(SPANS.slice(1, 2), 'n'), totals))).toEqual({
    schemaVersion: 1,
    gpusortVersion: '1.2.3',
    exitStatus: 0,
    wallMs: 100,
    peakMemoryBytes: 7,
    notes: ['n'],
    stages: [
      {
        stage: 'read',
        spans: 1,
        firstStartMs: 10,
        lastEndMs: 30,
        busyMs: 20,
        waitingMs: 0,
        bytes: 1_000_000,
        bytesPerSecond: 50_000_000,
        busyFromToMs: [[10, 30]],
      },
    ],
  });
});

describe('the picture', () => {
  const bars = (spans: Span[]) =>
    [...drawTimeline(recordOf(spans), TOTALS).matchAll(/<rect x="(\d+)".* width="(\d+)".* opacity="([\d.]+)"/g)].map(
      ([, ...numbers]) => numbers.map(Number),
    );

  it('has a bar for each stretch, over the same time', () => {
    // The bars cover 640 pixels, from x = 90.
    expect(bars(SPANS.slice(1))).toEqual([
      [90, 192, 1],
      [410, 32, 1],
    ]);
  });

  it('shows how busy a stage was if it waits too often to be drawn', () => {
    const spans: Span[] = Array.from({ length: 10_000 }, (_, i) => ({
      stage: 'sort',
      start: i / 100,
      end: i / 100 + 0.004,
      bytes: 1,
    }));
    const drawn = bars(spans);
    expect(drawn.length).toBeLessThan(640);
    expect(new Set(drawn.map((bar) => bar[2]))).toEqual(new Set([0.5]));
    expect(bars([{ stage: 'sort', start: 50, end: 50.0001, bytes: 1 }])).toEqual([[410, 1, 0.25]]);
  });

  it('quotes the notes', () => {
    expect(drawTimeline(recordOf(SPANS, 'a < b'), TOTALS)).toContain('a &lt; b');
  });

  it.each([1, 9.9, 77, 1000, 4e6])('has five to ten ticks in %d ms', (wall) => {
    const ticks = drawTimeline(recordOf(SPANS), { ...TOTALS, wall }).match(/class="tick"/g)!.length - 1;
    expect(ticks).toBeGreaterThanOrEqual(4);
    expect(ticks).toBeLessThanOrEqual(10);
  });
});

describe('quantities', () => {
  it.each<[number, string]>([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1 KiB'],
    [1034, '1.01 KiB'],
    [99.9 * 2 ** 10, '99.9 KiB'],
    [1023.4 * 2 ** 10, '1023 KiB'],
    [1023.5 * 2 ** 10, '1 MiB'],
    [64 * 2 ** 20, '64 MiB'],
    [2e9, '1.86 GiB'],
    [1.5 * 2 ** 40, '1.5 TiB'],
  ])('are formatted: %d bytes', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
  it.each<[number, string]>([
    [0, '0 s'],
    [0.0124, '0.012 ms'],
    [16.24, '16.2 ms'],
    [99.94, '99.9 ms'],
    [99.96, '0.100 s'],
    [250, '0.250 s'],
    [1500, '1.50 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 00 s'],
    [185_000, '3 min 05 s'],
    [7_800_000, '2 h 10 min'],
  ])('are formatted: %d ms', (milliseconds, text) => {
    expect(formatTime(milliseconds)).toBe(text);
  });
  it('are formatted: rates', () => {
    expect(formatRate(2 ** 30, 500)).toBe('2 GiB/s');
    expect(formatRate(1, 0)).toBe('-');
    expect(formatRate(0, 1)).toBe('-');
  });
});
