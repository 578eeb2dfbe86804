/**
 * Counts ties in a string sort (Davidson et al. 2012, section 6.2, figures 8 and 9), only if statistics are requested.
 * Its own passes are not timed, so they do not distort the sort's times. Counting in comparisons takes a little time.
 */
import type { TieStatistics } from '../../../../report/ties.js';
import {
  type Bindings,
  bind,
  type Immediates,
  Kernel,
  loadKernels,
  readBack,
  submitDispatches,
} from '../../device/dispatch.js';
import type { Scratch } from '../../device/pool.js';
import type { MergePass } from '../../keys/merge-path/passes.js';
import { recordBindings } from '../../records/records.js';
import { type Entries, entryBindings, type KeyRule, type SortKernels } from '../entries.js';
import type { TextReads } from './merges.js';

const WORKGROUP = 256;
/** As in tie-runs.wgsl. */
const RUN_COUNTS = 34;
const LONG_ENTRIES = 32;
const LONGEST = 33;
/** Shared lengths from this on are counted together, as in shared-bytes.wgsl. */
const MOST_SHARED = 128;
/** Alignment of binding offsets, in bytes. */
const ALIGNMENT = 256;

export function loadTieStatistics(kernels: SortKernels): Promise<unknown> {
  return loadKernels(kernelsOf(kernels));
}

function kernelsOf({ gpu, records }: SortKernels) {
  return {
    tieRuns: new Kernel(gpu, 'strings/string-merge/tie-runs', { overrides: { REVERSE: records.overrides!.REVERSE } }),
    sharedBytes: new Kernel(gpu, 'strings/string-merge/shared-bytes', records),
  };
}

/** The counters of one sort, from its first pass to its end. */
interface TieCounter {
  readonly reads: TextReads;
  /** Submits the counting of runs of equal keys. The entries may be overwritten afterwards. */
  countRuns(sorted: Entries): void;
  /** Counts the bytes that neighbors share in the final order of all records, and reads all counts back. */
  finish(order: GPUBuffer, rounds: number): Promise<TieStatistics>;
}

/** For a sort of all records by `rule`: a block sort, unless `isMerge`, and `passes` of merges. */
export async function createTieCounter(
  scratch: Scratch,
  kernels: SortKernels,
  rule: KeyRule,
  passes: readonly MergePass[],
  isMerge: boolean,
): Promise<TieCounter> {
  const { gpu } = kernels;
  const { count } = rule.records;
  const merged = passes.map(({ shares }) => shares);
  const tiles = isMerge ? merged : [Math.ceil(count / kernels.tile), ...merged];
  const passBytes = tiles.map((n) => Math.ceil((n * 4) / ALIGNMENT) * ALIGNMENT);
  const offsets = passBytes.map((_, i) => passBytes.slice(0, i).reduce((sum, bytes) => sum + bytes, 0));
  const totalBytes = passBytes.reduce((sum, bytes) => sum + bytes, 0);
  const words = await scratch.take(totalBytes, 'text reads');
  const counts = await scratch.take((ALIGNMENT + MOST_SHARED + 1) * 4, 'tie statistics');
  const runs = bind(counts, RUN_COUNTS * 4);
  const shared = { buffer: counts, offset: ALIGNMENT * 4, size: (MOST_SHARED + 1) * 4 };
  let done = 0;

  const submit = (kernel: Kernel, bindings: Bindings, immediates: Immediates): void => {
    const encoder = gpu.device.createCommandEncoder({ label: 'tie statistics' });
    const pass = encoder.beginComputePass({ label: 'tie statistics' });
    kernel.dispatch(pass, bindings, immediates, Math.ceil(count / WORKGROUP));
    pass.end();
    submitDispatches(gpu, encoder);
  };
  const encoder = gpu.device.createCommandEncoder();
  encoder.clearBuffer(counts);
  gpu.device.queue.submit([encoder.finish()]);

  return {
    reads: { nextPass: (n) => ({ buffer: words, offset: offsets[done++], size: n * 4 }) },
    countRuns: (sorted) => {
      submit(kernelsOf(kernels).tieRuns, { ...entryBindings(sorted, count), counts: runs }, { n: count });
    },
    finish: async (order, rounds) => {
      submit(
        kernelsOf(kernels).sharedBytes,
        { ...recordBindings(rule.records), order: bind(order, count * 4), counts: shared },
        { n: count, known: rule.depth },
      );
      const found = new Uint32Array((await readBack(gpu, counts, 0, (ALIGNMENT + MOST_SHARED + 1) * 4)).buffer);
      const reads =
        totalBytes === 0 ? new Uint32Array(0) : new Uint32Array((await readBack(gpu, words, 0, totalBytes)).buffer);
      const sums = tiles.map((n, i) =>
        reads.subarray(offsets[i] / 4, offsets[i] / 4 + n).reduce((sum, x) => sum + x, 0),
      );
      return {
        records: count,
        keyBytes: rule.keyBytes,
        rounds,
        blockReads: isMerge ? null : sums[0],
        mergeReads: isMerge ? sums : sums.slice(1),
        ...sharedCounts(found, count),
      };
    },
  };
}

/** The statistics in the words of tie-runs.wgsl and shared-bytes.wgsl, for `count` records. */
function sharedCounts(
  found: Uint32Array,
  count: number,
): Pick<TieStatistics, 'tied' | 'runs' | 'longestRun' | 'sharedBytes'> {
  const [inRuns] = found;
  const histogram = [count - inRuns!, ...found.subarray(1, 29)];
  while (histogram.length > 1 && histogram.at(-1) === 0) histogram.pop();
  return {
    tied: found[LONG_ENTRIES],
    runs: histogram,
    longestRun: Math.max(1, found[LONGEST]),
    sharedBytes: [...found.subarray(ALIGNMENT, ALIGNMENT + MOST_SHARED + 1)],
  };
}
