/**
 * Seeded genomics files for tests, as texts of one character a byte: small, with every corner that the formats have.
 * It knows the formats only; genomics-models.ts knows their orders, genomics-bam.ts encodes alignments as BAM.
 */
import { randomBelow } from './random.js';

export interface Read {
  readonly header: string;
  readonly bases: string;
  /** The text after the plus sign. */
  readonly plus: string;
  readonly quality: string;
}

type Below = (n: number) => number;
const pick = <T>(below: Below, from: ArrayLike<T>): T => from[below(from.length)]!;
const text = (below: Below, length: number, alphabet: string): string =>
  Array.from({ length }, () => pick(below, alphabet)).join('');

/** Names as sequencers and tools write them, and those that comparators get wrong. */
const NAMES: readonly ((below: Below) => string)[] = [
  (below) => `A00123:45:HGVW:${1 + below(4)}:${1101 + below(3)}:${below(2000)}:${below(300)} 1:N:0:GATTACA`,
  (below) => `SRR${below(30)}.${below(300)} ${below(300)} length=${below(99)}`,
  (below) =>
    `${[8, 4, 4, 4, 12].map((length) => text(below, length, '0123456789abcdef')).join('-')} runid=${below(9)} ch=${below(512)}`,
  (below) => `read${pick(below, ['', '0', '00'])}${below(12)}`,
  (below) => `r${text(below, 30, '0123456789')}`,
  (below) => `r${'0'.repeat(below(4))}${'9'.repeat(28 + below(4))}x`,
  (below) => `${text(below, 1 + below(3), 'aA~+.:_0129')}`,
  (below) => `x${below(3)}_${below(3)}.${below(3)}`,
  (below) => text(below, 250, below(2) === 0 ? 'ab' : '01'),
];

/** Reads: all kinds of names, duplicate names, empty sequences, `@` and `+` as first quality character. */
export function reads(seed: number, count: number, names: readonly ((below: Below) => string)[] = NAMES): Read[] {
  const below = randomBelow(seed);
  const known = Array.from({ length: 12 }, () => text(below, 20 + below(60), 'ACGT'));
  const made: Read[] = [];
  for (let i = 0; i < count; i++) {
    const header = i > 0 && below(10) === 0 ? made[below(i)].header : names[i % names.length](below);
    const bases = basesOf(below, known);
    made.push({
      header,
      bases,
      plus: below(8) === 0 ? header : '',
      quality: qualityOf(below, bases.length),
    });
  }
  return made;
}

function basesOf(below: Below, known: readonly string[]): string {
  const kind = below(20);
  if (kind === 0) return '';
  if (kind < 3) return text(below, 1 + below(6), 'ACGTNacgtnRY');
  if (kind === 3) return text(below, 200 + below(300), 'ACGT');
  // The same sequences again, shortened, or with one base changed.
  const bases = pick(below, known).slice(0, 15 + below(70));
  const at = below(bases.length);
  return kind < 12 ? bases : `${bases.slice(0, at)}${pick(below, 'ACGTN')}${bases.slice(at + 1)}`;
}

function qualityOf(below: Below, length: number): string {
  if (length === 0) return '';
  const kind = below(5);
  // Few values, so means may be equal although the qualities differ.
  if (kind === 0) return pick(below, 'I5!~').repeat(length);
  return pick(below, '@+I') + text(below, length - 1, kind < 3 ? '@+>#' : 'FFFF:,#');
}

/** Names that no tool disagrees on: unique, without leading zeros. */
export const PLAIN_NAMES: readonly ((below: Below) => string)[] = [
  (below) => `A00123:45:HGVW:${1 + below(4)}:${1101 + below(3)}:${1 + below(1e6)}:${1 + below(1e6)}`,
  (below) => `read${1 + below(1e9)}`,
];

/** Reads with unique names. */
export function uniqueReads(seed: number, count: number): Read[] {
  const seen = new Set<string>();
  return reads(seed, 2 * count, PLAIN_NAMES)
    .filter(({ header }) => seen.size < seen.add(header).size)
    .slice(0, count);
}

/** FASTQ. */
export function fastq(records: readonly Read[], newline = '\n'): string {
  return records
    .flatMap(({ header, bases, plus, quality }) => [`@${header}`, bases, `+${plus}`, quality])
    .map((line) => line + newline)
    .join('');
}

/** The other reads of pairs: the same names with mate numbers, other sequences. Returns both files' reads. */
export function pairs(seed: number, count: number): [Read[], Read[]] {
  const first = reads(seed, count);
  const second = reads(seed + 1, count);
  // The first word only is the pair's name; half of the pairs number their ends.
  const named = (read: Read, i: number, end: number): Read => {
    const [id, ...rest] = first[i].header.split(' ');
    return {
      ...read,
      header: i % 2 === 0 ? [id, ...rest.map((word) => word.replace(/^1:/, `${end}:`))].join(' ') : `${id}/${end}`,
      plus: '',
    };
  };
  return [first.map((read, i) => named(read, i, 1)), second.map((read, i) => named(read, i, 2))];
}

