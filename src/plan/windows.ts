/** The size of the windows through which merges read text outside memory (src/runs/front.ts). */
import type { SortJob } from '../job/job.js';
import type { WindowSizes } from '../runs/window-memory.js';
import { KiB } from './amount.js';

/** A sufficient window size. Two thirds of a window are read at once; smaller reads take longer. */
const LEAST_WINDOW = 384 * KiB;
/** The minimum with the smallest --chunk-size. */
const SMALLEST_WINDOW = 256;

/**
 * Windows in `bytes` bytes of memory. They lie in blocks that chunks used before, a whole number in each. With
 * --chunk-size they may be as small as chunks.
 */
export function windowsOf(
  { chunkBytes }: SortJob,
  bytes: number,
  blockBytes = chunkBytes ?? LEAST_WINDOW,
): WindowSizes {
  const inBlock = Math.round(blockBytes / LEAST_WINDOW);
  const alone = chunkBytes === null ? LEAST_WINDOW : Math.max(SMALLEST_WINDOW, Math.min(blockBytes, LEAST_WINDOW));
  return { bytes: Math.floor(bytes), least: inBlock === 0 ? alone : Math.floor(blockBytes / inBlock) };
}
