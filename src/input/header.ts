/**
 * Headers: the records at the beginning of an input that are not sorted. Those of the first input are kept for the
 * output; the other inputs must have the same, except that headers of alignments are united. For regular files, the
 * extent excludes the header. Other inputs lose it when they are opened.
 */

import type { CombinedIds, Header, InputRequest, SortJob } from '../job/job.js';
import type { RecordFormat } from '../job/ordering.js';
import { leavingOut, RESOLVED } from '../records/directives.js';
import { FORMATS, refuseForeign } from '../records/formats.js';
import { HeaderUnion } from '../records/header-union.js';
import { type BamHeader, bamHeaderBytes, writtenHeader } from '../records/headers.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import type { Renaming } from '../records/renaming.js';
import { displayName } from '../report/names.js';
import { numberOf } from '../report/units.js';
import { type ByteSource, withFirst } from '../system/byte-source.js';
import { GpusortError } from '../system/errors.js';
import { appended } from '../system/growing-buffer.js';
import { csvRead } from './csv.js';
import { warnIfCompressed } from './decompress.js';
import { beforeSection, type FastaSections, firstInFile, refusedSection, sectionInFile } from './fasta-section.js';
import { closeInput, endsInside, type InputFile, openInput, positional, readFully } from './files.js';

/** Bytes of a file in the first read, and the maximum of later ones: most headers are far shorter. */
const WINDOW_BYTES = 64 << 10;
const MAX_WINDOW_BYTES = 4 << 20;
/** Bytes that show the form of a record: the first fields. */
const SHOWN_BYTES = 4096;
const NEWLINE = 10;
/** The first fields of BED, with the blanks between them. */
const FIRST_FIELDS = /^[^ \t\n]+([ \t]+)\d+([ \t]+)\d/;

/** The part of an input that its header needs. */
type HeaderInput = Pick<InputFile, 'label' | 'number' | 'leavesOutResolved'>;

/** The header of an input. */
interface FoundHeader {
  /** Its records, each with its delimiter, and their number. */
  readonly text: Buffer;
  readonly records: number;
  /** The bytes it takes of the input, and the bytes read after it. */
  readonly bytes: number;
  readonly rest: Buffer;
  /** Whether the input is empty. */
  readonly empty: boolean;
}

export class Headers {
  private readonly header: Header;
  private readonly finder: RecordFinder;
  /** The word for a record in messages. */
  private readonly noun: 'line' | 'record';
  /** The header of the first input if that is BAM. */
  bam: BamHeader | null = null;
  /** The bytes of each header that was read, by the numbers of the inputs. */
  private readonly bytes = new Map<number, number>();
  /** The sequences at the ends of GFF inputs; null: they are refused. */
  sections: FastaSections | null = null;
  /** The first record of the inputs so far, up to SHOWN_BYTES of it; empty if it does not matter. */
  private record: Uint8Array = new Uint8Array();
  private first: { readonly label: string; readonly text: Buffer; readonly records: number } | null = null;
  /** Null: headers must be equal. */
  private readonly union: HeaderUnion | null;
  /** Inputs, by number, that stay open after their header was read until their records are read. */
  private readonly held = new Map<number, ByteSource>();
  /** The inputs whose headers were united, by their numbers. An input may be read again. */
  private readonly united = new Map<number, { readonly records: number; readonly renaming: Renaming | null }>();

  constructor(header: Header, format: RecordFormat, combined: CombinedIds | null = null) {
    this.header = header;
    this.union = combined && new HeaderUnion(combined);
    this.finder = recordFinder(format);
    this.noun = format.kind === 'lines' ? 'line' : 'record';
  }

  /** The header of the first input that is not empty. */
  get text(): Uint8Array {
    return this.first?.text ?? new Uint8Array();
  }

  /** The united header of the inputs so far. */
  get unitedText(): Uint8Array {
    return this.bam === null && this.union !== null ? this.union.text : this.text;
  }

