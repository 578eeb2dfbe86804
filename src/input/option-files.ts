/** Files that options name and that become part of the ordering: the list of --contigs, and --random-source. */
import type { SortJob } from '../job/job.js';
import type { SortKey } from '../job/ordering.js';
import { listedContigs, withContigs } from '../records/headers.js';
import { displayName, quoteName } from '../report/names.js';
import { readWhole } from '../system/byte-source.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { closeQuietly, readSome } from '../system/transfer.js';
import { openStream } from './stream.js';

/** The job with the order of contigs from its list. Throws `cannot-read`, or `bad-records` if it is empty. */
export async function withListedContigs(job: SortJob): Promise<SortJob> {
  const { contigs } = job.input;
  if (contigs === null || contigs === 'natural') return job;
  const label = displayName(contigs);
  const names = listedContigs(await readList(contigs, label), label);
  if (names.length === 0) throw new GpusortError('bad-records', `${label}: lists no contigs`);
  return { ...job, ordering: withContigs(job.ordering, () => names) };
}

/** All of a file, which may be a pipe with a slow writer. */
async function readList(name: Buffer, label: string): Promise<Buffer> {
  const fd = await fileSystem.open(name, 'r').catch((error: unknown) => {
    throw systemError('cannot-read', 'cannot read', label, error);
  });
  return readWhole(openStream(fd, label, true));
}

/** The 16 random bytes of -R, from --random-source or the system. */
const SEED_BYTES = 16;

/**
 * Adds a seed to the job if its key needs one. Throws `cannot-read` or `read-failed` if --random-source does not
 * provide it.
 */
export async function withSeed(job: SortJob): Promise<SortJob> {
  const { key } = job.ordering;
  if (!('parts' in key) || !key.parts.some(({ order }) => order === 'random')) return job;
  const seed =
    job.input.randomSource === null
      ? crypto.getRandomValues(new Uint8Array(SEED_BYTES))
      : await readSeed(job.input.randomSource);
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
