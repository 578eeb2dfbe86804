/** The orders of genomics: each against a plain model (test/support/genomics-orders.ts), and several in one key. */
import { readFileSync } from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFieldSpan } from '../../src/cli/parse/key-definition.js';
import type { Genomics } from '../../src/job/job.js';
import type { KeyPart, PartOrder } from '../../src/job/ordering.js';
import { compareBytes } from '../../src/keys/compare.js';
import { partsOf } from '../../src/keys/orders.js';
import { alignmentOrder, bedOrder, type Compare, gffOrder, vcfOrder } from '../support/genomics-models.js';
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
import { property } from '../support/property.js';
import { randomBelow } from '../support/random.js';
import { sampled } from '../support/tier.js';
import { words } from '../support/words.js';
import {
  ALL_BYTES,
  checkNeighbors,
  drawn,
  inRow,
  keysOf,
  oneOf,
  orderingOf,
  type Tested,
  testOrdering,
  textOf,
  wholeLine,
} from './orderings.js';

const below = randomBelow(1717);
const pick = <T>(values: readonly T[]): T => values[below(values.length)];
const repeated = (count: number, make: () => string): string[] => Array.from({ length: count }, make);
const listOf = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
/** An order that GNU sort does not have. */
const byModel = (part: Partial<KeyPart>, compare: Tested['compare']): Tested => ({ part, options: null, compare });

/** Sorts lines by their keys, and checks neighbors with the model. */
function checkKeys(parts: readonly KeyPart[], lines: readonly string[], compare: Compare<string>): void {
  const keys = keysOf(orderingOf(parts), lines);
  const order = lines.map((_, i) => i).sort((a, b) => compareBytes(keys[a], keys[b]));
  checkNeighbors(
    order.map((i) => lines[i]),
    order.map((i) => keys[i]),
    compare,
  );
}

const DIGITS = '0123456789';
/** Counts of digits around those at which a key changes its form. */
const manyDigits = [6, 7, 8, 15, 16, 17, 30, 31, 250, 260, 261, 262, 263, 515, 516].flatMap((count) => [
  '1'.repeat(count),
  `0${'1'.repeat(count)}`,
  `${'1'.repeat(count - 1)}2`,
  `${'1'.repeat(count)}x`,
]);

testOrdering('names', byModel({ order: 'natural' }, compareNatural), {
  texts: [...words('∅ 0 00 000x 0x x 1 01 10 9 a1 a01 a a: a/ a0 a00 : /'), ...manyDigits],
  line: fc.oneof(
    textOf(6, ['0', '1', '9', '00', 'a', ':', '/', '.', '\xff', '\0']),
    textOf(24, '0123456789/:'),
    textOf(60, ['0', '1', '9', '12345678901234567890', 'read', ':']),
    textOf(8, ALL_BYTES),
    inRow(oneOf('', 'r', 'r:'), oneOf('0', '00', ''), textOf(300, DIGITS), oneOf('', 'x', '/1', '1')),
  ),
});

it('encodes a name with long numbers in fewer bytes than it has', () => {
  const [key] = keysOf(orderingOf([wholeLine({ order: 'natural' })]), ['12345678']);
  expect(key.length).toBe(1 + 1 + 4 + 1);
});

testOrdering('lengths', byModel({ order: 'length', dropsReturn: true }, compareLengths), {
  texts: [...[0, 1, 254, 255, 256, 65024, 65025, 65026].map((count) => 'A'.repeat(count)), '\r', 'A\r'],
  line: textOf(300, 'ACGT\r'),
  runs: 5,
});

testOrdering('qualities', byModel({ order: 'quality', dropsReturn: true }, compareQualities), {
  // Means whose fractions differ by little.
  texts: [99_998, 99_999, 100_000].map((count) => `${'I'.repeat(count)}J`),
  line: fc.oneof(
    textOf(40, '!"#$%IJ~\r'),
    textOf(3, 'IJ'),
    textOf(3, '\xff\xfe\xfd\x01'),
    fc.tuple(fc.nat(200), fc.nat(2)).map(([more, other]) => 'I'.repeat(4000 + more) + 'J'.repeat(1 + other)),
  ),
});