  /** The united header if the inputs are BAM. */
  get unitedBam(): Pick<BamHeader, 'text' | 'references'> | null {
    return this.bam && (this.union ?? this.bam);
  }

  /** Whether inputs of BAM list other references than the output. */
  get unitesReferences(): boolean {
    return this.bam !== null && this.union?.unitesSequences === true;
  }

  /** Whether all inputs so far are empty. */
  get areInputsEmpty(): boolean {
    return this.first === null;
  }

  /** Whether headers are united, in the order of the inputs, and need not be equal. */
  get unites(): boolean {
    return this.union !== null;
  }

  /** Whether the header of an input was united with those before it. */
  isUnited({ number }: Pick<InputFile, 'number'>): boolean {
    return this.united.has(number);
  }

  /** Keeps an input open, after its header was read, until its records are read. */
  hold({ number }: Pick<InputFile, 'number'>, reader: ByteSource): void {
    this.held.set(number, reader);
  }

  /** What was held for an input, if anything; the caller closes it. */
  takeHeld({ number }: Pick<InputFile, 'number'>): ByteSource | undefined {
    const reader = this.held.get(number);
    this.held.delete(number);
    return reader;
  }

  /** Frees what is held for the output and for inputs that were not read. */
  close(): void {
    this.sections?.close();
    for (const reader of this.held.values()) reader.close();
    this.held.clear();
  }

  /** The input that the header is from. */
  get label(): string {
    return this.first?.label ?? '';
  }

  /** Whether spaces, or spaces and tabs, separate the fields of the first record of BED. */
  get areFieldsBlank(): boolean {
    const found = FIRST_FIELDS.exec(Buffer.from(this.record).toString('latin1'));
    return found !== null && `${found[1]}${found[2]}`.includes(' ');
  }

  get records(): number {
    return this.first?.records ?? 0;
  }

  /** The number of header records of an input that was read. */
  recordsOf({ number }: HeaderInput): number {
    return this.united.get(number)?.records ?? this.records;
  }

  /** The bytes of the header of an input, which was read. */
  bytesOf({ number }: Pick<InputFile, 'number'>): number {
    return this.bytes.get(number)!;
  }

  /**
   * How the records of an input change. Known once its header has been read; for BAM, once all headers have been read.
   * Null: not at all.
   */
  renamingOf({ number, renaming }: Pick<InputFile, 'number' | 'renaming'>): Renaming | null {
    if (renaming !== undefined) return renaming;
    const ids = this.united.get(number)?.renaming ?? null;
    const references = this.bam === null ? null : (this.union?.placesOf(number) ?? null);
    return references === null ? ids : { readGroups: [], programs: [], ...ids, references };
  }

  /**
   * A regular file without its header; other inputs unchanged. Throws `bad-records` if the header differs from that of
   * the first input, or if the file is not a whole number of records.
   */
  async stripFile(input: InputFile): Promise<InputFile> {
    const { extent, label, compressed } = input;
    if (extent === null || compressed || (positional(input) === null && input.framing?.kind !== 'csv')) return input;
    this.finder.checkWhole(label, extent.end - extent.begin);
    const fd = await openInput(input);
    try {
      let at = extent.begin;
      let window = WINDOW_BYTES;
      const read = async (): Promise<Uint8Array | null> => {
        if (at === extent.end) return null;
        const bytes = Buffer.allocUnsafe(Math.min(window, extent.end - at));
        await readFully(fd, bytes, at, label);
        if (at === extent.begin) {
          warnIfCompressed(input, bytes);
          if (input.format !== null) refuseForeign(bytes, label, input.format);
        }
        at += bytes.length;
        window = Math.min(2 * window, MAX_WINDOW_BYTES);
        return bytes;
      };
      const found = await this.find(
        input.framing?.kind === 'csv' ? csvRead(read, input, input.framing.separator) : read,
        label,
      );
      this.take(input, found);
      const begin = extent.begin + found.bytes;
      const end = input.format === 'gff' && !endsInside(input) ? await this.endOfRecords(input, fd, begin) : extent.end;
      const sequential =
        input.sequential || (input.leavesOutResolved && (await firstInFile(fd, { begin, end }, label, RESOLVED)) < end);
      return { ...input, extent: { begin, end }, sequential, headerStripped: true, renaming: this.renamingOf(input) };
    } finally {
      closeInput(input, fd);
    }
  }

