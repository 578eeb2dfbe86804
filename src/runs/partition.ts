/**
 * Cuts runs into ranges. A range holds the slices, one per run, of all records between two splitters, and is small
 * enough for one merge. A splitter is a record of some run. Records are split by (ordered bytes, run, position), so a
 * million equal records are cut evenly and keep input order. Under `unique`, each run holds a key once and equal
 * records are never separated: the first run's record is kept, the others are dropped at the cut.
 */
import type { Bounds, KeptRun, Overlap, Position, Run, Slice } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { commonPrefixLength, orderedBytes } from '../keys/compare.js';
import { chooseAmong, cutPlace, phaseOf, SAMPLES_PER_RANGE, type Splitter, weighted } from './splitters.js';

export interface Range<Of extends KeptRun = Run> {
  /** No slice is empty. They are in input order if they may overlap. */
  readonly slices: readonly Slice<Of>[];
  /** Ordered bytes that all records of the range share. */
  readonly commonPrefix: number;
  /** See `merge` of an engine. Absent: `possible`. */
  readonly overlap?: Overlap;
}

/**
 * Samples per range and run, besides those per range (SAMPLES_PER_RANGE). This number decides how far a range misses
 * its size: 3 % for 10 runs, 2 % for 40. A sample costs 80 bytes to read. MAX_SAMPLES limits their total.
 */
const SAMPLES_PER_RANGE_AND_RUN = 4;
/**
 * The limit applies to more than 40 runs: 200 runs were merged in 2.70 s with 800 samples per range, in 2.42 s with
 * 160.
 */
const MOST_SAMPLES_PER_RANGE = 160;
const MAX_SAMPLES = 16384;
/** Size of the first range, as a fraction of the intended size. The first block of output waits for its merge. */
const FIRST_RANGE = 0.25;
/**
 * Maximum number of cuts in one step. Larger inputs are cut again: all runs, for each of the ranges. Cutting 400 runs
 * of 2 MB into ranges of at most 2 MB took 0.53 s of processor time; with 255, it took 0.63 s.
 */
const MAX_CUTS = 1023;
/**
 * The intended size of ranges is at most this fraction of the limit, because samples only estimate sizes. A range
 * beyond the limit must be cut again in every run.
 */
const AIM = 0.85;
/** Longest common prefix that is looked for. */
const PREFIX_LIMIT = 4096;

/** Bytes of text in `slices`, keys included. */
export function bytesOf(slices: readonly Slice<KeptRun>[]): number {
  let bytes = 0;
  for (const { from, to } of slices) bytes += to.byte - from.byte;
  return bytes;
}

/** Bytes of a run's text. */
export const runBytes = ({ begin, end }: KeptRun): number => end.byte - begin.byte;

/** The size of ranges in bytes: about `wanted`, at most `most` unless one record is larger. */
export interface RangeSize {
  readonly wanted: number;
  readonly most: number;
  /** Under `unique`: no records are dropped, because runs may be out of order. Ranges may then be larger. */
  readonly keepsRepeats?: boolean;
  /** The number of splitters at which runs are cut before the first of the ranges is passed on. */
  readonly cutsAtOnce: number;
}

export async function* partition(slices: readonly Slice[], ordering: Ordering, size: RangeSize): AsyncGenerator<Range> {
  const wanted = Math.min(size.wanted, size.most * AIM);
  yield* split(slices, ordering, { ...size, wanted }, null, null);
}

/** `low` and `high`: the ordered bytes, at most PREFIX_LIMIT, of the records that bound the slices; null: no bound. */
async function* split(
  slices: readonly Slice[],
  ordering: Ordering,
  size: RangeSize,
  low: Uint8Array | null,
  high: Uint8Array | null,
): AsyncGenerator<Range> {
  const present = slices.filter((s) => s.from.byte < s.to.byte);
  if (present.length === 0) return;
  const bytes = bytesOf(present);
  // A range that was cut once, or has one slice and nothing to merge, may be larger than the intended size.
  if (bytes <= size.most && (bytes <= size.wanted || low !== null || high !== null || present.length === 1)) {
    yield { slices: present, commonPrefix: low === null || high === null ? 0 : commonPrefixLength(low, high) };
    return;
  }
  const first = low === null ? size.wanted * FIRST_RANGE : 0;
  const count = Math.ceil((bytes - first) / size.wanted) - (first > 0 ? 0 : 1);
  // With few records of very different sizes, the chosen splitters may separate none. Then each sample becomes a
  // splitter: of two records, the second one separates them.
  for (const [most, begin] of [
    [count, first],
    [Infinity, 0],
  ]) {
    let isCut = false;
    const splitters = await splittersOf(present, ordering, most, begin);
    const edges = splitters.map(({ record }) => new Uint8Array(orderedBytes(ordering, record, PREFIX_LIMIT)));
    let i = 0;
    for await (const range of cutAt(present, ordering, splitters, size)) {
      const rangeBytes = bytesOf(range);
      if (rangeBytes === bytes) break;
      if (rangeBytes > 0) isCut = true;
      yield* split(range, ordering, size, edges[i - 1] ?? low, edges[i] ?? high);
      i++;
    }
    if (isCut) return;
  }
  // One record, or under `unique` one key, fills the range.
  yield { slices: present, commonPrefix: 0 };
}

