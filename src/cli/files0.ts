/** --files0-from: names of inputs out of a file, each ended by NUL. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import type { FileName } from '../job.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName, quoteName } from '../report/names.js';

/** All names in `file`, `null` being standard input. There is one at least. */
export async function readNames(file: FileName): Promise<Buffer[]> {
  const quoted = quoteName(file ?? Buffer.from('-'));
  const names: Buffer[] = [];
  // One character a byte, so that names keep theirs.
  const input = file === null ? process.stdin : createReadStream(file);
  input.setEncoding('latin1');
  try {
    await pipeline(input, split2('\0'), async (parts: AsyncIterable<string>) => {
      for await (const name of parts) names.push(Buffer.from(name, 'latin1'));
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === 'open') throw systemError('cannot-read', 'open failed', displayName(file), error);
    throw new GpusortError('cannot-read', `cannot read file names from ${quoted}`, { cause: error });
  }
  if (names.length === 0) throw new GpusortError('usage', `no input from ${quoted}`);
  names.forEach((name, i) => {
    if (name.toString('latin1') === '-') throw new GpusortError('usage', "when reading file names from stdin, no file name of '-' allowed");
    if (name.length === 0) throw new GpusortError('usage', `${displayName(file)}:${i + 1}: invalid zero-length file name`);
  });
  return names;
}