  /** Where the records of GFF end: at its sequences, or at the end of the extent. */
  private async endOfRecords(input: InputFile, fd: number, begin: number): Promise<number> {
    const { extent, label } = input;
    const end = await sectionInFile(fd, begin, extent!.end, label);
    if (end < extent!.end) this.keptSections(label).takeFile(input, end);
    return end;
  }

  private keptSections(label: string): FastaSections {
    if (this.sections === null) throw refusedSection(label);
    return this.sections;
  }

  /** A reader of the input without the sequences of GFF. */
  withoutSequences(reader: ByteSource, input: InputFile): ByteSource {
    if (input.format !== 'gff') return reader;
    return beforeSection(reader, input.label, (section) => this.keptSections(input.label).take(input, section));
  }

  /**
   * A reader of the input after the header. Throws like stripFile. Reading throws at the end if the last record is not
   * whole.
   */
  async strip(reader: ByteSource, input: HeaderInput): Promise<ByteSource> {
    const { label } = input;
    const found = await this.find(() => reader.read(), label);
    this.take(input, found);
    const records = withFirst(found.rest, reader);
    let total = found.bytes;
    return {
      read: async (target) => {
        const bytes = await records.read(target);
        // Messages give the size of the whole input.
        if (bytes === null) this.finder.checkWhole(label, total);
        else total += bytes.length;
        return bytes;
      },
      close: () => records.close(),
    };
  }

  /** Takes the header of BAM. Throws `bad-records` if its sequences contradict those of an earlier input. */
  takeBam(input: HeaderInput, header: BamHeader): void {
    const { text, references } = header;
    this.bam ??= header;
    this.bytes.set(input.number, header.bytes);
    this.first ??= { label: input.label, text: bamHeaderBytes(text, references), records: 0 };
    this.unite(input, { text, records: 0 }, references);
  }

  private async find(read: () => Promise<Uint8Array | null>, label: string): Promise<FoundHeader> {
    const { header, finder } = this;
    let buffer: Buffer = Buffer.alloc(0);
    let filled = 0;
    let ended = false;
    /**
     * The start of the current record, the number of records before it, and the offset before which it does not end.
     */
    let at = 0;
    let records = 0;
    let searched = 0;
    /** Whether the record at `at` belongs to the header; null: more must be read. */
    const isHeader = (): boolean | null => {
      if (header.kind === 'records') return records < header.count;
      const prefixes = header.kind === 'bam' ? [] : header.prefixes;
      const answers = prefixes.map((prefix) => {
        const shared = Math.min(prefix.length, filled - at);
        if (buffer.compare(prefix, 0, shared, at, at + shared) !== 0) return false;
        return shared === prefix.length ? true : ended ? false : null;
      });
      return answers.includes(true) ? true : answers.includes(null) ? null : false;
    };
    for (let is = isHeader(); is !== false; is = isHeader()) {
      const from = Math.max(at, searched);
      const end = is === null ? -1 : finder.firstEnd(buffer.subarray(from, filled), from - at);
      if (end >= 0 || (ended && at < filled)) {
        if (end < 0) finder.checkWhole(label, filled);
        at = end >= 0 ? from + end : filled;
        records++;
        continue;
      }
      if (ended) break;
      searched = filled;
      const bytes = await read();
      if (bytes === null) ended = true;
      else {
        buffer = await appended(buffer, filled, [bytes]);
        filled += bytes.length;
      }
    }
    // The first record, up to the bytes that show its form.
    const showsRecord = header.kind === 'prefixes' && header.showsRecord === true && this.record.length === 0;
    while (showsRecord && !ended && filled - at < SHOWN_BYTES && !buffer.subarray(at, filled).includes(NEWLINE)) {
      const bytes = await read();
      if (bytes === null) ended = true;
      else {
        buffer = await appended(buffer, filled, [bytes]);
        filled += bytes.length;
      }
    }
    if (showsRecord) this.record = Buffer.from(buffer.subarray(at, Math.min(filled, at + SHOWN_BYTES)));
    const text = buffer.subarray(0, at);
    const { delimiter } = finder;
    const complete = at === 0 || delimiter === null || text[at - 1] === delimiter;
    return {
      text: complete ? Buffer.from(text) : Buffer.concat([text, Uint8Array.of(delimiter)]),
      records,
      bytes: at,
      rest: Buffer.from(buffer.subarray(at, filled)),
      empty: filled === 0,
    };
  }

