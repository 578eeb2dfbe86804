/** gpusort against GNU sort as in differential.test.ts, in tiny chunks and by sample sort. */
import { agrees, TINY_CHUNKS } from './agreement.js';

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
