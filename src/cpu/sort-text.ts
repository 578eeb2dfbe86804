/**
 * A chunk from input order to sorted order, in tiles: tokenize, order and gather one tile at a time, then merge the tiles.
 *
 * The text of a tile is read at random while it is ordered and gathered, and its items are moved about: both should stay in a
 * processor's own cache.
 */
import type { Limit } from '../job.js';
import type { Steps } from '../steps.js';
import type { Kernels, PlacedText } from './kernels.js';
import { HEAD_BYTES, ITEM_BYTES, layOut, RANGE_BYTES, SLACK, STEP_RECORDS, TREE_BYTES } from './kernels.js';
import { mergeRuns } from './merge-texts.js';
import type { Outcome } from './outcome.js';
import { copyOutcome, indexBytes } from './outcome.js';
import type { Shape } from './shape.js';

/** Most bytes of text that are ordered at once, unless one record is larger. */
export const TILE_BYTES = 4 << 20;
/** Most records of a tile: 40 bytes of workspace each. */
const TILE_RECORDS = 512 << 10;
/** Records shorter than so many bytes are ordered in more tiles, so that the workspace is at most five times the text; unless they are few. */
const SHORT_RECORD = 8;
const SMALL_TILE_RECORDS = 4096;
/** A text of up to this share over TILE_BYTES is still one tile, rather than one tile and a crumb. */
const TILE_TOLERANCE = 1.5;

/** How a text is cut into tiles, and where everything lies. */
export interface Tiling {
  readonly tileBytes: number;
  readonly tileRecords: number;
  /** Where tiles are gathered to. */
  readonly target: number;
  /** Items of a tile, and what ordering them takes. */
  readonly items: number;
  readonly room: number;
  readonly ranges: number;
  /** The output's index. */
  readonly index: number;
  /** Runs to be merged. */
  readonly heads: number;
  readonly tree: number;
}

/** How texts of `bytes` bytes are cut into tiles. */
export function tileSizes(shape: Shape, bytes: number): { tileBytes: number; tileRecords: number; mostTiles: number } {
  const leastRecord = Math.max(1, shape.size);
  const tileBytes = bytes <= TILE_BYTES * TILE_TOLERANCE ? bytes : Math.ceil(bytes / Math.ceil(bytes / TILE_BYTES));
  const tileRecords = Math.min(TILE_RECORDS, Math.max(SMALL_TILE_RECORDS, Math.ceil(bytes / SHORT_RECORD)), Math.ceil(tileBytes / leastRecord));
  return { tileBytes, tileRecords, mostTiles: Math.ceil(bytes / tileBytes) + Math.floor(bytes / leastRecord / tileRecords) };
}

/** Lays out room behind a text for all that sorting it tile by tile takes; `runsATile`: at most so many runs are made of a tile. */
export function openTiling(kernels: Kernels, shape: Shape, { begin, end }: PlacedText, runsATile: number): Tiling {
  const bytes = end - begin;
  const { tileBytes, tileRecords, mostTiles } = tileSizes(shape, bytes);
  const mostRuns = runsATile * mostTiles;
  const itemBytes = tileRecords * ITEM_BYTES;
  const [target, items, room, ranges, index, heads, tree] = layOut(kernels,
    [bytes, itemBytes, itemBytes, itemBytes / 2 + RANGE_BYTES, indexBytes(bytes, shape), mostRuns * HEAD_BYTES, mostRuns * TREE_BYTES], end + SLACK);
  return { tileBytes, tileRecords, target, items, room, ranges, index, heads, tree };
}

