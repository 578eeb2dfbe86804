/** The 16 random bytes of -R, from --random-source or the system. */

import type { SortJob, SortKey } from '../job/job.js';
import { displayName, quoteName } from '../report/names.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { closeQuietly, readSome } from '../system/transfer.js';

const SEED_BYTES = 16;

/**
 * Adds a seed to the job if its key needs one. Throws `cannot-read` or `read-failed` if --random-source does not
 * provide it.
 */
export async function withSeed(job: SortJob): Promise<SortJob> {
  const { key } = job.ordering;
  if (!('parts' in key) || !key.parts.some(({ order }) => order === 'random')) return job;
  const seed =
    job.randomSource === null ? crypto.getRandomValues(new Uint8Array(SEED_BYTES)) : await readSeed(job.randomSource);
  return { ...job, ordering: { ...job.ordering, key: { ...key, seed } satisfies SortKey } };
}

async function readSeed(name: Buffer): Promise<Uint8Array> {
  const fd = await fileSystem.open(name, 'r').catch((error: unknown) => {
    throw systemError('cannot-read', 'open failed', displayName(name), error);
  });
  try {
    const seed = new Uint8Array(SEED_BYTES);
    for (let done = 0; done < SEED_BYTES; ) {
      const count = await readSome(fd, seed.subarray(done), null).catch((error: unknown) => {
        throw new GpusortError('read-failed', `${quoteName(name)}: read error: ${systemText(error)}`, { cause: error });
      });
      if (count === 0) throw new GpusortError('read-failed', `${quoteName(name)}: end of file`);
      done += count;
    }
    return seed;
  } finally {
    closeQuietly(fd);
  }
}
