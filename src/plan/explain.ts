/** The plan as text and as JSON, for --explain. */
import type { SortJob } from '../job.js';
import { isCollated } from '../keys/collation/collation.js';
import { collatingReason } from './collated.js';
import type { Plan } from './plan.js';

export interface Explanation {
  readonly lines: readonly string[];
  readonly json: object;
}

const MODE_REASON: Readonly<Record<'merge' | 'check', string>> = {
  merge:
    'merge: sorted inputs are merged range by range on the CPU as they are read; inputs that are not sorted are merged record by record',
  check:
    'check: neighbours are compared while the input is read, up to the first record out of order; no engine is started',
};

/** `plan` is null for modes without a plan. */
export function explanation(job: SortJob, plan: Plan | null): Explanation {
  const reasons = plan?.reasons ?? [
    MODE_REASON[job.mode as 'merge' | 'check'],
    ...(isCollated(job.ordering) ? [collatingReason(job.ordering)] : []),
  ];
  return {
    lines: reasons,
    json: {
      version: 1,
      mode: job.mode,
      ...(plan === null ? { reasons } : { ...plan, splitters: undefined, distributed: undefined }),
    },
  };
}
