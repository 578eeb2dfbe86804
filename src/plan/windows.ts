/** The windows through which text outside memory is read when it is merged (src/runs/front.ts). */
import type { SortJob } from '../job.js';
import type { Windows } from '../runs/window-memory.js';
import { KiB } from './amount.js';

/** Two thirds of a window are read at once: disks and the system take longer for many small reads. */
const LEAST_WINDOW = 384 * KiB;
/** The same with the smallest --chunk-size. */
const SMALLEST_WINDOW = 256;

/** Windows in `bytes` bytes of memory. With --chunk-size they may be as small as chunks. */
export function windowsOf({ chunkBytes }: SortJob, bytes: number): Windows {
  return { bytes: Math.floor(bytes), least: Math.min(LEAST_WINDOW, Math.max(SMALLEST_WINDOW, chunkBytes ?? Infinity)) };
}
