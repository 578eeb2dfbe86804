/** A text cut into tiles: pieces that stay in a processor's own cache while their records are ordered and gathered. */
import { ITEM_BYTES, layOut, HEAD_BYTES, NATURAL, RANGE_BYTES, SLACK, STEP_RECORDS, TREE_BYTES, type Kernels, type PlacedText } from './kernels.js';
import { indexBytes } from './outcome.js';
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
  /** Where tiles are gathered to: the text's bytes and SLACK. */
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
    [bytes + SLACK, itemBytes, itemBytes, itemBytes / 2 + RANGE_BYTES, indexBytes(bytes, shape), mostRuns * HEAD_BYTES, mostRuns * TREE_BYTES], end + SLACK);
  return { tileBytes, tileRecords, target, items, room, ranges, index, heads, tree };
}

/** The records from byte `from` on whose items were read: how many, and what they are in the order they were read (bits of NATURAL; 0: in none). */
export interface Tile {
  readonly from: number;
  readonly count: number;
  readonly found: number;
}

/** Reads a tile as readTile does, and notices what its records are. */
export function noticeTile(kernels: Kernels, shape: Shape, tiling: Tiling, from: number, end: number): Tile {
  const { items } = tiling;
  let found: number = NATURAL.rising;
  const count = readTile(kernels, shape, tiling, from, end, (at, step) => {
    const before = (at - items) / ITEM_BYTES;
    if (found !== 0) found = kernels.notice(items, before, before + step);
  });
  return { from, count, found };
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
