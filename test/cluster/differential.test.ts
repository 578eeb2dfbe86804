/**
 * Sorts that are distributed against the machine's GNU sort, with the options and inputs of the differential test: by
 * day one case in eight, at night all. The numbers of shares and ranges vary: also more than there are records.
 */
import { describe } from 'vitest';
import { every, tiny, ways } from '../differential/batches.js';
import { NIGHTLY } from '../support/tier.js';
import type { Tasks } from './in-process.js';

/** Distributes one case in this many. */
const EVERY = NIGHTLY ? 1 : 8;
const TASKS: readonly Tasks[] = [
  { shares: 3, ranges: 3 },
  { shares: 7, ranges: 2 },
  { shares: 1, ranges: 1 },
  { shares: 2, ranges: 7, places: true },
  { shares: 40, ranges: 3 },
  { shares: 3, ranges: 40 },
];

const CASES = every(EVERY);

describe('distributed sorts', () => {
  for (const [i, tasks] of TASKS.entries())
    ways(
      CASES.filter((_, number) => number % TASKS.length === i),
      (batch) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes: tiny(batch + i), tasks }),
    );
});
