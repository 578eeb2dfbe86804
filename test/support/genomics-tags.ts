/**
 * Seeded SAM lines for conversion: each tag type at the ends of its range, all letters of sequences and CIGARs, missing
 * values, and names of up to 254 bytes. genomics-data.ts makes the lines that are sorted.
 */
import { type RandomBelow, randomBelow } from './random.js';

/** Contigs with long and odd names, and lengths up to the longest that BAM holds. */
export const CONVERT_CONTIGS: readonly (readonly [name: string, length: number])[] = [
  ['chr1', 2147483647],
  ['chr2', 1 << 29],
  ['a', 1000],
  ['contig_'.repeat(20), 70000],
  ['HLA*01:01', 5],
];
export const CONVERT_HEADER = `@HD\tVN:1.6\tSO:unsorted\n${CONVERT_CONTIGS.map(
  ([name, length]) => `@SQ\tSN:${name}\tLN:${length}\n`,
).join('')}@CO\tmade for tests\n`;

const pick = <T>(below: RandomBelow, from: ArrayLike<T>): T => from[below(from.length)]!;
const PRINTABLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
const text = (below: RandomBelow, length: number, letters: string): string =>
  Array.from({ length }, () => pick(below, letters)).join('');

/** The ranges of the integer types of arrays. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  c: [-128, 127],
  C: [0, 255],
  s: [-32768, 32767],
  S: [0, 65535],
  i: [-2147483648, 2147483647],
  I: [0, 4294967295],
};
/** The numbers at the ends of all types, and beside them. */
const EDGES = Object.values(RANGES).flatMap(([least, most]) => [least, least + 1, most, most - 1]);

const REALS = [
  ...['0', '-0', 'inf', '-inf', 'nan', '1e-45', '3.4028235e38', '1e300', '1e-300', '0.0001', '0.00001', '999999'],
  ...['1000000', '999999.5', '-1.5', '1e5', '5e-1', '00012.5', '.5', '5.', '+3', '9.9999995', '16777217', 'Infinity'],
  ...['0.00663788546808064', '1.0000000596046448', '1.00000005960464477539062', '7.1e-46', '3.4028235677973366e38'],
];

/** A floating-point number as text. Some lie midway between two numbers of 6 digits, or of 24 bits. */
function real(below: RandomBelow): string {
  switch (below(6)) {
    case 0:
      return pick(below, REALS);
    case 1:
      return ((below(2 ** 31) / 2 ** 31) * 10 ** (below(60) - 30)).toString();
    case 2:
      return (below(2 ** 21) / 2 ** below(18)).toString();
    case 3:
      return (below(10 ** 9) / 10 ** below(10)).toFixed(below(8));
    default:
      return String(below(2000) / 2 ** below(6));
  }
}

/** Whether C prints a number with 6 digits by rounding a tie: versions of htslib differ in arrays of these. */
export function isTie(decimal: string): boolean {
  const value = Math.fround(Number(decimal));
  if (!Number.isFinite(value) || value === 0) return false;
  const [digits] = Math.abs(value).toExponential(60).replace('.', '').split('e');
  return /^50*$/.test(digits!.slice(6));
}

function array(below: RandomBelow): string {
  const type = pick(below, 'cCsSiIf');
  const count = below(20) === 0 ? 200 : below(6);
  // An array that does not fit its type gets another one. htslib before 1.20 loses negative numbers of unsigned types.
  const isWild = below(8) === 0 && 'csi'.includes(type);
  const values = Array.from({ length: count }, () => {
    if (type !== 'f')
      return isWild
        ? pick(below, [0, 5, -1, 200, 254, 255, 256, 70000, -70000])
        : Math.min(RANGES[type]![1], Math.max(RANGES[type]![0], pick(below, EDGES)));
    for (;;) {
      const value = real(below);
      if (!isTie(value)) return value;
    }
  });
  return [type, ...values].join(',');
}

function value(below: RandomBelow, type: string): string {
  switch (type) {
    case 'A':
      return pick(below, PRINTABLE);
    case 'i':
      return String(pick(below, EDGES));
    case 'f':
    case 'd':
      return real(below);
    case 'Z':
      return text(below, below(40), `${PRINTABLE} `);
    case 'H':
      return text(below, 2 * below(6), '0123456789ABCDEF');
    default:
      return array(below);
  }
}

function tags(below: RandomBelow): string[] {
  const names = new Set(Array.from({ length: below(7) }, () => pick(below, 'XYZ') + pick(below, 'ABCDEF0123456789')));
  return [...names].map((name) => {
    const type = pick(below, 'AifdZHBB');
    return `${name}:${type}:${value(below, type)}`;
  });
}

/** A CIGAR for so many bases. */
function cigar(below: RandomBelow, bases: number): string {
  let operations = bases === 0 ? `${1 + below(50)}M${1 + below(9)}D` : '';
  for (let left = bases; left > 0; ) {
    const count = 1 + below(left);
    operations += `${count}${pick(below, 'MIS=X')}`;
    left -= count;
    if (below(5) === 0) operations += `${1 + below(below(10) === 0 ? 2 ** 28 - 1 : 50)}${pick(below, 'DNHP')}`;
  }
  return operations;
}

/** Lines whose records other programs may write in another form: numbers with zeros in front, flags to be set. */
export function convertibleLines(seed: number, count: number): string[] {
  const below = randomBelow(seed);
  return Array.from({ length: count }, () => {
    const bases = below(10) === 0 ? 0 : below(3) === 0 ? 1 + below(4) : 1 + below(below(50) === 0 ? 5000 : 160);
    const [contig, length] = pick(below, CONVERT_CONTIGS);
    const isPlaced = below(10) > 0;
    const mate = pick(below, ['*', '=', '=', pick(below, CONVERT_CONTIGS)[0]]);
    return [
      text(below, below(50) === 0 ? 254 : 1 + below(30), PRINTABLE.replace(/[@*]/g, '')),
      below(below(10) === 0 ? 65536 : 4096),
      isPlaced ? contig : '*',
      isPlaced ? 1 + (below(20) === 0 ? 2147483646 : below(length)) : below(2),
      below(256),
      below(7) === 0 ? '*' : cigar(below, bases),
      mate,
      mate === '*' ? pick(below, [0, 5]) : below(100000),
      pick(below, [0, -2147483648, 2147483647, below(2000) - 1000]),
      bases === 0 ? '*' : text(below, bases, below(5) === 0 ? '=ACMGRSVTWYHKDBNacgtn.0123' : 'ACGTN'),
      bases === 0 || below(5) === 0 ? '*' : text(below, bases, PRINTABLE),
      ...tags(below),
    ].join('\t');
  });
}
