/** How many mutated streams the device inflates in this run. */
import { NIGHTLY } from '../../../support/tier.js';

/** For example a million (CONTRIBUTING.md). 0: the number of this tier. */
const REQUESTED = Number(process.env.GPUSORT_TEST_STREAMS ?? 0);

export function streams({ daily, nightly }: { readonly daily: number; readonly nightly: number }): number {
  return REQUESTED > 0 ? REQUESTED : NIGHTLY ? nightly : daily;
}
