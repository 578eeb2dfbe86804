/** --files0-from: reads the names of the inputs, each ended by NUL, from a file. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { fileSystem } from '../../file-system.js';
import { openStream } from '../../input/stream.js';
import type { FileName } from '../../job.js';
import { GpusortError, systemError } from '../../report/errors.js';
import { displayName, quoteName } from '../../report/names.js';

/** All names in `file`; `null` is standard input. Throws `usage` if there is no name. */
export async function readNames(file: FileName): Promise<Buffer[]> {
  const quoted = quoteName(file ?? Buffer.from('-'));
  const names: Buffer[] = [];
  const fd =
    file === null
      ? 0
      : await fileSystem.open(file, 'r').catch((error: unknown) => {
          throw systemError('cannot-read', 'open failed', displayName(file), error);
        });
  try {
    await pipeline(Readable.from(latin1(fd, file)), split2('\0'), async (parts: AsyncIterable<string>) => {
      for await (const name of parts) names.push(Buffer.from(name, 'latin1'));
    });
  } catch (error) {
    throw new GpusortError('cannot-read', `cannot read file names from ${quoted}`, { cause: error });
  }
  if (names.length === 0) throw new GpusortError('usage', `no input from ${quoted}`);
  names.forEach((name, i) => {
    if (name.toString('latin1') === '-')
      throw new GpusortError('usage', "when reading file names from stdin, no file name of '-' allowed");
    if (name.length === 0)
      throw new GpusortError('usage', `${displayName(file)}:${i + 1}: invalid zero-length file name`);
  });
  return names;
}

/** Reads a descriptor, one character per byte so that names keep their bytes. Closes it unless it is standard input. */
async function* latin1(fd: number, file: FileName): AsyncGenerator<string> {
  const reader = openStream(fd, displayName(file), file !== null);
  try {
    for (let bytes = await reader.read(); bytes !== null; bytes = await reader.read())
      yield Buffer.from(bytes).toString('latin1');
  } finally {
    reader.close();
  }
}
