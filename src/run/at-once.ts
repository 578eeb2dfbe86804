/**
 * Small sorts of lines, done at once: synchronous calls read the inputs and write the output, and the lines are sorted
 * in this thread. Other threads and promises take longer to start than such a sort. Jobs that are not small and plain
 * are left to sort.ts, before anything is written and before the offset of a file moves.
 */
import { detectCompression, packedForm } from '../codecs/detect.js';
import { sortHere } from '../engines/cpu/sort-here.js';
import type { FileName, SortJob } from '../job/job.js';
import type { Ordering } from '../job/ordering.js';
import { canTake } from '../job/traits.js';
import { KeyMaker } from '../keys/key-maker.js';
import { eachKeyed } from '../keys/keyed.js';
import {
  canCarry,
  carryAttributesAtOnce,
  checkName,
  giveName,
  isReplaceable,
  replace,
} from '../output/put-in-place.js';
import { SortedText } from '../output/sorted-text.js';
import { exists, type FileTarget, type NewTarget, newTarget, openFileAtOnce } from '../output/target.js';
import { STANDARD_OUTPUT_LABEL, writeFailure } from '../output/writers.js';
import { type BigIntStats, constants, fileSystem } from '../system/file-system.js';
import { directoryOf } from '../system/links.js';
import { asBuffer } from '../system/memory.js';
import { isLinux } from '../system/platform.js';
import { PRIVATE } from '../system/temporary-files.js';
import { closeQuietly, currentOffset, writeAtOnce } from '../system/transfer.js';

/** Maximum bytes of all inputs together. Larger ones gain from reading, sorting and writing at the same time. */
const MOST_BYTES = 8 << 20;
/** Maximum number of inputs. More are read faster by several threads. */
const MOST_FILES = 256;
/** Maximum bytes from a pipe: the general path sorts while it waits for more. */
const MOST_PIPED_BYTES = 1 << 20;
/** Maximum bytes that are sorted as strings. Kernels sort more than this faster, but must be compiled first. */
const MOST_STRING_BYTES = 192 << 10;
/** Only the general path stays within a smaller -S. */
const LEAST_MEMORY = 64 << 20;
/** The bytes that a pipe or a socket accepts without waiting for its reader. */
const PIPE_BYTES = 64 << 10;
const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/** Whether the job was done. */
export type AtOnce =
  | { readonly kind: 'done' }
  /** The general path must do it. */
  | {
      readonly kind: 'left';
      /** Already read from standard input, if it is a pipe; the pipe holds the bytes after these. */
      readonly piped: Uint8Array;
      /** The file of -o, still open: its name may have been given to another file during the wait for a pipe. */
      readonly target: FileTarget | NewTarget | null;
    };

/**
 * Does the job if it is small and plain; otherwise leaves it to the general path. `mayWait`: whether this process may
 * block in a system call, because signals still end it and it never restarts. `holdSignals` installs the handlers that
 * clean up; a signal then waits until this function returns. Throws GpusortError if the output fails.
 */
export function sortAtOnce(job: SortJob, mayWait: () => boolean, holdSignals: () => void = () => {}): AtOnce {
  const pipe = new InputPipe();
  const mayTake = canTake('at once', job) && (job.resources.memoryBytes ?? LEAST_MEMORY) >= LEAST_MEMORY;
  const output = mayTake ? outputOf(job.output.file, mayWait, holdSignals) : null;
  if (output === null) return { kind: 'left', piped: pipe.read, target: null };
  let isLeft = false;
  try {
    isLeft = !sortTo(output, job, pipe, mayWait);
    return isLeft ? { kind: 'left', piped: pipe.read, target: output.target } : { kind: 'done' };
  } finally {
    output.close(isLeft);
  }
}

/** Returns false if it has written nothing: the job is left to the general path. */
function sortTo(output: ReadyOutput, job: SortJob, pipe: InputPipe, mayWait: () => boolean): boolean {
  const { files } = job.input;
  let texts: Buffer[] | null;
  let sorted: Uint8Array;
  try {
    texts = readFiles(files, output.mostBytes);
    // Errors about files come before the wait for a pipe.
    if (texts === null || texts.some(isPacked) || !addPiped(texts, files, pipe, mayWait)) return false;
    if (isPacked(pipe.read) || bytesOf(texts) > output.mostBytes) return false;
    sorted = sortTexts(texts, job.ordering);
    if (!output.open()) return false;
  } catch {
    return false; // the general path needs less memory, and says what is wrong
  }
  const pass = (): void => {
    if (!pipe.isUsed) passStandardInput(files, texts);
  };
  // Standard output may have the same offset, and its reader may be that next program.
  if (job.output.file === null) pass();
  if (!output.write(sorted)) return false;
  if (job.output.file !== null) pass();
  return true;
}

