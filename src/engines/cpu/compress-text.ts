/** Sorts text and compresses it to blocks of BGZF, while it is in the processor's cache. */
import { BLOCK_TEXT, blocksBytes, blocksRoom, writeBlocks } from '../../codecs/bgzf.js';
import type { MergedBlocks } from '../../contract/engine.js';
import { copyBytes } from '../../system/memory.js';
import type { Resumable } from '../../system/resumable.js';
import { type CpuKernels, ITEM_BYTES, layOut, RANGE_BYTES } from './kernels.js';
import type { TaskSlices } from './task.js';
import type { Outcome } from './outcome.js';

/**
 * Compressed text in a buffer: blocks from byte 0 on, then text at `textAt`. If the text of the blocks is wanted, all of
 * it is there; otherwise only `head` and `tail`, which are the text before and after the blocks.
 */
export interface CompressedText {
  /** The bytes of each block. */
  readonly sizes: readonly number[];
  readonly head: number;
  readonly tail: number;
  readonly textAt: number;
}

/** The bytes of the target for `bytes` bytes of text. */
export function roomForBlocks(bytes: number, { wantsText }: MergedBlocks): number {
  return blocksRoom(bytes) + (wantsText ? bytes : 2 * BLOCK_TEXT);
}

export function* sortToBlocks(
  kernels: CpuKernels,
  { buffers, places }: TaskSlices,
  { before, level, wantsText }: MergedBlocks,
  target: Uint8Array,
): Resumable<{ readonly outcome: Outcome; readonly compressed: CompressedText }> {
  let bytes = 0;
  let entryBytes = 0;
  for (let at = 0; at < places.length; at += 5) {
    bytes += places[at + 2] - places[at + 1];
    entryBytes += places[at + 4] - places[at + 3];
  }
  const most = Math.ceil(bytes / 36) + 1;
  const [source, entries, items, room, ranges, result] = layOut(kernels, [
    bytes,
    entryBytes,
    most * ITEM_BYTES,
    most * ITEM_BYTES,
    (most * ITEM_BYTES) / 2 + RANGE_BYTES,
    bytes,
  ]) as [number, number, number, number, number, number];
  const memory = Buffer.from(kernels.memory.buffer);
  let at = source;
  let entryAt = entries;
  for (let i = 0; i < places.length; i += 5) {
    const buffer = buffers[places[i]];
    const [from, to, entriesFrom, entriesTo] = [places[i + 1], places[i + 2], places[i + 3], places[i + 4]];
    memory.fill(new Uint8Array(buffer, from, to - from), at, at + to - from);
    memory.fill(new Uint8Array(buffer, entriesFrom, entriesTo - entriesFrom), entryAt, entryAt + entriesTo - entriesFrom);
    at += to - from;
    entryAt += entriesTo - entriesFrom;
  }
  const count = kernels.readEntries(entries, entryAt, source, items);
  yield;
  kernels.order(items, count, room - items, ranges);
  yield;
  kernels.gatherRecords(items, count, result);
  yield;
  const outcome: Outcome = { bytes, records: count };
  const text = new Uint8Array(kernels.memory.buffer, result, bytes);
  const head = Math.min(text.length, (BLOCK_TEXT - (before % BLOCK_TEXT)) % BLOCK_TEXT);
  const tail = (text.length - head) % BLOCK_TEXT;
  const end = text.length - tail;
  const sizes = yield* writeBlocks(text.subarray(head, end), level, target);
  const textAt = blocksBytes(sizes);
  if (wantsText) copyBytes(text, target, textAt);
  else {
    copyBytes(text.subarray(0, head), target, textAt);
    copyBytes(text.subarray(end), target, textAt + head);
  }
  return { outcome, compressed: { sizes, head, tail, textAt } };
}
