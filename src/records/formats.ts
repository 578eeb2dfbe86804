/**
 * The formats of genomics data: their file names and first bytes, how their records become lines, their headers and
 * their orders.
 */

import { type CompressedForm, FORMAT_NAMES, type FormatName, type Framing, type Header } from '../job/job.js';
import { GpusortError } from '../system/errors.js';
import { asBuffer } from '../system/memory.js';

interface Format {
  /** The suffixes of file names, without the dot. */
  readonly suffixes: readonly string[];
  /** Whether an input that begins with these bytes, decompressed, is probably of this format. */
  readonly resembles: RegExp;
  /** Null: records are lines. */
  readonly framing: Framing | null;
  readonly header: Header | null;
  /** Whether a file without records still has a header. An empty file then shows that a program has failed. */
  readonly isNeverEmpty?: true;
  /** The orders of whole records; the first one is the default. `tag:XX` means any tag. */
  readonly orders: readonly string[];
  /** Orders by one field, for lists of orders. */
  readonly fieldOrders: readonly string[];
  /** Names of orders in other tools and in the format's specification, and the orders that they mean. */
  readonly synonyms: Readonly<Record<string, string>>;
}

const READ_ORDERS = ['name', 'id', 'natural', 'seq', 'length', 'similar'];
const ALIGNMENT_ORDERS = ['coordinate', 'queryname', 'queryname-ascii', 'tag:XX', 'template-coordinate', 'minimiser'];
const ALIGNMENT_FIELDS = ['contig', 'start', 'strand', 'flag', 'mapq', 'template-length'];

/** Synonyms of one order. */
const alsoCalled = (order: string, ...synonyms: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(synonyms.map((synonym) => [synonym, order]));

const READ_SYNONYMS = { ...alsoCalled('name', 'read-name'), ...alsoCalled('seq', 'sequence') };
const ALIGNMENT_SYNONYMS = {
  ...alsoCalled('coordinate', 'coord', 'coordinates', 'position', 'pos'),
  ...alsoCalled('queryname', 'name', 'qname', 'query-name', 'read-name', 'natural'),
  ...alsoCalled('minimiser', 'minimizer', 'minhash'),
  ...alsoCalled('contig', 'chrom', 'chr', 'rname'),
  ...alsoCalled('template-length', 'tlen'),
};
const INTERVAL_SYNONYMS = {
  ...alsoCalled('position', 'coordinate', 'coord', 'coordinates', 'pos'),
  ...alsoCalled('contig', 'chrom', 'chr'),
};

function startingWith(...prefixes: string[]): Extract<Header, { kind: 'prefixes' }> {
  return { kind: 'prefixes', prefixes: prefixes.map((prefix) => Buffer.from(prefix)) };
}

/** The lines before the first record of BED and GFF: comments, blank lines, and descriptions of tracks. */
const INTERVAL_HEADER = startingWith(
  ...['#', '\n', '\r\n'],
  ...['track', 'browser'].flatMap((word) => [' ', '\t', '\n', '\r\n'].map((end) => `${word}${end}`)),
);

/** The first bytes of SAM: a line of its header. */
const SAM_LINE = '@([A-Z]{2}\\t|CO\\r?\\n)';

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  fastq: {
    suffixes: ['fastq', 'fq'],
    resembles: new RegExp(`^(?!${SAM_LINE})@`),
    framing: { kind: 'fastq', reads: 1 },
    header: null,
    orders: [...READ_ORDERS, 'quality'],
    fieldOrders: [],
    synonyms: { ...READ_SYNONYMS, ...alsoCalled('quality', 'qual') },
  },
  fasta: {
    suffixes: ['fasta', 'fa', 'fna', 'ffn', 'faa', 'frn'],
    resembles: /^>/,
    framing: { kind: 'fasta' },
    header: null,
    orders: READ_ORDERS,
    fieldOrders: [],
    synonyms: READ_SYNONYMS,
  },
  sam: {
    suffixes: ['sam'],
    resembles: new RegExp(`^${SAM_LINE}`),
    framing: null,
    header: startingWith('@'),
    isNeverEmpty: true,
    orders: ALIGNMENT_ORDERS,
    fieldOrders: ALIGNMENT_FIELDS,
    synonyms: ALIGNMENT_SYNONYMS,
  },
  bam: {
    suffixes: ['bam'],
    resembles: /^BAM./,
    framing: { kind: 'bam' },
    header: { kind: 'bam' },
    isNeverEmpty: true,
    orders: ALIGNMENT_ORDERS,
    fieldOrders: ALIGNMENT_FIELDS,
    synonyms: ALIGNMENT_SYNONYMS,
  },
  bed: {
    suffixes: ['bed', 'bedgraph', 'narrowpeak', 'broadpeak'],
    resembles: /^(track|browser)[ \t\r\n]|^[^\t\n]+\t\d+\t\d+[\t\r\n]|^[^ \t\n]+ +\d+ +\d+[ \r\n]/,
    framing: null,
    header: { ...INTERVAL_HEADER, showsRecord: true },
    orders: ['position'],
    fieldOrders: ['contig', 'start', 'end', 'length', 'name', 'score', 'strand'],
    synonyms: { ...INTERVAL_SYNONYMS, ...alsoCalled('length', 'size') },
  },
  vcf: {
    suffixes: ['vcf'],
    resembles: /^##fileformat=VCF/,
    framing: null,
    header: startingWith('#'),
    isNeverEmpty: true,
    orders: ['position'],
    fieldOrders: ['contig', 'start', 'id', 'quality'],
    synonyms: { ...INTERVAL_SYNONYMS, ...alsoCalled('quality', 'qual') },
  },
  gff: {
    suffixes: ['gff', 'gff3', 'gtf'],
    resembles: /^##gff-version|^[^\t\n]+\t[^\t\n]+\t[^\t\n]+\t\d+\t\d+\t/,
    framing: null,
    header: INTERVAL_HEADER,
    orders: ['position'],
    fieldOrders: ['contig', 'start', 'end', 'length', 'type', 'score', 'strand'],
    synonyms: { ...INTERVAL_SYNONYMS, ...alsoCalled('contig', 'seqid'), ...alsoCalled('type', 'feature') },
  },
};

