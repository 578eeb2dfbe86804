/**
 * Cutting runs into ranges: each range holds the slices, one a run, of all records between two splitters, small enough for one
 * merge. A splitter is a record of some run; records are split by (ordered bytes, run, place), so that a million equal records
 * cut evenly and stay in input order. Under `unique`, where runs hold each key once, equal records are never parted: the first
 * run's one is kept and the others' are dropped at the cut.
 */
import type { Bounds, Position, Run, Sample, Slice } from '../engine.js';
import type { Ordering } from '../job.js';
import { compareHeads, compareRecords } from '../keys/compare.js';
import { commonPrefixLength, orderedBytes } from '../keys/ordered-bytes.js';

export interface Range {
  /** In input order; empty slices are left out. */
  readonly slices: readonly Slice[];
  /** Ordered bytes that all records of the range share. */
  readonly commonPrefix: number;
}

/** A record that parts two ranges: record `at` of slice number `slice` begins the later one. */
interface Splitter { readonly slice: number; readonly at: Position; readonly record: Uint8Array }

/**
 * Samples taken for each range wanted, and for each range and run: how far a range misses its size falls with the second (3 % for 10
 * runs, 2 % for 40), and each sample costs 80 bytes to read. And the most of all.
 */
const SAMPLES_A_RANGE = 24;
const SAMPLES_A_RANGE_AND_RUN = 4;
const MAX_SAMPLES = 16384;
/** The first range's share of a range: the first block of output waits for its merge. */
const FIRST_RANGE = 0.25;
/** Most ranges cut in one step; larger inputs are cut again. */
const MAX_CUTS = 255;
/** Ranges are aimed at least this far below the limit, since samples only estimate: one beyond it is cut again, run by run. */
const AIM = 0.85;
/** Most bytes of records that ranges are cut by in one step, two records apart. */
const SPLITTER_BYTES = 64 << 20;
/** Longest common prefix looked for. */
const PREFIX_LIMIT = 4096;

const bytesOf = (slices: readonly Slice[]): number => slices.reduce((sum, s) => sum + s.to.byte - s.from.byte, 0);

/** What ranges are to be like, in bytes: about `wanted`, at most `most` (a single record apart). */
export interface RangeSize {
  readonly wanted: number;
  readonly most: number;
  /** Under `unique`: no record is dropped, as runs may not be in order; ranges may then be larger. */
  readonly keepsRepeats?: boolean;
}

/** Yields ranges in order. */
export async function* partition(slices: readonly Slice[], ordering: Ordering, size: RangeSize): AsyncGenerator<Range> {
  const wanted = Math.min(size.wanted, size.most * AIM);
  yield* split(slices, ordering, { ...size, wanted }, null, null);
}

/** `low` and `high`: the ordered bytes, PREFIX_LIMIT at most, of the records that the slices lie between; null: none. */
async function* split(slices: readonly Slice[], ordering: Ordering, size: RangeSize, low: Uint8Array | null, high: Uint8Array | null): AsyncGenerator<Range> {
  const present = slices.filter((s) => s.from.index < s.to.index);
  if (present.length === 0) return;
  const bytes = bytesOf(present);
  // What was cut, or has one slice and nothing to merge, need not be of the size wanted.
  if (bytes <= size.most && (bytes <= size.wanted || low !== null || high !== null || present.length === 1)) {
    yield { slices: present, commonPrefix: low === null || high === null ? 0 : commonPrefixLength(low, high) };
    return;
  }
  const noProgress = (list: readonly Slice[][]): boolean => list.every((part) => bytesOf(part) === bytes || bytesOf(part) === 0);
  const first = low === null ? size.wanted * FIRST_RANGE : 0;
  let { parts, edges } = await cutEvenly(present, ordering, size, Math.ceil((bytes - first) / size.wanted) - (first > 0 ? 0 : 1), first);
  if (noProgress(parts)) {
    // A few records of very different sizes: every sample parts ranges. Of two the later one leaves the other before it.
    ({ parts, edges } = await cutEvenly(present, ordering, size, Infinity));
  }
  if (noProgress(parts)) {
    // One record (or, under unique, one key) fills the range.
    yield { slices: present, commonPrefix: 0 };
    return;
  }
  for (let i = 0; i < parts.length; i++) {
    yield* split(parts[i]!, ordering, size, edges[i - 1] ?? low, edges[i] ?? high);
  }
}

/** The parts between splitters chosen as chooseSplitters does, and the beginnings of these: whole they are not held any longer. */
async function cutEvenly(slices: readonly Slice[], ordering: Ordering, { keepsRepeats = false }: RangeSize, count: number, first = 0): Promise<{ parts: Slice[][]; edges: Uint8Array[] }> {
  const splitters = await chooseSplitters(slices, ordering, count, first);
  const parts = await cutAt(slices, ordering, splitters, keepsRepeats);
  return { parts, edges: splitters.map(({ record }) => new Uint8Array(orderedBytes(ordering, record, PREFIX_LIMIT))) };
}

/**
 * About `count` (at least one; Infinity: all samples) splitters in order, which part the slices' bytes evenly but for the first range,
 * which has about `first` bytes where that is not 0.
 */
