/** Many more mutated streams than in inflate.test.ts: with them, a nightly run inflates a million. */
import fc from 'fast-check';
import { seededStream } from '../support/deflate-streams.js';
import { isInflatedAsByZlib } from '../support/kernel-inflated.js';
import { property } from '../support/property.js';

property(
  'inflates or refuses many mutated data as zlib does',
  [fc.integer()],
  (seed) => isInflatedAsByZlib(seededStream(seed)),
  { runs: 35_000, seed: 2, timeoutMs: 6 * 3600_000 },
);
