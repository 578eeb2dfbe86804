/** The key parts of each order of genomics data. */
import type { FormatName, Genomics, ToolName } from '../job/job.js';
import { comparedOrders, namedOrders, tagOf } from '../job/order-list.js';
import type { BamField, FieldSpan, KeyPart, Ordering } from '../job/ordering.js';

/** The parts that define an order, then those that order ties, which other tools may write in any order. */
interface Order {
  readonly parts: readonly KeyPart[];
  readonly ties: readonly KeyPart[];
}

type Orders = Readonly<Record<string, Order>>;

/**
 * The number of leading parts that an input in order must follow: all but those that order the ties of the last order
 * named.
 */
export function promisedParts(genomics: Genomics): number {
  const named = namedOrders(genomics.by).map(({ name }) => orderOf(genomics, name, 'bytes'));
  const { ties } = named.at(-1)!;
  return firstParts(genomics.format).length + named.flatMap(allParts).length - ties.length;
}

/** `listed`: contigs are in the order of a list, or in samtools' natural order of their names; null: the default. */
export function partsOf(genomics: Genomics, listed: 'list' | 'natural' | null): readonly KeyPart[] {
  const { format, by } = genomics;
  const contigs: ContigOrder =
    listed === 'natural' ? 'natural' : listed === 'list' || format === 'vcf' ? 'contig' : 'bytes';
  return [
    ...firstParts(format),
    ...comparedOrders(by).flatMap(({ name, reverse }) =>
      allParts(orderOf(genomics, name, contigs)).map((part) => ({ ...part, reverse })),
    ),
  ];
}

/**
 * The parts before those of any order. Comments, blank lines, and lines of `track` and `browser` of BED and GFF move
 * before all records.
 */
function firstParts(format: FormatName): readonly KeyPart[] {
  return format === 'bed' || format === 'gff' ? [part('comment', WHOLE)] : [];
}

const allParts = ({ parts, ties }: Order): readonly KeyPart[] => [...parts, ...ties];

