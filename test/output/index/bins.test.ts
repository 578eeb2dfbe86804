/** The tree of bins against a naive model: the smallest bin is found by trying all. */
import { expect, it } from 'vitest';
import {
  binCount,
  binTree,
  FIXED_TREE,
  firstBin,
  firstEntry,
  parentBin,
  positionLimit,
  regionBin,
  treeFor,
} from '../../../src/output/index/bin-tree.js';
import { randomBelow } from '../../support/random.js';

interface Span {
  readonly bin: number;
  readonly begin: number;
  readonly end: number;
}

/** All bins with the positions that they span, from the smallest to the largest. */
function spans(shift: number, levels: number): Span[] {
  const all: Span[] = [];
  let bin = 0;
  for (let level = 0; level <= levels; level++) {
    const width = 2 ** (shift + 3 * (levels - level));
    for (let i = 0; i < 8 ** level; i++) all.push({ bin: bin++, begin: i * width, end: (i + 1) * width });
  }
  return all.reverse();
}

it.each([
  [14, 5],
  [14, 2],
  [14, 0],
])('finds the smallest bin that holds a region: windows of 2^%i, %i levels', (shift, levels) => {
  const tree = binTree(shift, levels);
  const bins = spans(shift, levels);
  expect(binCount(tree)).toBe(bins.length);
  expect(positionLimit(tree)).toBe(bins.at(-1)!.end);
  const below = randomBelow(levels);
  for (let i = 0; i < 300; i++) {
    const begin = below(positionLimit(tree) - 1);
    const end = Math.min(begin + 1 + below(10 ** (1 + below(9))), positionLimit(tree));
    const smallest = bins.find((bin) => bin.begin <= begin && bin.end >= end)!;
    expect(regionBin(tree, begin, end)).toBe(smallest.bin);
    expect(firstEntry(tree, smallest.bin)).toBe(smallest.begin / 2 ** shift);
    if (smallest.bin === 0) continue;
    const parent = bins.find(({ bin }) => bin === parentBin(smallest.bin))!;
    expect(parent.begin <= smallest.begin && parent.end >= smallest.end).toBe(true);
  }
});

it('numbers bins as the SAM specification does', () => {
  expect([0, 1, 2, 3, 4, 5].map(firstBin)).toEqual([0, 1, 9, 73, 585, 4681]);
  expect(binCount(FIXED_TREE) + 1).toBe(37450);
});

it('finds bins of positions above 2^31', () => {
  const tree = treeFor(2 ** 31 - 1);
  expect(tree).toMatchObject({ shift: 14, levels: 6 });
  expect(regionBin(tree, 2 ** 32 - 2, 2 ** 32)).toBe(binCount(tree) - 1);
});

it('makes as many levels of bins as the longest contig needs', () => {
  expect([0, 16384 - 256, 16385 - 256, 2 ** 29 - 256, 2 ** 29].map((bases) => treeFor(bases).levels)).toEqual([
    0, 0, 1, 5, 6,
  ]);
});
