/** The windows through which text outside memory is read when it is merged (src/runs/front.ts). */
import type { SortJob } from '../job.js';
import type { Windows } from '../runs/window-memory.js';
import { KiB } from './amount.js';

/** Two thirds of a window are read at once: disks and the system take longer for many small reads. About so much is enough. */
const LEAST_WINDOW = 384 * KiB;
/** The least with the smallest --chunk-size. */
const SMALLEST_WINDOW = 256;

/**
 * Windows in `bytes` bytes of memory, which lie in blocks that chunks had before: each block holds a whole number of them.
 * With --chunk-size they may be as small as chunks.
 */
export function windowsOf({ chunkBytes }: SortJob, bytes: number, blockBytes = chunkBytes ?? LEAST_WINDOW): Windows {
  const inBlock = Math.round(blockBytes / LEAST_WINDOW);
  const alone = chunkBytes === null ? LEAST_WINDOW : Math.max(SMALLEST_WINDOW, Math.min(blockBytes, LEAST_WINDOW));
  return { bytes: Math.floor(bytes), least: inBlock === 0 ? alone : Math.floor(blockBytes / inBlock) };
}
