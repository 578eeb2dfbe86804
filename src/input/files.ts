/** Opens, sizes and reads inputs by position. Knows bytes, not records. */
import { detectCompression } from '../codecs/detect.js';
import type { TextTaker } from '../codecs/size-sample.js';
import type { FileName, FormatName, Framing } from '../job/job.js';
import type { Renaming } from '../records/renaming.js';
import type { Shuffle } from '../records/shuffled.js';
import { displayName } from '../report/names.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError, systemError } from '../system/errors.js';
import { type BigIntStats, constants, fileSystem } from '../system/file-system.js';
import { inParallel } from '../system/promises.js';
import { closeQuietly, currentOffset, readSome, uninterrupted } from '../system/transfer.js';
import { namedForm, refuseMisnamed } from './misnamed.js';
import type { Replay } from './replay.js';

/** An input before it is opened. */
export interface InputFile {
  readonly name: FileName;
  /** Its number among the inputs of the job, from 1. */
  readonly number: number;
  /** The name in messages. */
  readonly label: string;
  /**
   * Set for a regular file with content: the input is bytes [begin, end) of it. Null: its size is unknown, or it is
   * empty.
   */
  readonly extent: FileExtent | null;
  /** Bytes of the file when the job began; 0 if it is not a regular file. */
  readonly size: number;
  /** Its format if it is genomics data. */
  readonly format: FormatName | null;
  /** Whether lines `###` of GFF are left out (directives.ts). */
  readonly leavesOutResolved: boolean;
  /** How its bytes become lines (framed.ts). Null: they are text of records already. */
  readonly framing: Framing | null;
  /** Whether it is decompressed if its content is found to be compressed; `extent` then counts compressed bytes. */
  readonly decompress: boolean;
  /** The number of threads that decompress it. */
  readonly threads: number;
  /** Whether it begins like a compressed file and will be decompressed. Without an extent, unknown until it is read. */
  readonly compressed: boolean;
  /** Whether compressed content is worth a warning (decompress.ts). */
  readonly warnsOfCompression: boolean;
  /** The input's bytes if it is open already: they are read instead of opening it. */
  readonly source?: ByteSource | undefined;
  /** Keeps its bytes, which are read through it. Absent: the input is a file, or is read only once. */
  readonly replay?: Replay | undefined;
  /** Ends reads when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the receiver of the decompressed bytes, each time the input is read. Absent: there is none. */
  readonly taker?: (() => TextTaker) | undefined;
  /** Whether a file of plain records is read sequentially, because lines are left out or get places. */
  readonly sequential: boolean;
  /** How its records get places in a random order; null: they get none. */
  readonly shuffle: Shuffle | null;
  /** Called with the first bytes of its text as they are decompressed. Absent: nobody looks at them. */
  readonly examines?: (head: Buffer) => void;
  /** Whether `extent` begins after the header. */
  readonly headerStripped: boolean;
  /**
   * How its records change because of the headers of other inputs; undefined: unknown until its header has been read.
   */
  readonly renaming?: Renaming | null | undefined;
  /** Inputs with the mates of this input's reads (mates.ts). */
  readonly mates: readonly InputFile[];
  /**
   * Device, inode, size and modification time when the job began. If they change, the input is not read a second time.
   */
  readonly identity: string;
}

export interface FileExtent {
  readonly begin: number;
  readonly end: number;
}

/** The part of an input that is read by position, with many concurrent reads; null: all of it is read sequentially. */
export function positional({ extent, framing, compressed, sequential, renaming = null }: InputFile): FileExtent | null {
  return framing === null && !compressed && !sequential && renaming === null ? extent : null;
}

/** Whether the file continues after the extent of the input, which then ends with a whole record. */
export function endsInside({ extent, size }: InputFile): boolean {
  return extent !== null && extent.end < size;
}

/** The total bytes of all inputs, as they are sorted; null if one is of unknown size, compressed or gets places. */
export function knownBytes(inputs: readonly InputFile[]): number | null {
  return inputs.reduce<number | null>((sum, { extent, compressed, mates, shuffle }) => {
    const more = knownBytes(mates);
    return sum === null || extent === null || compressed || shuffle !== null || more === null
      ? null
      : sum + extent.end - extent.begin + more;
  }, 0);
}

