/** The key parts of each order of genomics data. */
import type { Genomics, KeyPart } from '../../job/job.js';
import { alignmentParts } from './alignments.js';
import { bedParts, type ContigOrder, gffParts, vcfParts } from './intervals.js';
import { FASTA_ORDERS, FASTQ_ORDERS } from './reads.js';

/**
 * The number of first parts that the order's name promises. The others order ties, which other tools write in any
 * order.
 */
export function promisedParts({ format, by }: Genomics): number {
  switch (format) {
    case 'fastq':
    case 'fasta':
      return Infinity;
    case 'sam':
    case 'bam':
      return by === 'coordinate' ? 2 : 1;
    case 'bed':
    case 'vcf':
      return 2;
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