function orderOf({ format, as }: Genomics, name: string, contigs: ContigOrder): Order {
  switch (format) {
    case 'fastq':
      return FASTQ_ORDERS[name];
    case 'fasta':
      return FASTA_ORDERS[name];
    case 'sam':
    case 'bam':
      return alignmentOrder(format === 'sam' ? samPart : bamPart, name, as);
    case 'bed':
      return bedOrders(contigs)[name];
    case 'vcf':
      return vcfOrders(contigs)[name];
    case 'gff':
      return gffOrders(contigs)[name];
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

/** A part of a record of text, whose lines may end in carriage returns. */
function part(by: KeyPart['order'], span: FieldSpan, more: Partial<KeyPart> = {}): KeyPart {
  return { ...plainPart(by, span), dropsReturn: true, ...more };
}

function plainPart(by: KeyPart['order'], span: FieldSpan): KeyPart {
  return { span, order: by, dictionary: false, printing: false, fold: false, reverse: false };
}

/** An order whose parts all define it. */
const order = (...parts: readonly KeyPart[]): Order => ({ parts, ties: [] });

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
  record: WHOLE,
} as const satisfies Record<BamField, unknown>;

type PartOf = (by: KeyPart['order'], field: BamField, more?: Partial<KeyPart>) => KeyPart;

const samPart: PartOf = (by, name, more = {}) => part(by, SAM_FIELDS[name], more);
const bamPart: PartOf = (by, name, more = {}) => ({ ...plainPart(by, WHOLE), bam: name, ...more });

/** An order of alignments with the rules of a tool. */
function alignmentOrder(of: PartOf, name: string, as: ToolName | null): Order {
  const tag = tagOf(name);
  if (tag !== null) return order(of('tag', 'tags', { tag }));
  if (as === 'picard') return picardOrder(of, name);
  // samtools counts a read of SAM with position 0 as unmapped, but not one of BAM.
  return alignmentOrders(of, of === samPart ? 'mapped-contig' : 'contig')[name];
}

const alignmentOrders = (of: PartOf, mapped: 'contig' | 'mapped-contig'): Orders => ({
  coordinate: { parts: [of(mapped, 'contig'), of('integer', 'position')], ties: [of('strand', 'flag')] },
  queryname: { parts: [of('natural', 'name')], ties: [of('template', 'flag')] },
  'queryname-ascii': { parts: [of('bytes', 'name')], ties: [of('template', 'flag')] },
  'template-coordinate': order(of('template-coordinate', 'record')),
  minimiser: order(of('contig', 'contig'), of('minimiser', 'record')),
  contig: order(of('contig', 'contig')),
  start: order(of('integer', 'position')),
  strand: order(of('strand', 'flag')),
  flag: order(of('integer', 'flag')),
  mapq: order(of('integer', 'mapq')),
  'template-length': order(of('signed', 'template-length')),
});

function picardOrder(of: PartOf, name: string): Order {
  if (name === 'coordinate') {
    const { parts, ties } = alignmentOrders(of, 'contig').coordinate;
    return { parts, ties: [...ties, ...picardTies(of)] };
  }
  return { parts: [of('bytes', 'name')], ties: [of('picard-template', 'flag'), of('tag', 'tags', { tag: 'HI' })] };
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

/** Orders of BED. Ties of `position` are ordered as by sort-bed: by the end, then by the rest of the line as bytes. */
const bedOrders = (contigs: ContigOrder): Orders => ({
  position: {
    parts: [part(contigs, field(TAB, 0)), part('integer', field(TAB, 1))],
    ties: [part('integer', field(TAB, 2)), part('bytes', fieldsFrom(TAB, 3))],
  },
  contig: order(part(contigs, field(TAB, 0))),
  start: order(part('integer', field(TAB, 1))),
  end: order(part('integer', field(TAB, 2))),
  length: order(part('span', fieldsTo(TAB, 1, 2))),
  name: order(part('bytes', field(TAB, 3))),
  score: order(part('general-numeric', field(TAB, 4))),
  strand: order(part('bytes', field(TAB, 5))),
});

/** Orders of VCF. Ties of `position` are ordered as by bcftools 1.21 and later: by REF and ALT as one text. */
const vcfOrders = (contigs: ContigOrder): Orders => ({
  position: {
    parts: [part(contigs, field(TAB, 0)), part('integer', field(TAB, 1))],
    ties: [part('alleles', fieldsTo(TAB, 3, 4))],
  },
  contig: order(part(contigs, field(TAB, 0))),
  start: order(part('integer', field(TAB, 1))),
  id: order(part('bytes', field(TAB, 2))),
  quality: order(part('general-numeric', field(TAB, 5))),
});

/** Orders of GFF. Ties of `position` are ordered as by the recipe in the manual of tabix: in input order. */
const gffOrders = (contigs: ContigOrder): Orders => ({
  position: order(part(contigs, field(TAB, 0)), part('integer', field(TAB, 3))),
  contig: order(part(contigs, field(TAB, 0))),
  start: order(part('integer', field(TAB, 3))),
  end: order(part('integer', field(TAB, 4))),
  length: order(part('span', fieldsTo(TAB, 3, 4))),
  type: order(part('bytes', field(TAB, 2))),
  score: order(part('general-numeric', field(TAB, 5))),
  strand: order(part('bytes', field(TAB, 6))),
});

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
 * The orders of FASTQ and FASTA. A record consists of lines with newlines between them; its first line begins with `@`
 * or `>`. The sequence of FASTA may be wrapped: dropping nonprinting bytes joins its lines.
 */
const NEWLINE = '\n';
/** The first line without its first byte. */
const NAME = field(NEWLINE, 0, 1);
/** The first word of it. */
const ID = field(null, 0, 1);

const FASTQ_ORDERS: Orders = {
  name: order(part('bytes', NAME)),
  id: order(part('bytes', ID)),
  natural: order(part('natural', NAME)),
  seq: order(part('bytes', field(NEWLINE, 1))),
  length: order(part('length', field(NEWLINE, 1))),
  quality: order(part('quality', field(NEWLINE, 3))),
  similar: order(part('similar', field(NEWLINE, 1))),
};

const WRAPPED = fieldsFrom(NEWLINE, 1);
const JOINED = { printing: true };

const FASTA_ORDERS: Orders = {
  name: order(part('bytes', NAME)),
  id: order(part('bytes', ID)),
  natural: order(part('natural', NAME)),
  seq: order(part('bytes', WRAPPED, JOINED)),
  length: order(part('length', WRAPPED, JOINED)),
  similar: order(part('similar', WRAPPED, JOINED)),
};
