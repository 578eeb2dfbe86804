/** Files that options name and whose contents order records: the list of --contigs, and --random-source. */
import type { SortJob } from '../job/job.js';
import { listedContigs } from '../records/headers.js';
import { displayName, quoteName } from '../report/names.js';
import { readWhole } from '../system/byte-source.js';
import { GpusortError, systemError, systemText } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { closeQuietly, readSome } from '../system/transfer.js';
import { readDescriptor } from './read-descriptor.js';

/** The contents of these files; null: the job does not need them. */
export interface OptionFiles {
  /** The 16 random bytes of random orders, from --seed, --random-source or the system. */
  readonly seed: Uint8Array | null;
  /** The names of --contigs, as in KeyPart. */
  readonly contigs: Uint8Array | null;
}

/** The value for a job that needs none of them, or is complete. */
export const NO_OPTION_FILES: OptionFiles = { seed: null, contigs: null };

/**
 * Reads the files. Throws `cannot-read` or `read-failed` if one cannot be read or --random-source is too short, and
 * `bad-records` if --contigs lists none.
 */
export async function readOptionFiles({
  input: { randomSource, seed, shuffle, contigs },
  ordering: { key },
}: Pick<SortJob, 'input' | 'ordering'>): Promise<OptionFiles> {
  const isRandom = shuffle !== null || ('parts' in key && key.parts.some(({ order }) => order === 'random'));
  return {
    seed: !isRandom ? null : seed === null ? await seedFrom(randomSource) : seedOf(seed),
    contigs: contigs === null || contigs === 'natural' ? null : await contigsIn(contigs),
  };
}

async function contigsIn(name: Buffer): Promise<Uint8Array> {
  const label = displayName(name);
  const names = listedContigs(await readList(name, label), label);
  if (names.length === 0) throw new GpusortError('bad-records', `${label}: lists no contigs`);
  return names;
}

/** All of a file, which may be a pipe with a slow writer. */
async function readList(name: Buffer, label: string): Promise<Buffer> {
  const fd = await fileSystem.open(name, 'r').catch((error: unknown) => {
    throw systemError('cannot-read', 'cannot read', label, error);
  });
  return readWhole(readDescriptor(fd, label, { owned: true }));
}

const SEED_BYTES = 16;

function seedOf(number: number): Uint8Array {
  const seed = Buffer.alloc(SEED_BYTES);
  seed.writeBigUInt64LE(BigInt(number));
  return seed;
}

async function seedFrom(randomSource: Buffer | null): Promise<Uint8Array> {
  return randomSource === null ? crypto.getRandomValues(new Uint8Array(SEED_BYTES)) : readSeed(randomSource);
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
