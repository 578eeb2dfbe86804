/** Invented figures for the tests of tables and plots. */
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { ROWS } from './rows.mjs';

export const MACHINE = {
  cpu: 'Some <CPU>',
  cores: 16,
  memoryGB: 128,
  adapter: 'H200',
  system: 'linux',
  node: 'v20',
  sort: 'sort 9.4',
  date: '2026-11-22',
};

/**
 * Figures of a row in which each program took the given seconds, and half a second more in a second run; null: it
 * failed.
 */
export function figures(id: string, medians: Record<string, number | null>, engine: 'cpu' | 'gpu' | null = 'gpu') {
  const row = ROWS.find((one: { id: string }) => one.id === id);
  return {
    ...row,
    scale: 1,
    options: [],
    lines: row.bytes / 100,
    engine,
    machine: MACHINE,
    commands: Object.entries(medians).map(([name, median]) => ({
      name,
      median,
      seconds: median === null ? [] : [median, median + 0.5],
      output: 'same',
      error: median === null ? 'status 2: a | b' : null,
    })),
  };
}

/** Rows of the plot of growth. */
export const GROWTH = [
  [1, 0.9],
  [5, 2.5],
  [20, 10],
].map(([gigabytes, median]) =>
  figures(`n${gigabytes}`, {
    gpusort: median!,
    'gpusort --gpu-memory 4G': median! + 0.1,
    cp: gigabytes === 5 ? null : gigabytes! / 4,
  }),
);

/** Figures of a kernel that ran at `rate` million elements a second; its passes were busy half of the time. */
export function rateRow(algorithm: string, name: string, size: number, rate: number, more: object = {}) {
  const n = 2 ** size;
  const spanMs = n / rate / 1e3;
  return {
    id: `${algorithm}, ${name}, 2^${size}`,
    algorithm,
    case: name,
    size,
    n,
    textBytes: 0,
    spans: [spanMs / 2, spanMs, spanMs * 2],
    spanMs,
    busyMs: spanMs / 2,
    wallMs: 2 * spanMs,
    bytes: 12 * n,
    inputBytes: 8 * n,
    passes: 3,
    launches: { a: 4, b: 1 },
    copyRate: 4000,
    machine: MACHINE,
    ...more,
  };
}

const without = (algorithm: string, name: string, size: number, more: object) => ({
  algorithm,
  case: name,
  size,
  copyRate: 4000,
  machine: MACHINE,
  ...more,
});
/** The row of a problem that failed. */
export const failed = (algorithm: string, name: string, size: number) =>
  without(algorithm, name, size, { error: 'wrong: 1 of 2 |' });
/** The row of a problem that was left out. */
export const leftOut = (algorithm: string, name: string, size: number) =>
  without(algorithm, name, size, { leftOut: 'too large' });