/** FASTA, wrapped after `width` bases; 0 leaves each sequence on one line. */
export function fasta(records: readonly Read[], width = 0, newline = '\n'): string {
  return records
    .map(({ header, bases }) => {
      const lines = width === 0 ? [bases] : (bases.match(new RegExp(`.{1,${width}}`, 'g')) ?? []);
      return [`>${header}`, ...lines].map((line) => line + newline).join('');
    })
    .join('');
}

/** Contigs in an order that is neither that of their names nor that of their lengths. */
export const CONTIGS: readonly (readonly [name: string, length: number])[] = [
  ['chr2', 5_000_000],
  ['chr10', 900_000],
  ['chr1', 250_000_000],
  ['chrM', 16_569],
  ['HLA-DRB1*15:01', 11_080],
];
export const CONTIG_LINES = CONTIGS.map(([name, length]) => `@SQ\tSN:${name}\tLN:${length}\n`).join('');
export const SAM_HEADER = `@HD\tVN:1.6\tSO:unsorted\tGO:query\n${CONTIG_LINES}@RG\tID:g1\tSM:sample\n@CO\tmade for tests\n`;

/** A name of each kind for alignments: no blanks. */
const TEMPLATES: readonly ((below: Below) => string)[] = NAMES.map((of) => (below) => of(below).split(' ')[0]);
const PLAIN_TEMPLATES = PLAIN_NAMES;

const TAGS: readonly ((below: Below) => string)[] = [
  (below) => `CB:Z:${text(below, 1 + below(3), 'ACGT')}`,
  (below) => `NM:i:${below(4)}`,
  (below) => `XS:A:${pick(below, '+-')}`,
  (below) => `XF:f:${pick(below, ['0.5', '1.5', '-2', '1e+10', '12.25'])}`,
  (below) => `XH:H:${pick(below, ['1AE301', '00', ''])}`,
  (below) =>
    `XB:B:${pick(below, ['c,-1,2', 'C,200,1', 's,-300', 'S,60000,1,2', 'i,-70000', 'I,4000000000', 'f,0.5,-1'])}`,
];
/** A tag whose type differs from record to record. */
const MIXED: readonly string[] = [
  'XM:i:7',
  'XM:i:-3',
  'XM:i:70000',
  'XM:f:6.5',
  'XM:f:-3.5',
  'XM:A:c',
  'XM:A:Z',
  'XM:Z:abc',
  'XM:Z:ab',
  'XM:H:1A',
  'XM:B:c,1',
  'XM:B:c,0',
];

/**
 * Lines of SAM without newlines, in the canonical text that tools write: several contigs, duplicate positions, unmapped
 * records with and without a place, tags of all types. `plain` leaves out the cases on which versions of samtools
 * disagree: leading zeros in names, and several records of one end of a template.
 */
export function alignments(seed: number, count: number, plain = false): string[] {
  const below = randomBelow(seed);
  const seen = new Set<string>();
  const lines: string[] = [];
  while (lines.length < count) {
    const name = pick(below, plain ? PLAIN_TEMPLATES : TEMPLATES)(below);
    if (plain && seen.size === seen.add(name).size) continue;
    lines.push(...template(below, name, plain));
  }
  // Mates are not side by side, as after an aligner's threads; the order is part of the seed.
  for (let i = lines.length - 1; i > 0; i--) {
    const other = below(i + 1);
    [lines[i], lines[other]] = [lines[other], lines[i]];
  }
  return lines.slice(0, count);
}

/** The records of one template: a single read or a pair, with secondary and supplementary ones. */
function template(below: Below, name: string, plain: boolean): string[] {
  if (below(6) === 0) return [record(below, name, below(3) === 0 ? 4 : 16 * below(2))];
  const ends = [0x41, 0x81].map((flag) => flag | (below(2) === 0 ? 0x10 : 0));
  const kind = below(8);
  if (kind === 0) return ends.map((flag) => record(below, name, (flag & ~0x10) | 0xc));
  if (kind === 1) {
    // An unmapped record at its mate's place.
    const place = placeOf(below);
    return [record(below, name, ends[0] | 8, place), record(below, name, (ends[1] & ~0x10) | 4, place)];
  }
  const more = plain ? [] : [0x100, 0x800, 0x900].filter(() => below(4) === 0);
  return [...ends, ...more.map((flag) => pick(below, ends) | flag)].map((flag) => record(below, name, flag | 2));
}

type Place = readonly [contig: string, position: number];
const placeOf = (below: Below): Place => {
  const [name, length] = pick(below, CONTIGS);
  return [name, below(3) === 0 ? 1 + below(3) : 1 + below(length - 500)];
};

