/**
 * The GPU of this run, as the launcher (run.mjs) reports it in the environment. For tests that need a GPU; opens none.
 */
import { describe } from 'vitest';

const requested = process.env.GPUSORT_TEST_GPU;
const adapter = process.env.GPUSORT_TEST_ADAPTER;

/** Whether this run has a GPU. False only under GPUSORT_TEST_GPU=none; a GPU that is missing otherwise is an error. */
export function hasGpu(): boolean {
  if (requested === 'none') return false;
  if (!adapter)
    throw new Error(
      'no GPU was set up for this run: start the tests with `npm test -- FILE...`, not with vitest itself',
    );
  return true;
}

/** `describe` for tests that need a GPU. */
export const describeGpu = requested === 'none' ? describe.skip : describe;
