/**
 * Records larger than a chunk. They are compared in windows and never loaded whole. Only lines can be this large.
 * Usually the key (keyed-large.ts), if any, and then the whole line decide, so equal lines are identical. If only keys
 * count, equal lines keep their place among the runs of the input. Large lines under --locale are ordinary runs
 * (line-run.ts).
 */
import type { Run, Slice } from '../engines/contract.js';
import type { Ordering } from '../job/job.js';
import { compareBytes } from '../keys/compare.js';
import { HEADER_BYTES, isKeyed } from '../keys/keyed.js';

/** A record left in its file or in a blob. `bytes` excludes its delimiter. */
export interface LargeRecord {
  readonly bytes: number;
  /** For a keyed line, the bytes that precede the line as it was read; absent: none. */
  readonly keyBytes?: number;
  /**
   * Set if only keys count: how many of the slices it is combined with come before it in the input. Code that merges
   * slices must update it.
   */
  place?: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
  /** Frees its own storage, if it has any. */
  release?(): void;
}

/**
 * Makes a record that can be compared, or a run, of a large record as it was read. `slices`: the number of slices
 * before it.
 */
export type PlaceLarge = (record: LargeRecord, slices: number) => Promise<LargeRecord | Run>;

export const isRun = (placed: LargeRecord | Run): placed is Run => 'kind' in placed;

const WINDOW_BYTES = 1 << 20;
/** Bytes of a large record first compared with the records of runs. */
const HEAD_BYTES = 256 << 10;

async function readHead(record: LargeRecord, bytes: number): Promise<Uint8Array> {
  const head = Buffer.allocUnsafe(bytes);
  await record.readAt(0, head);
  return head;
}

/** The first and the end offset of the bytes that order a large record. */
const orderedFrom = (ordering: Ordering): number => (isKeyed(ordering) ? HEADER_BYTES : 0);
const orderedTo = ({ bytes, keyBytes = bytes }: LargeRecord, { lastResort }: Ordering): number =>
  lastResort ? bytes : keyBytes;

async function compareLarge(a: LargeRecord, b: LargeRecord, ordering: Ordering): Promise<number> {
  const [endA, endB] = [orderedTo(a, ordering), orderedTo(b, ordering)];
  const length = Math.min(endA, endB);
  const [windowA, windowB] = [
    Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length)),
    Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length)),
  ];
  for (let at = orderedFrom(ordering); at < length; at += WINDOW_BYTES) {
    const count = Math.min(WINDOW_BYTES, length - at);
    const [viewA, viewB] = [windowA.subarray(0, count), windowB.subarray(0, count)];
    await Promise.all([a.readAt(at, viewA), b.readAt(at, viewB)]);
    const sign = compareBytes(viewA, viewB);
    if (sign !== 0) return sign;
  }
  return endA - endB;
}

/**
 * The large records in order, stably; without repeats under `unique`. A merge sort, because comparisons are
 * asynchronous.
 */
export async function sortLarge(records: readonly LargeRecord[], ordering: Ordering): Promise<LargeRecord[]> {
  if (records.length < 2) return [...records];
  const middle = records.length >> 1;
  const [a, b] = [
    await sortLarge(records.slice(0, middle), ordering),
    await sortLarge(records.slice(middle), ordering),
  ];
  const merged: LargeRecord[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const sign = (await compareLarge(a[i], b[j], ordering)) * (ordering.reverse ? -1 : 1);
    if (sign === 0 && ordering.unique) j++;
    else merged.push(sign <= 0 ? a[i++] : b[j++]);
  }
  return [...merged, ...a.slice(i), ...b.slice(j)];
}

/**
 * The smallest byte string greater than all that start with `head`. Its first `least` bytes must not change. Null if
 * there is none.
 */
function successor(head: Uint8Array, least: number): Uint8Array | null {
  let length = head.length;
  while (length > least && head[length - 1] === 0xff) length--;
  if (length <= least) return null;
  const next = head.slice(0, length);
  next[length - 1]++;
  return next;
}

/**
 * As much of a large record as locates it among the records of the slices. A short head is enough if no record starts
 * with it. Otherwise it takes one byte more than any record of a run can have (`recordBytes`), which always decides.
 */
export async function truncated(
  record: LargeRecord,
  recordBytes: number,
  slices: readonly Slice[],
  ordering: Ordering,
): Promise<Uint8Array> {
  const enough = Math.min(orderedTo(record, ordering), recordBytes + 1);
  const head = await readHead(record, Math.min(HEAD_BYTES, enough));
  if (head.length === enough) return head;
  const next = successor(head, orderedFrom(ordering));
  if (next === null) return readHead(record, enough);
  for (const slice of slices) {
    // Records that start with the head lie between the head and its successor.
    const bounds = await slice.run.cut(slice.from, slice.to, ordering.reverse ? [next, head] : [head, next]);
    const shared = ordering.reverse
      ? bounds[0].upper.index < bounds[1].upper.index
      : bounds[0].lower.index < bounds[1].lower.index;
    if (shared) return readHead(record, enough);
  }
  return head;
}