/**
 * About `count` splitters in order (at least 1; Infinity: all samples) that divide the bytes of the slices evenly. If
 * `first` is not 0, the first range has about `first` bytes. The index of a slice serves as the number of its run.
 */
async function splittersOf(
  slices: readonly Slice[],
  ordering: Ordering,
  count: number,
  first: number,
): Promise<Splitter[]> {
  const ranges = Math.max(1, Math.min(count, MAX_CUTS)) + 1;
  const bytes = bytesOf(slices);
  const perRange = Math.min(MOST_SAMPLES_PER_RANGE, SAMPLES_PER_RANGE_AND_RUN * slices.length);
  const wanted = Math.min(MAX_SAMPLES, ranges * Math.max(SAMPLES_PER_RANGE, perRange));
  const samples = await Promise.all(
    slices.map(async ({ run, from, to }, i) => {
      const own = to.byte - from.byte;
      const count = Math.max(1, Math.round((wanted * own) / bytes));
      // At the same phase, runs of random records would all be sampled at the same quantiles. 400 runs with 16 samples
      // each would then be cut into ranges of 0 to 4 times the intended size.
      return weighted(await run.sample(from, to, count, phaseOf(i + 1)), i, own);
    }),
  );
  return chooseAmong(
    samples.flat(),
    slices.map(({ run }) => run),
    ordering,
    {
      bytes,
      ranges: count === Infinity ? Infinity : ranges,
      ...(first > 0 && { firstBytes: first }),
      least: 2,
    },
  );
}

/** The slices between neighboring splitters: one more list than there are splitters. No slice is empty. */
async function* cutAt(
  slices: readonly Slice[],
  ordering: Ordering,
  splitters: readonly Splitter[],
  { keepsRepeats = false, cutsAtOnce }: RangeSize,
): AsyncGenerator<Slice[]> {
  const rest = new Remainder(slices, ordering, keepsRepeats);
  let passed: readonly Position[] = slices.map(({ from }) => from);
  for (let begin = 0; begin < splitters.length; begin += cutsAtOnce) {
    const some = splitters.slice(begin, begin + cutsAtOnce);
    const records = some.map(({ record }) => record);
    const bounds = await Promise.all(slices.map(({ run, to }, j) => run.cut(passed[j], to, records)));
    for (const [i, splitter] of some.entries()) yield rest.cutOff(splitter, bounds, i);
    passed = bounds.map((b) => b.at(-1)!.lower);
  }
  yield rest.all();
}

/** The rest of slices from which ranges are cut off in order. */
class Remainder {
  private readonly slices: readonly Slice[];
  private readonly starts: Position[];
  private readonly ordering: Ordering;
  private readonly keepsRepeats: boolean;

  constructor(slices: readonly Slice[], ordering: Ordering, keepsRepeats: boolean) {
    this.slices = slices;
    this.starts = slices.map(({ from }) => from);
    this.ordering = ordering;
    this.keepsRepeats = keepsRepeats;
  }

  /** The records before the splitter. `bounds`: a list for each slice, whose i-th entry is that of the splitter. */
  cutOff(splitter: Splitter, bounds: readonly (readonly Bounds[])[], i: number): Slice[] {
    const { slices, starts, keepsRepeats } = this;
    const { unique } = this.ordering;
    const range: Slice[] = [];
    // Whether an earlier slice holds a record with the splitter's key. Those of later slices are then dropped.
    let isKept = false;
    for (let j = 0; j < slices.length; j++) {
      const own = bounds[j][i];
      const end = unique ? own.lower : cutPlace(splitter, j, own);
      const next = isKept ? own.upper : end;
      if (end.byte > starts[j].byte) range.push({ run: slices[j].run, from: starts[j], to: end });
      if (next.byte > starts[j].byte) starts[j] = next;
      isKept ||= unique && !keepsRepeats && own.lower.byte < own.upper.byte;
    }
    return range;
  }

  all(): Slice[] {
    return this.slices
      .map(({ run, to }, j) => ({ run, from: this.starts[j], to }))
      .filter(({ from, to }) => from.byte < to.byte);
  }
}

export function wholeRun<Of extends KeptRun>(run: Of): Slice<Of> {
  return { run, from: run.begin, to: run.end };
}