describe('integers', () => {
  const texts = words('0 000 254 255 4294967295 4294967296');
  const decimal = inRow(
    textOf(11, DIGITS).map((text) => text || '0'),
    oneOf('', '', '\r'),
  );
  const small = decimal.filter((text) => Number(text) < 2 ** 38);
  testOrdering('decimals', byModel({ order: 'integer', dropsReturn: true }, compareIntegers), {
    texts: [...texts, '549755813887'],
    line: decimal,
  });
  testOrdering('decimals with a sign', byModel({ order: 'signed', dropsReturn: true }, compareIntegers), {
    texts: [...texts, '274877906943', '-274877906943'],
    line: inRow(oneOf('', '-'), small),
  });
});

describe('contigs', () => {
  it.each(sampled([1, 2, 200, 254, 255, 256, 70_000], { count: 7, seed: 1, values: (count) => [count] }))(
    'orders by the place in a list of %i names',
    (count) => {
      const names = [
        ...new Set(
          Array.from({ length: count }, (_, i) => (i % 3 === 0 ? `chr${i}` : `${'\xff:'.repeat(i % 23)}${i}`)),
        ),
      ].sort(() => below(3) - 1);
      const lines = [...repeated(2000, () => pick(names)), '*', names[0], names.at(-1)!];
      const used = new Set(lines);
      const part = wholeLine({ order: 'contig', contigs: listOf(names) });
      checkKeys([part], lines, byContig(names.filter((name) => used.has(name))));
      const [key] = keysOf(orderingOf([part]), lines);
      expect(key.length).toBe(names.length < 255 ? 1 : names.length < 255 ** 2 ? 2 : 3);
    },
  );

  const names = ['chr2', 'chr10', 'chr1', 'HLA:*'];
  const name = oneOf(...names, '*');
  testOrdering('contigs', byModel({ order: 'contig', contigs: listOf(names) }, byContig(names)), {
    line: name,
    runs: 5,
  });
  testOrdering('contigs of mates', byModel({ order: 'mate-contig', contigs: listOf(names) }, byMateContig(names)), {
    line: inRow(name, oneOf('\t7\t60\t*\t'), oneOf(...names, '*', '=')),
    runs: 10,
  });
  testOrdering('contigs of an empty list', byModel({ order: 'contig', contigs: listOf([]) }, byContig([])), {
    texts: ['*', '*'],
  });
});

it.each<[PartOrder, Compare<number>]>([
  ['strand', (a, b) => strandOf(a) - strandOf(b)],
  ['template', (a, b) => templateOf(a) - templateOf(b)],
  ['picard-template', comparePicardTemplates],
])('orders all flags by %s, in one byte', (order, compare) => {
  const flags = [...Array.from({ length: 4096 }, (_, flag) => String(flag)), '65535', '0016'];
  checkKeys([wholeLine({ order })], flags, (a, b) => compare(Number(a), Number(b)));
  const keys = keysOf(orderingOf([wholeLine({ order })]), flags);
  expect(keys.every(({ length }) => length === 1)).toBe(true);
});