  private take(input: HeaderInput, found: Omit<FoundHeader, 'rest'>): void {
    this.bytes.set(input.number, found.bytes);
    if (found.empty) return;
    const { label, leavesOutResolved } = input;
    const { text, records } = leavesOutResolved ? withoutResolved(found) : found;
    const first = (this.first ??= { label, text, records });
    if (this.union !== null) this.unite(input, { text, records }, null);
    else if (!text.equals(first.text)) throw this.difference(label, text, records, first);
  }

  private unite(
    { label, number }: HeaderInput,
    { text, records }: Pick<FoundHeader, 'text' | 'records'>,
    references: BamHeader['references'] | null,
  ): void {
    if (this.united.has(number)) return;
    const renaming = this.union!.add({ label, number, text, references });
    this.united.set(number, { records, renaming });
  }

  private difference(
    label: string,
    text: Buffer,
    records: number,
    first: { label: string; text: Buffer; records: number },
  ): GpusortError {
    const { finder, noun } = this;
    const shared = Math.min(records, first.records);
    let same = 0;
    for (let from = 0; same < shared; same++) {
      const end = from + finder.firstEnd(text.subarray(from), 0);
      if (!text.subarray(from, end).equals(first.text.subarray(from, end))) break;
      from = end;
    }
    const what =
      same < shared
        ? `header ${noun} ${same + 1} differs from that of ${first.label}`
        : `${numberOf(records, `header ${noun}`)}, but ${first.label} has ${first.records}`;
    return new GpusortError('bad-records', `${label}: ${what}`);
  }
}

/** A header of lines without the lines `###` of GFF. */
function withoutResolved({
  text,
  records,
}: Pick<FoundHeader, 'text' | 'records'>): Pick<FoundHeader, 'text' | 'records'> {
  const left = Buffer.from(leavingOut(RESOLVED).next(Buffer.from(text)));
  const linesIn = (bytes: Uint8Array): number => bytes.reduce((sum, byte) => sum + Number(byte === NEWLINE), 0);
  return { text: left, records: records - linesIn(text) + linesIn(left) };
}

/** Throws `bad-records` if all inputs were read and are empty, although files of their format never are. */
export function refuseEmpty(
  { genomics, files }: Pick<InputRequest, 'genomics' | 'files'>,
  headers: Headers | null,
): void {
  if (headers?.areInputsEmpty !== true || genomics === null || FORMATS[genomics.format].isNeverEmpty !== true) return;
  const what = files.length === 1 ? `${displayName(files[0])} is empty` : `all ${files.length} inputs are empty`;
  throw new GpusortError('bad-records', `${what}: a ${genomics.format} file has at least a header`, {
    hint: 'Check whether the program that wrote it failed.',
  });
}

/** Returns the header of the output, once those of all inputs are known; null: there is none. */
export function headerToWrite(
  job: Pick<SortJob, 'input' | 'ordering'>,
  headers: Headers | null,
): (() => Uint8Array) | null {
  if (headers === null) return null;
  let bytes: Uint8Array | undefined;
  return () => {
    refuseEmpty(job.input, headers);
    return (bytes ??= writtenHeader(job, headers.unitedText, headers.unitedBam));
  };
}
