/** The file of --contigs. */

import type { SortJob } from '../job/job.js';
import { listedContigs, withContigs } from '../records/headers.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { openStream, readWhole } from './stream.js';

/** The job with the order of contigs that its list has. Throws `cannot-read`, or `bad-records` if it is empty. */
export async function withListedContigs(job: SortJob): Promise<SortJob> {
  const { contigs } = job;
  if (contigs === null || contigs === 'natural') return job;
  const label = displayName(contigs);
  const names = listedContigs(await readList(contigs, label), label);
  if (names.length === 0) throw new GpusortError('bad-records', `${label}: lists no contigs`);
  return { ...job, ordering: withContigs(job.ordering, () => names) };
}

/** All of a file, which may be a pipe whose writer takes its time. */
async function readList(name: Buffer, label: string): Promise<Buffer> {
  const fd = await fileSystem.open(name, 'r').catch((error: unknown) => {
    throw systemError('cannot-read', 'cannot read', label, error);
  });
  return readWhole(openStream(fd, label, true));
}
