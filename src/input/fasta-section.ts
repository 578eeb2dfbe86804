/**
 * The sequences at the end of GFF3: from the line `##FASTA`, or the first line that begins with `>`, to the end of the
 * input. They are not sorted: the output ends with the sections of all inputs, in the order of the inputs. Sections of
 * regular files are copied from these files; those of other inputs wait in a temporary file. Source: the GFF3
 * specification.
 */
import type { BlockWriter } from '../contract/engine.js';
import type { FileName } from '../job/job.js';
import { beginsLine, Directive, type TextCut } from '../records/directives.js';
import type { Blob } from '../runs/blob.js';
import { TemporaryStore } from '../runs/store.js';
import type { ByteSource } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { asBuffer } from '../system/memory.js';
import { type FileExtent, type InputFile, readFully, withOpenFile } from './files.js';

const MARK = new Directive('##FASTA');
const [TAB, NEWLINE, GREATER] = [9, 10, 62];
/** Bytes at the end of a file in which its last record is searched for; also the size of other reads. */
const TAIL_BYTES = 64 << 10;
const WINDOW_BYTES = 4 << 20;

type StoredSection = { readonly begin: number } | { readonly blob: Blob };

/** The sections of the inputs of one job. */
export class FastaSections {
  private readonly files: readonly InputFile[];
  private readonly store: TemporaryStore | null;
  private readonly sections = new Map<InputFile, StoredSection>();

  /** `directories`: for the temporary file; null: sections are skipped, because there is no output. */
  constructor(files: readonly InputFile[], directories: readonly FileName[] | null) {
    this.files = files;
    this.store = directories && new TemporaryStore(directories);
  }

  /** Takes the section of a regular file, which begins at byte `begin` of it. */
  takeFile(input: InputFile, begin: number): void {
    this.sections.set(input, { begin });
  }

  /** Takes the section of another input. */
  async take(input: InputFile, section: AsyncIterable<Uint8Array>): Promise<void> {
    const writer = this.store?.create(null);
    for await (const bytes of section) await writer?.write(bytes);
    if (writer !== undefined) this.sections.set(input, { blob: await writer.finish() });
  }

  /** Writes all sections. Only the first one has the line `##FASTA`. */
  async writeTo(write: BlockWriter): Promise<void> {
    let written = 0;
    for (const input of this.files) {
      const section = this.sections.get(input);
      let last: number | undefined;
      for await (const piece of section === undefined ? [] : pieces(input, section)) {
        const isRepeated = last === undefined && written > 0 && MARK.isAt(piece, 0, { isEnd: true });
        const bytes = isRepeated ? piece.subarray(piece.indexOf(NEWLINE) + 1 || piece.length) : piece;
        last = bytes.at(-1) ?? NEWLINE;
        await write(bytes);
      }
      if (last !== undefined && last !== NEWLINE) await write(Uint8Array.of(NEWLINE));
      if (section !== undefined) written++;
    }
  }

  close(): void {
    this.store?.close();
  }
}

/** The bytes of a section in order. Each piece is valid until the next one is requested. */
async function* pieces(input: InputFile, section: StoredSection): AsyncGenerator<Buffer> {
  const read = async function* (begin: number, end: number, readAt: (at: number, target: Uint8Array) => Promise<void>) {
    for (let at = begin; at < end; ) {
      const piece = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, end - at));
      await readAt(at, piece);
      at += piece.length;
      yield piece;
    }
  };
  if ('blob' in section) yield* read(0, section.blob.bytes, (at, target) => section.blob.readAt(at, target));
  else
    yield* read(section.begin, input.extent!.end, (at, target) =>
      withOpenFile(input, ({ fd, label }) => readFully(fd, target, at, label)),
    );
}

/**
 * Where the section begins in the records [begin, end) of an open file; `end`: there is none. A file whose last line
 * with content is a record has none, so most files are not read for this.
 */
export async function sectionInFile(fd: number, begin: number, end: number, label: string): Promise<number> {
  const tail = Buffer.allocUnsafe(Math.min(TAIL_BYTES, end - begin));
  await readFully(fd, tail, end - tail.length, label);
  if (endsInRecord(tail, tail.length === end - begin)) return end;
  return firstInFile(fd, { begin, end }, label, { find: sectionIn, openBytes });
}

/** Finds lines in a text that comes in blocks cut anywhere (see Directive). */
type LineSearch = Pick<Directive, 'find' | 'openBytes'>;

