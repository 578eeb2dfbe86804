/**
 * Cuts sorted runs of records into ranges of the output, each of which a thread merges and compresses by itself. Blocks
 * of BGZF are cut without regard to ranges: a range has the blocks that begin in it, and takes records of the next
 * range to fill its last block. Pure.
 */
import { BLOCK_TEXT } from '../../../codecs/bgzf.js';
import type { KeyIndex } from './keys.js';

/** A sorted run: records in the memory with the number `text`, from byte `at` on. */
export interface BamRun extends KeyIndex {
  readonly text: number;
  readonly at: number;
}

/**
 * The records that a thread merges (RangeTask). Bytes [begin, end) of their text are whole blocks, or end with the
 * output.
 */
export interface BamRange {
  readonly slices: Float64Array;
  readonly bytes: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * A slice of a run: the number of its memory, and where its text and the entries of its keys (if any) begin and end.
 */
interface RunSlice {
  readonly memory: number;
  readonly from: number;
  readonly to: number;
  readonly entriesFrom: number;
  readonly entriesTo: number;
}

/** Numbers per slice in `BamRange.slices`, one array because that is posted to threads quickly. */
const SLICE_NUMBERS = 5;

/** The slices of a range. */
export function slicesIn(numbers: Float64Array): RunSlice[] {
  return Array.from({ length: numbers.length / SLICE_NUMBERS }, (_, slice) => {
    const [memory, from, to, entriesFrom, entriesTo] = numbers.subarray(SLICE_NUMBERS * slice);
    return { memory, from, to, entriesFrom, entriesTo };
  });
}

/** Samples per range. With 32, sizes of ranges usually differ by a sixth. */
const SAMPLES = 32;

/** A place between records: before record `index` of run `run`, in the order of keys and then of the input. */
interface BamSplitter {
  readonly run: number;
  readonly index: number;
}

/** A splitter, and the bytes of its run since the run's previous sample. */
interface Sample extends BamSplitter {
  readonly bytes: number;
}

/** For each run, the number of its records before a splitter; and the bytes of all these records together. */
interface RunCounts {
  readonly counts: Uint32Array;
  readonly bytes: number;
}

/**
 * Cuts runs, listed in input order, into ranges of about `rangeBytes` each. `before`: bytes of the output's text before
 * the first record. The `begin` of the first range is that of the first block with only records. Later ranges in which
 * no block begins are left out.
 */
export function* outputRanges(runs: readonly BamRun[], rangeBytes: number, before: number): Generator<BamRange, void> {
  const samples = sampled(runs, Math.max(1, Math.floor(rangeBytes / SAMPLES)));
  const total = runs.reduce((sum, run) => sum + endOf(run, run.ends.length), 0);
  const last: RunCounts = { counts: Uint32Array.from(runs, ({ ends }) => ends.length), bytes: total };
  const cutAt = (sample: number, from: RunCounts): RunCounts =>
    sample < samples.length ? cut(runs, samples[sample], from) : last;
  let from: RunCounts = { counts: new Uint32Array(runs.length), bytes: 0 };
  for (let sample = 0; from !== last; ) {
    for (let bytes = 0; sample < samples.length && bytes < rangeBytes; sample++) bytes += samples[sample].bytes;
    const to = cutAt(sample, from);
    const begin = blockFrom(before + from.bytes) - before;
    const end = Math.min(total, blockFrom(before + to.bytes) - before);
    // The records that fill the last block.
    let filled = to;
    for (let more = 1; filled.bytes < end; more *= 2) filled = cutAt(sample + more, filled);
    if (begin < end || from.bytes === 0)
      yield {
        slices: slicesOf(runs, from, filled),
        bytes: filled.bytes - from.bytes,
        begin: Math.min(begin, end) - from.bytes,
        end: end - from.bytes,
      };
    from = to;
  }
}

/** The first byte of the output's text, at or after byte `at`, where a block begins. */
const blockFrom = (at: number): number => Math.ceil(at / BLOCK_TEXT) * BLOCK_TEXT;

/** Bytes of the first `count` records of a run. */
const endOf = ({ ends }: BamRun, count: number): number => (count === 0 ? 0 : ends[count - 1]);

/** The golden ratio, whose multiples are spread most evenly over [0, 1). */
const GOLDEN = 0.6180339887498949;

/**
 * Samples each run at equal distances of `bytes`, and sorts the samples. Each run has a different first distance: runs
 * usually resemble each other, and the same places in all of them would have nearly the same keys.
 */
function sampled(runs: readonly BamRun[], bytes: number): Sample[] {
  const samples: Sample[] = [];
  runs.forEach(({ ends }, run) => {
    let done = 0;
    let next = bytes * ((run * GOLDEN) % 1);
    const take = (index: number, end: number): void => {
      // The first sample counts as much as the others, so that the samples before a key have as many bytes as the
      // records before it.
      samples.push({ run, index, bytes: Math.max(end - done, done === 0 ? bytes : 0) });
      done = end;
      next = end + bytes;
    };
    for (let index = 1; index < ends.length; index++) if (ends[index - 1] >= next) take(index, ends[index - 1]);
    // The last record may be a long one.
    const end = ends[ends.length - 1];
    if (end - done >= bytes) take(ends.length - 1, end);
  });
  return samples.sort(
    (a, b) => runs[a.run].keys.compare(a.index, runs[b.run].keys, b.index) || a.run - b.run || a.index - b.index,
  );
}

/** Cuts the runs at a splitter that is not before `from`. */
function cut(runs: readonly BamRun[], splitter: BamSplitter, from: RunCounts): RunCounts {
  const { run: of, index } = splitter;
  const counts = new Uint32Array(runs.length);
  let bytes = 0;
  for (let run = 0; run < runs.length; run++) {
    const count = run === of ? index : firstAfter(runs, run, splitter, from.counts[run]);
    counts[run] = count;
    bytes += endOf(runs[run], count);
  }
  return { counts, bytes };
}

/** The first record of a run, from place `from` on, that is not before a splitter of another run. */
function firstAfter(runs: readonly BamRun[], run: number, splitter: BamSplitter, from: number): number {
  const { keys } = runs[run];
  const others = runs[splitter.run].keys;
  const isBefore = (at: number): boolean => {
    const order = keys.compare(at, others, splitter.index);
    // Equal keys of earlier runs come first.
    return order < 0 || (order === 0 && run < splitter.run);
  };
  // The place is usually near.
  let step = 1;
  let low = from;
  while (low + step <= keys.count && isBefore(low + step - 1)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(keys.count, low + step - 1);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function slicesOf(runs: readonly BamRun[], from: RunCounts, to: RunCounts): Float64Array {
  const slices = new Float64Array(SLICE_NUMBERS * runs.length);
  let used = 0;
  runs.forEach((run, i) => {
    if (from.counts[i] === to.counts[i]) return;
    const [first, end] = [from.counts[i], to.counts[i]];
    const text = [run.at + endOf(run, first), run.at + endOf(run, end)];
    slices.set([run.text, ...text, run.keys.entryAt(first), run.keys.entryAt(end)], used);
    used += SLICE_NUMBERS;
  });
  return slices.slice(0, used);
}
