/**
 * Headers of genomics data, as pure functions of bytes: the contigs that they list, their order of records, and the
 * header of the output. Also the order of contigs from a list of them.
 */
import type { FormatName, SortJob } from '../job/job.js';
import type { KeyPart, Ordering, PartOrder } from '../job/ordering.js';
import { bytesToText } from '../report/names.js';
import { GpusortError } from '../system/errors.js';
import { withCommand, withProgram } from './program-lines.js';
import { describedOrder, UNKNOWN } from './sort-order.js';

/** The part of a VCF line that holds a contig's name. */
const VCF_CONTIG = /^##contig=<(?:[^\n]*,)?ID=([^,>\r\n]+)/gm;

/**
 * The names of contigs in `header`, in the header's order, each followed by a newline. Empty for formats that list
 * none. `bam`: the header of BAM. Throws `bad-records` if it lists a contig twice.
 */
export function contigsOf(
  format: FormatName,
  header: Uint8Array,
  bam: Pick<BamHeader, 'references'> | null,
  label: string,
): Uint8Array {
  if (format === 'sam') return contigsOfSam(header, label);
  if (format === 'vcf')
    return listOf([...Buffer.from(header).toString('latin1').matchAll(VCF_CONTIG)].map(([, name]) => name));
  return listOf((bam?.references ?? []).map(({ name }) => name.toString('latin1')));
}

/**
 * The names that a file of contigs lists: the @SQ lines of a header (.dict), or the first column of each line (.fai, a
 * genome file, plain names).
 */
export function listedContigs(text: Buffer, label: string): Uint8Array {
  const lines = text.toString('latin1').split(/\r?\n/);
  const named = contigsOfSam(text, label);
  if (named.length > 0) return named;
  return listOf(lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/[\t ]/, 1)[0]));
}

/** The ordering with `contigs` for its parts that need a list and have none. */
export function withContigs(ordering: Ordering, contigs: () => Uint8Array): Ordering {
  const { key } = ordering;
  if (!('parts' in key) || !key.parts.some(lacksList)) return ordering;
  const list = contigs();
  return {
    ...ordering,
    key: { ...key, parts: key.parts.map((part) => (lacksList(part) ? { ...part, contigs: list } : part)) },
  };
}

const LISTED: readonly PartOrder[] = ['contig', 'mapped-contig', 'mate-contig', 'template-coordinate', 'minimiser'];

function lacksList({ order, contigs }: KeyPart): boolean {
  return LISTED.includes(order) && contigs === undefined;
}

function listOf(names: readonly string[]): Uint8Array {
  return Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
}

/** The order of records that a header describes. */
export interface HeaderOrder {
  /** The orders, as --by names them. */
  readonly by: string;
  /** Whether larger records come first. No field of a header can express that. */
  readonly reverse: boolean;
  readonly as: 'samtools' | 'picard';
}

/** The version of the specification that an inserted @HD line names. */
const VERSION = 'VN:1.6';
const NEWLINE = 10;
const RETURN = 13;

/**
 * The names of the contigs in @SQ lines, in their order, each followed by a newline (KeyPart.contigs). Throws
 * `bad-records` if two are the same or a line has none.
 */
function contigsOfSam(text: Uint8Array, label: string): Uint8Array {
  const lines = linesOf(text, '@SQ\t');
  const names = new Set<string>();
  for (const [begin, end] of lines) {
    const line = contentOf(text, begin, end);
    const name =
      line
        .split('\t')
        .find((field) => field.startsWith('SN:'))
        ?.slice(3) ?? '';
    const bad = (what: string): GpusortError =>
      new GpusortError(
        'bad-records',
        `${label}: ${what}: ${bytesToText(Buffer.from(line, 'latin1').subarray(0, 100))}`,
      );
    if (name === '') throw bad('an @SQ line of the header has no name (SN)');
    if (names.has(name)) throw bad('the header lists a contig twice');
    names.add(name);
  }
  return Buffer.from([...names].map((name) => `${name}\n`).join(''), 'latin1');
}

/**
 * The header for records in a new order: the first @HD line, or a new one, describes the order and becomes the first
 * line. The rules are those of samtools 1.19 and later (`samtools sort --no-PG`), or of Picard (SAM specification,
 * section 1.3). Lines keep their line ends.
 */
