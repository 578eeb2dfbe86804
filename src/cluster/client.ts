/** Placeholder: the client of a distributed sort. */
import type { SortJob } from '../job.js';
import { internalError } from '../report/errors.js';
import type { Recorder } from '../report/stats.js';

/** Distributes the sort. Resolves to lines for standard output: the job directory under `prepare`. */
export async function runCluster(_job: SortJob, _recorder: Recorder): Promise<readonly string[]> {
  throw internalError('clusters are not there yet');
}
