/**
 * Opening, sizing and positional reading of inputs. Knows bytes, not records.
 */
import { constants, fileSystem, type BigIntStats } from '../file-system.js';
import type { FileName } from '../job.js';
import { inParallel } from '../promises.js';
import { GpusortError, systemError } from '../report/errors.js';
import { displayName } from '../report/names.js';
import { closeQuietly, readSome } from '../transfer.js';

/** An input before it is opened. */
export interface InputFile {
  readonly name: FileName;
  /** As shown in messages. */
  readonly label: string;
  /** Regular files with content: bytes [begin, end) are the input. Null for everything that streams. */
  readonly extent: Extent | null;
  /** The byte that parts the fields of CSV, as which it is read (csv.ts); null: it is read as it is. */
  readonly csvSeparator: number | null;
  /** Size and modification time when the job began; a change makes a second reading refuse. */
  readonly identity: string;
}

export interface Extent { readonly begin: number; readonly end: number }

/** What of an input is read by position, many reads side by side; null: all of it is read in order. */
export function positional({ extent, csvSeparator }: InputFile): Extent | null {
  return csvSeparator === null ? extent : null;
}

/** The bytes of all inputs; null if one streams. */
export function knownBytes(inputs: readonly InputFile[]): number | null {
  return inputs.reduce<number | null>((sum, { extent }) => (sum === null || extent === null ? null : sum + extent.end - extent.begin), 0);
}

/** Most bytes of one read request: large enough to amortise the call, small enough for several in flight. */
const READ_BYTES = 8 << 20;
/** Reads in flight at once; libuv's pool has at least as many threads (bin/gpusort.cjs). */
const READS_IN_FLIGHT = 8;

function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** Where standard input, a regular file, is read from: what a shell has consumed before us is not ours. */
function currentOffset(fd: number): number {
  try {
    return Number(/^pos:\s*(\d+)/m.exec(fileSystem.readFileSync(`/proc/self/fdinfo/${fd}`).toString('latin1'))?.[1] ?? 0);
  } catch {
    return 0; // no /proc: the offset cannot be asked without moving it
  }
}

/** Looks at an input, of CSV where its separator is given, without opening it for long. Throws `cannot-read` in the words GNU sort has for the mode. */
export function statInput(name: FileName, mode: 'sort' | 'merge' | 'check', csvSeparator: number | null = null): InputFile {
  const label = displayName(name);
  let stat: BigIntStats;
  try {
    if (name === null) {
      stat = fileSystem.fstatSync(0);
    } else {
      fileSystem.accessSync(name, constants.R_OK);
      stat = fileSystem.statSync(name);
    }
  } catch (error) {
    throw systemError('cannot-read', name === null ? 'stat failed' : mode === 'check' ? 'open failed' : 'cannot read', label, error);
  }
  if (stat.isDirectory()) throw new GpusortError('read-failed', `read failed: ${label}: Is a directory`);
  const size = Number(stat.size);
  const begin = name === null && stat.isFile() ? Math.min(currentOffset(0), size) : 0;
  // A file of size 0 may have content all the same (/proc), so only reading tells.
  const extent = stat.isFile() && size > 0 ? { begin, end: size } : null;
  return { name, label, extent, csvSeparator, identity: identityOf(stat) };
}

/** Whether the job's inputs can be read a second time: regular files, unchanged since `statInput`. */
export function canReadAgain(inputs: readonly InputFile[]): boolean {
  return inputs.every((input) => {
    if (input.extent === null) return false;
    try {
      return identityOf(input.name === null ? fileSystem.fstatSync(0) : fileSystem.statSync(input.name)) === input.identity;
    } catch {
      return false; // gone
    }
  });
}

/** Opens an input; standard input is descriptor 0. */
export function openInput(input: InputFile): Promise<number> {
  if (input.name === null) return Promise.resolve(0);
  return fileSystem.open(input.name, 'r').catch((error: unknown) => { throw systemError('cannot-read', 'open failed', input.label, error); });
}

export function closeInput(input: InputFile, fd: number): void {
  if (input.name !== null) closeQuietly(fd);
}

/** What is said of a file that another process changed while it was read. */
export function inputChanged(label: string, how: string): GpusortError {
  return new GpusortError('input-changed', `read failed: ${label}: the file ${how} while it was read`,
    { hint: 'Sort a file that no other process writes to, or a copy of it.' });
}

/** Fills `target` from byte `position`. Throws `input-changed` if the file ends before. */
export async function readFully(fd: number, target: Uint8Array, position: number, label: string): Promise<void> {
  let done = 0;
  while (done < target.length) {
    const piece = target.subarray(done, Math.min(target.length, done + READ_BYTES));
    const count = await readSome(fd, piece, position + done)
      .catch((error: unknown) => { throw systemError('read-failed', 'read failed', label, error); });
    if (count === 0) throw inputChanged(label, 'became shorter');
    done += count;
  }
}

/** A part of a file that goes to `target`. */
export interface ReadRequest {
  readonly fd: number;
  readonly label: string;
  readonly position: number;
  readonly target: Uint8Array;
}

/** Performs many reads, in pieces, several in flight. */
export async function readAll(requests: readonly ReadRequest[]): Promise<void> {
  const pieces: ReadRequest[] = [];
  for (const request of requests) {
    for (let at = 0; at < request.target.length; at += READ_BYTES) {
      const target = request.target.subarray(at, Math.min(request.target.length, at + READ_BYTES));
      pieces.push({ ...request, position: request.position + at, target });
    }
  }
  await inParallel(pieces, READS_IN_FLIGHT, (piece) => readFully(piece.fd, piece.target, piece.position, piece.label));
}
