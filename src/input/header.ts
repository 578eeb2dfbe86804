/**
 * Headers: the records at the beginning of an input that are not sorted. Those of the first input are kept for the
 * output; the other inputs must have the same. Regular files lose them from their extent. Streams pass them before
 * anything else.
 */

import type { Header, InputRequest, SortJob } from '../job/job.js';
import type { Ordering, RecordFormat } from '../job/ordering.js';
import { withoutNames } from '../keys/names.js';
import { FORMATS } from '../records/formats.js';
import { type BamHeader, bamHeaderBytes, contigsOf, withContigs, writtenHeader } from '../records/headers.js';
import { librariesOf, withLibraries } from '../records/libraries.js';
import { type RecordFinder, recordFinder } from '../records/record-finder.js';
import { displayName } from '../report/names.js';
import { numberOf } from '../report/units.js';
import { GpusortError } from '../system/errors.js';
import { csvRead } from './csv.js';
import { warnIfCompressed } from './decompress.js';
import { closeInput, type InputFile, openInput, positional, readFully } from './files.js';
import { appended } from './record-cursor.js';
import type { StreamReader } from './stream.js';

/** Bytes of a file in the first read, and the maximum of later ones: most headers are far shorter. */
const WINDOW_BYTES = 64 << 10;
const MAX_WINDOW_BYTES = 4 << 20;

/** The header of an input. */
interface Found {
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
  private first: { readonly label: string; readonly text: Buffer; readonly records: number } | null = null;

  constructor(header: Header, format: RecordFormat) {
    this.header = header;
    this.finder = recordFinder(format);
    this.noun = format.kind === 'lines' ? 'line' : 'record';
  }

  /** The common header of the inputs so far; empty inputs have none. */
  get text(): Uint8Array {
    return this.first?.text ?? new Uint8Array();
  }

  /** Whether all inputs so far are empty. */
  get areInputsEmpty(): boolean {
    return this.first === null;
  }

  /** The input that the header is from. */
  get label(): string {
    return this.first?.label ?? '';
  }

  get records(): number {
    return this.first?.records ?? 0;
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
        if (at === extent.begin) warnIfCompressed(input, bytes);
        at += bytes.length;
        window = Math.min(2 * window, MAX_WINDOW_BYTES);
        return bytes;
      };
      const found = await this.find(
        input.framing?.kind === 'csv' ? csvRead(read, input, input.framing.separator) : read,
        label,
      );
      this.take(label, found);
      return { ...input, extent: { begin: extent.begin + found.bytes, end: extent.end }, headerStripped: true };
    } finally {
      closeInput(input, fd);
    }
  }

  /** A reader of the input after the header. Throws like stripFile; at the end, if the last record is not whole. */
  async strip(reader: StreamReader, label: string): Promise<StreamReader> {
    const found = await this.find(() => reader.read(), label);
    this.take(label, found);
    let rest: Buffer | null = found.rest;
    let total = found.bytes;
    return {
      read: async () => {
        const bytes = rest === null || rest.length === 0 ? await reader.read() : rest;
        rest = null;
        // Messages give the size of the whole input.
        if (bytes === null) this.finder.checkWhole(label, total);
        else total += bytes.length;
        return bytes;
      },
      close: () => reader.close(),
    };
  }

  /** Takes the header of BAM. Throws `bad-records` if it differs from that of the first input. */
  takeBam(label: string, header: BamHeader): void {
    this.bam ??= header;
    this.take(label, { text: bamHeaderBytes(header.text, header.references), records: 0, empty: false });
  }

  private async find(read: () => Promise<Uint8Array | null>, label: string): Promise<Found> {
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
        buffer = await appended(buffer, filled, bytes);
        filled += bytes.length;
      }
    }
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

  private take(label: string, { text, records, empty }: Pick<Found, 'text' | 'records' | 'empty'>): void {
    if (empty) return;
    const { first } = this;
    if (first === null) this.first = { label, text, records };
    else if (!text.equals(first.text)) throw this.difference(label, text, records, first);
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
      this.header.kind === 'bam'
        ? `the header differs from that of ${first.label}`
        : same < shared
          ? `header ${noun} ${same + 1} differs from that of ${first.label}`
          : `${numberOf(records, `header ${noun}`)}, but ${first.label} has ${first.records}`;
    return new GpusortError('bad-records', `${label}: ${what}`);
  }
}

/** Throws `bad-records` if all inputs were read and are empty, although files of their format never are. */
export function refuseEmpty(
  { genomics, files }: Pick<InputRequest, 'genomics' | 'files'>,
  headers: Headers | null,
): void {
  if (headers?.areInputsEmpty !== true || genomics === null || FORMATS[genomics.format].isNeverEmpty !== true) return;
  const what = files.length === 1 ? `${displayName(files[0])} is empty` : `all ${files.length} inputs are empty`;
  throw new GpusortError('bad-records', `${what}: a ${genomics.format} file has at least a header`, {
    hint: 'Look for errors of the program that should have written it.',
  });
}

/** The facts of a header about an ordering. */
export type HeaderForm = Pick<InputRequest, 'framing' | 'genomics'>;

/**
 * The ordering, completed from the header of the inputs: the numbers of fields that CSV names, and the order of
 * contigs. Until an input with content has been found, neither is needed.
 */
export function withHeader(ordering: Ordering, headers: Headers | null, { framing, genomics }: HeaderForm): Ordering {
  if (headers === null) return ordering;
  if (genomics !== null) {
    const listed = withContigs(ordering, () => contigsOf(genomics.format, headers.text, headers.bam, headers.label));
    return withLibraries(listed, () => librariesOf(headers.bam?.text ?? headers.text));
  }
  return framing?.kind !== 'csv' || headers.records === 0
    ? ordering
    : withoutNames(ordering, headers.text, framing.separator);
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
    return (bytes ??= writtenHeader(job, headers.text, headers.bam));
  };
}
