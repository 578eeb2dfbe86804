/** The order of contigs, from the header of an input or from a list of them. */
import type { FormatName, KeyPart, Ordering } from '../job/job.js';
import type { BamHeader } from './bam-header.js';
import { contigsOfSam } from './sam-header.js';

const NEWLINE = '\n';
/** The part of a VCF line that holds a contig's name. */
const VCF_CONTIG = /^##contig=<(?:[^\n]*,)?ID=([^,>\r\n]+)/gm;

/**
 * The names of contigs in `header`, in its order, each followed by a newline. Empty for formats that list none. `bam`:
 * the header of BAM. Throws `bad-records` if it lists a contig twice.
 */
export function contigsOf(format: FormatName, header: Uint8Array, bam: BamHeader | null, label: string): Uint8Array {
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

function lacksList({ order, contigs }: KeyPart): boolean {
  return (order === 'contig' || order === 'mate-contig') && contigs === undefined;
}

function listOf(names: readonly string[]): Uint8Array {
  return Buffer.from(names.map((name) => name + NEWLINE).join(''), 'latin1');
}
