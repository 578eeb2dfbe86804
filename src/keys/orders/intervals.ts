/**
 * The order `position` of BED, VCF and GFF: lines of fields between tabs. Ties are those of sort-bed, of bcftools 1.21
 * and later, and of the recipe in the manual of tabix.
 */
import type { KeyPart } from '../../job/job.js';
import { field, fieldsFrom, fieldsTo, part, WHOLE } from './parts.js';

const TAB = '\t';

/** How contigs are ordered: by the bytes of their names, by samtools' order of names, or by their place in a list. */
export type ContigOrder = 'bytes' | 'natural' | 'contig';

/** Contig, start, end, then the rest of the line as bytes. */
export const bedParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 1)),
  part('integer', field(TAB, 2)),
  part('bytes', fieldsFrom(TAB, 3)),
];

/** Contig, POS, then REF and ALT as one text. */
export const vcfParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 1)),
  part('alleles', fieldsTo(TAB, 3, 4)),
];

/**
 * Contig and start; parents stay before their children, as in the input. Comments between records go before all of
 * them.
 */
export const gffParts = (contigs: ContigOrder): readonly KeyPart[] => [
  part('comment', WHOLE),
  part(contigs, field(TAB, 0)),
  part('integer', field(TAB, 3)),
];