/** The offset of the first line that the search finds in bytes [begin, end) of an open file; `end` if not found. */
export async function firstInFile(
  fd: number,
  { begin, end }: FileExtent,
  label: string,
  lines: LineSearch,
): Promise<number> {
  let isLineStart = true;
  for (let at = begin; at < end; ) {
    const bytes = Buffer.allocUnsafe(Math.min(WINDOW_BYTES, end - at));
    await readFully(fd, bytes, at, label);
    const isEnd = at + bytes.length === end;
    const found = lines.find(bytes, { isLineStart, isEnd });
    if (found >= 0) return at + found;
    const rest: number = isEnd ? 0 : lines.openBytes(bytes, isLineStart);
    isLineStart = rest > 0 || bytes.at(-1) === NEWLINE;
    at += bytes.length - rest;
  }
  return end;
}

/** Whether the last line with content, comments apart, is a record. `isWhole`: the tail begins with a line. */
function endsInRecord(tail: Buffer, isWhole: boolean): boolean {
  for (let end = tail.length; end > 0; ) {
    const begin = end < 2 ? 0 : tail.lastIndexOf(NEWLINE, end - 2) + 1;
    if (begin === 0 && !isWhole) return false;
    const line = tail.toString('latin1', begin, end).trimEnd();
    if (line.startsWith('##FASTA')) return false;
    if (line !== '' && !line.startsWith('#')) return !line.startsWith('>') && line.includes('\t');
    end = begin;
  }
  return false;
}

/** A reader that ends before the section, and passes the section to `take`. */
export function beforeSection(
  reader: ByteSource,
  label: string,
  take: (section: AsyncIterable<Uint8Array>) => Promise<void>,
): ByteSource {
  let held: Buffer = Buffer.alloc(0);
  let isLineStart = true;
  let ended = false;
  async function* section(first: Buffer): AsyncGenerator<Uint8Array> {
    for (let bytes: Buffer | null = first; bytes !== null; ) {
      refuseRecords(bytes, label);
      yield bytes;
      const next = await reader.read();
      bytes = next === null ? null : asBuffer(next);
    }
  }
  return {
    read: async () => {
      while (!ended) {
        const bytes = await reader.read();
        ended = bytes === null;
        const text = held.length === 0 ? asBuffer(bytes ?? held) : Buffer.concat([held, bytes ?? held.subarray(0, 0)]);
        const found = sectionIn(text, { isLineStart, isEnd: ended });
        if (found >= 0) {
          await take(section(text.subarray(found)));
          ended = true;
          if (found > 0) return text.subarray(0, found);
          break;
        }
        const rest = ended ? 0 : openBytes(text, isLineStart);
        isLineStart = rest > 0 || text.at(-1) === NEWLINE || (text.length === 0 && isLineStart);
        held = Buffer.from(text.subarray(text.length - rest));
        if (text.length > rest) return text.subarray(0, text.length - rest);
      }
      return null;
    },
    close: () => reader.close(),
  };
}

/** Where a section begins in a text; -1: there is none. */
function sectionIn(text: Buffer, cut: TextCut): number {
  let implied = text.indexOf(GREATER);
  while (implied >= 0 && !beginsLine(text, implied, cut.isLineStart)) implied = text.indexOf(GREATER, implied + 1);
  const marked = MARK.find(text, cut);
  return implied < 0 || marked < 0 ? Math.max(implied, marked) : Math.min(implied, marked);
}

const openBytes: LineSearch['openBytes'] = (text, isLineStart) => MARK.openBytes(text, isLineStart);

/** Refuses a record among the sequences, as in files that were concatenated: it would stay unsorted. */
function refuseRecords(text: Buffer, label: string): void {
  for (let tab = text.indexOf(TAB); tab >= 0; tab = text.indexOf(TAB, text.indexOf(NEWLINE, tab) + 1 || text.length)) {
    const begin = text.lastIndexOf(NEWLINE, tab) + 1;
    if (begin === 0 || text[begin] === GREATER) continue;
    throw new GpusortError('bad-records', `${label}: a feature follows the sequences of ##FASTA`, {
      hint: 'Sort the files that were concatenated as several inputs.',
    });
  }
}

/** The error for an input with a section, if it cannot be kept. */
export function refusedSection(label: string): GpusortError {
  return new GpusortError('bad-records', `${label}: --cluster does not sort GFF with a ##FASTA section`, {
    hint: 'Sort it without --cluster.',
  });
}