/** The suffixes of compressed files and the forms that they have. */
export const COMPRESSED_SUFFIXES: Readonly<Record<string, CompressedForm>> = {
  gz: 'bgzf',
  bgz: 'bgzf',
  bgzf: 'bgzf',
  zst: 'zstd',
  xz: 'xz',
  bz2: 'bzip2',
  lz4: 'lz4',
};

/** The suffix of a file's name in lowercase, without the dot; empty: it has none. */
export const suffixOf = (name: string): string => /\.([^./]+)$/.exec(name)?.[1].toLowerCase() ?? '';

/** The format that a file's name suggests; null: none. The suffix of a compressed file is removed first. */
export function formatOfName(name: string): FormatName | null {
  const words = name.toLowerCase().split('.');
  if (words.length > 2 && COMPRESSED_SUFFIXES[words.at(-1)!] !== undefined) words.pop();
  const suffix = words.length > 1 ? words.at(-1)! : '';
  return FORMAT_NAMES.find((format) => FORMATS[format].suffixes.includes(suffix)) ?? null;
}

/** The format that an input's first bytes show; null: none. */
export function formatOfBytes(bytes: Uint8Array): FormatName | null {
  const text = asBuffer(bytes).toString('latin1');
  return FORMAT_NAMES.find((format) => FORMATS[format].resembles.test(text)) ?? null;
}

/** Refuses formats of genomics data that gpusort does not read, by their first decompressed bytes. */
interface ForeignFormat {
  readonly name: string;
  /** First bytes; the last one is the major version. */
  readonly magic: readonly string[];
  /** A command that converts such a file to text that gpusort reads. */
  readonly convert: string;
  readonly format: string;
}

const BAM = 'BAM\x01';

const FOREIGN_FORMATS: readonly ForeignFormat[] = [
  { name: 'CRAM', magic: ['CRAM\x01', 'CRAM\x02', 'CRAM\x03', 'CRAM\x04'], convert: 'samtools view -h', format: 'sam' },
  { name: 'BCF', magic: ['BCF\x02'], convert: 'bcftools view', format: 'vcf' },
];

/**
 * Throws `bad-records` if an input is CRAM or BCF, or is BAM but not read as BAM. `bytes`: the beginning of the input,
 * at least 5 bytes if it has that many.
 */
export function refuseForeign(bytes: Uint8Array, label: string, format: FormatName | null = null): void {
  const first = Buffer.from(bytes.subarray(0, 5)).toString('latin1');
  if (first.startsWith(BAM) && format !== null && format !== 'bam')
    throw new GpusortError('bad-records', `${label}: this is BAM, not ${format}`, { hint: 'Use --format bam.' });
  const foreign = FOREIGN_FORMATS.find(({ magic }) => magic.some((start) => first.startsWith(start)));
  if (foreign === undefined) return;
  const { name, convert, format: readable } = foreign;
  throw new GpusortError('bad-records', `${label}: gpusort does not read ${name}`, {
    hint: `Convert it: ${convert} ${label} | gpusort --format ${readable}`,
  });
}
