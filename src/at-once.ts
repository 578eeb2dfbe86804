/**
 * Small sorts of lines, done at once: synchronous calls read the inputs and write the output, and the lines are sorted
 * in this thread. Other threads and promises take longer to start than such a sort. Whatever is not small and plain is left to
 * sort.ts; nothing has been written then, and no input has moved.
 */
import { detectCompression } from './codecs/detect.js';
import { sortHere } from './engines/cpu/sort-here.js';
import { currentOffset } from './input/offset.js';
import { dividesEqual, type FileName, type SortJob } from './job/job.js';
import type { Ordering } from './job/ordering.js';
import { KeyMaker } from './keys/key-maker.js';
import { eachKeyed } from './keys/keyed.js';
import { giveName } from './output/put-in-place.js';
import { SortedText } from './output/sorted-text.js';
import { exists, type NewTarget, newTarget } from './output/target.js';
import { STANDARD_OUTPUT_LABEL, writeFailure } from './output/writers.js';
import { type BigIntStats, fileSystem } from './system/file-system.js';
import { directoryOf } from './system/links.js';
import { asBuffer } from './system/memory.js';
import { isLinux } from './system/platform.js';
import { closeQuietly, writeAtOnce } from './system/transfer.js';

/** The most bytes of all inputs together. Larger ones gain from reading, sorting and writing at the same time. */
const MOST_BYTES = 8 << 20;
/** The most bytes that are sorted as strings: more than these are sorted faster by kernels, which must be compiled. */
const MOST_STRING_BYTES = 64 << 10;
/** With a smaller -S, only the general path keeps to it. */
const LEAST_MEMORY = 64 << 20;
/** What a pipe or a socket takes without waiting for its reader: a program that waits in a call receives no signals. */
const PIPE_BYTES = 64 << 10;
const STANDARD_INPUT = 0;
const STANDARD_OUTPUT = 1;

/** Does the job if it is small and plain. Returns false if it is not. Throws GpusortError if the output fails. */
export function sortAtOnce(job: SortJob): boolean {
  if (!isPlain(job)) return false;
  const output = openOutput(job.output.file);
  if (output === null) return false;
  let sorted: Uint8Array;
  try {
    const texts = readInputs(job, output.mostBytes);
    if (texts === null) {
      output.abandon();
      return false;
    }
    sorted = sortTexts(texts, job.ordering);
    passStandardInput(job, texts);
  } catch {
    // The general path needs less memory, and says what is wrong.
    output.abandon();
    return false;
  }
  output.write(sorted);
  return true;
}

/** Whether a job reads and writes lines as they are, and asks for no engine, no limit of memory and no report. */
function isPlain({ mode, cluster, input, ordering, output, resources, report }: SortJob): boolean {
  const { format, key, segments } = ordering;
  const isOrdinary =
    mode === 'sort' && cluster === null && format.kind === 'lines' && segments === undefined && isPlainKey(key);
  const readsText =
    input.framing === null && input.genomics === null && input.header === null && input.mates.length === 0;
  const writesText =
    output.compression === null &&
    output.limit === null &&
    !dividesEqual(output) &&
    ![output.sync, output.underline, output.verify].includes(true) &&
    output.convertsTo === null;
  const { engine, algorithm, memoryBytes, chunkBytes } = resources;
  const isFree =
    engine === 'auto' && algorithm === 'auto' && (memoryBytes ?? LEAST_MEMORY) >= LEAST_MEMORY && chunkBytes === null;
  const isSilent = report.explain === 'no' && report.stats === 'no' && report.progress !== 'always';
  return isOrdinary && readsText && writesText && isFree && isSilent;
}

/** Whether keys are made of nothing but the line: no header, no random seed, no collation. */
function isPlainKey(key: Ordering['key']): boolean {
  if (key.kind !== 'normalized') return key.kind === 'record';
  return key.parts.every(({ order, name, path, contigs, span }) =>
    order === 'random' ? false : [name, path, contigs, span.quoted].every((part) => part === undefined),
  );
}

interface Output {
  /** The most bytes that can be written without waiting for others. */
  readonly mostBytes: number;
  write(text: Uint8Array): void;
  abandon(): void;
}

/** Standard output or a new file; null for others, and if the file cannot be created. */
function openOutput(name: FileName): Output | null {
  if (name === null) return standardOutput();
  try {
    const target = exists(name) ? null : newTarget(name);
    return target === null ? null : newFile(target);
  } catch {
    return null; // the general path says why
  }
}

function standardOutput(): Output | null {
  const stat = fileSystem.fstatSync(STANDARD_OUTPUT);
  const isPipe = stat.isFIFO() || stat.isSocket();
  const mostBytes = isPipe ? PIPE_BYTES : MOST_BYTES;
  if (!isPipe && !stat.isFile() && !isMemoryDevice(stat)) return null;
  return {
    mostBytes,
    write: (text) => {
      try {
        writeAtOnce(STANDARD_OUTPUT, text);
      } catch (error) {
        throw writeFailure(error, STANDARD_OUTPUT_LABEL);
      }
    },
    abandon: () => {},
  };
}

