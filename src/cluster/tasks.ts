/** Placeholder: runs a named task. */
import type { TaskOverrides } from '../job.js';
import { internalError } from '../report/errors.js';
import type { Recorder } from '../report/stats.js';

/** Runs the task `DIR/share-0007` or `DIR/range-0003`. */
export async function runTask(_task: Buffer, _overrides: TaskOverrides, _recorder: Recorder): Promise<void> {
  throw internalError('clusters are not there yet');
}
