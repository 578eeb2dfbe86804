/**
 * Sorts a chunk in tiles: tokenizes, orders and gathers one tile at a time, then merges the tiles.
 *
 * Existing order is detected. If the whole text is one natural run, it stays in place or is only reversed. A tile that
 * is in order or in reverse is not sorted. If neighboring tiles are in order, they form one run of the merge.
 */

import type { RecordForm } from '../../contract/engine.js';
import type { Limit } from '../../job/job.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, FORM, NATURAL, type PlacedText } from './kernels.js';
import { mergeRuns } from './merge-texts.js';
import { NaturalRun } from './natural-run.js';
import { copyOutcome, type Into, type Outcome, outputFrom, type Written } from './outcome.js';
import { sortRepeats } from './repeats.js';
import type { RecordShape } from './shape.js';
import { gatherItems, noticeTile, openTiling, type Tile, type Tiling } from './tiles.js';

/**
 * Sorts a text. `into` returns the target for the bytes that `unique` and `limit` keep. `form`: how
 * records are written.
 */
export function* sortText(
  kernels: CpuKernels,
  shape: RecordShape,
  text: PlacedText,
  { limit, form }: Written,
  into: Into,
): Resumable<Outcome> {
  const { begin: source, end } = text;
  if (source === end) return { bytes: 0, records: 0 };
  const tiling = openTiling(kernels, shape, text, 1);
  const { target, items } = tiling;
  const written = shape.keyed ? form : 'run';
  let natural = limit === null && written === 'run' ? new NaturalRun(kernels, shape, tiling, text) : null;
  const runs = new TileRuns(kernels, shape, tiling, limit);
  let gathered: RecordForm = 'run';
  for (let from = source; from < end; ) {
    const tile = noticeTile(kernels, shape, tiling, from, end);
    from = kernels.textEnd(items, tile.count);
    yield;
    if (natural?.take(tile)) continue;
    if (natural !== null) {
      const run = natural.end();
      if (run === null && (yield* sortRepeats(kernels, shape, tiling, text, written)))
        return yield* copyOutcome(kernels, shape, outputFrom(kernels, target), { limit, form }, into);
      runs.begin(run);
    } else if (tile.from === source) {
      // Records that are still to be merged need their keys.
      gathered = from === end ? written : 'run';
      kernels.openOutput(target, FORM[gathered]);
    }
    natural = null;
    yield* runs.add(tile);
  }
  if (natural !== null) return yield* copyOutcome(kernels, shape, natural.text, { limit, form }, into);
  let result = target;
  if (runs.count > 1 || (runs.count === 1 && gathered !== written)) {
    result = source;
    yield* runs.merge(result, written);
  }
  const outcome = yield* copyOutcome(kernels, shape, outputFrom(kernels, result), { limit, form }, into);
  // Text as it was read has no keys from which a bound could be computed.
  if (limit !== null && form === 'run' && outcome.records >= limit.count) {
    const first = limit.end === 'first' ? result : kernels.outputEnd() - outcome.bytes;
    tighten(kernels, shape, limit, first, first + outcome.bytes);
  }
  return outcome;
}

/** Sorted tiles gathered to the target: the runs to be merged. */
class TileRuns {
  private readonly kernels: CpuKernels;
  private readonly shape: RecordShape;
  private readonly tiling: Tiling;
  private readonly limit: Limit | null;
  private readonly runs: PlacedText[] = [];

  constructor(kernels: CpuKernels, shape: RecordShape, tiling: Tiling, limit: Limit | null) {
    this.kernels = kernels;
    this.shape = shape;
    this.tiling = tiling;
    this.limit = limit;
  }

  get count(): number {
    return this.runs.length;
  }

  /** Begins with the part that was one natural run. */
  begin(run: PlacedText | null): void {
    if (run !== null) this.runs.push(run);
  }

  /** Orders a tile. If the tile continues the previous run, appends it there. */
  *add({ count: read, found }: Tile): Resumable<void> {
    const {
      kernels,
      shape,
      limit,
      runs,
      tiling: { items, room, ranges },
    } = this;
    const count = limit === null ? read : kernels.withinBound(items, read);
    if (count === 0) return;
    if (found === 0) kernels.order(items, count, room - items, ranges);
    else if ((found & NATURAL.rising) === 0) kernels.reverseItems(items, count);
    yield;
    const place = kernels.outputEnd();
    const last = runs.at(-1);
    const sign = last?.end === place ? kernels.compareLast(last.begin, last.end, items) : 1;
    if (sign === 0 && shape.unique) kernels.dropItem(items);
    const before = kernels.outputRecords();
    gatherLeft(kernels, items, count, limit);
    const end = kernels.outputEnd();
    if (sign <= 0) runs[runs.length - 1] = { begin: last!.begin, end };
    else runs.push({ begin: place, end });
    if (limit !== null && kernels.outputRecords() - before >= limit.count) tighten(kernels, shape, limit, place, end);
  }

  *merge(result: number, form: RecordForm): Resumable<void> {
    const {
      kernels,
      limit,
      runs,
      tiling: { heads, tree },
    } = this;
    let shared = Infinity;
    for (const [i, { begin, end }] of runs.entries()) {
      shared = Math.min(shared, kernels.sharedByRun(begin, end, runs[0].begin));
      kernels.addRun(heads, i, begin, end);
    }
    kernels.openMerge(heads, runs.length, tree, shared);
    kernels.openOutput(result, FORM[form]);
    yield* mergeRuns(kernels, limit);
  }
}

/**
 * Bytes [from, to) are ordered records, at least as many as `limit` keeps. Records beyond them need not be ordered.
 */
function tighten(
  kernels: CpuKernels,
  { delimiter, size }: RecordShape,
  { end }: Limit,
  from: number,
  to: number,
): void {
  if (end === 'last') kernels.tightenBound(from, 1);
  // A view that begins at `from`: the runtime searches only the first 2 GiB of a buffer.
  else
    kernels.tightenBound(
      size > 0 ? to - size : from + Buffer.from(kernels.memory.buffer, from, to - 1 - from).lastIndexOf(delimiter) + 1,
      0,
    );
}

/** Appends the records of a tile that `limit` keeps, and possibly more. */
function gatherLeft(kernels: CpuKernels, items: number, count: number, limit: Limit | null): void {
  const from = limit?.end === 'last' ? kernels.lastItems(items, count, limit.count) : 0;
  gatherItems(kernels, items, from, count, limit?.count);
}
