/**
 * The device's keys of genomics must equal the host's, byte for byte: seeded fields, valid ones and hostile ones. Lines
 * without a key go to the host.
 */
import { expect, it } from 'vitest';
import { keysOnDevice } from '../../../../../src/engines/gpu/records/keyed-lines/key-support.js';
import type { KeyPart, Ordering } from '../../../../../src/job/ordering.js';
import { KeyMaker } from '../../../../../src/keys/key-maker.js';
import { partsOf } from '../../../../../src/keys/orders.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { randomBelow } from '../../../../support/random.js';
import { join } from '../../../../support/records.js';
import { sampled } from '../../../../support/tier.js';
import { comparedKeys, lines, orderingOf, part, spanOf } from './compared.js';
import { genomicOrdering, listOf } from './genomics.js';

const below = randomBelow(1718);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];
const repeated = (count: number, make: () => string): string[] => Array.from({ length: count }, make);
const drawn = (most: number, alphabet: readonly string[]): string =>
  Array.from({ length: below(most) }, () => pick(alphabet)).join('');
const TABS = ['7', 'x', '', '7', 'x\x80'];

/** The text as each of three fields, among others. */
const among = (texts: readonly string[]): Buffer[] =>
  lines(texts.map((text) => `${pick(TABS)}\t${text}${pick(['', '\t', `\t${pick(TABS)}`])}`));
const second = (changes: Partial<KeyPart>): KeyPart => part(spanOf('2,2', '\t'), changes);

const ALL_BYTES = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).filter(
  (byte) => !'\t\n'.includes(byte),
);
const INTEGERS = [
  ...['0', '000', '9', '254', '255', '256', '65024', '65025', '65026', '16581374', '16581375', '16581376'],
  ...['4228250624', '4228250625', '4294967295', '4294967296', '549755813249', '549755813250', '549755813887'],
  ...['0000000000000000000000000001'],
];
const BAD_INTEGERS = [
  '',
  '\r',
  '-1',
  '+1',
  ' 1',
  '1 ',
  '1\r',
  '1\r\r',
  'x',
  '1x',
  '1.5',
  '\x80',
  '549755813888',
  '1e3',
];
const WIDE_INTEGERS = ['8589934592000', '18446744073709551616', '340282366920938463463374607431768211457'];
const NAMES = [
  '',
  '0',
  '00',
  'r9',
  'r10',
  'r010',
  'r0',
  'r',
  ':',
  '/',
  '\xff\xfe9',
  ...[6, 7, 8, 254, 260, 261, 262, 515, 1000].flatMap((count) => ['1'.repeat(count), `a0${'9'.repeat(count)}x`]),
];

/** Names that are alike at their ends, of all lengths. */
function contigNames(count: number): string[] {
  const make = (i: number): string =>
    pick([
      `chr${i}`,
      `${'chrUn_'.repeat(below(5))}${i}`,
      `${i}${'\xff'.repeat(below(9))}`,
      `${i}\0${'\0'.repeat(below(4))}`,
    ]);
  return Array.from({ length: count }, (_, i) => make(i));
}

