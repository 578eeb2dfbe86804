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

/** How many runs a pass merges into one. */
export type Ways = 2 | 4;

/** A search of diagonals: where the inputs of each share of the output begin. */
interface SearchKernel {
  readonly kernel: Kernel;
  /** Shares that a workgroup handles. */
  readonly shares: number;
}

/** The kernels of merge passes. */
export interface MergeKernels {
  /** Runs that a pass merges into one. */
  readonly ways: Ways;
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
  readonly ways: Ways;
  /**
   * For each group of runs: its first share, the bounds of the runs, and zeros up to a multiple of 4. Empty if `width`
   * is not 0.
   */
  readonly groups: readonly (readonly number[])[];
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

/** Bytes per share in the table of input positions: a position and an end of each run. */
const partitionBytesOf = ({ shares, ways }: MergePass): number => shares * ways * 8;

export function partitionBytes(passes: readonly MergePass[]): number {
  return Math.max(0, ...passes.map(partitionBytesOf));
}

/** How passes are cut: the elements of a share, in all passes or in one of this size, and the runs that it merges. */
export interface PassCut {
  readonly share: number | ((pass: PassSize) => number);
  readonly ways: Ways;
}

/** How these kernels cut passes. */
export function cutOf({ share, windows, ways }: Pick<MergeKernels, 'share' | 'windows' | 'ways'>): PassCut {
  return { share: windows === null ? share : (pass) => windowShare(pass, windows), ways };
}

const sharePer = ({ share }: PassCut, size: PassSize): number => (typeof share === 'number' ? share : share(size));

/** The pass that merges runs of `width` elements each in groups. */
export function evenPass(count: number, width: number, cut: PassCut): MergePass {
  const { ways } = cut;
  const whole = ways * width;
  const groups = Math.floor(count / whole);
  const left = count - groups * whole;
  const longest = Math.min(count, whole);
  const share = sharePer(cut, { elements: count, pairs: groups + Number(left > 0), longest });
  return { share, shares: groups * Math.ceil(whole / share) + Math.ceil(left / share), width, ways, groups: [] };
}

/** The passes that merge runs of `width` elements each into one. */
export function evenPasses(count: number, width: number, cut: PassCut): MergePass[] {
  const passes: MergePass[] = [];
  for (let run = width; run < count; run *= cut.ways) passes.push(evenPass(count, run, cut));
  return passes;
}

/** The passes that merge neighboring runs with these bounds (0, ..., count; empty runs allowed) into one. */
export function slicePasses(bounds: readonly number[], cut: PassCut): MergePass[] {
  const { ways } = cut;
  const passes: MergePass[] = [];
  let at = bounds.filter((b, i) => i === 0 || b !== bounds[i - 1]);
  while (at.length > 2) {
    const next = at.filter((_, i) => i % ways === 0 || i === at.length - 1);
    const share = sharePer(cut, {
      elements: at[at.length - 1] - at[0],
      pairs: next.length - 1,
      longest: next.reduce((most, bound, i) => (i === 0 ? 0 : Math.max(most, bound - next[i - 1])), 0),
    });
    const groups: number[][] = [];
    let shares = 0;
    for (let i = 0; i + 1 < at.length; i += ways) {
      const runs = Array.from({ length: ways + 1 }, (_, k) => at[Math.min(i + k, at.length - 1)]);
      groups.push([shares, ...runs, ...Array<number>(ways === 4 ? 2 : 0).fill(0)]);
      shares += Math.ceil((runs[ways] - runs[0]) / share);
    }
    passes.push({ share, shares, width: 0, ways, groups });
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
  const groups = groupTable(gpu, passes);
  let groupBase = 0;
  let [source, target] = [from, spare];
  for (let first = 0; first < passes.length; first += atOnce) {
    submitPass(gpu, stage, label, (pass) => {
      for (const step of passes.slice(first, first + atOnce)) {
        encodePass(merge, pass, { ...step, table: groups, groupBase }, source, target);
        groupBase += step.groups.flat().length / 4;
        [source, target] = [target, source];
      }
    });
  }
  release(gpu, groups);
  return source;
}

/** The groups of all passes; null if none has any. */
function groupTable(gpu: Gpu, passes: readonly MergePass[]): GPUBuffer | null {
  const words = new Uint32Array(passes.flatMap(({ groups }) => groups.flat()));
  if (words.length === 0) return null;
  const table = gpu.device.createBuffer({
    size: words.byteLength,
    usage: USAGE.STORAGE,
    label: 'groups of runs',
    mappedAtCreation: true,
  });
  new Uint32Array(table.getMappedRange()).set(words);
  table.unmap();
  return table;
}

/** Encodes one pass, whose groups are in `table` from vector `groupBase` on. */
function encodePass<Arrays>(
  { kernels, elements, partitions }: Merge<Arrays>,
  pass: GPUComputePassEncoder,
  step: MergePass & { readonly table: GPUBuffer | null; readonly groupBase: number },
  from: Arrays,
  to: Arrays,
): void {
  const { share, shares, width, groups, table, groupBase } = step;
  const { launchGroups, windows, search, merge } = kernels;
  const { count, words } = elements;
  const inputs = elements.inputs(from, shares);
  const found = bind(partitions, partitionBytesOf(step));
  search.kernel.dispatch(
    pass,
    // Without a table of groups, any read-only buffer takes its place.
    { ...inputs, groups: table ?? inputs.keys, partitions: found },
    { ...words, n: count, tiles: shares, tile: share, width, group_base: groupBase, group_count: groups.length },
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
