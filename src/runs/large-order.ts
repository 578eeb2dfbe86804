/**
 * Orders records larger than a chunk, among themselves and among the records of runs. They are read in parts, many
 * records at once, and only records that agree in a part are read further. Runs are also searched for many records at
 * once, because one query to a device takes as long as many.
 */
import type { Bounds, Position, Run, Slice } from '../contract/engine.js';
import type { Ordering } from '../job/ordering.js';
import { compareBytes, compareRecords } from '../keys/compare.js';
import { isKeyed, KEY_HEADER_BYTES } from '../keys/keyed.js';
import { inParallel } from '../system/promises.js';
import type { LargeRecord } from './large.js';
import type { Range } from './partition.js';

/** Bytes that are read of each record first. They decide, unless records have long common prefixes. */
const HEAD_BYTES = 4 << 10;
/** Each part has this many times the bytes of the part before it. */
const HEAD_GROWTH = 16;
/** Maximum bytes of parts in memory at once; a single part may exceed it. */
const PARTS_BYTES = 16 << 20;
/** Parts that are read at once. */
const READS = 16;
/** Bounds of records in slices in memory at once, about 100 bytes each. */
const BOUNDS_AT_ONCE = 1 << 16;

/**
 * The large records in stable order; without repeats under `unique`. No byte is read twice.
 *
 * `from`: all records agree before it. `most`: the maximum bytes to read of each record next.
 */
export async function sortLarge(
  records: readonly LargeRecord[],
  ordering: Ordering,
  from = orderedFrom(ordering),
  most = HEAD_BYTES,
): Promise<LargeRecord[]> {
  if (records.length < 2) return [...records];
  const bytes = Math.min(most, Math.max(HEAD_BYTES, Math.floor(PARTS_BYTES / records.length)));
  const sorted: LargeRecord[] = [];
  for (const { agreeing, ended } of await byPart(records, from, from + bytes, ordering)) {
    if (!ended) sorted.push(...(await sortLarge(agreeing, ordering, from + bytes, most * HEAD_GROWTH)));
    else sorted.push(...(ordering.unique ? agreeing.slice(0, 1) : agreeing));
  }
  return sorted;
}

/** Records that agree in a part. `ended`: they have no ordered bytes after it, so they are equal. */
interface Agreeing {
  readonly agreeing: LargeRecord[];
  readonly ended: boolean;
}

/** The records in the order of their bytes [from, to), in lists of those that agree. */
async function byPart(
  records: readonly LargeRecord[],
  from: number,
  to: number,
  ordering: Ordering,
): Promise<Agreeing[]> {
  const parts = await readParts(records, from, to, ordering);
  const order = [...parts.keys()];
  order.sort((a, b) => (ordering.reverse ? compareBytes(parts[b], parts[a]) : compareBytes(parts[a], parts[b])));
  const lists: Agreeing[] = [];
  let before: Uint8Array | null = null;
  for (const i of order) {
    const part = parts[i];
    if (before !== null && compareBytes(before, part) === 0) lists.at(-1)!.agreeing.push(records[i]);
    else lists.push({ agreeing: [records[i]], ended: part.length < to - from });
    before = part;
  }
  return lists;
}

/** Compares a large record with a record of a run, which ends within the bytes that are read. */
export async function comparedWith(large: LargeRecord, record: Uint8Array, ordering: Ordering): Promise<number> {
  const [head] = await readParts([large], 0, record.length + 1, ordering);
  return compareRecords(ordering, head, record);
}

/**
 * A large record and its place in each slice: it follows the records before `ends` and precedes those from `starts` on.
 * Records between these two places repeat it and are dropped.
 */
interface LocatedRecord {
  readonly record: LargeRecord;
  readonly ends: readonly Position[];
  readonly starts: readonly Position[];
}

