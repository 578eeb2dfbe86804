/**
 * Sorts that are distributed against the machine's GNU sort, with the options and inputs of the differential test. The
 * numbers of shares and ranges vary from batch to batch: also more than there are records.
 */
import { describe } from 'vitest';
import { every, nightly, tiny, ways } from '../differential/batches.js';
import type { Tasks } from './in-process.js';

/** Distributes one case in this many. */
const EVERY = nightly ? 1 : 3;
const TASKS: readonly Tasks[] = [
  { shares: 3, ranges: 3 },
  { shares: 7, ranges: 2 },
  { shares: 1, ranges: 1 },
  { shares: 2, ranges: 7, places: true },
  { shares: 40, ranges: 3 },
  { shares: 3, ranges: 40 },
];

describe('distributed sorts', () =>
  ways(every(EVERY), (batch) => ({
    engine: 'cpu',
    algorithm: 'auto',
    chunkBytes: tiny(batch),
    tasks: TASKS[batch % TASKS.length],
  })));
