/**
 * The bins of an index: a tree over the positions of a contig, in which each bin has eight children and bin 0 spans
 * all. All positions here are below 2^32. Source: the specifications of SAM (section 5) and CSI.
 */

export interface BinTree {
  /** The smallest bins span 2^shift positions, as do the entries of the linear index. */
  readonly shift: number;
  /** Levels of bins below bin 0. */
  readonly levels: number;
  /** The first of the smallest bins. */
  readonly firstOfSmallest: number;
}

/** The bins of .bai and .tbi, which hold positions below 2^29. */
export const FIXED_TREE = binTree(14, 5);
/** The bins of tabix 1.16 in a .csi. They hold positions below 2^32. */
export const TABIX_TREE = binTree(14, 6);

export function binTree(shift: number, levels: number): BinTree {
  return { shift, levels, firstOfSmallest: firstBin(levels) };
}

/** The first bin of a level: 0, 1, 9, 73 ... */
export function firstBin(level: number): number {
  return (2 ** (3 * level) - 1) / 7;
}

/** The number of bins. The bin of metadata has this number plus 1: 37450 in .bai. */
export function binCount(tree: BinTree): number {
  return firstBin(tree.levels + 1);
}

/** The end of the positions that the bins span. */
export function positionLimit(tree: BinTree): number {
  return 2 ** (tree.shift + 3 * tree.levels);
}

/** The smallest bin that holds the positions from `begin` to `end` - 1. */
export function regionBin(tree: BinTree, begin: number, end: number): number {
  const last = end - 1;
  let shift = tree.shift;
  let first = tree.firstOfSmallest;
  for (let level = tree.levels; level > 0; level--) {
    if (begin >>> shift === last >>> shift) return first + (begin >>> shift);
    shift += 3;
    first = parentBin(first);
  }
  return 0;
}

/** The number in `tree` of a bin of `larger`, which has the levels of `tree` and perhaps more levels above them. */
export function binWithin(tree: BinTree, bin: number, larger: BinTree): number {
  const level = levelOf(bin);
  return bin - firstBin(level) + firstBin(level - larger.levels + tree.levels);
}

export function parentBin(bin: number): number {
  return (bin - 1) >>> 3;
}

/** The entry of the linear index at which a bin begins. */
export function firstEntry(tree: BinTree, bin: number): number {
  const level = levelOf(bin);
  return (bin - firstBin(level)) * 2 ** (3 * (tree.levels - level));
}

/** The levels above a bin. */
function levelOf(bin: number): number {
  let level = 0;
  for (let above = bin; above > 0; above = parentBin(above)) level++;
  return level;
}

/** The tree that samtools chooses for a .csi: enough levels for the longest contig and 256 more positions. */
export function treeFor(longestContig: number): BinTree {
  let tree = binTree(14, 0);
  while (positionLimit(tree) < longestContig + 256) tree = binTree(14, tree.levels + 1);
  return tree;
}