/** How large records relate to the slices that they are placed among. */
interface Placing {
  /** No record of a run is longer. */
  readonly recordBytes: number;
  /** The number of each slice, in the numbering that the places of large records use. Absent: 0, 1, 2, ... */
  readonly numbers?: readonly number[] | undefined;
}

/**
 * Yields the ranges and the large records in order. A range is cut at each record that belongs inside it. `ranges`:
 * those of `slices`.
 */
export async function* amongRanges(
  ranges: AsyncIterable<Range> | readonly Range[],
  slices: readonly Slice[],
  large: readonly LargeRecord[],
  ordering: Ordering,
  placing: Placing,
): AsyncGenerator<Range | LargeRecord> {
  if (large.length === 0) {
    yield* ranges;
    return;
  }
  const records = located(large, slices, ordering, placing);
  const numberOf = numbering(slices);
  let next = await records.next();
  for await (const range of ranges) {
    const numbers = range.slices.map(numberOf);
    let rest = range;
    for (; next.done !== true; next = await records.next()) {
      const { record, ends, starts } = next.value;
      const followsAll = rest.slices.every(({ to }, i) => ends[numbers[i]].byte >= to.byte);
      if (followsAll) break;
      yield* filled({ ...rest, slices: rest.slices.map((s, i) => ({ ...s, to: within(s, ends[numbers[i]]) })) });
      yield record;
      rest = { ...rest, slices: rest.slices.map((s, i) => ({ ...s, from: within(s, starts[numbers[i]]) })) };
    }
    yield* filled(rest);
  }
  for (; next.done !== true; next = await records.next()) yield next.value.record;
}

/** The number of the slice in which a part lies. Several slices may be of one run, one after another. */
function numbering(slices: readonly Slice[]): (part: Slice) => number {
  const numbers = new Map<Run, number[]>();
  for (const [number, { run }] of slices.entries()) {
    const known = numbers.get(run);
    if (known === undefined) numbers.set(run, [number]);
    else known.push(number);
  }
  return ({ run, from }) => numbers.get(run)!.findLast((number) => slices[number].from.byte <= from.byte)!;
}

const within = ({ from, to }: Slice, place: Position): Position =>
  place.byte < from.byte ? from : place.byte > to.byte ? to : place;

/** The range without its empty slices; nothing if all are empty. */
function* filled(range: Range): Generator<Range> {
  const slices = range.slices.filter(({ from, to }) => from.byte < to.byte);
  if (slices.length > 0) yield { ...range, slices };
}

/** The large records with their places. Under `unique` those that repeat a record of an earlier slice are left out. */
async function* located(
  large: readonly LargeRecord[],
  slices: readonly Slice[],
  ordering: Ordering,
  { recordBytes, numbers = [...slices.keys()] }: Placing,
): AsyncGenerator<LocatedRecord> {
  const { unique } = ordering;
  const atOnce = Math.max(1, Math.floor(BOUNDS_AT_ONCE / Math.max(1, slices.length)));
  for (let begin = 0; begin < large.length; begin += atOnce) {
    const some = large.slice(begin, begin + atOnce);
    const bounds = slices.length === 0 ? null : await boundsOf(some, slices, recordBytes, ordering);
    for (const [i, record] of some.entries()) {
      const { place = 0 } = record;
      const own = bounds?.[i] ?? [];
      const isEarlier = (j: number): boolean => numbers[j] < place;
      if (unique && own.some(({ lower, upper }, j) => isEarlier(j) && lower.byte < upper.byte)) continue;
      // Equal records of earlier slices come before it.
      const ends = own.map(({ lower, upper }, j) => (isEarlier(j) ? upper : lower));
      yield { record, ends, starts: unique ? own.map(({ upper }) => upper) : ends };
    }
  }
}

/**
 * For each large record, in order, its bounds in each slice, as Run.cut returns them. A run is queried for many records
 * at once, by their heads. A head is enough if no record of a run starts with it. `recordBytes`: no record of a run is
 * longer, so a head of one byte more is always enough.
 */
