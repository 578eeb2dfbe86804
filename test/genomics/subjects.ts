/**
 * The inputs of the tests of the command: a small file of each format, and each order with its model. Records are texts
 * of one character a byte, with their newlines.
 */
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  CONTIGS,
  fasta,
  fastq,
  GFF_HEADER,
  genes,
  longAlignment,
  type Read,
  reads,
  SAM_HEADER,
  VCF_HEADER,
  variants,
} from '../support/genomics-data.js';
import {
  alignmentOrder,
  bedOrder,
  type Compare,
  gffOrder,
  ordered,
  READ_ORDERS,
  sortedHeader,
  vcfOrder,
} from '../support/genomics-models.js';

export interface Subject {
  readonly name: string;
  readonly format: string;
  /** The options of format and order. */
  readonly options: readonly string[];
  readonly header: string;
  readonly records: readonly string[];
  readonly compare: Compare<string>;
  /** The header of the output. */
  readonly headerAfter: (reverse: boolean) => string;
}

export interface Change {
  readonly reverse?: boolean;
  readonly unique?: boolean;
  readonly top?: number;
  readonly bottom?: number;
}

const CONTIG_NAMES = CONTIGS.map(([name]) => name);

/** Orders of reads; `text` writes one. Two equal texts are equal reads, so a map from text to read is enough. */
function ofReads(name: string, format: string, some: readonly Read[], text: (read: Read) => string): Subject[] {
  const known = new Map(some.map((read) => [text(read), read]));
  const orders = Object.keys(READ_ORDERS).filter((by) => format === 'fastq' || by !== 'quality');
  return orders.map((by) => ({
    name: `${name} by ${by}`,
    format,
    options: ['--format', format, '--by', by],
    header: '',
    records: some.map(text),
    compare: (a, b) => READ_ORDERS[by](known.get(a)!, known.get(b)!),
    headerAfter: () => '',
  }));
}

const withNewline = (line: string): string => `${line}\n`;
const line = (record: string): string => record.slice(0, -1);

function ofAlignments(format: 'sam' | 'bam'): Subject[] {
  const orders = ['coordinate', 'queryname', 'queryname-ascii', 'tag:CB', 'tag:NM', 'tag:XM', 'tag:XF', 'tag:XH'];
  const records = [...alignments(52, 250), longAlignment(format === 'bam' ? 70_000 : 600), ...alignments(53, 30)];
  return [
    ...orders.map((by) => [by, 'samtools'] as const),
    ...['coordinate', 'queryname'].map((by) => [by, 'picard'] as const),
  ].map(([by, as]) => {
    const compare = alignmentOrder(by, CONTIG_NAMES, as);
    return {
      name: `${format} by ${by} as ${as}`,
      format,
      options: ['--format', format, '--by', by, ...(as === 'samtools' ? [] : ['--as', as])],
      header: SAM_HEADER,
      records: records.map(withNewline),
      compare: (a, b) => compare(line(a), line(b)),
      headerAfter: (reverse) => sortedHeader(SAM_HEADER, by, reverse),
    };
  });
}

const ofLines = (
  name: string,
  format: string,
  header: string,
  lines: readonly string[],
  compare: Compare<string>,
): Subject => ({
  name,
  format,
  options: ['--format', format, '--by', 'position'],
  header,
  records: lines.map(withNewline),
  compare: (a, b) => compare(line(a), line(b)),
  headerAfter: () => header,
});

const some = reads(51, 300);
const BED_HEADER = 'browser position chr1:1-100\ntrack name=made\n#chrom start end\n';

export const SUBJECTS: readonly Subject[] = [
  ...ofReads('FASTQ', 'fastq', some, (read) => fastq([read])),
  ...ofReads('FASTQ with CRLF', 'fastq', some.slice(0, 90), (read) => fastq([read], '\r\n')),
  ...ofReads('FASTA', 'fasta', some, (read) => fasta([read])),
  ...ofReads('wrapped FASTA', 'fasta', some, (read) => fasta([read], 1 + (read.bases.length % 30))),
  ...ofReads('wrapped FASTA with CRLF', 'fasta', some.slice(0, 90), (read) => fasta([read], 25, '\r\n')),
  ...ofAlignments('sam'),
  ...ofAlignments('bam'),
  ...([3, 6, 12] as const).map((columns) =>
    ofLines(`BED of ${columns} columns`, 'bed', BED_HEADER, bed(60 + columns, 300, columns), bedOrder),
  ),
  ofLines('VCF', 'vcf', VCF_HEADER, variants(71, 300), vcfOrder(CONTIG_NAMES)),
  ofLines('GFF', 'gff', GFF_HEADER, genes(81, 300), gffOrder),
];

/** A file of some of a subject's records. */
export function fileOf({ format, header }: Subject, records: readonly string[]): Buffer {
  const text = header + records.join('');
  return format === 'bam' ? encodeBam(text) : Buffer.from(text, 'latin1');
}

/** A subject's records in order. */
export function sortedRecords({ records, compare }: Subject, change: Change = {}): string[] {
  const all = ordered(records, compare, change);
  return change.bottom === undefined ? all.slice(0, change.top) : all.slice(-change.bottom);
}

/** The expected output of the program; BAM uncompressed. */
export function expectedOutput(subject: Subject, change: Change = {}): Buffer {
  const header = subject.headerAfter(change.reverse ?? false);
  return fileOf({ ...subject, header }, sortedRecords(subject, change));
}

/** The program's output in the form of `expectedOutput`. */
export const plainOutput = ({ format }: Subject, bytes: Buffer): Buffer => (format === 'bam' ? unBgzf(bytes) : bytes);
