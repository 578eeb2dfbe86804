/**
 * Merges more text than memory holds. A window of each sorted text is in memory. Each round merges all records that no
 * record outside memory can precede. Each byte is read once, in large pieces.
 */
import type { Bounds, Engine, Run, Slice } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareRecords } from '../keys/compare.js';
import { inParallel } from '../system/promises.js';
import { type Step, steps } from './combine.js';
import type { Front } from './front.js';
import type { LargeRecord } from './large.js';
import { comparedWith, sortLarge } from './large-order.js';
import { bytesOf } from './partition.js';

/** Windows filled at once. */
const FILLS = 8;

/**
 * A record that separates the records that can be merged from those that cannot yet: the last one in memory of front
 * number `front`.
 */
interface Bound {
  readonly front: number;
  readonly record: Uint8Array;
}

/**
 * Yields the steps that merge all records of `fronts` and `large` in order. Among equal records, those of earlier
 * fronts come first. `keepsRepeats`: see `partition`.
 */
export async function* rounds(
  engine: Engine,
  fronts: readonly Front[],
  large: readonly LargeRecord[],
  ordering: Ordering,
  { keepsRepeats = false }: { readonly keepsRepeats?: boolean } = {},
): AsyncGenerator<Step> {
  let open = fronts;
  let rest: readonly LargeRecord[] = await sortLarge(large, ordering);
  /**
   * These settle when all steps of the round before the last, and of the last one, have ended. There is memory for the
   * windows of two rounds, so a new round waits for `before`.
   */
  let [before, last]: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  for (;;) {
    await before;
    await inParallel(open, FILLS, (front) => front.fill());
    const isDone = ({ ended, slice: { from, to } }: Front): boolean => ended && from.byte === to.byte;
    for (const front of open) if (isDone(front)) front.close();
    open = open.filter((front) => !isDone(front));
    if (open.length === 0) break;
    const bound = boundOf(open, ordering);
    const slices = await slicesBefore(open, bound, ordering);
    if (bound !== null && slices.every(({ from, to }) => from.byte === to.byte)) {
      open[bound.front].keepFirst();
      continue;
    }
    const half = bytesOf(slices) / 2;
    slices.forEach(({ from, to }, i) => {
      open[i].prefer(to.byte - from.byte > half);
    });
    const numbers = open.map((front) => fronts.indexOf(front));
    const due = await largeBefore(rest, bound && { ...bound, front: numbers[bound.front] }, ordering);
    rest = rest.slice(due.length);
    const over: Promise<void>[] = [];
    const frontOf = new Map(open.map((front) => [front.slice.run, front]));
    for await (const step of steps(engine, slices, due, ordering, { keepsRepeats, numbers })) {
      const holds = open.map((front) => front.hold());
      if (step.kind === 'range') for (const { run, to } of step.range.slices) frontOf.get(run as Run)!.moveTo(to);
      let isOver = (): void => {};
      over.push(
        new Promise((resolve) => {
          isOver = resolve;
        }),
      );
      yield {
        ...step,
        // If a step is not written, its records may still be needed.
        ended: (how) => {
          if (how === 'written') for (const letGo of holds) letGo();
          isOver();
        },
      };
    }
    // Also move past records that no step contains, because another front has equal ones.
    slices.forEach(({ to }, i) => {
      open[i].moveTo(to);
    });
    [before, last] = [last!, Promise.all(over)];
  }
  yield* steps(engine, [], rest, ordering);
}

/** The smallest of the last records in memory, over all fronts that have more outside memory; null if none has. */
function boundOf(fronts: readonly Front[], ordering: Ordering): Bound | null {
  let bound: Bound | null = null;
  for (const [front, text] of fronts.entries()) {
    if (text.ended) continue;
    const record = text.last();
    if (bound === null || compareRecords(ordering, record, bound.record) < 0) bound = { front, record };
  }
  return bound;
}

/**
 * The records that no record outside memory can precede. Records equal to the bound are included from its own front and
 * from earlier ones. Under `unique` they are excluded, because equal records must meet in one merge.
 */
async function slicesBefore(fronts: readonly Front[], bound: Bound | null, ordering: Ordering): Promise<Slice[]> {
  if (bound === null) return fronts.map(({ slice }) => slice);
  return Promise.all(
    fronts.map(async ({ slice: { run, from, to } }, i) => {
      if (i === bound.front && !ordering.unique) return { run, from, to };
      const [{ lower, upper }] = (await run.cut(from, to, [bound.record])) as [Bounds];
      return { run, from, to: i < bound.front && !ordering.unique ? upper : lower };
    }),
  );
}

/**
 * The records of `large`, which are in order, that come before the bound. `bound.front` is an index among all fronts.
 * Earlier fronts have no records equal to the bound outside memory. So a large record that equals the bound can be
 * placed if it comes before the bound's front in the input.
 */
async function largeBefore(
  large: readonly LargeRecord[],
  bound: Bound | null,
  ordering: Ordering,
): Promise<readonly LargeRecord[]> {
  if (bound === null) return large;
  let count = 0;
  while (count < large.length) {
    const sign = await comparedWith(large[count], bound.record, ordering);
    const { place } = large[count];
    const isFirst = !ordering.unique && place !== undefined && place <= bound.front;
    if (sign > 0 || (sign === 0 && !isFirst)) break;
    count++;
  }
  return large.slice(0, count);
}