async function chooseSplitters(slices: readonly Slice[], ordering: Ordering, count: number, first = 0): Promise<Splitter[]> {
  const cuts = Math.max(1, Math.min(count, MAX_CUTS));
  const bytes = bytesOf(slices);
  const wanted = Math.min(MAX_SAMPLES, (cuts + 1) * Math.max(SAMPLES_A_RANGE, SAMPLES_A_RANGE_AND_RUN * slices.length));
  const samples = (await Promise.all(slices.map(async (s, slice) => {
    const weight = s.to.byte - s.from.byte;
    const taken = await s.run.sample(s.from, s.to, Math.max(1, Math.round((wanted * weight) / bytes)));
    return taken.map(({ at, head, bytes: length }) => ({ slice, at, head, bytes: length, weight: weight / taken.length }));
  }))).flat();
  samples.sort((a, b) => compareHeads(ordering, a.head, b.head) || a.slice - b.slice || a.at.index - b.at.index);
  // How many bytes lie before the splitter of each number, from 0.
  const before = (number: number): number => (first > 0 ? first + (number * (bytes - first)) / cuts : ((number + 1) * bytes) / (cuts + 1));
  const chosen: typeof samples = [];
  let passed = 0;
  for (const sample of samples) {
    passed += sample.weight;
    if (count === Infinity) chosen.push(sample);
    else if (chosen.length < cuts && passed >= before(chosen.length)) chosen.push(sample);
  }
  const splitters = await Promise.all(fewBytes(chosen).map(async ({ slice, at }) => ({ slice, at, record: await slices[slice]!.run.record(at) })));
  // Heads only estimated the order.
  splitters.sort((a, b) => compareRecords(ordering, a.record, b.record) || a.slice - b.slice || a.at.index - b.at.index);
  return splitters;
}

/** All the samples, or every second, fourth ..., so that their records are not too many bytes: what lies between them is cut again. */
function fewBytes<T extends Sample>(samples: readonly T[]): readonly T[] {
  const bytes = samples.reduce((sum, sample) => sum + sample.bytes, 0);
  return bytes <= SPLITTER_BYTES || samples.length <= 2 ? samples : fewBytes(samples.filter((_, i) => i % 2 === 0));
}

/** The slices between neighbouring splitters: one list more than there are splitters. */
async function cutAt(slices: readonly Slice[], ordering: Ordering, splitters: readonly Splitter[], keepsRepeats: boolean): Promise<Slice[][]> {
  const records = splitters.map((s) => s.record);
  const bounds = await Promise.all(slices.map((s) => s.run.cut(s.from, s.to, records)));
  const parts: Slice[][] = Array.from({ length: splitters.length + 1 }, () => []);
  const starts = slices.map((s) => s.from);
  for (let i = 0; i <= splitters.length; i++) {
    const { ends, next } = i < splitters.length
      ? cutOne(ordering, splitters[i]!, bounds.map((b) => b[i]!), keepsRepeats)
      : { ends: slices.map((s) => s.to), next: [] };
    slices.forEach((s, j) => {
      const from = starts[j]!;
      const to = ends[j]!;
      parts[i]!.push({ run: s.run, from, to: to.index < from.index ? from : to });
      const following = next[j];
      if (following !== undefined && following.index > from.index) starts[j] = following;
    });
  }
  return parts;
}

/** Where each slice's part before a splitter ends, and where its part after it begins. */
function cutOne(ordering: Ordering, splitter: Splitter, bounds: readonly Bounds[], keepsRepeats: boolean): { ends: Position[]; next: Position[] } {
  if (ordering.unique) {
    const first = bounds.findIndex((b) => b.lower.index < b.upper.index);
    return { ends: bounds.map((b) => b.lower), next: bounds.map((b, j) => (keepsRepeats || j <= first ? b.lower : b.upper)) };
  }
  const places = bounds.map((b, j) => (j < splitter.slice ? b.upper : j > splitter.slice ? b.lower : splitter.at));
  return { ends: places, next: places };
}

/**
 * The slices before and after a record that is in none of the runs. Of its equals, if there are any, those of the first `place` slices come before it;
 * under `unique` the first of all stays, which may not be this record: then null.
 */
export async function cutAround(slices: readonly Slice[], record: Uint8Array, { unique }: Ordering, place = 0): Promise<{ before: Slice[]; after: Slice[] } | null> {
  const bounds = (await Promise.all(slices.map((s) => s.run.cut(s.from, s.to, [record])))).map(([bound]) => bound!);
  if (unique && bounds.slice(0, place).some(({ lower, upper }) => lower.index < upper.index)) return null;
  const end = (j: number): Position => (j < place ? bounds[j]!.upper : bounds[j]!.lower);
  return {
    before: slices.map((s, j) => ({ ...s, to: end(j) })),
    after: slices.map((s, j) => ({ ...s, from: unique ? bounds[j]!.upper : end(j) })),
  };
}

/** The whole of a run as a slice. */
export function wholeRun(run: Run): Slice {
  return { run, from: { index: 0, byte: 0 }, to: run.end };
}
