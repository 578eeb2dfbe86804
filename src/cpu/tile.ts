/**
 * A chunk from input order to sorted order, in tiles: tokenize, order and gather one tile at a time, then merge the tiles.
 * Knows the stages and their workspace, which it keeps from chunk to chunk; no threads, no files.
 *
 * The text of a tile is read at random while it is ordered. On a machine with 1 MiB of second-level cache and 4 KiB pages,
 * gathering 11-byte records costs 15 ns each from 4 MiB and 65 ns from 16 MiB, more than the levels of a merge it saves.
 *
 * Tiles are put back in order where they were, so that a chunk needs no more memory than its own and its result's: memory touched
 * for the first time costs more than sorting what is in it (5 to 26 us a page of 4 KiB on a virtual machine).
 */
import type { Shape } from './shape.js';
import { SLACK } from './shape.js';
import type { Text } from './gather.js';
import { gatherRecords, textOf } from './gather.js';
import type { Part } from './merge.js';
import { mergeParts } from './merge.js';
import { sharedBytes } from './prefix.js';
import { createWorkspace, orderRecords } from './refine.js';
import type { Workspace } from './refine.js';
import { checkWhole, tokenizeFixed, tokenizeLines } from './tokenize.js';

/** Most bytes of text that are ordered at once, unless one record is larger. */
export const TILE_BYTES = 4 << 20;
/** Most records of a tile: 28 bytes of workspace each. */
export const TILE_RECORDS = 512 << 10;
/** A text of up to this share over TILE_BYTES is still one tile, rather than one tile and a crumb. */
const TILE_TOLERANCE = 1.25;

/** Sorted text: how much, of how many records, and the places of every INDEX_STEP-th record. */
export interface Outcome {
  readonly bytes: number;
  readonly records: number;
  readonly index: Uint32Array;
}

/** Memory of this thread, grown when needed and used again for each chunk. */
let workspace: Workspace | undefined;
let tileRoom: Text | undefined;

/** Sorts the first `bytes` bytes of `source`, which is overwritten, into `target` (not the same), from its byte 0. */
export function sortText(source: Text, bytes: number, target: Text, shape: Shape): Outcome {
  checkWhole(source.bytes, 0, bytes, shape.delimiter, shape.size);
  const tileBytes = bytes <= TILE_BYTES * TILE_TOLERANCE ? bytes : Math.ceil(bytes / Math.ceil(bytes / TILE_BYTES));
  const mostRecords = Math.min(TILE_RECORDS, shape.size > 0 ? Math.ceil(tileBytes / shape.size) : tileBytes);
  if (workspace === undefined || workspace.order.length < mostRecords) workspace = createWorkspace(mostRecords);
  const { starts, order } = workspace;

  const parts: Part[] = [];
  const index: number[] = [];
  let depth = 0;
  for (let from = 0; from < bytes;) {
    const to = tileEnd(source, from, bytes, tileBytes, shape);
    starts[0] = from;
    const count = shape.size > 0
      ? tokenizeFixed(from, to, shape.size, starts, 1, mostRecords)
      : tokenizeLines(source.words, from, to, shape.delimiter, starts, 1, mostRecords);
    const end = starts[count];
    const shared = orderRecords(source.view, workspace, count, shape);
    // What all tiles share: what each does, as far as its first record does with the first tile's.
    depth = from === 0 ? shared
      : Math.min(shared, sharedBytes(source.view, shape.keyOffset, source.view, from + shape.keyOffset, depth));

    const whole = from === 0 && end === bytes;
    const room = whole ? target : roomFor(end - from);
    const gathered = gatherRecords(source, starts, order, count, room, 0, index);
    if (whole) return { bytes: gathered.end, records: gathered.records, index: Uint32Array.from(index) };
    source.bytes.set(room.bytes.subarray(0, gathered.end), from);
    parts.push({ text: source, from, to: from + gathered.end });
    from = end;
  }
  index.length = 0;
  const merged = mergeParts(parts, shape, depth, target, 0, index);
  return { bytes: merged.end, records: merged.records, index: Uint32Array.from(index) };
}

/** The end of the last record that begins before from + tileBytes; at most `bytes`. */
function tileEnd(source: Text, from: number, bytes: number, tileBytes: number, shape: Shape): number {
  if (bytes - from <= tileBytes) return bytes;
  if (shape.size > 0) return Math.min(bytes, from + Math.max(1, Math.floor(tileBytes / shape.size)) * shape.size);
  const end = new Uint32Array(1);
  tokenizeLines(source.words, from + tileBytes - 1, bytes, shape.delimiter, end, 0, 1);
  return end[0];
}

/** Memory for a sorted tile of `bytes` bytes, before it is put back. */
function roomFor(bytes: number): Text {
  if (tileRoom === undefined || tileRoom.bytes.length < bytes + SLACK) {
    tileRoom = textOf(new ArrayBuffer(Math.ceil((bytes + SLACK) / 4) * 4));
  }
  return tileRoom;
}
