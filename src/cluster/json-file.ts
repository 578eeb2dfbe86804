/** Files of the job directory that hold JSON, with a checksum. */
import { crc32 } from '../crc32.js';
import { fileSystem } from '../file-system.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
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
  let text: string;
  try {
    text = fileSystem.readFileSync(name).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw systemError('read-failed', 'read failed', displayName(name), error);
  }
  const json = text.slice(OPENING_BYTES, -CLOSING.length);
  if (text !== `${opening(json)}${json}${CLOSING}`)
    throw new DamagedFile(name, `Remove it (rm ${displayName(name)}) and run the same command again.`);
  return JSON.parse(json);
}
