/**
 * Records larger than a chunk: compared in windows where they lie, never loaded whole. Only lines can be so large, so the
 * whole record is the key; large lines that are keyed (keyed-run.ts) or collated (line-run.ts) are runs like others.
 */
import type { Run, Slice } from '../engine.js';
import type { Ordering } from '../job.js';
import { compareBytes } from '../keys/compare.js';

/** A record left in its file or in a blob; `bytes` without its delimiter. */
export interface LargeRecord {
  readonly bytes: number;
  readAt(byte: number, target: Uint8Array): Promise<void>;
  /** Gives up its space where it has any of its own. */
  release?(): void;
}

/** Makes a run of a large record. */
export type RunOfLarge = (record: LargeRecord) => Promise<Run>;

const WINDOW_BYTES = 1 << 20;
/** First length at which a large record is compared with the records of runs. */
const HEAD_BYTES = 256 << 10;

async function readHead(record: LargeRecord, bytes: number): Promise<Uint8Array> {
  const head = Buffer.allocUnsafe(Math.min(bytes, record.bytes));
  await record.readAt(0, head);
  return head;
}

async function compareLarge(a: LargeRecord, b: LargeRecord): Promise<number> {
  const length = Math.min(a.bytes, b.bytes);
  const [windowA, windowB] = [Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length)), Buffer.allocUnsafe(Math.min(WINDOW_BYTES, length))];
  for (let at = 0; at < length; at += WINDOW_BYTES) {
    const count = Math.min(WINDOW_BYTES, length - at);
    const [viewA, viewB] = [windowA.subarray(0, count), windowB.subarray(0, count)];
    await Promise.all([a.readAt(at, viewA), b.readAt(at, viewB)]);
    const sign = compareBytes(viewA, viewB);
    if (sign !== 0) return sign;
  }
  return a.bytes - b.bytes;
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
    const sign = await compareLarge(a[i]!, b[j]!) * (ordering.reverse ? -1 : 1);
    if (sign === 0 && ordering.unique) j++;
    else merged.push(sign <= 0 ? a[i++]! : b[j++]!);
  }
  return [...merged, ...a.slice(i), ...b.slice(j)];
}

/** The smallest byte string after all that begin with `head`; null if there is none. */
function successor(head: Uint8Array): Uint8Array | null {
  let length = head.length;
  while (length > 0 && head[length - 1] === 0xff) length--;
  if (length === 0) return null;
  const next = head.slice(0, length);
  next[length - 1]!++;
  return next;
}

/**
 * As much of a large record as tells its place among the slices' records: a short head where none of them shares it, else one
 * byte more than any record of a run can have (`recordBytes`), which always does.
 */
export async function truncated(record: LargeRecord, recordBytes: number, slices: readonly Slice[], ordering: Ordering): Promise<Uint8Array> {
  const enough = Math.min(record.bytes, recordBytes + 1);
  const head = await readHead(record, Math.min(HEAD_BYTES, enough));
  if (head.length === enough) return head;
  const next = successor(head);
  if (next === null) return readHead(record, enough);
  for (const slice of slices) {
    // Records that begin with the head lie between it and its successor.
    const bounds = await slice.run.cut(slice.from, slice.to, ordering.reverse ? [next, head] : [head, next]);
    const shared = ordering.reverse ? bounds[0]!.upper.index < bounds[1]!.upper.index : bounds[0]!.lower.index < bounds[1]!.lower.index;
    if (shared) return readHead(record, enough);
  }
  return head;
}