describe('optional fields', () => {
  const tagOf = (line: string): TagValue | null => {
    const field = line
      .replace(/\r$/, '')
      .split('\t')
      .find((text) => text.startsWith('CB:'));
    return field === undefined ? null : { type: field[3], value: field.slice(5) };
  };
  const typed = (type: string, value: Arbitrary<string>): Arbitrary<string> =>
    value.map((text) => `CB:${type}:${text}`);
  const field = fc.oneof(
    typed('A', oneOf(...'aZ!~')),
    typed('i', fc.integer({ min: -300, max: 300 }).map(String)),
    typed('i', oneOf(...words('+7 007 -0 4294967295 -2147483648'))),
    typed('f', oneOf(...words('1.5 -2 0.1 0.10000000149 1e3 -1E-3 inf -inf .5 5. 1e60 1e-60'))),
    typed(
      'f',
      fc.integer({ min: -1000, max: 1000 }).map((eighths) => String(eighths / 8)),
    ),
    typed('Z', textOf(5, 'AC GT:-')),
    typed('H', oneOf('', '1A', '1AFF')),
    typed('B', oneOf('c,1', 'f,2.5,3')),
  );
  const line = fc
    .tuple(
      fc.subarray(['NM:i:3', 'MD:Z:CB:Z:1', 'XCB:i', 'CA:Z:x', 'BC:A:q']),
      fc.option(field, { freq: 8 }),
      fc.nat(5),
      oneOf('', '', '\r'),
    )
    .map(
      ([others, own, at, end]) =>
        [...others.slice(0, at), ...(own === null ? [] : [own]), ...others.slice(at)].join('\t') + end,
    );
  const compare: Tested['compare'] = (a, b) => compareTags(tagOf(a), tagOf(b));
  testOrdering('lines by an optional field', byModel({ order: 'tag', tag: 'CB', dropsReturn: true }, compare), {
    line,
    runs: 30,
  });
});

describe('alleles', () => {
  const allele = oneOf('A', 'C', 'AT', '*', 'a', '<DEL>', '<INS:ME>', 'G]x*1:5]', 'G.', 'ACGTACGTACGTACGTACGT');
  const alternatives = fc.array(allele, { minLength: 1, maxLength: 4 }).map((list) => list.join(','));
  testOrdering('alleles', byModel({ order: 'alleles' }, compareAlleles), {
    texts: ['A', '', '.', 'A\tG.', 'A\tG', 'A\t.'],
    line: inRow(allele, oneOf('\t'), fc.oneof({ weight: 5, arbitrary: alternatives }, oneOf('.'))),
  });
});

describe('similar sequences', () => {
  const genome = drawn(below, 1, 5000, 'ACGT')[0].padEnd(5000, 'ACGTTGCA');
  const opposite = (text: string): string =>
    [...text]
      .reverse()
      .map((base) => 'TGCAtgca'['ACGTacgt'.indexOf(base)] ?? base)
      .join('');
  const read = fc
    .tuple(
      fc.nat(4799),
      fc.nat(149),
      fc.boolean(),
      fc.array(fc.tuple(fc.nat(164), oneOf(...'NnAacgt')), { maxLength: 3 }),
    )
    .map(([at, more, isReverse, changes]) => {
      const bases = [...genome.slice(at, at + 15 + more)];
      for (const [place, base] of changes) if (place < bases.length) bases[place] = base;
      return isReverse ? opposite(bases.join('')) : bases.join('');
    });
  const repeats = [
    ...['', 'A'.repeat(20), 'A'.repeat(21), 'A'.repeat(150), 'T'.repeat(150), 'N'.repeat(40), genome.slice(0, 700)],
    ...['', 'N', 'NN'].map((tail) => 'N'.repeat(300) + genome.slice(100, 121) + tail),
    genome.slice(200, 300).toLowerCase(),
  ];
  testOrdering('sequences', byModel({ order: 'similar' }, compareSimilar), {
    texts: repeats,
    line: fc.oneof({ weight: 4, arbitrary: read }, textOf(24, 'ACGTN'), textOf(40, ALL_BYTES)),
    runs: 10,
  });

  it('does not choose repeats of a base, and finds the same word in both strands', () => {
    const ordering = orderingOf([wholeLine({ order: 'similar' })]);
    const text = genome.slice(1000, 1150);
    const keys = keysOf(ordering, [text, `${'A'.repeat(200)}${text}`, opposite(text)]);
    const hash = (key: Uint8Array): string => Buffer.from(key.subarray(0, 6)).toString('hex');
    expect(new Set(keys.map(hash)).size).toBe(1);
  });
});