/** Whether it is a device such as /dev/null: Linux gives them the major number 1. */
function isMemoryDevice(stat: BigIntStats): boolean {
  return isLinux() && stat.isCharacterDevice() && stat.rdev >> 8n === 1n;
}

function newFile(target: NewTarget): Output {
  const text = new SortedText([directoryOf(target.path)], [], 0o666);
  const abandon = (): void => {
    if (!text.isKept) text.remove();
    text.close();
  };
  return {
    mostBytes: MOST_BYTES,
    write: (bytes) => {
      try {
        writeAtOnce(text.fd, bytes);
        text.completeAtOnce(bytes.length);
      } catch (error) {
        abandon();
        throw writeFailure(error, target.label, text.whenFull);
      }
      giveName(target, text);
      text.close();
    },
    abandon,
  };
}

/** The bytes of each input; null if one is not small and plain. Throws the system's error. */
function readInputs({ input: { files } }: SortJob, mostBytes: number): Buffer[] | null {
  // The second of them would begin where the first one ends.
  if (files.filter((name) => name === null).length > 1) return null;
  const texts: Buffer[] = [];
  let bytes = 0;
  for (const name of files) {
    const text = readInput(name, mostBytes - bytes);
    if (text === null || detectCompression(text) !== null) return null;
    texts.push(text);
    bytes += text.length + 1;
  }
  return texts;
}

/** Moves standard input, which was read from where it is, to where the next program that reads it goes on. */
function passStandardInput({ input: { files } }: SortJob, texts: readonly Buffer[]): void {
  const bytes = texts[files.indexOf(null)]?.length ?? 0;
  const room = Buffer.allocUnsafe(bytes);
  for (let at = 0, count = -1; at < bytes && count !== 0; at += count)
    count = fileSystem.readSync(STANDARD_INPUT, room.subarray(at), null);
}

/** All bytes of a regular file; null for other files, and if it has more than `most` bytes. */
function readInput(name: FileName, most: number): Buffer | null {
  const stat = name === null ? fileSystem.fstatSync(STANDARD_INPUT) : fileSystem.statSync(name);
  if (!stat.isFile() || stat.size > most) return null;
  const fd = name === null ? STANDARD_INPUT : fileSystem.openSync(name, 'r');
  try {
    const begin = name === null ? currentOffset(STANDARD_INPUT) : 0;
    if (begin === null) return null;
    // A file of /proc has more bytes than its size.
    const room = Buffer.allocUnsafe(Math.max(0, Math.min(most, Math.max(Number(stat.size), MOST_STRING_BYTES))) + 1);
    let end = 0;
    for (let count = -1; count !== 0 && end < room.length; end += count)
      count = fileSystem.readSync(fd, room.subarray(end), begin + end);
    return end === room.length ? null : room.subarray(0, end);
  } finally {
    if (name !== null) closeQuietly(fd);
  }
}

/** The lines of all texts in their order. */
function sortTexts(texts: readonly Buffer[], ordering: Ordering): Uint8Array {
  const { format } = ordering;
  const delimiter = Buffer.of(format.kind === 'lines' ? format.delimiter : 0);
  // The last line of a file may lack its end.
  const isOpen = (text: Buffer): boolean => text.length > 0 && text.at(-1) !== delimiter[0];
  const ended = texts.flatMap((text) => (isOpen(text) ? [text, delimiter] : [text]));
  return ended.reduce((sum, { length }) => sum + length, 0) > MOST_STRING_BYTES
    ? sortHere(ended, ordering)
    : sortStrings(Buffer.concat(ended), ordering);
}

/** The lines of a text in their order, sorted as strings of one character per byte. */
function sortStrings(text: Buffer, ordering: Ordering): Buffer {
  const { key, format, unique, reverse } = ordering;
  const delimiter = String.fromCharCode(format.kind === 'lines' ? format.delimiter : 0);
  /** The lines with each key, in their order in the input. */
  const groups = new Map<string, string[]>();
  const add = (key: string, line: string): void => {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else if (!unique) group.push(line);
  };
  if (key.kind === 'record') {
    const lines = text.toString('latin1').split(delimiter);
    lines.pop();
    for (const line of lines) add(line, line);
  } else {
    for (const block of new KeyMaker(ordering).blocks(text))
      eachKeyed(ordering, asBuffer(block).toString('latin1'), add);
  }
  const keys = [...groups.keys()].sort();
  if (reverse) keys.reverse();
  const lines = keys.flatMap((key) => groups.get(key)!);
  return Buffer.from(lines.map((line) => line + delimiter).join(''), 'latin1');
}
