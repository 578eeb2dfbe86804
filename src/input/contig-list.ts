/** The file of --contigs. */
import { fileSystem } from '../file-system.js';
import type { SortJob } from '../job.js';
import { listedContigs, withContigs } from '../records/contigs.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';

/** The job with the order of contigs that its list has. Throws `cannot-read`, or `bad-records` if it is empty. */
export async function withListedContigs(job: SortJob): Promise<SortJob> {
  const { contigs } = job;
  if (contigs === null || contigs === 'natural') return job;
  const label = displayName(contigs);
  let text: Buffer;
  try {
    text = fileSystem.readFileSync(contigs);
  } catch (error) {
    throw systemError('cannot-read', 'cannot read', label, error);
  }
  const names = listedContigs(text, label);
  if (names.length === 0) throw new GpusortError('bad-records', `${label}: lists no contigs`);
  return { ...job, ordering: withContigs(job.ordering, () => names) };
}
