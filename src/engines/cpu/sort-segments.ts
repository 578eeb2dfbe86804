/**
 * Sorts each segment of a chunk separately, in tiles (tiles.ts). A tile ends where its last segment begins; the next
 * tile then holds all of that segment. A segment that fills a tile is sorted in several tiles, which are merged.
 */

import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, FORM, HEAD_BYTES, type PlacedText, STEP_RECORDS } from './kernels.js';
import { copyOutcome, type Into, type Outcome, outputFrom, type SegmentedOutcome } from './outcome.js';
import type { RecordShape } from './shape.js';
import { gatherItems, openTiling, readTile, type Tiling } from './tiles.js';

/**
 * Maximum runs per tile's worth of text: a piece of a large segment, the end of that segment, and the segments before
 * one that no longer fits.
 */
const RUNS_PER_TILE = 3;

/** Consecutive runs that become one: the tiles of one segment, or a single run of whole segments. */
interface RunGroup {
  /** The first run, and the byte of the output where it begins. */
  readonly run: number;
  readonly begin: number;
  /** Bytes that all its keys share; used only if there are several runs. */
  shared: number;
  runs: number;
}

/**
 * Sorts the segments of a text; under `unique` drops repeats. `into` returns the target for the number of bytes left.
 */
export function* sortSegments(
  kernels: CpuKernels,
  shape: RecordShape,
  text: PlacedText,
  into: Into,
): Resumable<Outcome> {
  const { begin: source, end } = text;
  if (source === end) return { bytes: 0, records: 0, segments: { firstEnd: 0, lastBegin: 0 } };
  const tiling = openTiling(kernels, shape, text, RUNS_PER_TILE);
  const { target, items, room, ranges, heads } = tiling;
  const groups: RunGroup[] = [];
  /** The first record of a segment that fills every tile from that record on and may continue. */
  let open: { begin: number; end: number } | null = null;
  let [firstEnd, lastBegin] = [0, 0];
  let runs = 0;
  const position = (): number => kernels.outputEnd() - target;
  kernels.openOutput(target, FORM.run);
  for (let from = source; from < end; ) {
    const read = readTile(kernels, shape, tiling, from, end);
    const firstRecordEnd = kernels.textEnd(items, 1);
    const joined: boolean = open !== null && kernels.sameSegment(open.begin, open.end, from, firstRecordEnd) !== 0;
    const isLast = kernels.textEnd(items, read) === end;
    const cut: number = cutOf(kernels, items, read, joined, isLast);
    const count = cut === 0 ? read : cut;
    const next = kernels.textEnd(items, count);
    // The number of records up to the end of the first segment of the text, and up to the start of its last one, if
    // they are in this tile.
    const first = runs === 0 ? kernels.firstSegmentEnd(items, count) : 0;
    const last = next === end ? kernels.lastSegmentBegin(items, count) : count;
    const begin = position();
    yield;
    if (joined || cut === 0) {
      const depth = kernels.order(items, count, room - items, ranges);
      if (joined) {
        const group: RunGroup = groups.at(-1)!;
        group.shared = kernels.sharedBytes(
          open!.begin + shape.keyOffset,
          from + shape.keyOffset,
          Math.min(group.shared, depth),
        );
        group.runs++;
      } else groups.push({ run: runs, begin, shared: depth, runs: 1 });
    } else {
      kernels.orderSegments(items, count, room - items, ranges);
      groups.push({ run: runs, begin, shared: 0, runs: 1 });
    }
    yield;
    // If first > last, one segment is both.
    const [firstStop, lastStop] = first > last ? [0, 0] : [first, last];
    gatherItems(kernels, items, 0, firstStop);
    if (runs === 0) firstEnd = position();
    gatherItems(kernels, items, firstStop, lastStop);
    lastBegin = position();
    gatherItems(kernels, items, lastStop, count);
    if (first > last) firstEnd = position();
    kernels.addRun(heads, runs++, target + begin, kernels.outputEnd());
    open = count < read || isLast ? null : joined ? open : { begin: from, end: firstRecordEnd };
    from = next;
  }
  const sorted = { firstEnd, lastBegin };
  const isMerged = runs > groups.length;
  const segments = isMerged ? yield* mergeGroups(kernels, tiling, groups, source, sorted) : sorted;
  const output = outputFrom(kernels, isMerged ? source : target);
  return { ...(yield* copyOutcome(kernels, shape, output, { limit: null, form: 'run' }, into)), segments };
}

/**
 * Where to cut a tile of `read` records: after the segment that an earlier tile began, or before the last segment,
 * which may continue in the next tile.
 */
function cutOf(kernels: CpuKernels, items: number, read: number, joined: boolean, isLast: boolean): number {
  if (joined) return kernels.firstSegmentEnd(items, read);
  return isLast ? read : kernels.lastSegmentBegin(items, read);
}

/**
 * Merges the runs of each group to `result`. Returns where in the result the first segment ends and the last one
 * begins.
 */
function* mergeGroups(
  kernels: CpuKernels,
  { heads, tree }: Tiling,
  groups: readonly RunGroup[],
  result: number,
  segments: SegmentedOutcome,
): Resumable<SegmentedOutcome> {
  let { firstEnd, lastBegin } = segments;
  const position = (): number => kernels.outputEnd() - result;
  kernels.openOutput(result, FORM.run);
  for (const [i, group] of groups.entries()) {
    const moved = position();
    kernels.openMerge(heads + group.run * HEAD_BYTES, group.runs, tree, group.shared);
    while (kernels.merge(STEP_RECORDS) !== 0) yield;
    if (i === 0 && group.runs > 1) firstEnd = position();
    if (i < groups.length - 1) continue;
    lastBegin = group.runs > 1 ? moved : moved + lastBegin - group.begin;
  }
  return { firstEnd, lastBegin };
}
