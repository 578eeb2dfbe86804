/**
 * gpusort against a plain model of binary records with typed keys: random types, byte orders, letters, options and
 * inputs, on the CPU engine. battery.gpu.test.ts runs the GPU engine's cases.
 */
import { TINY_CHUNKS } from './agreement.js';
import { agreesWithModel } from './binary.js';

agreesWithModel('in one chunk', [{ engine: 'cpu' }], { runs: 170, seed: 1 });

agreesWithModel(
  'in tiny chunks, in several threads and in one',
  TINY_CHUNKS.flatMap((chunkBytes) => [
    { engine: 'cpu', chunkBytes },
    { engine: 'cpu', chunkBytes, parallel: 1 },
  ]),
  { runs: 200, seed: 2 },
);

agreesWithModel(
  'by sample sort',
  TINY_CHUNKS.map((chunkBytes) => ({ engine: 'cpu', algorithm: 'sample-sort', chunkBytes })),
  { runs: 130, seed: 3 },
);
