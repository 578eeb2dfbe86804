/**
 * Distributed sorts against the machine's GNU sort, with the options and inputs of the differential test. The numbers
 * of shares and ranges vary, and may exceed the number of records.
 */
import { agrees, TINY_CHUNKS } from '../differential/agreement.js';
import type { Tasks } from './in-process.js';

const TASKS: readonly Tasks[] = [
  { shares: 3, ranges: 3 },
  { shares: 7, ranges: 2 },
  { shares: 1, ranges: 1 },
  { shares: 2, ranges: 7, places: true },
  { shares: 40, ranges: 3 },
  { shares: 3, ranges: 40 },
];

agrees(
  'agrees with GNU sort when distributed',
  TASKS.flatMap((tasks) => TINY_CHUNKS.map((chunkBytes) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes, tasks }))),
  { runs: 90, seed: 5 },
);
