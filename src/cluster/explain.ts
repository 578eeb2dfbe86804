/** Placeholder: --explain of a distributed sort. */
import type { SortJob } from '../job.js';
import type { Explanation } from '../plan/explain.js';
import { internalError } from '../report/errors.js';

export async function explainCluster(_job: SortJob): Promise<Explanation> {
  throw internalError('clusters are not there yet');
}