export function sortedHeader(text: Uint8Array, order: HeaderOrder): Buffer {
  const [found] = linesOf(text, '@HD\t');
  const [begin, end] = found ?? [0, 0];
  const fields = found === undefined ? ['@HD', VERSION] : contentOf(text, begin, end).split('\t');
  const returns = text[(found === undefined ? lineEnd(text, 0) : end) - 2] === RETURN;
  const line = `${describe(fields, order).join('\t')}${returns ? '\r\n' : '\n'}`;
  return Buffer.concat([Buffer.from(line, 'latin1'), closed(text.subarray(0, begin)), closed(text.subarray(end))]);
}

/**
 * The fields of an @HD line, changed to say how records are ordered. Existing fields keep their place; new ones come
 * last.
 */
function describe(fields: readonly string[], { by, reverse, as }: HeaderOrder): string[] {
  const { sorted, within, grouped } = reverse ? UNKNOWN : describedOrder(by);
  const ordered = withField(fields, 'SO', sorted);
  return as === 'picard' ? withField(ordered, 'SS', null) : withField(withField(ordered, 'GO', grouped), 'SS', within);
}

/** Sets the first field of that name, or adds it; removes it if `value` is null. */
function withField(fields: readonly string[], name: string, value: string | null): string[] {
  const at = fields.findIndex((field, i) => i > 0 && field.startsWith(`${name}:`));
  const field = value === null ? [] : [`${name}:${value}`];
  return at < 0 ? [...fields, ...field] : [...fields.slice(0, at), ...field, ...fields.slice(at + 1)];
}

/**
 * The text with an @SQ line added for each reference of a BAM header that has none: after the last @SQ line, otherwise
 * at the end. Programs that read SAM need these lines; in BAM they may be absent.
 */
export function withReferenceLines(text: Uint8Array, references: readonly BamReference[]): Buffer {
  const lines = linesOf(text, '@SQ\t');
  const listed = new Set(lines.map(([begin, end]) => /\tSN:([^\t]*)/.exec(contentOf(text, begin, end))?.[1]));
  const added = references
    .filter(({ name }) => !listed.has(name.toString('latin1')))
    .map(({ name, length }) => `@SQ\tSN:${name.toString('latin1')}\tLN:${length}\n`);
  const at = lines.at(-1)?.[1] ?? text.length;
  return Buffer.concat([closed(text.subarray(0, at)), Buffer.from(added.join(''), 'latin1'), text.subarray(at)]);
}

/** The places of lines that begin with `prefix`: their beginnings, and their ends after the newline. */
function linesOf(text: Uint8Array, prefix: string): [number, number][] {
  const start = Buffer.from(prefix);
  const found: [number, number][] = [];
  for (let at = 0; at < text.length; ) {
    const end = lineEnd(text, at);
    if (start.every((byte, i) => text[at + i] === byte)) found.push([at, end]);
    at = end;
  }
  return found;
}

/** Where the line at `at` ends, after its newline. */
function lineEnd(text: Uint8Array, at: number): number {
  const newline = text.indexOf(NEWLINE, at);
  return newline < 0 ? text.length : newline + 1;
}

/** The line [begin, end) without its line end. */
function contentOf(text: Uint8Array, begin: number, end: number): string {
  return Buffer.from(text.subarray(begin, end))
    .toString('latin1')
    .replace(/\r?\n$/, '');
}

/** The text, with a line end added to its last line if that has none. */
function closed(text: Uint8Array): Uint8Array {
  return text.length === 0 || text.at(-1) === NEWLINE ? text : Buffer.concat([text, Uint8Array.of(NEWLINE)]);
}

export interface BamReference {
  /** The name without its final NUL. */
  readonly name: Buffer;
  readonly length: number;
}

export interface BamHeader {
  /** The SAM header, without NULs that pad it. It need not agree with the references. */
  readonly text: Buffer;
  readonly references: readonly BamReference[];
  /** The number of bytes that the header takes of the input, and the bytes read after it. */
  readonly bytes: number;
  readonly rest: Uint8Array;
}

