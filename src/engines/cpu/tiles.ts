/** Cuts a text into tiles: pieces that stay in a processor's own cache while their records are ordered and gathered. */
import { KERNEL_SLACK } from '../../system/memory.js';
import {
  type CpuKernels,
  HEAD_BYTES,
  ITEM_BYTES,
  layOut,
  NATURAL,
  type PlacedText,
  RANGE_BYTES,
  STEP_RECORDS,
  TREE_BYTES,
} from './kernels.js';
import type { RecordShape } from './shape.js';

/** Maximum bytes of a tile, unless one record is larger. */
export const TILE_BYTES = 4 << 20;
/** Maximum records of a tile: each takes 40 bytes of workspace. */
const TILE_RECORDS = 512 << 10;
/**
 * Tiles hold at most one record per SHORT_RECORD bytes of the whole text, so that the workspace is at most five times
 * the text; but always up to SMALL_TILE_RECORDS.
 */
const SHORT_RECORD = 8;
const SMALL_TILE_RECORDS = 4096;
/** A text of up to TILE_BYTES times this is one tile, because a small second tile would not be worth it. */
export const TILE_TOLERANCE = 1.5;

/** The sizes of tiles, and the addresses of everything that sorting them needs. */
export interface Tiling {
  readonly tileBytes: number;
  readonly tileRecords: number;
  /** The target that tiles are gathered to: the text's bytes and KERNEL_SLACK. */
  readonly target: number;
  /** The items of a tile, and the workspace for ordering them. */
  readonly items: number;
  readonly room: number;
  readonly ranges: number;
  /** The runs to be merged. */
  readonly heads: number;
  readonly tree: number;
}

/** The sizes of the tiles of a text of `bytes` bytes. */
export function tileSizes(
  shape: RecordShape,
  bytes: number,
): { tileBytes: number; tileRecords: number; mostTiles: number } {
  const leastRecord = Math.max(1, shape.size);
  const tileBytes = bytes <= TILE_BYTES * TILE_TOLERANCE ? bytes : Math.ceil(bytes / Math.ceil(bytes / TILE_BYTES));
  const tileRecords = Math.min(
    TILE_RECORDS,
    Math.max(SMALL_TILE_RECORDS, Math.ceil(bytes / SHORT_RECORD)),
    Math.ceil(tileBytes / leastRecord),
  );
  return {
    tileBytes,
    tileRecords,
    mostTiles: Math.ceil(bytes / tileBytes) + Math.floor(bytes / leastRecord / tileRecords),
  };
}

/** Lays out memory after a text for sorting it tile by tile. `runsPerTile`: maximum number of runs per tile. */
export function openTiling(
  kernels: CpuKernels,
  shape: RecordShape,
  { begin, end }: PlacedText,
  runsPerTile: number,
): Tiling {
  const bytes = end - begin;
  const { tileBytes, tileRecords, mostTiles } = tileSizes(shape, bytes);
  const mostRuns = runsPerTile * mostTiles;
  const itemBytes = tileRecords * ITEM_BYTES;
  const [target, items, room, ranges, heads, tree] = layOut(
    kernels,
    [
      bytes + KERNEL_SLACK,
      itemBytes,
      itemBytes,
      itemBytes / 2 + RANGE_BYTES,
      mostRuns * HEAD_BYTES,
      mostRuns * TREE_BYTES,
    ],
    end + KERNEL_SLACK,
  );
  return { tileBytes, tileRecords, target, items, room, ranges, heads, tree };
}

/**
 * `count` records from byte `from` on, whose items were read. `found`: bits of NATURAL for their order as they were
 * read; 0: none.
 */
export interface Tile {
  readonly from: number;
  readonly count: number;
  readonly found: number;
}

/** Reads a tile as readTile does, and detects whether its records are in order. */
export function noticeTile(kernels: CpuKernels, shape: RecordShape, tiling: Tiling, from: number, end: number): Tile {
  const { items } = tiling;
  let found: number = NATURAL.rising;
  const count = readTile(kernels, shape, tiling, from, end, (at, step) => {
    const before = (at - items) / ITEM_BYTES;
    if (found !== 0) found = kernels.notice(items, before, before + step);
  });
  return { from, count, found };
}

/** Appends the records of items [from, to) to the output. May stop once `most` have been appended. */
export function gatherItems(kernels: CpuKernels, items: number, from: number, to: number, most = Infinity): void {
  const enough = kernels.outputRecords() + most;
  for (let i = from; i < to && kernels.outputRecords() < enough; i += STEP_RECORDS)
    kernels.gather(items + i * ITEM_BYTES, Math.min(STEP_RECORDS, to - i));
}

/**
 * Makes items of the records in [from, end), at most one tile, and returns their number. `read` is called for every few
 * of them, while they and their text are in the cache.
 */
export function readTile(
  kernels: CpuKernels,
  shape: RecordShape,
  { items, tileBytes, tileRecords }: Pick<Tiling, 'items' | 'tileBytes' | 'tileRecords'>,
  from: number,
  end: number,
  read: (items: number, count: number) => void = () => {},
): number {
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
function tileEnd(
  kernels: CpuKernels,
  { size, sized }: RecordShape,
  from: number,
  end: number,
  tileBytes: number,
): number {
  if (end - from <= tileBytes) return end;
  // The last record may extend beyond it.
  if (sized) return from + tileBytes;
  return size > 0 ? Math.min(end, from + Math.ceil(tileBytes / size) * size) : kernels.lineEndAt(from + tileBytes - 1);
}
