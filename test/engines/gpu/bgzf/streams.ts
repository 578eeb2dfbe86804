/** How many mutated streams the device inflates in this run. */
import { NIGHTLY } from '../../../support/tier.js';

/** `GPUSORT_TEST_STREAMS=1000000` takes 15 minutes on a software GPU. */
const REQUESTED = Number(process.env.GPUSORT_TEST_STREAMS ?? 0);

export function streams({ daily, nightly }: { readonly daily: number; readonly nightly: number }): number {
  return REQUESTED > 0 ? REQUESTED : NIGHTLY ? nightly : daily;
}
