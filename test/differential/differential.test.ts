/**
 * gpusort against the machine's GNU sort, with random options and inputs (cases.ts), on the CPU engine in one chunk.
 * battery.gpu.test.ts runs the GPU engine's cases (on-gpu.ts), test/cluster/differential.test.ts those of clusters.
 */
import { agrees } from './agreement.js';

agrees('agrees with GNU sort in one chunk', [{ engine: 'cpu', algorithm: 'auto', chunkBytes: null }], {
  runs: 550,
  seed: 1,
});