/** Sorts a text, what is left of it under `unique` and of `limit` to where `into` says, which is told how many bytes they are. `plain`: records are written without their keys. */
export function* sortText(kernels: Kernels, shape: Shape, text: PlacedText, limit: Limit | null, plain: boolean, into: (bytes: number) => Uint8Array): Steps<Outcome> {
  const { begin: source, end } = text;
  if (source === end) return { bytes: 0, records: 0, index: new Uint32Array() };
  const tiling = openTiling(kernels, shape, text, 1);
  const { target, items, room, ranges, index, heads, tree } = tiling;
  let tiles = 0;
  let shared = 0;
  for (let from = source; from < end;) {
    const read = readTile(kernels, shape, tiling, from, end);
    const first = from === source;
    from = kernels.textEnd(items, read);
    // Records that are still to be merged need their keys.
    if (first) kernels.openOutput(target, index, Number(plain && from === end));
    const count = limit === null ? read : kernels.withinBound(items, read);
    if (count === 0) continue;
    yield;
    const depth = kernels.order(items, count, room - items, ranges);
    yield;
    const place = kernels.outputEnd();
    const before = kernels.outputRecords();
    gatherLeft(kernels, items, count, limit);
    // What all tiles share: what each does, as far as its first record does with the first tile's.
    shared = tiles === 0 ? depth : kernels.sharedBytes(target + shape.keyOffset, place + shape.keyOffset, Math.min(shared, depth));
    kernels.addRun(heads, tiles++, place, kernels.outputEnd());
    if (limit !== null && kernels.outputRecords() - before >= limit.count) tighten(kernels, shape, limit, place, kernels.outputEnd());
  }
  let result = target;
  if (tiles > 1) {
    result = source;
    kernels.openMerge(heads, tiles, tree, shared);
    kernels.openOutput(result, index, Number(plain));
    yield* mergeRuns(kernels, limit);
  }
  const outcome = copyOutcome(kernels, result, index, limit, into);
  if (limit !== null && outcome.records >= limit.count) {
    const first = limit.end === 'first' ? result : kernels.outputEnd() - outcome.bytes;
    tighten(kernels, shape, limit, first, first + outcome.bytes);
  }
  return outcome;
}

/** Bytes [from, to) are records in order, as many as are wanted or some more: all beyond their far end need not be ordered. */
function tighten(kernels: Kernels, { delimiter, size }: Shape, { end }: Limit, from: number, to: number): void {
  if (end === 'last') kernels.tightenBound(from, 1);
  // A view that begins there: the runtime looks for bytes in the first 2 GiB of a buffer only.
  else kernels.tightenBound(size > 0 ? to - size : from + Buffer.from(kernels.memory.buffer, from, to - 1 - from).lastIndexOf(delimiter) + 1, 0);
}

/** Appends the records of a tile that `limit` leaves, perhaps some more. */
function gatherLeft(kernels: Kernels, items: number, count: number, limit: Limit | null): void {
  const from = limit?.end === 'last' ? kernels.lastItems(items, count, limit.count) : 0;
  gatherItems(kernels, items, from, count, limit?.count);
}

/** Appends the records of items [from, to) to the output, perhaps no more of them once it has `most` more. */
export function gatherItems(kernels: Kernels, items: number, from: number, to: number, most = Infinity): void {
  const enough = kernels.outputRecords() + most;
  for (let i = from; i < to && kernels.outputRecords() < enough; i += STEP_RECORDS) kernels.gather(items + i * ITEM_BYTES, Math.min(STEP_RECORDS, to - i));
}

/** Makes items of the records from `from` on, as many as a tile holds of those before `end`; returns how many. `read` is told of each few of them, while they and their text are in the cache. */
export function readTile(kernels: Kernels, shape: Shape, { items, tileBytes, tileRecords }: Pick<Tiling, 'items' | 'tileBytes' | 'tileRecords'>, from: number, end: number,
  read: (items: number, count: number) => void = () => {}): number {
  const to = tileEnd(kernels, shape, from, end, tileBytes);
  let count = 0;
  while (from < to && count < tileRecords) {
    const step = kernels.readRecords(from, to, items + count * ITEM_BYTES, Math.min(STEP_RECORDS, tileRecords - count));
    read(items + count * ITEM_BYTES, step);
    count += step;
    from = kernels.textEnd(items, count);
  }
  return count;
}

/** The end of the last record that begins before from + tileBytes; at most `end`. */
function tileEnd(kernels: Kernels, { size }: Shape, from: number, end: number, tileBytes: number): number {
  if (end - from <= tileBytes) return end;
  return size > 0 ? Math.min(end, from + Math.ceil(tileBytes / size) * size) : kernels.lineEndAt(from + tileBytes - 1);
}
