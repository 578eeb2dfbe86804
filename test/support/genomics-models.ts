/**
 * How tools order whole records of genomics, as plain comparators over texts of one character a byte: slow, readable,
 * and without code of the program. genomics-orders.ts has the orders of single fields. Each names the tool whose rule
 * it is; test/genomics/models.test.ts compares them with the tools.
 */
import type { Read } from './genomics-data.js';
import {
  compareQualities,
  compareTags,
  compareNatural as natural,
  type TagValue,
  templateOf,
} from './genomics-orders.js';

export { natural };

export type Compare<T> = (a: T, b: T) => number;

const by = <T>(...keys: readonly ((of: T) => string | number)[]): Compare<T> => {
  return (a, b) => {
    for (const key of keys) {
      const [x, y] = [key(a), key(b)];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
};

/** Compares by each of them, in this order. */
export function first<T>(...compares: readonly Compare<T>[]): Compare<T> {
  return (a, b) => compares.reduce((sign, compare) => sign || compare(a, b), 0);
}

/** The result of a stable sort. `reverse` reverses the keys, not the ties; `unique` keeps the first of equal ones. */
export function ordered<T>(
  records: readonly T[],
  compare: Compare<T>,
  { reverse = false, unique = false }: { readonly reverse?: boolean; readonly unique?: boolean } = {},
): T[] {
  const sorted = [...records].sort(reverse ? (a, b) => compare(b, a) : compare);
  return unique ? sorted.filter((record, i) => i === 0 || compare(sorted[i - 1], record) !== 0) : sorted;
}

/** Orders of FASTQ and FASTA records. */
export const READ_ORDERS: Readonly<Record<string, Compare<Read>>> = {
  name: by(({ header }) => header),
  id: by(({ header }) => header.split(/[ \t]/, 1)[0]),
  natural: (a, b) => natural(a.header, b.header),
  seq: by(({ bases }) => bases),
  length: by(({ bases }) => bases.length),
  quality: (a, b) => compareQualities(a.quality, b.quality),
};

/** An alignment: its line, and the fields that orders look at. */
interface Alignment {
  readonly name: string;
  readonly flag: number;
  readonly contig: string;
  readonly position: number;
  readonly fields: readonly string[];
  readonly tags: ReadonlyMap<string, TagValue>;
}

function alignment(line: string): Alignment {
  const fields = line.split('\t');
  return {
    name: fields[0],
    flag: Number(fields[1]),
    contig: fields[2],
    position: Number(fields[3]),
    fields,
    tags: new Map(fields.slice(11).map((tag) => [tag.slice(0, 2), { type: tag[3], value: tag.slice(5) }] as const)),
  };
}

const strand = ({ flag }: Alignment): number => flag & 16;
const rankIn =
  (contigs: readonly string[]) =>
  (name: string): number =>
    name === '*' ? contigs.length : contigs.indexOf(name);

/** `readsSam`: a read of position 0 has no contig, as when samtools reads SAM. */
const coordinate = (contigs: readonly string[], readsSam = true): Compare<Alignment> => {
  const rank = rankIn(contigs);
  return by(
    ({ contig, position }) => rank(readsSam && position === 0 ? '*' : contig),
    ({ position }) => position,
    strand,
  );
};

/** Read 1 before read 2, then primary, supplementary, secondary: samtools 1.20 and later. */
const end = by<Alignment>(({ flag }) => templateOf(flag));

/**
 * samtools sort -t: records without the tag, then characters, arrays (all equal), texts (Z and H alike), and numbers,
 * whole or not; ties by coordinate.
 */
const byTag =
  (tag: string): Compare<Alignment> =>
  (a, b) =>
    compareTags(a.tags.get(tag) ?? null, b.tags.get(tag) ?? null);

/** Picard's SortSam: ties by name, FLAG, MAPQ, and the mate's contig, position and distance. */
const picardCoordinate = (contigs: readonly string[]): Compare<Alignment> => {
  const mateRank = ({ contig, fields }: Alignment): number =>
    fields[6] === '*' ? -1 : contigs.indexOf(fields[6] === '=' ? contig : fields[6]);
  return first(
    coordinate(contigs, false),
    by(
      ({ name }) => name,
      ({ flag }) => flag,
      ({ fields }) => Number(fields[4]),
      mateRank,
      ({ fields }) => Number(fields[7]),
      ({ fields }) => Number(fields[8]),
    ),
  );
};

/** Picard's SortSam: name, then unpaired last, read 1 before 2, strand, primary first, and the tag HI, if any. */
const picardQueryname = by<Alignment>(
  ({ name }) => name,
  ({ flag }) => 1 - (flag & 1),
  ({ flag }) => (flag & 1) * (flag & 0x80),
  strand,
  ({ flag }) => flag & 0x100,
  ({ flag }) => flag & 0x800,
  ({ tags }) => (tags.get('HI')?.type === 'i' ? Number(tags.get('HI')!.value) : -Infinity),
);

/** How `samtools` or `picard` orders alignments; `contigs` in the order of the header. */
export function alignmentOrder(order: string, contigs: readonly string[], as = 'samtools'): Compare<string> {
  const compares: Readonly<Record<string, Compare<Alignment>>> = {
    'samtools coordinate': coordinate(contigs),
    'samtools queryname': first((a, b) => natural(a.name, b.name), end),
    'samtools queryname-ascii': first(
      by(({ name }) => name),
      end,
    ),
    'picard coordinate': picardCoordinate(contigs),
    'picard queryname': picardQueryname,
  };
  const compare = order.startsWith('tag:')
    ? first(byTag(order.slice(4)), coordinate(contigs))
    : compares[`${as} ${order}`];
  const parsed = new Map<string, Alignment>();
  const parse = (line: string): Alignment => {
    const known = parsed.get(line) ?? alignment(line);
    parsed.set(line, known);
    return known;
  };
  return (a, b) => compare(parse(a), parse(b));
}

/** A SAM header as samtools 1.19 and later writes it after a sort. */
export function sortedHeader(header: string, order: string, reverse = false): string {
  const fields = reverse
    ? ['SO:unknown']
    : order === 'coordinate'
      ? ['SO:coordinate']
      : order === 'queryname'
        ? ['SO:queryname', 'SS:queryname:natural']
        : order === 'queryname-ascii'
          ? ['SO:queryname', 'SS:queryname:lexicographical']
          : ['SO:unsorted', `SS:unsorted:${order.slice(4)}:coordinate`];
  const lines = header.split('\n');
  if (!lines[0].startsWith('@HD\t')) return [['@HD', 'VN:1.6', ...fields].join('\t'), ...lines].join('\n');
  const words = lines[0].split('\t').filter((word) => !/^(SS|GO):/.test(word));
  const at = words.findIndex((word) => word.startsWith('SO:'));
  if (at < 0) words.push(fields[0]);
  else words[at] = fields[0];
  return [[...words, ...fields.slice(1)].join('\t'), ...lines.slice(1)].join('\n');
}

/** sort-bed: contig, start, end, and whatever follows. */
export const bedOrder = by<string>(
  (line) => line.split('\t')[0],
  (line) => Number(line.split('\t')[1]),
  (line) => Number(line.split('\t')[2]),
  (line) => line.split('\t').slice(3).join('\t'),
);

/** bcftools 1.21 and later: the header's contigs, position, and the alleles with tabs between them; `.` is none. */
export const vcfOrder = (contigs: readonly string[]): Compare<string> =>
  by(
    (line) => contigs.indexOf(line.split('\t')[0]),
    (line) => Number(line.split('\t')[1]),
    (line) => {
      const [, , , reference, alternatives] = line.split('\t');
      return [reference, ...alternatives.split(',').filter((allele) => allele !== '.')].join('\t');
    },
  );

/** GFF: contig and start; ties stay in input order, so parents stay before their children. */
export const gffOrder = by<string>(
  (line) => line.split('\t')[0],
  (line) => Number(line.split('\t')[3]),
);
