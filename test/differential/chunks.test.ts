/** gpusort against GNU sort as in differential.test.ts, in tiny chunks, by sample sort, and as separate processes. */
import { PROGRAM } from '../battery/runner.js';
import { property } from '../support/property.js';
import { agrees, expectAgreement, TIMEOUT_MS, TINY_CHUNKS } from './agreement.js';
import { cases } from './cases.js';
import { separate } from './programs.js';

agrees(
  'agrees with GNU sort in tiny chunks',
  TINY_CHUNKS.map((chunkBytes) => ({ engine: 'cpu', algorithm: 'auto', chunkBytes })),
  { runs: 220, seed: 2 },
);

agrees(
  'agrees with GNU sort by sample sort',
  TINY_CHUNKS.map((chunkBytes) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes })),
  { runs: 220, seed: 3 },
);

property(
  'agrees with GNU sort as a separate process',
  [cases],
  (of) => expectAgreement(of, separate(PROGRAM, 'gpusort'), 'gpusort'),
  { runs: 5, seed: 4, timeoutMs: TIMEOUT_MS },
);
