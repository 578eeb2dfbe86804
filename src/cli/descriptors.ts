/**
 * Standard input and output that were closed by whoever started the program (`<&-`, `>&-`). Node opens /dev/null in their place,
 * which would read as empty and lose the output without a word. Node opens it for reading and writing, as no shell does.
 */
import { fileSystem } from '../file-system.js';
import type { SortJob } from '../job.js';
import { GpusortError } from '../report/errors.js';

const ACCESS_MODE = 0o3;
const READ_AND_WRITE = 0o2;

/** Throws where the job reads a closed standard input or writes a closed standard output. */
export function refuseClosedDescriptors(job: SortJob): void {
  if (job.inputs.includes(null) && isClosed(0)) {
    throw closed(`${job.mode === 'sort' ? 'stat' : 'read'} failed: -`, 'input', 'name the file to sort, or use </dev/null');
  }
  if (job.output === null && job.mode !== 'check' && isClosed(1)) {
    throw closed("write failed: 'standard output'", 'output', 'use -o FILE, or >/dev/null to throw the output away');
  }
}

/** Throws where text for standard output (--help and its like) would be lost. */
export function refuseClosedOutput(): void {
  if (isClosed(1)) throw new GpusortError('cannot-write', 'write error: Bad file descriptor');
}

function closed(what: string, stream: string, remedy: string): GpusortError {
  // A program that starts this one with /dev/null opened for both (Python's DEVNULL, Node's 'ignore') looks the same: say so.
  return new GpusortError(stream === 'input' ? 'cannot-read' : 'cannot-write', `${what}: Bad file descriptor`, {
    hint: `Standard ${stream} was closed, or is /dev/null opened for reading and writing; ${remedy}.`,
  });
}

function isClosed(descriptor: 0 | 1): boolean {
  try {
    if (fileSystem.readlinkSync(`/proc/self/fd/${descriptor}`).toString() !== '/dev/null') return false;
    const flags = /^flags:\s*([0-7]+)/m.exec(fileSystem.readFileSync(`/proc/self/fdinfo/${descriptor}`).toString('latin1'));
    return flags !== null && (parseInt(flags[1], 8) & ACCESS_MODE) === READ_AND_WRITE;
  } catch {
    return false; // no /proc
  }
}
