/** The orders of genomics: each against a plain model (test/support/genomics-orders.ts), and several in one key. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { KeyPart, PartOrder } from '../../src/job.js';
import { compareBytes } from '../../src/keys/compare.js';
import {
  byContig,
  byMateContig,
  compareAlleles,
  compareIntegers,
  compareLengths,
  compareNatural,
  comparePicardTemplates,
  compareQualities,
  compareSimilar,
  compareTags,
  strandOf,
  type TagValue,
  templateOf,
} from '../support/genomics-orders.js';
import { randomBelow } from '../support/random.js';
import { ALL_BYTES, drawn, keysOf, orderingOf, testOrdering, wholeLine } from './orderings.js';

const below = randomBelow(1717);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
const repeated = (count: number, make: () => string): string[] => Array.from({ length: count }, make);

describe('natural', () => {
  const many = (): string => pick(['0', '00', '', '']) + drawn(below, 1, 300, '0123456789')[0];
  testOrdering('names', { part: { order: 'natural' }, options: null, compare: compareNatural }, [
    ...['', '0', '00', '000x', '0x', 'x', '1', '01', '10', '9', 'a1', 'a01', 'a', 'a:', 'a/', 'a0', 'a00', ':', '/'],
    ...drawn(below, 1500, 6, ['0', '1', '9', '00', 'a', ':', '/', '.', '\xff', '\0']),
    ...drawn(below, 1500, 24, '0123456789/:'),
    ...drawn(below, 500, 60, ['0', '1', '9', '12345678901234567890', 'read', ':']),
    ...drawn(below, 500, 8, ALL_BYTES),
    ...repeated(500, () => `${pick(['', 'r', 'r:'])}${many()}${pick(['', 'x', '/1', '1'])}`),
    ...[6, 7, 8, 15, 16, 17, 30, 31, 250, 260, 261, 262, 263, 515, 516].flatMap((count) => [
      '1'.repeat(count),
      `0${'1'.repeat(count)}`,
      `${'1'.repeat(count - 1)}2`,
      `${'1'.repeat(count)}x`,
    ]),
  ]);

  it('takes fewer bytes than a name has where numbers are long', () => {
    const [key] = keysOf(orderingOf([wholeLine({ order: 'natural' })]), ['12345678']);
    expect(key!.length).toBe(1 + 1 + 4 + 1);
  });
});

describe('length', () => {
  testOrdering('of texts', { part: { order: 'length' }, options: null, compare: compareLengths }, [
    ...drawn(below, 500, 300, 'ACGT\r'),
    ...[0, 1, 254, 255, 256, 65024, 65025, 65026].map((count) => 'A'.repeat(count)),
    '\r',
    'A\r',
  ]);
});

describe('quality', () => {
  testOrdering('of qualities', { part: { order: 'quality' }, options: null, compare: compareQualities }, [
    ...drawn(below, 1500, 40, '!"#$%IJ~\r'),
    ...drawn(below, 1500, 3, 'IJ'),
    ...drawn(below, 200, 3, ['\xff', '\xfe', '\xfd', '\x01']),
    ...repeated(300, () => 'I'.repeat(4000 + below(200)) + 'J'.repeat(1 + below(3))),
    // Means whose fractions differ by little.
    ...[99_998, 99_999, 100_000].map((count) => `${'I'.repeat(count)}J`),
  ]);
});

describe('integer', () => {
  const digits = (): string => drawn(below, 1, 11, '0123456789')[0] || '0';
  const numbers = [...repeated(1500, digits), '0', '000', '254', '255', '4294967295', '4294967296', '549755813887'];
  const ended = numbers.map((number) => number + pick(['', '', '\r']));
  testOrdering('of decimals', { part: { order: 'integer' }, options: null, compare: compareIntegers }, ended);
  testOrdering('with a sign', { part: { order: 'signed' }, options: null, compare: compareIntegers }, [
    ...ended.filter((number) => Number(number) < 2 ** 38),
    ...ended.filter((number) => Number(number) < 2 ** 38).map((number) => `-${number}`),
    '274877906943',
    '-274877906943',
  ]);
});

describe('contig', () => {
  const listOf = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
  it.each([1, 2, 200, 254, 255, 256, 70_000])('of %i names', (count) => {
    const names = [
      ...new Set(Array.from({ length: count }, (_, i) => (i % 3 === 0 ? `chr${i}` : `${'\xff:'.repeat(i % 23)}${i}`))),
    ].sort(() => below(3) - 1);
    const lines = [...repeated(2000, () => pick(names)), '*', names[0]!, names.at(-1)!];
    const compare = byContig(names.length > 1000 ? names.filter((name) => lines.includes(name)) : names);
    const keys = keysOf(orderingOf([wholeLine({ order: 'contig', contigs: listOf(names) })]), lines);
    const order = lines.map((_, i) => i).sort((a, b) => compareBytes(keys[a]!, keys[b]!));
    for (let i = 1; i < order.length; i++)
      expect(compareBytes(keys[order[i - 1]!]!, keys[order[i]!]!)).toBe(
        Math.sign(compare(lines[order[i - 1]!]!, lines[order[i]!]!)),
      );
    expect(keys[0]!.length).toBe(names.length < 255 ? 1 : names.length < 255 ** 2 ? 2 : 3);
  });

  const names = ['chr2', 'chr10', 'chr1', 'HLA:*'];
  testOrdering(
    'names and none',
    { part: { order: 'contig', contigs: listOf(names) }, options: null, compare: byContig(names) },
    repeated(100, () => pick([...names, '*'])),
  );
  testOrdering(
    "the mate's",
    { part: { order: 'mate-contig', contigs: listOf(names) }, options: null, compare: byMateContig(names) },
    repeated(500, () => `${pick([...names, '*'])}\t7\t60\t*\t${pick([...names, '*', '='])}`),
  );
  testOrdering(
    'in an empty list',
    { part: { order: 'contig', contigs: listOf([]) }, options: null, compare: byContig([]) },
    ['*', '*'],
  );
});

describe('flags', () => {
  const flags = [...Array.from({ length: 4096 }, (_, flag) => String(flag)), '65535', '0016'];
  it.each<[PartOrder, (a: number, b: number) => number]>([
    ['strand', (a, b) => strandOf(a) - strandOf(b)],
    ['template', (a, b) => templateOf(a) - templateOf(b)],
    ['picard-template', comparePicardTemplates],
  ])('%s', (order, compare) => {
    const keys = keysOf(orderingOf([wholeLine({ order })]), flags);
    const sorted = flags.map((_, i) => i).sort((a, b) => compareBytes(keys[a]!, keys[b]!));
    for (let i = 1; i < sorted.length; i++)
      expect(compareBytes(keys[sorted[i - 1]!]!, keys[sorted[i]!]!)).toBe(
        Math.sign(compare(Number(flags[sorted[i - 1]!]), Number(flags[sorted[i]!]))),
      );
    expect(keys.every(({ length }) => length === 1)).toBe(true);
  });
});

describe('tag', () => {
  const tagOf = (line: string): TagValue | null => {
    const field = line
      .replace(/\r$/, '')
      .split('\t')
      .find((text) => text.startsWith('CB:'));
    return field === undefined ? null : { type: field[3]!, value: field.slice(5) };
  };
  const value = (): string =>
    pick([
      () => `A:${pick([...'aZ!~'])}`,
      () => `i:${below(600) - 300}`,
      () => `i:${pick(['+7', '007', '-0', '4294967295', '-2147483648'])}`,
      () =>
        `f:${pick(['1.5', '-2', '0.1', '0.10000000149', '1e3', '-1E-3', 'inf', '-inf', '.5', '5.', '1e60', '1e-60'])}`,
      () => `f:${(below(2000) - 1000) / 8}`,
      () => `Z:${drawn(below, 1, 5, 'AC GT:-')[0]}`,
      () => `H:${pick(['', '1A', '1AFF'])}`,
      () => `B:${pick(['c,1', 'f,2.5,3'])}`,
    ])();
  testOrdering(
    'of SAM',
    { part: { order: 'tag', tag: 'CB' }, options: null, compare: (a, b) => compareTags(tagOf(a), tagOf(b)) },
    repeated(4000, () => {
      const others = ['NM:i:3', 'MD:Z:CB:Z:1', 'XCB:i', 'CA:Z:x', 'BC:A:q'].filter(() => below(3) === 0);
      const fields = below(8) === 0 ? others : [...others, `CB:${value()}`];
      return fields.sort(() => below(3) - 1).join('\t') + pick(['', '', '\r']);
    }),
  );
});

describe('alleles', () => {
  const allele = (): string =>
    pick(['A', 'C', 'AT', '*', 'a', '<DEL>', '<INS:ME>', 'G]x*1:5]', 'ACGTACGTACGTACGTACGT']);
  testOrdering('of VCF', { part: { order: 'alleles' }, options: null, compare: compareAlleles }, [
    ...repeated(1500, () => `${allele()}\t${below(6) === 0 ? '.' : repeated(1 + below(4), allele).join(',')}`),
    'A',
    '',
    '.',
  ]);
});

describe('similar', () => {
  const genome = drawn(below, 1, 5000, 'ACGT')[0]!.padEnd(5000, 'ACGTTGCA');
  const opposite = (text: string): string =>
    [...text]
      .reverse()
      .map((base) => 'TGCAtgca'['ACGTacgt'.indexOf(base)] ?? base)
      .join('');
  const read = (): string => {
    const at = below(4800);
    const bases = genome
      .slice(at, at + 15 + below(150))
      .replace(/./g, (base) => (below(100) === 0 ? pick(['N', 'n', 'A', base.toLowerCase()]) : base));
    return below(2) === 0 ? bases : opposite(bases);
  };
  testOrdering('sequences', { part: { order: 'similar' }, options: null, compare: compareSimilar }, [
    ...repeated(1500, read),
    ...drawn(below, 300, 24, 'ACGTN'),
    ...drawn(below, 100, 40, ALL_BYTES),
    ...[
      '',
      'A'.repeat(20),
      'A'.repeat(21),
      'A'.repeat(150),
      'T'.repeat(150),
      'N'.repeat(40),
      `${genome.slice(0, 700)}`,
    ],
    ...['', 'N', 'NN'].map((tail) => 'N'.repeat(300) + genome.slice(100, 121) + tail),
  ]);

  it('does not choose repeats of a base, and finds the same word in both strands', () => {
    const ordering = orderingOf([wholeLine({ order: 'similar' })]);
    const text = genome.slice(1000, 1150);
    const keys = keysOf(ordering, [text, `${'A'.repeat(200)}${text}`, opposite(text)]);
    const hash = (key: Uint8Array): string => Buffer.from(key.subarray(0, 6)).toString('hex');
    expect(new Set(keys.map(hash)).size).toBe(1);
  });
});

describe('several parts', () => {
  const names = ['chr1', 'chr2', 'chrM'];
  const contigs = Buffer.from('chr1\nchr2\nchrM\n');
  const tab = Buffer.from('\t');
  const field = (number: number, changes: Partial<KeyPart>): KeyPart =>
    wholeLine({ span: parseFieldSpan(`${number},${number}`, tab), ...changes });
  const lines = repeated(3000, () =>
    [
      `r${below(40)}`,
      String(pick([0, 16, 64, 80, 128, 256, 2048])),
      pick([...names, '*']),
      String(below(30)),
      '60',
      '5M',
      '*',
    ].join('\t'),
  );
  const column = (line: string, number: number): string => line.split('\t')[number - 1]!;
  const position = (a: string, b: string): number =>
    byContig(names)(column(a, 3), column(b, 3)) ||
    Number(column(a, 4)) - Number(column(b, 4)) ||
    strandOf(Number(column(a, 2))) - strandOf(Number(column(b, 2)));
  const queryname = (a: string, b: string): number =>
    compareNatural(column(a, 1), column(b, 1)) || templateOf(Number(column(a, 2))) - templateOf(Number(column(b, 2)));

  it.each([false, true])('are those of samtools, reversed: %s', (reverse) => {
    const turn = reverse ? -1 : 1;
    const cases: [KeyPart[], (a: string, b: string) => number][] = [
      [
        [
          field(3, { order: 'contig', contigs, reverse }),
          field(4, { order: 'integer', reverse }),
          field(2, { order: 'strand', reverse }),
        ],
        position,
      ],
      [[field(1, { order: 'natural', reverse }), field(2, { order: 'template', reverse })], queryname],
    ];
    for (const [parts, compare] of cases) {
      const keys = keysOf(orderingOf(parts), lines);
      const byKeys = lines.map((_, i) => i).sort((a, b) => compareBytes(keys[a]!, keys[b]!));
      const byModel = lines.map((_, i) => i).sort((a, b) => turn * compare(lines[a]!, lines[b]!));
      expect(byKeys.map((i) => lines[i])).toEqual(byModel.map((i) => lines[i]));
    }
  });
});

describe('the codes that docs/ordering.md shows', () => {
  const table = readFileSync(new URL('../../docs/ordering.md', import.meta.url), 'utf8');
  const contigs = Buffer.from(Array.from({ length: 25 }, (_, i) => `chr${i + 1}\n`).join(''));
  it.each<[string, Partial<KeyPart>, readonly string[]]>([
    ['natural', {}, ['r9', 'r10']],
    ['length', {}, ['ACGT']],
    ['quality', {}, ['II']],
    ['contig', { contigs }, ['chr2']],
    ['integer', {}, ['300']],
    ['strand', {}, ['16']],
    ['tag', { tag: 'CB' }, ['CB:Z:AC']],
  ])('are those of %s', (order, part, texts) => {
    const keys = keysOf(orderingOf([wholeLine({ ...part, order: order as PartOrder })]), texts);
    const codes = keys.map(
      (key) =>
        `\`${Buffer.from(key)
          .toString('hex')
          .replace(/(..)(?!$)/g, '$1 ')}\``,
    );
    const row = table.split('\n').find((line) => line.startsWith(`| ${order} |`) && line.includes(texts[0]!));
    expect(row).toContain(`| ${codes.join(', ')}`);
  });
});