describe('orders of formats', () => {
  const names = ['chr1', 'chr2', 'chrM'];
  const name = oneOf(...names);
  const number = (most: number): Arbitrary<string> => fc.nat(most).map(String);
  const fields = (...texts: readonly Arbitrary<string>[]): Arbitrary<string> =>
    fc.tuple(...texts).map((row) => row.join('\t'));
  const alignment = fields(
    number(39).map((text) => `r${text}`),
    oneOf(...words('0 16 64 65 80 129 145 256 321 2048 2113')),
    oneOf(...names, '*'),
    number(29),
    oneOf('60', '0'),
    oneOf('5M'),
    oneOf('*', '=', 'chr2'),
    number(2),
    oneOf('-5', '0', '5'),
    oneOf('*'),
    oneOf('*'),
    oneOf('NM:i:1', 'HI:i:2', 'HI:i:10', 'CB:Z:x', 'CB:Z:y'),
  );
  const bed = fields(name, number(20), number(30), oneOf('', 'a', 'b'));
  const vcf = fields(name, number(20), oneOf('.'), oneOf('A', 'AC'), oneOf('.', 'C', 'C,G', 'T'));
  const gff = fields(name, oneOf('x'), oneOf('gene', 'exon'), number(20), number(30));
  const sam = (by: string, as: Genomics['as'] = null): [Genomics, Arbitrary<string>, Compare<string>] => [
    { format: 'sam', guessed: false, program: null, by, as },
    alignment,
    alignmentOrder(by, names, as ?? 'samtools'),
  ];
  const intervals = (format: 'bed' | 'vcf' | 'gff'): Genomics => ({
    format,
    guessed: false,
    program: null,
    by: 'position',
    as: null,
  });
  const cases = [
    sam('coordinate'),
    sam('queryname'),
    sam('queryname-ascii'),
    sam('tag:CB'),
    sam('coordinate', 'picard'),
    sam('queryname', 'picard'),
    [intervals('bed'), bed, bedOrder],
    [intervals('vcf'), vcf, vcfOrder(names)],
    [intervals('gff'), gff, gffOrder],
  ] as const;
  for (const [genomics, line, compare] of cases) {
    const { format, by, as } = genomics;
    property(
      `orders ${format} by ${by} as ${as ?? 'samtools and its kin'} do`,
      [fc.array(line, { maxLength: 300, size: 'max' }), fc.boolean()],
      (lines, reverse) => {
        const parts = partsOf(genomics, null).map((part) => ({
          ...part,
          reverse,
          ...(part.order.endsWith('contig') && { contigs: listOf(names) }),
        }));
        checkKeys(parts, lines, reverse ? (a, b) => compare(b, a) : compare);
      },
      { runs: 20 },
    );
  }

  it.each([
    ['name', 'b 1', 'b 2', 'a'],
    ['id', 'a 2', 'a 1', 'b'],
    ['natural', 'a9', 'a10', 'b'],
  ])('orders reads by %s', (by, ...headers) => {
    const sign = { name: [-1, 1], id: [0, -1], natural: [-1, -1] }[by];
    for (const [format, mark] of [
      ['fastq', '@'],
      ['fasta', '>'],
    ] as const) {
      const parts = partsOf({ format, guessed: false, program: null, by, as: null }, null);
      const records = headers.map((header, i) => `${mark}${header}\n${'TGC'[i]}\n+\nI`);
      const keys = keysOf(orderingOf(parts, 0), records);
      expect([compareBytes(keys[0], keys[1]), compareBytes(keys[1], keys[2])]).toEqual(sign);
    }
  });

  it('orders spans by the difference of two numbers', () => {
    const span = wholeLine({ order: 'span', dropsReturn: true });
    const lines = repeated(500, () => `${below(300)}\t${below(300)}${pick(['', '\r'])}`);
    const width = (line: string): number => Number(line.split('\t')[1]) - Number(line.split('\t')[0]);
    checkKeys([span], lines, (a, b) => width(a) - width(b));
    for (const line of ['5', '5\t', '\t5', '5\t6\t7', 'x\t5'])
      expect(() => keysOf(orderingOf([span]), [line])).toThrow('not a whole number');
  });

  describe('a carriage return', () => {
    const keyOf = (part: KeyPart, record: string): string =>
      Buffer.from(keysOf(orderingOf([part], part.span.separator?.[0] === 10 ? 0 : 10), [record])[0]).toString('hex');
    const contigs = listOf(['chr1', 'x']);
    const fieldTwo = (separator: string, changes: Partial<KeyPart>): KeyPart =>
      wholeLine({ span: parseFieldSpan('2,2', Buffer.from(separator)), contigs, dropsReturn: true, ...changes });
    const texts: readonly (readonly [Partial<KeyPart>, string])[] = [
      [{ order: 'bytes' }, 'x'],
      [{ order: 'bytes' }, ''],
      [{ order: 'bytes', printing: true }, 'x'],
      [{ order: 'bytes', reverse: true }, 'x'],
      [{ order: 'natural' }, 'x9'],
      [{ order: 'length' }, 'ACGT'],
      [{ order: 'quality' }, 'IJ'],
      [{ order: 'similar' }, 'ACGTTGCAACGTTGCACCATGACG'],
      [{ order: 'similar' }, 'ACGT'],
      [{ order: 'contig' }, 'chr1'],
      [{ order: 'integer' }, '7'],
      [{ order: 'alleles' }, 'A,C'],
      [{ order: 'general-numeric' }, '1e3'],
      [{ order: 'tag', tag: 'CB' }, 'CB:Z:x'],
    ];

    it.each(texts)('does not count before the end of a line: %j, %j', (changes, text) => {
      // At the end of the record, at the end of a line in it, and twice: only the last one is dropped.
      const line = fieldTwo('\t', changes);
      const inRecord = fieldTwo('\n', changes);
      expect(keyOf(line, `a\t${text}\r`)).toBe(keyOf(line, `a\t${text}`));
      expect(keyOf(inRecord, `a\n${text}\r\nb`)).toBe(keyOf(inRecord, `a\n${text}\nb`));
      expect(keyOf(inRecord, `a\n${text}\r`)).toBe(keyOf(inRecord, `a\n${text}`));
    });

    it('is text elsewhere, and in other data', () => {
      const drops = fieldTwo('\t', {});
      const { dropsReturn: _, ...keeps } = drops;
      for (const record of ['a\tx\r\tb', 'a\t\r\t', 'a\tx\r\r', 'a\t\rx'])
        expect(keyOf(drops, record), JSON.stringify(record)).toBe(keyOf(keeps, record.replace(/\r$/, '')));
      expect(keyOf(keeps, 'a\tx\r')).not.toBe(keyOf(keeps, 'a\tx'));
    });

    it('of words ends them if the line ends there', () => {
      const word = wholeLine({ span: parseFieldSpan('1.2,1', null), dropsReturn: true });
      const key = (record: string): string => Buffer.from(keysOf(orderingOf([word], 0), [record])[0]).toString('hex');
      expect(new Set(['@b\r\nA', '@b\nA', '@b x\r\nA', '@b\tx\nA', '@b\r', '@b'].map(key)).size).toBe(1);
      expect(key('@b\r x\r\nA')).not.toBe(key('@b'));
    });
  });

  it('takes several parts from fields of text', () => {
    const tab = Buffer.from('\t');
    const part = (number: number, changes: Partial<KeyPart>): KeyPart =>
      wholeLine({ span: parseFieldSpan(`${number},${number}`, tab), ...changes });
    const lines = repeated(500, () => `${pick(['r2', 'r10', 'q'])}\t${below(30)}`);
    checkKeys([part(1, { order: 'natural' }), part(2, { order: 'integer', reverse: true })], lines, (a, b) => {
      const [[nameA, numberA], [nameB, numberB]] = [a, b].map((line) => line.split('\t'));
      return compareNatural(nameA, nameB) || Number(numberB) - Number(numberA);
    });
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
    const row = table.split('\n').find((line) => line.startsWith(`| ${order} |`) && line.includes(texts[0]));
    expect(row).toContain(`| ${codes.join(', ')}`);
  });
});
