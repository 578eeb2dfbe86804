/**
 * Records larger than a chunk: compared in windows where they lie, never loaded whole. Only lines can be so large. Mostly all of a
 * line counts, behind its key if it has one (keyed-large.ts), and those that are equal are the same; where the key alone counts,
 * equal ones have their place among the runs of the input. Large lines that are collated are runs like others (line-run.ts).
 */
import type { Run, Slice } from '../engine.js';
import type { Ordering } from '../job.js';
import { compareBytes } from '../keys/compare.js';
import { HEADER_BYTES, isKeyed } from '../keys/keyed.js';

/** A record left in its file or in a blob; `bytes` without its delimiter. */
export interface LargeRecord {
  readonly bytes: number;
  /** Of a keyed line what stands before the line as it was read; absent: nothing. */
  readonly keyBytes?: number;
  /** Where only keys count: how many of the slices that it is combined with come before it in the input. Those that merge slices keep it true. */
  place?: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
  /** Gives up its space where it has any of its own. */
  release?(): void;
}

/** Makes of a large record as it was read, which so many slices come before, one that can be compared, or a run. */
export type PlaceLarge = (record: LargeRecord, slices: number) => Promise<LargeRecord | Run>;

export const isRun = (placed: LargeRecord | Run): placed is Run => 'kind' in placed;

const WINDOW_BYTES = 1 << 20;
/** First length at which a large record is compared with the records of runs. */
const HEAD_BYTES = 256 << 10;

async function readHead(record: LargeRecord, bytes: number): Promise<Uint8Array> {
  const head = Buffer.allocUnsafe(bytes);
  await record.readAt(0, head);
  return head;
}

/** Where the bytes begin that order a large record, and where they end. */
const orderedFrom = (ordering: Ordering): number => (isKeyed(ordering) ? HEADER_BYTES : 0);
const orderedTo = ({ bytes, keyBytes = bytes }: LargeRecord, { lastResort }: Ordering): number => (lastResort ? bytes : keyBytes);

async function compareLarge(a: LargeRecord, b: LargeRecord, ordering: Ordering): Promise<number> {
  const [endA, endB] = [orderedTo(a, ordering), orderedTo(b, ordering)];
  const length = Math.min(endA, endB);
  const [windowA, windowB] = [Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length)), Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length))];
  for (let at = orderedFrom(ordering); at < length; at += WINDOW_BYTES) {
    const count = Math.min(WINDOW_BYTES, length - at);
    const [viewA, viewB] = [windowA.subarray(0, count), windowB.subarray(0, count)];
    await Promise.all([a.readAt(at, viewA), b.readAt(at, viewB)]);
    const sign = compareBytes(viewA, viewB);
    if (sign !== 0) return sign;
  }
  return endA - endB;
}

/** The large records in order, stably; without repeats under `unique`. By merging, since comparisons are asynchronous. */
export async function sortLarge(records: readonly LargeRecord[], ordering: Ordering): Promise<LargeRecord[]> {
  if (records.length < 2) return [...records];
  const middle = records.length >> 1;
  const [a, b] = [await sortLarge(records.slice(0, middle), ordering), await sortLarge(records.slice(middle), ordering)];
  const merged: LargeRecord[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const sign = await compareLarge(a[i]!, b[j]!, ordering) * (ordering.reverse ? -1 : 1);
    if (sign === 0 && ordering.unique) j++;
    else merged.push(sign <= 0 ? a[i++]! : b[j++]!);
  }
  return [...merged, ...a.slice(i), ...b.slice(j)];
}

/** The smallest byte string after all that begin with `head`, whose first `least` bytes do not count; null if there is none. */
function successor(head: Uint8Array, least: number): Uint8Array | null {
  let length = head.length;
  while (length > least && head[length - 1] === 0xff) length--;
  if (length <= least) return null;
  const next = head.slice(0, length);
  next[length - 1]!++;
  return next;
}

/**
 * As much of a large record as tells its place among the slices' records: a short head where none of them shares it, else one
 * byte more than any record of a run can have (`recordBytes`), which always does.
 */
export async function truncated(record: LargeRecord, recordBytes: number, slices: readonly Slice[], ordering: Ordering): Promise<Uint8Array> {
  const enough = Math.min(orderedTo(record, ordering), recordBytes + 1);
  const head = await readHead(record, Math.min(HEAD_BYTES, enough));
  if (head.length === enough) return head;
  const next = successor(head, orderedFrom(ordering));
  if (next === null) return readHead(record, enough);
  for (const slice of slices) {
    // Records that begin with the head lie between it and its successor.
    const bounds = await slice.run.cut(slice.from, slice.to, ordering.reverse ? [next, head] : [head, next]);
    const shared = ordering.reverse ? bounds[0]!.upper.index < bounds[1]!.upper.index : bounds[0]!.lower.index < bounds[1]!.lower.index;
    if (shared) return readHead(record, enough);
  }
  return head;
}
