/** The number of threads that check the output under --verify. */

import type { Ordering } from '../job/job.js';
import { isKeyed } from '../keys/keyed.js';
import type { MachineFacts } from './facts.js';
import type { Plan } from './plan.js';

/**
 * Assumes that a thread checks 1 to 3 GB/s, a quarter of that if keys are rebuilt, and output is
 * written at 2 to 4 GB/s.
 */
const GPU_THREADS = { plain: 4, keyed: 12 } as const;
/** CPU engine: sorting threads for each checking thread. */
const SORTING_A_CHECKING = 4;

/** 0: the main thread checks, because it sorts as well or has nothing else to do. */
export function checkingThreads(
  { engine, helps, workers }: Plan,
  { processors }: MachineFacts,
  ordering: Ordering,
): number {
  if (engine === 'cpu') return helps ? 0 : Math.ceil(workers / SORTING_A_CHECKING);
  return Math.max(0, Math.min(isKeyed(ordering) ? GPU_THREADS.keyed : GPU_THREADS.plain, processors - 2));
}
