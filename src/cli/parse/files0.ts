/** --files0-from: reads the names of the inputs, each ended by NUL, from a file. */

import { readDescriptor } from '../../input/read-descriptor.js';
import type { FileName } from '../../job/job.js';
import { displayName, quoteName } from '../../report/names.js';
import { readWhole } from '../../system/byte-source.js';
import { GpusortError, systemError } from '../../system/errors.js';
import { fileSystem } from '../../system/file-system.js';

const DASH = '-'.charCodeAt(0);

/** All names in `file`; `null` is standard input. Throws `usage` if there is no name. */
export async function readNames(file: FileName): Promise<Buffer[]> {
  const quoted = quoteName(file ?? Buffer.from('-'));
  const fd =
    file === null
      ? 0
      : await fileSystem.open(file, 'r').catch((error: unknown) => {
          throw systemError('cannot-read', 'open failed', displayName(file), error);
        });
  const list = await readList(fd, file).catch((error: unknown) => {
    throw new GpusortError('cannot-read', `cannot read file names from ${quoted}`, { cause: error });
  });
  const names = namesIn(list);
  if (names.length === 0) throw new GpusortError('usage', `no input from ${quoted}`);
  names.forEach((name, i) => {
    if (name.length === 1 && name[0] === DASH)
      throw new GpusortError('usage', "when reading file names from stdin, no file name of '-' allowed");
    if (name.length === 0)
      throw new GpusortError('usage', `${displayName(file)}:${i + 1}: invalid zero-length file name`);
  });
  return names;
}

/** Reads a descriptor to its end, or up to an empty name. Closes it unless it is standard input. */
async function readList(fd: number, file: FileName): Promise<Buffer> {
  let last = 0;
  return readWhole(readDescriptor(fd, displayName(file), { owned: file !== null }), (block) => {
    const hasEmpty = (last === 0 && block[0] === 0) || block.includes('\0\0');
    last = block[block.length - 1]!;
    return hasEmpty;
  });
}

/** The names in a list. The last one may lack its NUL. */
function namesIn(list: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let begin = 0; begin < list.length; ) {
    const nul = list.indexOf(0, begin);
    const end = nul < 0 ? list.length : nul;
    names.push(list.subarray(begin, end));
    begin = end + 1;
  }
  return names;
}