async function boundsOf(
  large: readonly LargeRecord[],
  slices: readonly Slice[],
  recordBytes: number,
  ordering: Ordering,
  headBytes = HEAD_BYTES,
): Promise<Bounds[][]> {
  const bounds: Bounds[][] = [];
  const atOnce = Math.max(1, Math.floor(PARTS_BYTES / headBytes));
  for (let begin = 0; begin < large.length; begin += atOnce) {
    const some = large.slice(begin, begin + atOnce);
    const found = await boundsByHeads(some, slices, recordBytes, ordering, Math.min(headBytes, recordBytes + 1));
    const open = some.filter((_, i) => found[i] === null);
    const further = open.length > 0 ? await boundsOf(open, slices, recordBytes, ordering, headBytes * HEAD_GROWTH) : [];
    bounds.push(...found.map((known) => known ?? further.shift()!));
  }
  return bounds;
}

/** The bounds of each record; null if its first `headBytes` bytes do not decide them. */
async function boundsByHeads(
  large: readonly LargeRecord[],
  slices: readonly Slice[],
  recordBytes: number,
  ordering: Ordering,
  headBytes: number,
): Promise<(Bounds[] | null)[]> {
  const heads = await readParts(large, 0, headBytes, ordering);
  const queries: Uint8Array[] = [];
  let before: Uint8Array[] = [];
  const asked = heads.map((head, i) => {
    const isEnough = head.length === Math.min(orderedTo(large[i], ordering), recordBytes + 1);
    const next = isEnough ? null : successor(head, orderedFrom(ordering));
    // Records that start with the head lie between the head and its successor.
    const own = isEnough ? [head] : next === null ? [] : ordering.reverse ? [next, head] : [head, next];
    // Queries must be in order, so the same head is asked about only once.
    const isSame =
      own.length === before.length && own.every((query, j) => compareRecords(ordering, query, before[j]) === 0);
    if (!isSame) queries.push(...own);
    before = own;
    return { count: own.length, end: queries.length };
  });
  const answers = await Promise.all(slices.map(({ run, from, to }) => run.cut(from, to, queries)));
  return asked.map(({ count, end }) => {
    if (count === 0) return null;
    const [first, last] = [answers.map((bounds) => bounds[end - count]), answers.map((bounds) => bounds[end - 1])];
    const side = ordering.reverse ? 'upper' : 'lower';
    if (first.some((bounds, j) => bounds[side].byte < last[j][side].byte)) return null;
    return ordering.reverse ? last : first;
  });
}

/**
 * The smallest byte string that is greater than all strings that start with `head` and has the same first `least` bytes
 * as `head`. Null if there is none.
 */
function successor(head: Uint8Array, least: number): Uint8Array | null {
  let length = head.length;
  while (length > least && head[length - 1] === 0xff) length--;
  if (length <= least) return null;
  // A copy: the slice of a Buffer would be a view of it.
  const next = new Uint8Array(head.subarray(0, length));
  next[length - 1]++;
  return next;
}

/** The offsets at which the ordered bytes of a large record begin and end. */
const orderedFrom = (ordering: Ordering): number => (isKeyed(ordering) ? KEY_HEADER_BYTES : 0);
const orderedTo = ({ bytes, keyBytes = bytes }: LargeRecord, { lastResort }: Ordering): number =>
  lastResort ? bytes : keyBytes;

/** Bytes [from, to) of each record; fewer if its ordered bytes end earlier. */
async function readParts(
  records: readonly LargeRecord[],
  from: number,
  to: number,
  ordering: Ordering,
): Promise<Uint8Array[]> {
  const parts = records.map((record) => new Uint8Array(Math.max(0, Math.min(to, orderedTo(record, ordering)) - from)));
  await inParallel(records, READS, async (record, i) => {
    if (parts[i].length > 0) await record.readAt(from, parts[i]);
  });
  return parts;
}