/** Maximum bytes of a read request: large enough to amortize the call, small enough for several in flight. */
const READ_BYTES = 8 << 20;
/** Bytes of a file that show whether it is compressed. */
const COMPRESSION_BYTES = 64;
/**
 * Maximum bytes of a file that the main thread reads at once. Through libuv's threads, each file would take 120 us
 * instead of 15 (50,000 files of 4 bytes).
 */
export const SMALL_FILE_BYTES = 64 << 10;
/** Reads in flight at once. The thread pool of libuv has at least as many threads (bin/gpusort.cjs). */
const READS_IN_FLIGHT = 8;

function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** The form of an input's text. */
export type InputForm = Pick<
  InputFile,
  'format' | 'framing' | 'decompress' | 'threads' | 'warnsOfCompression' | 'taker' | 'source' | 'signal'
> & {
  readonly shuffle?: Shuffle | null;
};
const PLAIN: InputForm = { format: null, framing: null, decompress: false, threads: 0, warnsOfCompression: false };

/** The facts that examining an input shows. */
type Content = Pick<InputFile, 'extent' | 'size' | 'compressed' | 'identity'>;

/**
 * Examines an input, and its first bytes if it may be compressed. Throws `cannot-read` with the wording of GNU sort for
 * the mode, and `bad-records` if the name of a file that is decompressed disagrees with its first bytes.
 */
export function statInput(
  name: FileName,
  mode: 'sort' | 'merge' | 'check',
  form: InputForm = PLAIN,
  mates: readonly InputFile[] = [],
  number = 1,
): InputFile {
  const { format, framing, decompress, threads, warnsOfCompression, taker, source, signal, shuffle = null } = form;
  const label = displayName(name);
  // One literal: with hundreds of thousands of inputs, each spread would take a second.
  const input = ({ extent, size, compressed, identity }: Content): InputFile => ({
    name,
    number,
    label,
    extent,
    size,
    format,
    leavesOutResolved: format === 'gff' && mode !== 'check',
    framing,
    decompress,
    threads,
    compressed,
    warnsOfCompression,
    taker,
    source,
    signal,
    sequential: shuffle !== null,
    shuffle,
    headerStripped: false,
    mates,
    identity,
  });
  if (source !== undefined) return input({ extent: null, size: 0, compressed: false, identity: '' });
  let stat: BigIntStats;
  try {
    if (name === null) {
      stat = fileSystem.fstatSync(0);
    } else {
      fileSystem.accessSync(name, constants.R_OK);
      stat = fileSystem.statSync(name);
    }
  } catch (error) {
    throw systemError(
      'cannot-read',
      name === null ? 'stat failed' : mode === 'check' ? 'open failed' : 'cannot read',
      label,
      error,
    );
  }
  if (stat.isDirectory()) throw new GpusortError('read-failed', `read failed: ${label}: Is a directory`);
  // The rest of a file after an unknown offset is of unknown size.
  const offset = name === null && stat.isFile() ? currentOffset(0) : 0;
  const size = offset === null ? 0 : Number(stat.size);
  // A file of size 0 may still have content (/proc): only reading shows it.
  const extent = stat.isFile() && size > 0 ? { begin: Math.min(offset ?? 0, size), end: size } : null;
  const named = decompress ? namedForm(name, format) : null;
  // An empty file has no extent, but its name may say that it is compressed.
  const hasHead = decompress && (extent !== null || (named !== null && stat.isFile()));
  const head = hasHead ? firstBytes(name, extent?.begin ?? 0) : null;
  if (head !== null) refuseMisnamed(label, named, head);
  const compressed = extent !== null && head !== null && detectCompression(head) !== null;
  return input({ extent, size, compressed, identity: identityOf(stat) });
}

/**
 * Whether an input without an extent is a regular, empty file. False if the file cannot be examined: opening it reports
 * why.
 */
export function isEmptyFile({ name, extent }: InputFile): boolean {
  if (name === null || extent !== null) return false;
  try {
    return fileSystem.statSync(name).isFile() && !firstBytes(name, 0)?.length;
  } catch {
    return false;
  }
}