interface ReadyOutput {
  /** The file that is open; null: standard output. */
  readonly target: FileTarget | NewTarget | null;
  /** The maximum bytes that can be written without waiting for a reader. */
  readonly mostBytes: number;
  /** Returns false, or throws the system's error, if the general path must write the output. */
  open(): boolean;
  /**
   * Returns false, with nothing written, if the general path must write it. Throws GpusortError if the output fails.
   */
  write(text: Uint8Array): boolean;
  /** `isLeft`: the target stays open, because the general path writes it. */
  close(isLeft: boolean): void;
}

/** Standard output, a regular file or a new one; null for others. */
function outputOf(name: FileName, mayWait: () => boolean, holdSignals: () => void): ReadyOutput | null {
  if (name === null) return standardOutput(mayWait);
  try {
    const target = exists(name) ? openFileAtOnce(name) : newTarget(name);
    if (target === null) return null;
    if (target.kind === 'file' && !(isReplaceable(target) && canCarry(target.fd))) {
      closeQuietly(target.fd);
      return null;
    }
    // An output that cannot be written is refused before anything is read.
    if (target.kind === 'new') fileSystem.accessSync(directoryOf(target.path), constants.W_OK);
    return fileOutput(target, holdSignals);
  } catch {
    return null; // the general path says why
  }
}

function standardOutput(mayWait: () => boolean): ReadyOutput | null {
  const stat = fileSystem.fstatSync(STANDARD_OUTPUT);
  if (!isPipe(stat) && !stat.isFile() && !isMemoryDevice(stat)) return null;
  return {
    target: null,
    mostBytes: isPipe(stat) && !mayWait() ? PIPE_BYTES : MOST_BYTES,
    open: () => true,
    write: (text) => {
      try {
        writeAtOnce(STANDARD_OUTPUT, text);
      } catch (error) {
        throw writeFailure(error, STANDARD_OUTPUT_LABEL);
      }
      return true;
    },
    close: () => {},
  };
}

/** Whether it is a device such as /dev/null: Linux gives them the major number 1. */
function isMemoryDevice(stat: BigIntStats): boolean {
  return isLinux() && stat.isCharacterDevice() && stat.rdev >> 8n === 1n;
}

function fileOutput(target: FileTarget | NewTarget, holdSignals: () => void): ReadyOutput {
  let file: SortedText | undefined;
  return {
    target,
    mostBytes: MOST_BYTES,
    open: () => {
      const directories = [directoryOf(target.path!)];
      if (target.kind === 'new') {
        file = new SortedText(directories, [], 0o666);
        return true;
      }
      // While cp runs, a signal would leave the temporary file.
      holdSignals();
      file = new SortedText(directories, [], PRIVATE);
      if (carryAttributesAtOnce(target.fd, file.fd)) return true;
      file.remove();
      return false;
    },
    write: (text) => {
      try {
        writeAtOnce(file!.fd, text);
        file!.completeAtOnce(text.length);
      } catch (error) {
        file!.remove();
        throw writeFailure(error, target.label, file!.whenFull);
      }
      if (target.kind === 'new') giveName(target, file!);
      else {
        checkName(target, file!);
        if (!replace(target, file!)) {
          file!.remove();
          return false;
        }
      }
      return true;
    },
    close: (isLeft) => {
      file?.close();
      if (!isLeft && target.kind === 'file') closeQuietly(target.fd);
    },
  };
}

/** A pipe to standard input. */
class InputPipe {
  /** The bytes read so far. */
  read: Buffer = Buffer.alloc(0);

  get isUsed(): boolean {
    return this.read.length > 0;
  }

  /** Reads up to its end, and returns true; or more than `most` bytes, and returns false. Throws the system's error. */
  readAll(most: number): boolean {
    const room = Buffer.allocUnsafe(most + 1);
    for (;;) {
      const count = fileSystem.readSync(STANDARD_INPUT, room.subarray(this.read.length), null);
      this.read = room.subarray(0, this.read.length + count);
      if (count === 0 || this.read.length > most) return count === 0;
    }
  }
}

/** The bytes of each regular file; null if an input is neither a small one nor standard input. */
function readFiles(files: readonly FileName[], mostBytes: number): Buffer[] | null {
  // A second standard input would begin where the first one ends.
  if (files.length > MOST_FILES || files.filter((name) => name === null).length > 1) return null;
  const texts: Buffer[] = [];
  let left = mostBytes;
  for (const name of files) {
    const text = readFile(name, left);
    if (text === null) return null;
    texts.push(text);
    left -= text.length;
  }
  return texts;
}

