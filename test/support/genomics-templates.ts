/**
 * Alignments of templates with the tags that `template-coordinate` needs, and how samtools 1.23 orders them: slow, and
 * without code of the program.
 */
import type { Compare } from './genomics-models.js';
import { randomBelow } from './random.js';

type Below = (limit: number) => number;

const CONTIGS = ['chr2', 'chr10', 'chr1'];
export const TEMPLATE_HEADER = [
  '@HD\tVN:1.6\tSO:unsorted',
  ...CONTIGS.map((name) => `@SQ\tSN:${name}\tLN:100000`),
  '@RG\tID:b\tLB:old',
  '@RG\tID:a\tLB:young',
  '@RG\tID:c\tSM:x',
  '@RG\tID:d\tLB:old',
  '',
].join('\n');
const LIBRARIES: Readonly<Record<string, string>> = { a: 'young', b: 'old', d: 'old' };

interface End {
  readonly contig: string;
  readonly position: number;
  readonly isReverse: boolean;
  readonly cigar: string;
}

const pick = <T>(below: Below, from: readonly T[]): T => from[below(from.length)];

function endOf(below: Below, kinds: readonly string[]): End {
  const clip = (): string => pick(below, ['', '', ...kinds.map((kind) => `${1 + below(4)}${kind}`)]);
  const middle = pick(below, ['10M', '4M2I4M', '3M5D7M', '5M9N5M', '6=1X3=']);
  return {
    contig: pick(below, CONTIGS),
    position: 1 + below(12),
    isReverse: below(2) === 0,
    cigar: clip() + middle + clip(),
  };
}

/**
 * Pairs and single reads in few places, some unmapped, in random order. `plain` leaves out what samtools 1.16 treats
 * otherwise: hard clips and the tag CB.
 */
export function templates(seed: number, count: number, plain = false): string[] {
  const below = randomBelow(seed);
  const kinds = plain ? ['S'] : ['S', 'H'];
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const name = `r${below(count)}`;
    const ends = below(5) === 0 ? [endOf(below, kinds)] : [endOf(below, kinds), endOf(below, kinds)];
    if (ends.length === 2 && below(2) === 0) ends[1] = { ...ends[1], contig: ends[0].contig };
    const mapped = ends.map(() => below(6) > 0);
    const tags = [
      ...(below(4) > 0 ? [`RG:Z:${pick(below, ['a', 'b', 'c', 'd', 'unknown'])}`] : []),
      ...(!plain && below(2) === 0 ? [`CB:Z:${pick(below, ['', 'AC', 'ACG', 'T'])}`] : []),
      ...(below(2) === 0 ? [`MI:Z:${pick(below, ['1/A', '1/B', '1', '10', '2/A', '/A', 'x/AB'])}`] : []),
    ];
    ends.forEach((end, e) => {
      const mate = ends[1 - e];
      const [isMapped, isMateMapped] = [mapped[e], ends.length === 2 && mapped[1 - e]];
      const flag =
        (isMapped ? 0 : 4) |
        (isMapped && end.isReverse ? 16 : 0) |
        (ends.length === 1 ? 0 : 1 | (64 << e) | (isMateMapped ? 0 : 8) | (isMateMapped && mate.isReverse ? 32 : 0));
      const place = isMapped ? [end.contig, end.position, 60, end.cigar] : ['*', 0, 0, '*'];
      const matePlace = isMateMapped
        ? [isMapped && mate.contig === end.contig ? '=' : mate.contig, mate.position]
        : ['*', 0];
      lines.push(
        [
          name,
          flag,
          ...place,
          ...matePlace,
          0,
          '*',
          '*',
          ...(isMateMapped ? [`MC:Z:${mate.cigar}`] : []),
          ...tags,
        ].join('\t'),
      );
    });
  }
  for (let i = lines.length - 1; i > 0; i--) {
    const other = below(i + 1);
    [lines[i], lines[other]] = [lines[other], lines[i]];
  }
  return lines;
}

/** The first base of a read in its own direction, soft clips included. */
function fivePrime(position: number, isReverse: boolean, cigar: string): number {
  const operations = [...cigar.matchAll(/(\d+)([MIDNSHP=X])/g)]
    .map(([, count, letter]) => ({ count: Number(count), letter }))
    .filter(({ letter }) => letter !== 'H');
  const sum = (of: typeof operations, letters: string): number =>
    of.filter(({ letter }) => letters.includes(letter)).reduce((total, { count }) => total + count, 0);
  if (!isReverse) return position - sum(operations.slice(0, 1), 'S');
  return position - 1 + sum(operations, 'MDN=X') + sum(operations.slice(-1), 'S');
}

type Key = readonly (number | string)[];

function keyOf(line: string): Key {
  const [name, flags, contig, position, , cigar, mateContig, matePosition, , , , ...tags] = line.split('\t');
  const flag = Number(flags);
  const tag = (wanted: string): string => tags.find((text) => text.startsWith(`${wanted}:`))?.slice(5) ?? '';
  const none = { contig: Infinity, place: Infinity, isReverse: false };
  const rank = (text: string): number => CONTIGS.indexOf(text === '=' ? contig : text);
  const own =
    (flag & 4) !== 0
      ? none
      : {
          contig: rank(contig),
          place: fivePrime(Number(position), (flag & 16) !== 0, cigar),
          isReverse: (flag & 16) !== 0,
        };
  const mate =
    (flag & 1) === 0 || (flag & 8) !== 0
      ? none
      : {
          contig: rank(mateContig),
          place: fivePrime(Number(matePosition), (flag & 32) !== 0, tag('MC')),
          isReverse: (flag & 32) !== 0,
        };
  const isEarlier =
    own.contig < mate.contig ||
    (own.contig === mate.contig && (own.place < mate.place || (own.place === mate.place && !own.isReverse)));
  const [first, second] = isEarlier ? [own, mate] : [mate, own];
  return [
    first.contig,
    second.contig,
    first.place,
    second.place,
    first.isReverse ? 0 : 1,
    second.isReverse ? 0 : 1,
    LIBRARIES[tag('RG')] ?? '',
    tag('CB'),
    tag('MI').replace(/\/.$/, ''),
    name,
    isEarlier ? 0 : 1,
  ];
}

export const templateCoordinateOrder: Compare<string> = (a, b) => {
  const [x, y] = [keyOf(a), keyOf(b)];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at < 0 ? 0 : x[at] < y[at] ? -1 : 1;
};
