/**
 * The text of a SAM header (SAM specification, section 1.3): the contigs that it lists, and what it says about the
 * order of the records. Pure functions of bytes; lines keep their ends. The rules are those of samtools 1.19 and later
 * (`samtools sort --no-PG`), or of Picard.
 */

import { bytesToText } from '../report/raw-text.js';
import { GpusortError } from '../system/errors.js';
import type { BamReference } from './bam-header.js';

/** The order of records that a header describes. */
export interface HeaderOrder {
  readonly order: 'coordinate' | 'queryname' | 'queryname-ascii' | 'tag';
  /** With order `tag`: the two characters of the optional field's name. */
  readonly tag?: string;
  /** Larger records first. No field of a header can say so. */
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
export function contigsOfSam(text: Uint8Array, label: string): Uint8Array {
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

/** The header of records in another order: its first @HD line, or a new one, is changed and becomes its first line. */
export function sortedHeader(text: Uint8Array, order: HeaderOrder): Buffer {
  const [found] = linesOf(text, '@HD\t');
  const [begin, end] = found ?? [0, 0];
  const fields = found === undefined ? ['@HD', VERSION] : contentOf(text, begin, end).split('\t');
  const returns = text[(found === undefined ? lineEnd(text, 0) : end) - 2] === RETURN;
  const line = `${describe(fields, order).join('\t')}${returns ? '\r\n' : '\n'}`;
  return Buffer.concat([Buffer.from(line, 'latin1'), closed(text.subarray(0, begin)), closed(text.subarray(end))]);
}

/** The fields of an @HD line that say how records are ordered, in place; new ones last. */
function describe(fields: readonly string[], { order, tag, reverse, as }: HeaderOrder): string[] {
  const byName = order === 'queryname' || order === 'queryname-ascii';
  const sorted = reverse ? 'unknown' : byName ? 'queryname' : order === 'tag' ? 'unsorted' : 'coordinate';
  const within =
    reverse || order === 'coordinate'
      ? null
      : order === 'tag'
        ? `unsorted:${tag}:coordinate`
        : as === 'picard'
          ? null
          : `queryname:${order === 'queryname' ? 'natural' : 'lexicographical'}`;
  const described = withField(withField(fields, 'SO', sorted), 'SS', within);
  return as === 'picard' ? described : withField(described, 'GO', null);
}

/** Sets the first field of a name, or adds it; removes it if `value` is null. */
function withField(fields: readonly string[], name: string, value: string | null): string[] {
  const at = fields.findIndex((field, i) => i > 0 && field.startsWith(`${name}:`));
  const field = value === null ? [] : [`${name}:${value}`];
  return at < 0 ? [...fields, ...field] : [...fields.slice(0, at), ...field, ...fields.slice(at + 1)];
}

/**
 * The text with an @SQ line for each reference of a BAM header that it lacks, after its last @SQ line, else at its end.
 * Programs that read SAM need these lines; in BAM they may be absent.
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

/** The line [begin, end) without its end. */
function contentOf(text: Uint8Array, begin: number, end: number): string {
  return Buffer.from(text.subarray(begin, end))
    .toString('latin1')
    .replace(/\r?\n$/, '');
}

/** Text whose last line has an end. */
function closed(text: Uint8Array): Uint8Array {
  return text.length === 0 || text.at(-1) === NEWLINE ? text : Buffer.concat([text, Uint8Array.of(NEWLINE)]);
}
