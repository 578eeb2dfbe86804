/** The key parts of each order of genomics data. */
import type { Genomics, ToolName } from '../job/job.js';
import type { BamField, FieldSpan, KeyPart, Ordering } from '../job/ordering.js';

/**
 * The number of leading parts that define the order. The others order ties, which other tools may write in any order.
 */
export function promisedParts({ format, by }: Genomics): number {
  switch (format) {
    case 'fastq':
    case 'fasta':
      return Infinity;
    case 'sam':
    case 'bam':
      return by === 'coordinate' ? 2 : 1;
    case 'vcf':
      return 2;
    case 'bed':
    case 'gff':
      return 3;
  }
}

/** `listed`: contigs have the order of a list, or that of their names as samtools orders them; null: the default. */
export function partsOf({ format, by, as }: Genomics, listed: 'list' | 'natural' | null): readonly KeyPart[] {
  const contigs: ContigOrder =
    listed === 'natural' ? 'natural' : listed === 'list' || format === 'vcf' ? 'contig' : 'bytes';
  switch (format) {
    case 'fastq':
      return FASTQ_ORDERS[by];
    case 'fasta':
      return FASTA_ORDERS[by];
    case 'sam':
    case 'bam':
      return alignmentParts(format, by, as);
    case 'bed':
      return bedParts(contigs);
    case 'vcf':
      return vcfParts(contigs);
    case 'gff':
      return gffParts(contigs);
  }
}

/** Field number `field`, counted from 0, after its first `skip` bytes. Null: blanks separate fields. */
function field(separator: string | null, field: number, skip = 0): FieldSpan {
  return {
    begin: { field, byte: skip, skipBlanks: false },
    end: { field, byte: 0, skipBlanks: false },
    separator: separatorOf(separator),
  };
}

/** All fields from number `first` on. */
function fieldsFrom(separator: string, first: number): FieldSpan {
  return { begin: { field: first, byte: 0, skipBlanks: false }, end: null, separator: separatorOf(separator) };
}

/** Fields number `first` to `last`, with the separators between them. */
function fieldsTo(separator: string, first: number, last: number): FieldSpan {
  return { ...field(separator, first), end: { field: last, byte: 0, skipBlanks: false } };
}

/** The whole record. */
const WHOLE: FieldSpan = { begin: { field: 0, byte: 0, skipBlanks: false }, end: null, separator: null };

function part(order: KeyPart['order'], span: FieldSpan, more: Partial<KeyPart> = {}): KeyPart {
  return { span, order, dictionary: false, printing: false, fold: false, reverse: false, ...more };
}

function separatorOf(text: string | null): Uint8Array | null {
  return text === null ? null : Buffer.from(text);
}

/**
 * The orders of SAM and BAM: those of samtools 1.20 and later, and those of Picard. Fields of SAM lie between tabs; the
 * kernels find those of BAM (kernels/wasm/keys/bam.ts).
 */
const TAB = '\t';

/** Where SAM has the fields of BAM. The mate's contig may be `=`: the same as the record's. */
const SAM_FIELDS = {
  name: field(TAB, 0),
  flag: field(TAB, 1),
  contig: field(TAB, 2),
  position: field(TAB, 3),
  mapq: field(TAB, 4),
  'mate-contig': fieldsTo(TAB, 2, 6),
  'mate-position': field(TAB, 7),
  'template-length': field(TAB, 8),
  tags: fieldsFrom(TAB, 11),
} as const satisfies Record<BamField, unknown>;

type PartOf = (order: KeyPart['order'], field: BamField, more?: Partial<KeyPart>) => KeyPart;

const samPart: PartOf = (order, name, more = {}) => part(order, SAM_FIELDS[name], more);
const bamPart: PartOf = (order, name, more = {}) => part(order, WHOLE, { bam: name, ...more });

