/**
 * Merges of sorted runs, pass by pass, by merge path (Green, McColl, Bader: GPU Merge Path, 2012). A pass merges pairs
 * of neighboring runs: it finds where the inputs of each workgroup's share of the output begin, then writes the
 * output. Knows neither what is merged nor where runs come from.
 */
import type { DeviceStage } from '../../../../report/recorder.js';
import { type Gpu, USAGE } from '../../device/device.js';
import {
  type Binding,
  type Bindings,
  bind,
  type Immediates,
  type Kernel,
  release,
  submitPass,
} from '../../device/dispatch.js';
import { launchShares, type PassSize, type WindowLimits, windowShare } from './moving-windows.js';

/** A search of diagonals: where the inputs of each share of the output begin. */
interface SearchKernel {
  readonly kernel: Kernel;
  /** Shares that a workgroup handles. */
  readonly shares: number;
}

/** The kernels of merge passes. */
export interface MergeKernels {
  /** Elements of the output per workgroup, unless `windows` says otherwise. */
  readonly share: number;
  /** Workgroups of `merge` per dispatch, few enough for a small GPU's watchdog. */
  readonly launchGroups: number;
  readonly search: SearchKernel;
  /** If `merge` moves windows over shares of any length: how passes are cut and dispatched. */
  readonly windows: WindowLimits | null;
  readonly merge: Kernel;
}

/** Elements that are merged, as the kernels bind them. */
export interface MergedElements<Arrays> {
  readonly count: number;
  /** What both kernels bind in a pass of `shares` shares. Called once for each pass, in order. */
  inputs(from: Arrays, shares: number): Bindings & { readonly keys: Binding };
  /** What the merge binds besides. */
  outputs(from: Arrays, to: Arrays): Bindings;
  /** Immediates of both kernels that say how elements are compared. */
  readonly words: Immediates;
}

/** One pass over sorted runs. */
export interface MergePass {
  /** Elements of the output per share. */
  readonly share: number;
  /** Shares of the output. Each pair of runs begins with a new one. */
  readonly shares: number;
  /** The length of all runs (the last may be shorter), or 0: `pairs` lists the runs. */
  readonly width: number;
  /** (first share, begin, middle, end) for each pair of runs; empty if `width` is not 0. */
  readonly pairs: readonly (readonly [number, number, number, number])[];
}

/** A merge of all runs into one. */
interface Merge<Arrays> {
  readonly gpu: Gpu;
  readonly kernels: MergeKernels;
  readonly elements: MergedElements<Arrays>;
  readonly passes: readonly MergePass[];
  /** Room for partitionBytes(passes): where the inputs of each share begin. */
  readonly partitions: GPUBuffer;
}

/** How passes are submitted. */
interface Submissions {
  readonly stage: DeviceStage;
  readonly label: string;
  /** Passes per submission: few, so that a small GPU is not busy for too long. A submission costs the host 1 ms. */
  readonly atOnce: number;
}

/** Bytes per share in the table of input positions. */
export const PARTITION_BYTES = 16;

export function partitionBytes(passes: readonly MergePass[]): number {
  return PARTITION_BYTES * Math.max(1, ...passes.map(({ shares }) => shares));
}

/** The elements of a share: a number for all passes, or a function of the pass. */
type ShareOf = number | ((pass: PassSize) => number);

/** How these kernels cut passes. */
export function shareOf({ share, windows }: Pick<MergeKernels, 'share' | 'windows'>): ShareOf {
  return windows === null ? share : (pass) => windowShare(pass, windows);
}

/** The pass that merges runs of `width` elements each in pairs. */
export function evenPass(count: number, width: number, cut: ShareOf): MergePass {
  const pairs = Math.floor(count / (2 * width));
  const left = count - pairs * 2 * width;
  const longest = Math.min(count, 2 * width);
  const share = typeof cut === 'number' ? cut : cut({ elements: count, pairs: pairs + Number(left > 0), longest });
  return { share, shares: pairs * Math.ceil((2 * width) / share) + Math.ceil(left / share), width, pairs: [] };
}