describeGpu('genomics keys made on the device', () => {
  const { made, check } = comparedKeys();

  async function checkWays(texts: readonly string[], changes: Partial<KeyPart>, name: string): Promise<void> {
    const format = { kind: 'lines', delimiter: 0 } as const;
    const ways: readonly (readonly [string, Partial<KeyPart>, Partial<Ordering>])[] = [
      ['forwards', {}, {}],
      ['reversed', { reverse: true }, {}],
      ['all reversed', {}, { reverse: true }],
      ['NUL', {}, { format }],
    ];
    for (const [way, ofPart, ofAll] of sampled(ways, { count: 2, seed: texts.length })) {
      const given = way === 'NUL' ? texts.filter((text) => !text.includes('\0')) : texts;
      await check(among(given), orderingOf([second({ ...changes, ...ofPart })], ofAll), `${name}, ${way}`);
    }
  }

  it('are those of the host for whole numbers', async () => {
    const digits = (): string => drawn(12, [...'0123456789']) || '0';
    await checkWays(
      [...INTEGERS, ...repeated(2000, digits)],
      {
        order: 'integer',
      },
      'integer',
    );
  });

  it('are those of the host for flags', async () => {
    const flags = [...Array.from({ length: 4096 }, (_, flag) => String(flag)), '65024', '65025', '65535', '0016'];
    for (const order of sampled(['strand', 'template'] as const, { count: 2, seed: 1 }))
      await checkWays(flags, { order }, order);
  });

  it('are those of the host for names in natural order', async () => {
    await checkWays(
      [...NAMES, ...repeated(1500, () => drawn(12, ['0', '1', '9', '00', ':', '/', 'r', '.', '\xff']))],
      {
        order: 'natural',
      },
      'natural',
    );
    await check(among(repeated(1500, () => drawn(8, ALL_BYTES))), orderingOf([second({ order: 'natural' })]), 'bytes');
  });

  it('are those of the host for lengths, including those of long lines', async () => {
    const texts = [
      ...['', '\r', 'A\r', '\r\r', 'A'.repeat(254), 'A'.repeat(255), 'A'.repeat(65_025)],
      ...repeated(500, () => drawn(300, [...'ACGT\r'])),
    ];
    await checkWays(texts, { order: 'length' }, 'length');
    for (const filters of [{ printing: true }, { dictionary: true }, { fold: true }])
      await checkWays(
        texts.filter(({ length }) => length < 4000),
        { order: 'length', ...filters },
        'filtered',
      );
    // The sequences of FASTA and of FASTQ, lines inside records that end in NUL.
    const format = { kind: 'lines', delimiter: 0 } as const;
    const records = lines(repeated(300, () => `>r\n${drawn(200, ['A', 'C', '\n', '\r\n'])}`));
    for (const name of ['fasta', 'fastq'] as const) {
      const parts = partsOf({ format: name, by: 'length', as: null, guessed: false, program: null }, null);
      await check(records, orderingOf(parts, { format }), name);
    }
  });

  // Ranks take one to three digits.
  const counts = [0, 1, 2, 254, 255, 256, 3000, 65_025];
  const digits = (count: number): number => (count < 255 ? 1 : count < 65_025 ? 2 : 3);
  it.each(sampled(counts, { count: 8, seed: 1, values: (count) => [digits(count)] }))(
    'are those of the host for contigs of a list of %i',
    async (count) => {
      const names = contigNames(count);
      // Among equal names, the first counts.
      const contigs = listOf([...names, ...names.slice(0, 3)]);
      const texts = [
        '*',
        '*',
        ...repeated(2000, () => (names.length === 0 ? '*' : pick([...names.slice(-3), pick(names)]))),
      ];
      await checkWays(texts, { order: 'contig', contigs }, 'contig');
    },
  );

  it('are those of the host for contigs of reads whose position is 0', async () => {
    const positions = ['0', '00', '0\r', '', '1', '01', '0'.repeat(31), '0x', '10'];
    const texts = positions.flatMap((position) => ['chr2', '*'].map((name) => `r\t${name}\t${position}\t9`));
    const ordering = orderingOf([
      part(spanOf('2,2', '\t'), { order: 'mapped-contig', contigs: listOf(['chr1', 'chr2']) }),
    ]);
    await check(lines([...texts, 'r\tchr2', 'r\tchr2\t0']), ordering, 'positions');
    const wide = lines([`r\tchr2\t${'0'.repeat(40)}\t9`]);
    expect((await made(wide, ordering)).kind).toBe('long');
  });

  it('are those of the host for contigs with names as long as a thread may read', async () => {
    const names = [3, 4, 5, 8, 255, 256, 3999].map((bytes) => 'c'.repeat(bytes));
    await check(
      among(repeated(200, () => pick(names))),
      orderingOf([second({ order: 'contig', contigs: listOf(names) })]),
      'long names',
    );
  });

  it('are those of the host for alleles', async () => {
    const texts = [
      ...['A\t.', 'A\t', '.\t.', '\t.', 'A\tC', 'A\tC,G', 'A\tC,.', 'A\t..', 'A,C\t,', '\t', 'A\t<*>', 'AC\t\xff,\xfe'],
      ...repeated(2000, () => `${drawn(5, [...'ACGT'])}\t${drawn(9, [...'ACGT,.<*>'])}`),
    ];
    await check(
      lines(texts.map((text) => `x\t${text}\t60`)),
      orderingOf([part(spanOf('2,3', '\t'), { order: 'alleles' })]),
      'alleles',
    );
    await check(
      lines(texts),
      orderingOf([part(spanOf('1', '\t'), { order: 'alleles', reverse: true })]),
      'alleles, reversed, to the end of the line',
    );
  });

  it('are those of the host for whole orders of lines', async () => {
    const contigs = ['chr2', 'chr10', 'chr1', 'HLA:*'];
    const position = (): string => String(below(pick([9, 300, 70_000, 250_000_000])));
    const alignment = (): string =>
      [
        drawn(30, [...'r:0129']),
        below(4096),
        pick([...contigs, '*']),
        position(),
        60,
        '*',
        ...['=', position(), -5, drawn(150, [...'ACGT']), drawn(150, [...'IJ']), 'NM:i:0'],
      ].join('\t');
    const interval = (): string => `${pick(contigs)}\t${position()}\t${position()}${pick(['', '\tname\t5', '\t'])}`;
    const feature = (): string =>
      pick([`${pick(contigs)}\tsource\texon\t${position()}\t${position()}`, `#${drawn(9, ['#', '\t', 'x', '7'])}`]);
    const variant = (): string => `${pick(contigs)}\t${position()}\trs\tA\t${pick(['C', 'C,G', '.'])}\t9`;
    const orders = [
      ['sam', 'coordinate', null, alignment],
      ['sam', 'queryname', null, alignment],
      ['sam', 'queryname-ascii', 'samtools', alignment],
      ['bed', 'position', null, interval],
      ['gff', 'position', null, feature],
      ['vcf', 'position', null, variant],
    ] as const;
    const lists = ['list', 'natural', null] as const;
    const all = orders.flatMap((order) => lists.map((listed) => [...order, listed] as const));
    for (const [format, by, as, make, listed] of sampled(all, {
      count: 8,
      seed: 1,
      values: ([format, by, , , listed]) => [`${format} ${by}`, listed],
    })) {
      const ordering = genomicOrdering(format, by, as, listed, contigs);
      expect(keysOnDevice(ordering.key), `${format} ${by}`).toBe(true);
      await check(lines(repeated(700, make)), ordering, `${format} ${by} ${listed}`);
    }
  });

  it('are those of the host for comments of any length', async () => {
    const texts = [
      '',
      '#',
      '##',
      'x',
      ' #',
      '\xff',
      '#x\t7',
      `#${'x'.repeat(9000)}`,
      '#\ty',
      'x\t7',
      `x\t7\t${'y'.repeat(9000)}`,
    ];
    const blank = [' ', '\t', '\r', ' \t \r', ' x', ` ${' '.repeat(4000)}x`];
    const tracks = [
      'track',
      'browser',
      'track name',
      'browser\tx',
      'tracks',
      'browsers x',
      'trac',
      'browse',
      'track\r',
    ];
    const comment = part(spanOf('1'), { order: 'comment' });
    for (const reverse of [false, true]) {
      const parts = [comment, part(spanOf('1,1', '\t'))].map((one) => ({ ...one, reverse }));
      await check(lines([...texts, ...blank, ...tracks]), orderingOf(parts), `comments, ${reverse}`);
      for (const text of [' '.repeat(9000), `${' '.repeat(9000)}x`])
        expect((await made(lines([text]), orderingOf(parts))).kind).toBe('long');
    }
    const whole = [comment, second({ order: 'integer' })];
    await check(lines(['#', '#\tx', `#\t${'7'.repeat(60)}`, 'x\t7']), orderingOf(whole), 'comments, no numbers');
  });

  it('put empty parts last', async () => {
    const texts = ['', '\t', 'x\t', 'x\t5', 'x\t\ty', `x\t${'5'.repeat(9)}`];
    for (const reverse of [false, true]) {
      const parts = [second({ order: 'empty' }), second({ order: 'numeric', reverse })];
      await check(lines(texts), { ...orderingOf(parts), reverse }, `empty parts, ${reverse}`);
    }
    const [long] = [`${'x'.repeat(9000)}\t5`];
    expect((await made(lines([long]), orderingOf([second({ order: 'empty' })]))).kind).toBe('long');
  });

  it('are left to the host if a record has no key', async () => {
    const contigs = listOf(['chr1', 'chr10']);
    const good: Readonly<Record<string, string>> = { integer: '5', strand: '5', template: '5', contig: 'chr1' };
    for (const [order, bad] of [
      ['integer', [...BAD_INTEGERS, ...WIDE_INTEGERS]],
      ['strand', [...BAD_INTEGERS, ...WIDE_INTEGERS, '65536', '4294967295', '4294967296', '549755813887']],
      ['template', [...BAD_INTEGERS, ...WIDE_INTEGERS, '65536', '4294967295', '4294967296', '549755813887']],
      ['contig', ['', 'chr', 'chr1\r', 'chr11', 'Chr1', '**', 'chr1\0', '=', `chr1${'\0'.repeat(4)}`]],
    ] as const) {
      const ordering = orderingOf([second({ order, contigs })]);
      for (const text of bad) {
        const records = lines([...repeated(300, () => `x\t${good[order]}`), `x\t${text}`, `y\t${good[order]}`]);
        const bytes = records.reduce((sum, { length }) => sum + length + 1, 0);
        expect(await made(records, ordering), `${order} ${text}`).toEqual({ kind: 'long', from: 0, to: bytes });
        expect(() => new KeyMaker(ordering).keyed(join(records, ordering)), `${order} ${text}`).toThrow();
      }
    }
  });
});