/** The parts of an order; in tag:XX, the coordinate breaks ties. */
function alignmentParts(format: 'sam' | 'bam', by: string, as: ToolName | null): readonly KeyPart[] {
  const of = format === 'sam' ? samPart : bamPart;
  // samtools counts a read of SAM with position 0 as unmapped, but not one of BAM.
  const isMapped = format === 'sam' && as !== 'picard';
  const coordinate = [
    of(isMapped ? 'mapped-contig' : 'contig', 'contig'),
    of('integer', 'position'),
    of('strand', 'flag'),
  ];
  if (by.startsWith('tag:')) return [of('tag', 'tags', { tag: by.slice('tag:'.length) }), ...coordinate];
  if (by === 'coordinate') return as === 'picard' ? [...coordinate, ...picardTies(of)] : coordinate;
  if (as === 'picard') return [of('bytes', 'name'), of('picard-template', 'flag'), of('tag', 'tags', { tag: 'HI' })];
  return [of(by === 'queryname' ? 'natural' : 'bytes', 'name'), of('template', 'flag')];
}

function picardTies(of: PartOf): readonly KeyPart[] {
  return [
    of('bytes', 'name'),
    of('integer', 'flag'),
    of('integer', 'mapq'),
    of('mate-contig', 'mate-contig'),
    of('integer', 'mate-position'),
    of('signed', 'template-length'),
  ];
}

/** How contigs are ordered: by the bytes of their names, by samtools' order of names, or by their place in a list. */
type ContigOrder = 'bytes' | 'natural' | 'contig';

/**
 * The order `position` of BED: contig, start, end, then the rest of the line as bytes. Ties are those of sort-bed.
 * Comments, blank lines and lines of `track` and `browser` between records move before all of them.
 */
const bedParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part('bed-comment', WHOLE),
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 1)),
  part('integer', field(TAB, 2)),
  part('bytes', fieldsFrom(TAB, 3)),
];

/** The ordering of BED whose fields are separated by blanks, spaces or tabs, instead of single tabs. */
export function withBlanks(ordering: Ordering): Ordering {
  const { key } = ordering;
  if (!('parts' in key)) return ordering;
  const parts = key.parts.map((one) =>
    one.span.separator === null
      ? one
      : { ...one, span: { ...one.span, separator: null, begin: { ...one.span.begin, skipBlanks: true } } },
  );
  return { ...ordering, key: { ...key, parts } };
}

/**
 * The order `position` of VCF: contig, POS, then REF and ALT as one text. Ties are those of bcftools 1.21 and later.
 */
const vcfParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 1)),
  part('alleles', fieldsTo(TAB, 3, 4)),
];

/**
 * The order `position` of GFF: contig and start; parents stay before their children, as in the input. Comments
 * and blank lines between records move before all of them. Ties are those of the recipe in the manual of tabix.
 */
const gffParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part('comment', WHOLE),
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 3)),
];

/**
 * The orders of FASTQ and FASTA. A record is lines with newlines between them; its first line begins with `@` or `>`.
 * The sequence of FASTA may be wrapped: dropping nonprinting bytes joins its lines.
 */
const NEWLINE = '\n';
/** The first line without its first byte. */
const NAME = field(NEWLINE, 0, 1);
/** The first word of it. */
const ID = field(null, 0, 1);

const FASTQ_ORDERS: Readonly<Record<string, readonly KeyPart[]>> = {
  name: [part('bytes', NAME)],
  id: [part('bytes', ID)],
  natural: [part('natural', NAME)],
  seq: [part('bytes', field(NEWLINE, 1))],
  length: [part('length', field(NEWLINE, 1))],
  quality: [part('quality', field(NEWLINE, 3))],
  similar: [part('similar', field(NEWLINE, 1))],
};

const WRAPPED = fieldsFrom(NEWLINE, 1);
const JOINED = { printing: true };

const FASTA_ORDERS: Readonly<Record<string, readonly KeyPart[]>> = {
  name: [part('bytes', NAME)],
  id: [part('bytes', ID)],
  natural: [part('natural', NAME)],
  seq: [part('bytes', WRAPPED, JOINED)],
  length: [part('length', WRAPPED, JOINED)],
  similar: [part('similar', WRAPPED, JOINED)],
};
