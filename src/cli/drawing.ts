/** The file of --stats=FILE.svg: opened without truncation before any input is read, and written at the end. */

import type { FileName, OutputRequest } from '../job/job.js';
import { exists } from '../output/target.js';
import { atExit } from '../report/cleanup.js';
import { displayName } from '../report/names.js';
import { GpusortError, systemError } from '../system/errors.js';
import { constants, fileSystem } from '../system/file-system.js';
import { isSameFile } from '../system/links.js';
import { writeFully } from '../system/transfer.js';

interface Drawing {
  /** Makes `text` the contents of the file. Throws `write-failed`. */
  write(text: string): Promise<void>;
}

/**
 * Opens the file. Does not wait for the reader of a FIFO. Throws `cannot-write`, for example if an output is the same
 * file.
 */
export function openDrawing(name: Buffer, outputs: readonly FileName[]): Drawing {
  const label = displayName(name);
  const isNew = !exists(name);
  const fd = openNow(name, label);
  const forget = atExit(() => {
    if (isNew && fd !== null && fileSystem.fstatSync(fd).size === 0n) fileSystem.unlinkSync(name);
  });
  for (const output of outputs) {
    if (output === null || fd === null || !isSame(output, fd)) continue;
    throw new GpusortError('cannot-write', `${displayName(output)} and ${label} are the same output`, {
      hint: 'Give each output a file of its own.',
    });
  }
  return {
    write: async (text) => {
      forget();
      try {
        const open = fd ?? (await fileSystem.open(name, 'w'));
        if (fileSystem.fstatSync(open).isFile()) await fileSystem.ftruncate(open, 0);
        await writeFully(open, [Buffer.from(text)], null);
        await fileSystem.close(open);
      } catch (error) {
        throw systemError('write-failed', 'write failed', label, error);
      }
    },
  };
}

/** The names of the other outputs of a job. */
export const outputsOf = ({
  file,
  mates,
  duplicates,
}: Pick<OutputRequest, 'file' | 'mates' | 'duplicates'>): FileName[] => [
  file,
  ...mates,
  ...(duplicates === null ? [] : [duplicates.file]),
];

/** A descriptor for writing; null: a FIFO without a reader yet. */
function openNow(name: Buffer, label: string): number | null {
  try {
    return fileSystem.openSync(name, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, 0o666);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO' && fileSystem.statSync(name).isFIFO()) return null;
    throw systemError('cannot-write', 'open failed', label, error);
  }
}

function isSame(output: Buffer, fd: number): boolean {
  const drawing = fileSystem.fstatSync(fd);
  return drawing.isFile() && exists(output) && isSameFile(fileSystem.statSync(output), drawing);
}
