/** The order of contigs, from the header of an input or from a list of them. */
import type { FormatName, KeyPart, Ordering } from '../job.js';

const NEWLINE = '\n';
/** The field of an @SQ line, and the part of a VCF line, that holds a contig's name. */
const SAM_CONTIG = /^@SQ\t(?:[^\n]*\t)?SN:([^\t\r\n]+)/gm;
const VCF_CONTIG = /^##contig=<(?:[^\n]*,)?ID=([^,>\r\n]+)/gm;

/** The names of contigs in `header`, in its order, each followed by a newline. Empty for formats that list none. */
export function contigsOf(format: FormatName, header: Uint8Array): Uint8Array {
  const pattern = format === 'sam' ? SAM_CONTIG : format === 'vcf' ? VCF_CONTIG : null;
  if (pattern === null) return new Uint8Array();
  return listOf([...Buffer.from(header).toString('latin1').matchAll(pattern)].map(([, name]) => name));
}

/**
 * The names that a file of contigs lists: the @SQ lines of a header (.dict), or the first column of each line (.fai, a
 * genome file, plain names).
 */
export function listedContigs(text: Buffer): Uint8Array {
  const lines = text.toString('latin1').split(/\r?\n/);
  const named = contigsOf('sam', text);
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

function lacksList({ order, contigs, bam }: KeyPart): boolean {
  return (order === 'contig' || order === 'mate-contig') && contigs === undefined && bam === undefined;
}

function listOf(names: readonly string[]): Uint8Array {
  return Buffer.from(names.map((name) => name + NEWLINE).join(''), 'latin1');
}
