/**
 * What the launcher (run.mjs) said about the GPU of this run, for tests that need one. It starts nothing itself.
 */
import { describe } from 'vitest';

const asked = process.env.GPUSORT_TEST_GPU;
const adapter = process.env.GPUSORT_TEST_ADAPTER;

/** Whether this run has a GPU. False only where it was declined with GPUSORT_TEST_GPU=none. */
export function hasGpu(): boolean {
  if (asked === 'none') return false;
  if (!adapter) throw new Error('no GPU was set up for this run: start the tests with `npm test -- FILE...`, not with vitest itself');
  return true;
}

/** `describe` for tests that need a GPU. */
export const describeGpu = asked === 'none' ? describe.skip : describe;
