/** The model of sorts on clusters: the tables of docs/cluster.md, and figures that can be worked out by hand. */
import { expect, it } from 'vitest';
import { read } from '../docs/documents.js';
// @ts-expect-error: plain JavaScript, because the benchmarks run without a build of their own
import { DEFAULTS, limitsOf, MACHINES, mergePasses, planOf, requestsOf, sliceReads } from './cluster/costs.mjs';
// @ts-expect-error
import { KIND_NAMES, largestRange } from './cluster/largest-range.mjs';
// @ts-expect-error
import { clusterTables, withTables } from './cluster-model.mjs';

it('docs/cluster.md shows its tables', () => {
  const text = read('docs/cluster.md');
  for (const name of Object.keys(clusterTables())) expect(text).toContain(`<!-- model: ${name} -->`);
  expect(withTables(text, clusterTables())).toBe(text);
});

it('gives every node whole shares and ranges, and none that is too small', () => {
  expect(planOf(10e12, 100, DEFAULTS)).toMatchObject({ shares: 700, ranges: 200 });
  expect(planOf(1e12, 1000, DEFAULTS)).toMatchObject({ shares: 250, ranges: 250, slice: 16e6 });
  expect(planOf(1e6, 1000, DEFAULTS)).toMatchObject({ shares: 1, ranges: 1 });
});

it('counts files by tasks, and opens by slices', () => {
  const small = requestsOf(planOf(1e12, 100, DEFAULTS), DEFAULTS);
  const large = requestsOf(planOf(1e12, 100, { ...DEFAULTS, shareBytes: 5e9, rangeBytes: 5e9 }), DEFAULTS);
  expect(large.files).toBe(2 * small.files);
  expect(small.opens).toBe(2 * 100 * 100 + 100 * 3 + 100 * 5);
  expect(large.opens).toBe(2 * 200 * 200 + 200 * 3 + 200 * 5);
});

it('adds the same bytes to each slice', () => {
  const plan = { nodes: 1, bytes: 1e9, shares: 10, ranges: 10, share: 1e8, range: 1e8, slice: 1e7 };
  const marks = 1e8 / DEFAULTS.markBytes;
  // The index's header and marks, then for each cut a mark twice, checksums and text; the slice in whole blocks.
  const cut = 2 * 112 + 4096 + 2 * 131072;
  expect(sliceReads(plan, DEFAULTS).bytes).toBeCloseTo(1024 + marks * 112 + 2 * cut + 1e7 + 65536);
  expect(requestsOf(plan, DEFAULTS).extra).toBeCloseTo(sliceReads(plan, DEFAULTS).bytes / 1e7 - 1);
});

it('merges in passes if the runs exceed the fan-in', () => {
  const passes = (shares: number, fanIn: number): number => mergePasses({ shares }, { fanIn });
  expect([passes(256, 256), passes(257, 256), passes(65537, 256), passes(65537, Infinity)]).toEqual([1, 2, 3, 1]);
});

it('names first what exceeds its limit most', () => {
  const plan = planOf(100e12, 1000, DEFAULTS);
  const first = (p: object): string => limitsOf(plan, MACHINES.cpu, { ...DEFAULTS, ...p })[0].name;
  expect(first({})).toBe('storage');
  expect(first({ totalRate: 1e15, fanIn: 256 })).toBe('fan-in');
  expect(first({ totalRate: 1e15, descriptors: 16 })).toBe('descriptors');
});

it('simulates splitters: even if samples lie between those of other shares, else as many as one share has', () => {
  const shape = { shares: 200, ranges: 100, samples: 20, records: 1e8 };
  expect(KIND_NAMES.filter((kind: string) => kind !== 'unique').length).toBe(5);
  for (const kind of ['random', 'zipf', 'half']) {
    expect(largestRange(kind, { ...shape, shifted: true })).toBeLessThan(1.1);
    // The samples of all shares meet in 20 places: ranges are between these, or empty.
    expect(largestRange(kind, { ...shape, shifted: false })).toBeGreaterThan(4.5);
  }
  expect(largestRange('ordered', { ...shape, shifted: false })).toBeCloseTo(1, 1);
  // Equal keys are not separated: a range has one of 200 keys too many.
  expect(largestRange('unique', { ...shape, shifted: true })).toBeCloseTo(1.5, 1);
});
