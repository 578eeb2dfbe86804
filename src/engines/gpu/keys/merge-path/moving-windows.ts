/**
 * How merge passes are cut for workgroups that merge runs of any length through moving windows
 * (kernels/wgsl/shared/moving-windows.wgsl): Davidson, Tarjan, Garland, Owens: Efficient Parallel Merge Sort for Fixed
 * and Variable Length Keys, 2012, section 3, simple and multiple merge. Pure: knows no device and no buffers.
 */

/** How many workgroups move windows, and how much they merge at once. */
export interface WindowLimits {
  /** Workgroups that fill the machine, at most 65,535. They keep running and take shares in turn. */
  readonly groups: number;
  /** Minimum outputs of a share: both windows. Shorter shares would read windows that they do not use. */
  readonly leastShare: number;
  /** Maximum outputs of a share, which one workgroup makes alone while the dispatch waits. */
  readonly mostShare: number;
  /** Maximum outputs of a dispatch. */
  readonly launchElements: number;
}

/** A pass over sorted runs. */
export interface PassSize {
  readonly elements: number;
  /** Pairs of runs; a run without a partner is one of them. */
  readonly pairs: number;
  /** Elements of the longest pair. */
  readonly longest: number;
}

/** Items of A's window that a thread keeps in registers, as in shared/moving-windows.wgsl. */
export const KEPT = 4;
/** Maximum items of B's window per thread: twice as many as of A's, because larger windows are reread less often. */
const MOST_PER_THREAD = 2 * KEPT;
/** Bytes of workgroup memory besides the windows, rounded up. */
const OTHER_BYTES = 64;

/** Items of B's window per thread that fit in `bytes` of workgroup memory, with the places and sources of all items. */
export function windowPerThread(bytes: number, threads: number, itemBytes: number): number {
  const fitting = Math.floor(((bytes - OTHER_BYTES) / threads - 8 * KEPT) / (itemBytes + 4));
  return Math.min(MOST_PER_THREAD, fitting);
}

/**
 * Outputs per share of a pass. *Simple* stage: while there are at least as many pairs as workgroups, a share is a pair.
 * *Multiple* stage: after that, pairs are cut so that there are as many shares as workgroups in all dispatches, and
 * never more: a few more would take as long as another full dispatch. The stage changes earlier if a pair is longer
 * than one workgroup may merge (mostShare).
 */
export function windowShare({ elements, pairs, longest }: PassSize, limits: WindowLimits): number {
  const { groups, leastShare, mostShare, launchElements } = limits;
  const wanted = groups * Math.ceil(elements / launchElements);
  if (pairs >= wanted) return Math.min(longest, mostShare);
  // If no pair is cut into more parts than this, there are at most `wanted` shares.
  const parts = Math.floor(wanted / pairs);
  // The same holds if shares are at least this long, which helps if one pair is much longer than the others.
  const share = Math.min(Math.ceil(longest / parts), Math.ceil(elements / (wanted - pairs)));
  return Math.min(Math.max(share, Math.min(leastShare, longest)), mostShare);
}

/** Shares per dispatch. If there are more than workgroups, a multiple of these, so that all get the same number. */
export function launchShares(share: number, { groups, launchElements }: WindowLimits): number {
  const most = Math.max(1, Math.floor(launchElements / share));
  return most > groups ? most - (most % groups) : most;
}