const MAGIC = Buffer.from('BAM\x01', 'latin1');
/** Far more than any genome needs, and small enough to hold in memory. */
const MOST_REFERENCES = 1 << 22;
const MOST_NAME_BYTES = 1 << 16;
const MOST_TEXT_BYTES = 1 << 30;

/**
 * Reads the header of BAM (SAM specification, section 4.2) from decompressed input: a SAM header as text, then the
 * names and lengths of references. `read` returns null at the end of the input. Memory grows with the bytes that
 * arrive, whatever length the header claims. Throws `bad-records`.
 */
export async function readBamHeader(read: () => Promise<Uint8Array | null>, label: string): Promise<BamHeader> {
  const bad = (what: string): GpusortError => new GpusortError('bad-records', `${label}: ${what}`);
  let buffer = Buffer.alloc(0);
  let filled = 0;
  let at = 0;

  /** Takes the next `count` bytes. Memory grows with the bytes that arrive, to at most twice as many. */
  async function take(count: number): Promise<Buffer> {
    while (filled - at < count) {
      const bytes = await read();
      if (bytes === null) throw bad('the BAM header is cut off');
      if (filled + bytes.length > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * filled, filled + bytes.length));
        buffer.copy(larger, 0, 0, filled);
        buffer = larger;
      }
      buffer.set(bytes, filled);
      filled += bytes.length;
    }
    at += count;
    return buffer.subarray(at - count, at);
  }

  async function takeNumber(what: string, least: number, most: number): Promise<number> {
    const number = (await take(4)).readUInt32LE();
    if (number < least || number > most)
      throw bad(`the BAM header says ${number} for ${what}: not ${least} to ${most}`);
    return number;
  }

  if (!(await take(MAGIC.length)).equals(MAGIC)) throw notBam(label);
  const padded = await take(await takeNumber('the bytes of its text', 0, MOST_TEXT_BYTES));
  const nul = padded.indexOf(0);
  const text = Buffer.from(nul < 0 ? padded : padded.subarray(0, nul));
  const count = await takeNumber('the number of references', 0, MOST_REFERENCES);
  const references: BamReference[] = [];
  for (let i = 1; i <= count; i++) {
    const name = await take(await takeNumber(`the bytes of the name of reference ${i}`, 2, MOST_NAME_BYTES));
    if (name.at(-1) !== 0) throw bad(`the name of reference ${i} in the BAM header does not end in NUL`);
    references.push({ name: Buffer.from(name.subarray(0, -1)), length: (await take(4)).readUInt32LE() });
  }
  return { text, references, bytes: at, rest: Buffer.from(buffer.subarray(at, filled)) };
}

function notBam(label: string): GpusortError {
  return new GpusortError('bad-records', `${label}: not a BAM file: it does not begin with "BAM" and a byte 1`, {
    hint: 'Check --format: text is --format sam. Several inputs must all be BAM.',
  });
}

export function bamHeaderBytes(text: Uint8Array, references: readonly BamReference[]): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  return Buffer.concat([
    MAGIC,
    number(text.length),
    text,
    number(references.length),
    ...references.flatMap(({ name, length }) => [number(name.length + 1), name, Buffer.alloc(1), number(length)]),
  ]);
}

/**
 * The header of an output of genomics data: the header of the inputs, with the new order if the format has a field for
 * it. `header`: the header of the inputs, in the form of the format; `bam`: the same for BAM.
 */
export function writtenHeader(
  { input: { genomics }, ordering: { reverse } }: Pick<SortJob, 'input' | 'ordering'>,
  header: Uint8Array,
  bam: Pick<BamHeader, 'text' | 'references'> | null,
): Uint8Array {
  if (genomics === null) return header;
  const { format, by, as, program } = genomics;
  if (format === 'vcf') return program === null ? header : withCommand(header, program);
  const rewritten = (text: Uint8Array): Buffer => {
    const sorted = sortedHeader(text, { by, reverse, as: as === 'picard' ? as : 'samtools' });
    return program === null ? sorted : withProgram(sorted, program);
  };
  if (format === 'sam') return rewritten(header);
  return bam === null
    ? header
    : bamHeaderBytes(rewritten(withReferenceLines(bam.text, bam.references)), bam.references);
}
