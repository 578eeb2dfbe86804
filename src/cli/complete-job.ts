/** Completes a request with facts that are read from files, before its job begins. */
import type { SortJob } from '../job/job.js';
import { displayName } from '../report/names.js';
import type { AtOnce } from '../run/at-once.js';
import type { Caller } from '../run/caller.js';
import type { JobRequest } from './request.js';

const STANDARD_INPUT = 0;

/** A job with all of its inputs and their format, and the files that are already open. */
export interface CompleteJob extends Pick<Caller, 'sources' | 'target'> {
  readonly job: SortJob;
}

/**
 * Completes the job with facts that are read from files: the inputs that --files0-from names, and the format of the
 * first one.
 */
export async function completeJob(
  { job, namesFrom, guesses, completed }: JobRequest,
  { piped, target }: Extract<AtOnce, { kind: 'left' }>,
): Promise<CompleteJob> {
  const inputs =
    namesFrom === undefined ? job.input.files : await (await import('./parse/files0.js')).readNames(namesFrom);
  if (piped.length > 0) {
    const { readDescriptor } = await import('../input/read-descriptor.js');
    const { withFirst } = await import('../system/byte-source.js');
    return {
      job,
      sources: new Map([[null, withFirst(piped, readDescriptor(STANDARD_INPUT, displayName(null), { owned: false }))]]),
      target,
    };
  }
  if (!guesses) return { job: namesFrom === undefined ? job : completed(inputs, null), sources: new Map(), target };
  const { guessFormat } = await import('../input/guess-format.js');
  const { format, source } = await guessFormat(inputs[0]);
  return { job: completed(inputs, format), sources: new Map(source && [[inputs[0], source]]), target };
}