/** The first bytes of a regular file; null if it cannot be read, which is reported when it is opened. */
export function firstBytes(name: FileName, begin: number, most: number = COMPRESSION_BYTES): Buffer | null {
  const bytes = Buffer.alloc(most);
  try {
    const fd = name === null ? 0 : fileSystem.openSync(name, 'r');
    try {
      return bytes.subarray(0, fileSystem.readSync(fd, bytes, begin));
    } finally {
      if (name !== null) fileSystem.closeSync(fd);
    }
  } catch {
    return null;
  }
}

/**
 * Whether the inputs can be read a second time: their bytes are kept, or they are regular files, unchanged since
 * `statInput`.
 */
export function canReadAgain(inputs: readonly InputFile[]): boolean {
  return inputs.every((input) => {
    if (input.replay !== undefined) return input.replay.canRepeat;
    if ((input.extent === null && !isEmptyFile(input)) || !canReadAgain(input.mates)) return false;
    try {
      return input.name === null
        ? isUnchanged(input, 0)
        : identityOf(fileSystem.statSync(input.name)) === input.identity;
    } catch {
      return false; // gone
    }
  });
}

/** Whether descriptor `fd` belongs to the file that `statInput` saw, and the file has not changed since then. */
export function isUnchanged({ identity }: InputFile, fd: number): boolean {
  return identityOf(fileSystem.fstatSync(fd)) === identity;
}

/** Opens an input; standard input is descriptor 0. */
export function openInput(input: InputFile): Promise<number> {
  if (input.name === null) return Promise.resolve(0);
  return fileSystem.open(input.name, 'r').catch((error: unknown) => {
    throw systemError('cannot-read', 'open failed', input.label, error);
  });
}

/** The extent of an input that `contentOf` should read; null if it is large or not a named regular file. */
export function smallFile({ name, extent }: InputFile): FileExtent | null {
  return name !== null && extent !== null && extent.end - extent.begin <= SMALL_FILE_BYTES ? extent : null;
}

/** The bytes of a regular file from `begin` to `end`, read at once in this thread. */
export function contentOf({ name, label }: InputFile, { begin, end }: FileExtent): Buffer {
  const fd = attempt('cannot-read', 'open failed', label, () => fileSystem.openSync(name!, 'r'));
  try {
    const content = Buffer.allocUnsafe(end - begin);
    for (let done = 0; done < content.length; ) {
      const rest = done === 0 ? content : content.subarray(done);
      const read = (): number => fileSystem.readSync(fd, rest, begin + done);
      const count = attempt('read-failed', 'read failed', label, () => uninterrupted(read));
      if (count === 0) throw inputChanged(label, 'became shorter');
      done += count;
    }
    return content;
  } finally {
    closeQuietly(fd);
  }
}

function attempt<T>(code: 'cannot-read' | 'read-failed', what: string, label: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw systemError(code, what, label, error);
  }
}

export function closeInput({ name }: Pick<InputFile, 'name'>, fd: number): void {
  if (name !== null) closeQuietly(fd);
}

/** Does `work` with an open regular file, up to the end of its extent. */
export async function withOpenFile<T>(
  input: InputFile,
  work: (file: { readonly fd: number; readonly label: string; readonly end: number }) => Promise<T>,
): Promise<T> {
  const fd = await openInput(input);
  try {
    return await work({ fd, label: input.label, end: input.extent!.end });
  } finally {
    closeInput(input, fd);
  }
}

/** The error for a file that another process changed while it was read. */
export function inputChanged(label: string, how: string): GpusortError {
  return new GpusortError('input-changed', `read failed: ${label}: the file ${how} while it was read`, {
    hint: 'Sort a file that no other process writes to, or a copy of it.',
  });
}

/** Fills `target` from byte `position` on. Throws `input-changed` if the file ends first. */
export async function readFully(fd: number, target: Uint8Array, position: number, label: string): Promise<void> {
  let done = 0;
  while (done < target.length) {
    const piece = target.subarray(done, Math.min(target.length, done + READ_BYTES));
    const count = await readSome(fd, piece, position + done).catch((error: unknown) => {
      throw systemError('read-failed', 'read failed', label, error);
    });
    if (count === 0) throw inputChanged(label, 'became shorter');
    done += count;
  }
}

/** A part of a file to be read into `target`. */
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