function record(below: Below, name: string, flag: number, place?: Place): string {
  const unmapped = (flag & 4) !== 0;
  const [contig, position] = place ?? (unmapped ? ['*', 0] : placeOf(below));
  const length = 4 + below(40);
  const clipped = below(3) === 0 ? 3 : 0;
  // A mapped record without a CIGAR would count as unmapped.
  const cigar = unmapped ? '*' : `${clipped > 0 ? `${clipped}S` : ''}${length - clipped}M`;
  const [mate, matePosition] = (flag & 1) !== 0 && place !== undefined ? ['=', position] : ['*', 0];
  const bases = below(12) === 0 ? '*' : text(below, length, 'ACGTN');
  const quality = bases === '*' || below(9) === 0 ? '*' : `${pick(below, '@+I')}${text(below, length - 1, 'FI,#@')}`;
  const fields = [name, flag, contig, position, unmapped ? 0 : below(61), cigar, mate, matePosition, 0, bases, quality];
  const tags = TAGS.filter(() => below(3) === 0).map((of) => of(below));
  if (below(3) > 0) tags.push(pick(below, MIXED));
  if (below(4) === 0) tags.push(`HI:i:${below(3)}`);
  return [...fields, ...tags].join('\t');
}

/** One alignment with `operations` CIGAR operations: more than a BAM record's own count can hold above 65535. */
export function longAlignment(operations: number, contig = 'chr1', position = 77): string {
  const cigar = Array.from({ length: operations }, (_, i) => (i % 2 === 0 ? '1M' : '1I')).join('');
  const bases = 'ACGT'.repeat(Math.ceil(operations / 4)).slice(0, operations);
  return ['long', 0, contig, position, 60, cigar, '*', 0, 0, bases, 'I'.repeat(operations), 'NM:i:0'].join('\t');
}

/** SAM: a header, and lines. */
export const sam = (lines: readonly string[], header = SAM_HEADER): string =>
  header + lines.map((line) => `${line}\n`).join('');

/** BED of 3, 6 or 12 columns, with many ties. */
export function bed(seed: number, count: number, columns: 3 | 6 | 12): string[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => {
    const start = below(3) === 0 ? below(20) : below(100_000_000);
    const end = start + 1 + (below(2) === 0 ? below(3) : below(5000));
    const fields: (string | number)[] = [pick(below, ['chr1', 'chr10', 'chr2', 'chrX', 'chr1_alt']), start, end];
    if (columns >= 6) fields.push(pick(below, ['a', 'b', 'exon 1', 'a0']), below(1000), pick(below, '+-.'));
    if (columns === 12) fields.push(start, end, '0,0,255', 1, end - start, 0);
    return fields.join('\t');
  });
}

export const VCF_HEADER = `##fileformat=VCFv4.2
##FILTER=<ID=PASS,Description="All filters passed">
${CONTIGS.slice(0, 4)
  .map(([name, length]) => `##contig=<ID=${name},length=${length}>`)
  .join('\n')}
##INFO=<ID=DP,Number=1,Type=Integer,Description="Depth, <not> a contig">
#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO
`;

/** VCF body lines, several at one position. `plain`: alleles of bases without several alternatives. */
export function variants(seed: number, count: number, plain = false): string[] {
  const below = randomBelow(seed);
  const allele = (): string => text(below, 1 + below(3), 'ACGT');
  return Array.from({ length: count }, (_, i) => {
    const reference = allele();
    const other = (): string => {
      for (;;) {
        const made = !plain && below(8) === 0 ? pick(below, ['<DEL>', '*', 'N']) : allele();
        if (made !== reference) return made;
      }
    };
    const alternatives =
      !plain && below(12) === 0 ? '.' : [...new Set(Array.from({ length: plain ? 1 : 1 + below(3) }, other))].join(',');
    const [contig, length] = CONTIGS[below(4)];
    const position = below(2) === 0 ? 1 + below(5) : 1 + below(length);
    return [contig, position, `v${i}`, reference, alternatives, below(100), 'PASS', `DP=${below(50)}`].join('\t');
  });
}

export const GFF_HEADER = '##gff-version 3\n#made for tests\n';

/** GFF3 genes with transcripts and exons, parents before children, shuffled as whole genes. */
export function genes(seed: number, count: number): string[] {
  const below = randomBelow(seed);
  const lines: string[] = [];
  for (let gene = 0; lines.length < count; gene++) {
    const contig = pick(below, ['chr2', 'chr10', 'chr1']);
    const start = below(2) === 0 ? 1 + below(4) : 1 + below(1_000_000);
    const end = start + 900;
    const row = (type: string, from: number, to: number, attributes: string): string =>
      [contig, 'made', type, from, to, '.', pick(below, '+-'), '.', attributes].join('\t');
    lines.push(row('gene', start, end, `ID=g${gene}`), row('mRNA', start, end, `ID=t${gene};Parent=g${gene}`));
    for (let exon = 0; exon < 3; exon++)
      lines.push(row('exon', start + exon * 300, start + exon * 300 + 200, `Parent=t${gene}`));
  }
  return lines.slice(0, count);
}
