/** Files of the job directory that hold JSON, with a checksum. */

import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { fileSystem } from '../system/file-system.js';
import { closeQuietly, readFilling } from '../system/transfer.js';
import { crc32 } from '../system/zlib.js';
import { writeWhole } from './directory.js';

/** A file of the job directory is not what was written. */
export class DamagedFile extends GpusortError {
  constructor(name: Buffer, hint: string) {
    super('read-failed', `${displayName(name)} is damaged`, { hint });
  }
}

/** Writes `value` as JSON with a checksum: a changed job file would give wrong output. */
export function writeJson(name: Buffer, value: unknown): Promise<void> {
  const json = JSON.stringify(value, null, 1);
  return writeWhole(name, [Buffer.from(`${opening(json)}${json}}\n`)]);
}

const opening = (json: string): string =>
  `{"crc32":"${crc32(Buffer.from(json)).toString(16).padStart(8, '0')}","value":`;
const OPENING_BYTES = opening('').length;
const CLOSING = '}\n';

/** What `writeJson` has written to a file; null if there is no such file. Throws DamagedFile. */
export function readJson(name: Buffer): unknown {
  let bytes: Buffer;
  try {
    bytes = fileSystem.readFileSync(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  }
  return parseJson(name, bytes);
}

/** The contents of a file, for reads of many files at once; null if there is no such file. */
export async function readWhole(name: Buffer): Promise<Buffer | null> {
  let fd = -1;
  try {
    fd = await fileSystem.open(name, 'r');
    const bytes = Buffer.allocUnsafe(Number(fileSystem.fstatSync(fd).size));
    return bytes.subarray(0, await readFilling(fd, bytes, 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  } finally {
    if (fd >= 0) closeQuietly(fd);
  }
}

/** What `writeJson` has written as `bytes` to the file `name`. Throws DamagedFile. */
export function parseJson(name: Buffer, bytes: Buffer): unknown {
  const text = bytes.toString();
  const json = text.slice(OPENING_BYTES, -CLOSING.length);
  if (text !== `${opening(json)}${json}${CLOSING}`)
    throw new DamagedFile(name, `Remove it (rm ${displayName(name)}) and run the same command again.`);
  return JSON.parse(json);
}