/** Whether a text is compressed, or of a form without lines. */
const isPacked = (text: Buffer): boolean => (detectCompression(text) ?? packedForm(text)) !== null;

const bytesOf = (texts: readonly Buffer[]): number => texts.reduce((sum, text) => sum + text.length, 0);

/**
 * All bytes of a regular file; none for a pipe to standard input; null for others, and if there are more than `most`.
 */
function readFile(name: FileName, most: number): Buffer | null {
  const stat = name === null ? fileSystem.fstatSync(STANDARD_INPUT) : fileSystem.statSync(name);
  if (name === null && isPipe(stat)) return Buffer.alloc(0);
  if (!stat.isFile() || stat.size > most) return null;
  const fd = name === null ? STANDARD_INPUT : fileSystem.openSync(name, 'r');
  try {
    const begin = name === null ? currentOffset(STANDARD_INPUT) : 0;
    if (begin === null) return null;
    // A file of /proc has more bytes than its size, which is 0.
    const room = Buffer.allocUnsafe((stat.size > 0 ? Number(stat.size) : Math.min(most, MOST_STRING_BYTES)) + 1);
    let end = 0;
    for (let count = -1; count !== 0 && end < room.length; end += count)
      count = fileSystem.readSync(fd, room.subarray(end), begin + end);
    return end === room.length ? null : room.subarray(0, end);
  } finally {
    if (name !== null) closeQuietly(fd);
  }
}

const isPipe = (stat: BigIntStats): boolean => stat.isFIFO() || stat.isSocket();

/**
 * Reads a pipe to standard input into its place among the texts. Returns false if waiting is not allowed, or if the
 * pipe has too much.
 */
function addPiped(texts: Buffer[], files: readonly FileName[], pipe: InputPipe, mayWait: () => boolean): boolean {
  const place = files.indexOf(null);
  if (place < 0 || !isPipe(fileSystem.fstatSync(STANDARD_INPUT))) return true;
  if (!mayWait() || !pipe.readAll(MOST_PIPED_BYTES)) return false;
  texts[place] = pipe.read;
  return true;
}

/** Moves the offset of a file at standard input past the bytes read: the next program to read it continues there. */
function passStandardInput(files: readonly FileName[], texts: readonly Buffer[]): void {
  const room = Buffer.allocUnsafe(texts[files.indexOf(null)]?.length ?? 0);
  try {
    for (let at = 0, count = -1; at < room.length && count !== 0; at += count)
      count = fileSystem.readSync(STANDARD_INPUT, room.subarray(at), null);
  } catch {
    /* it has been read */
  }
}

/** Sorts the lines of all texts. */
function sortTexts(texts: readonly Buffer[], ordering: Ordering): Uint8Array {
  const { format } = ordering;
  const delimiter = Buffer.of(format.kind === 'lines' ? format.delimiter : 0);
  // The last line of a file may lack its delimiter.
  const isOpen = (text: Buffer): boolean => text.length > 0 && text.at(-1) !== delimiter[0];
  const ended = texts.flatMap((text) => (isOpen(text) ? [text, delimiter] : [text]));
  return bytesOf(ended) > MOST_STRING_BYTES ? sortHere(ended, ordering) : sortStrings(Buffer.concat(ended), ordering);
}

/** Sorts the lines of a text as strings of one character per byte. */
function sortStrings(text: Buffer, ordering: Ordering): Buffer {
  const { key, format, unique, reverse } = ordering;
  const delimiter = String.fromCharCode(format.kind === 'lines' ? format.delimiter : 0);
  let lines: string[];
  if (key.kind === 'record') {
    lines = text.toString('latin1').split(delimiter);
    lines.pop();
    // Equal lines are the same line, so their order in the input does not matter.
    lines = sortedStrings(unique ? new Set(lines) : lines, reverse);
  } else {
    /** The lines with each key, in input order. */
    const groups = new Map<string, string>();
    for (const block of new KeyMaker(ordering).blocks(text)) {
      eachKeyed(ordering, asBuffer(block).toString('latin1'), (key, line) => {
        const group = groups.get(key);
        if (group === undefined) groups.set(key, line);
        else if (!unique) groups.set(key, group + delimiter + line);
      });
    }
    lines = sortedStrings(groups.keys(), reverse).map((key) => groups.get(key)!);
  }
  return Buffer.from(lines.length === 0 ? '' : lines.join(delimiter) + delimiter, 'latin1');
}

function sortedStrings(strings: Iterable<string>, reverse: boolean): string[] {
  const sorted = [...strings].sort();
  return reverse ? sorted.reverse() : sorted;
}