/** The passes that merge runs of `width` elements each into one. */
export function evenPasses(count: number, width: number, cut: ShareOf): MergePass[] {
  const passes: MergePass[] = [];
  for (let run = width; run < count; run *= 2) passes.push(evenPass(count, run, cut));
  return passes;
}

/** The passes that merge neighboring runs with these bounds (0, ..., count; empty runs allowed) into one. */
export function slicePasses(bounds: readonly number[], cut: ShareOf): MergePass[] {
  const passes: MergePass[] = [];
  let at = bounds.filter((b, i) => i === 0 || b !== bounds[i - 1]);
  while (at.length > 2) {
    const next = at.filter((_, i) => i % 2 === 0 || i === at.length - 1);
    const size: PassSize = {
      elements: at[at.length - 1] - at[0],
      pairs: next.length - 1,
      longest: next.reduce((most, bound, i) => (i === 0 ? 0 : Math.max(most, bound - next[i - 1])), 0),
    };
    const share = typeof cut === 'number' ? cut : cut(size);
    const pairs: [number, number, number, number][] = [];
    let shares = 0;
    for (let i = 0; i + 1 < at.length; i += 2) {
      const end = at[i + 2] ?? at[i + 1];
      pairs.push([shares, at[i], at[i + 1], end]);
      shares += Math.ceil((end - at[i]) / share);
    }
    passes.push({ share, shares, width: 0, pairs });
    at = next;
  }
  return passes;
}

/** Submits a merge. Returns whichever of `from` and `spare` holds the result; the other's contents are undefined. */
export function submitMerge<Arrays>(
  merge: Merge<Arrays>,
  from: Arrays,
  spare: Arrays,
  { stage, label, atOnce }: Submissions,
): Arrays {
  const { gpu, passes } = merge;
  const pairs = pairTable(gpu, passes);
  let pairBase = 0;
  let [source, target] = [from, spare];
  for (let first = 0; first < passes.length; first += atOnce) {
    submitPass(gpu, stage, label, (pass) => {
      for (const step of passes.slice(first, first + atOnce)) {
        encodePass(merge, pass, { ...step, table: pairs, pairBase }, source, target);
        pairBase += step.pairs.length;
        [source, target] = [target, source];
      }
    });
  }
  release(gpu, pairs);
  return source;
}

/** The pairs of all passes; null if none has any. */
function pairTable(gpu: Gpu, passes: readonly MergePass[]): GPUBuffer | null {
  const words = new Uint32Array(passes.flatMap(({ pairs }) => pairs.flat()));
  if (words.length === 0) return null;
  const table = gpu.device.createBuffer({
    size: words.byteLength,
    usage: USAGE.STORAGE,
    label: 'merge pairs',
    mappedAtCreation: true,
  });
  new Uint32Array(table.getMappedRange()).set(words);
  table.unmap();
  return table;
}

/** Encodes one pass, whose pairs are in `table` from `pairBase` on. */
function encodePass<Arrays>(
  { kernels, elements, partitions }: Merge<Arrays>,
  pass: GPUComputePassEncoder,
  step: MergePass & { readonly table: GPUBuffer | null; readonly pairBase: number },
  from: Arrays,
  to: Arrays,
): void {
  const { share, shares, width, pairs, table, pairBase } = step;
  const { launchGroups, windows, search, merge } = kernels;
  const { count, words } = elements;
  const inputs = elements.inputs(from, shares);
  const found = bind(partitions, shares * PARTITION_BYTES);
  search.kernel.dispatch(
    pass,
    // Without a table of pairs, any read-only buffer takes its place.
    { ...inputs, pairs: table ?? inputs.keys, partitions: found },
    { ...words, n: count, tiles: shares, tile: share, width, pair_base: pairBase, pair_count: pairs.length },
    Math.ceil(shares / search.shares),
  );
  const bindings = { ...inputs, partitions: found, ...elements.outputs(from, to) };
  const atOnce = windows === null ? launchGroups : launchShares(share, windows);
  for (let first = 0; first < shares; first += atOnce) {
    const launched = Math.min(atOnce, shares - first);
    merge.dispatch(
      pass,
      bindings,
      { ...words, tiles: shares, first_tile: first, ...(windows !== null && { end_tile: first + launched }) },
      Math.min(launched, windows?.groups ?? launched),
    );
  }
}
