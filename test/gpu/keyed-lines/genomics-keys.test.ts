/**
 * The device's keys of genomics must equal the host's, byte for byte: seeded fields, valid ones and hostile ones. What
 * has no key goes to the host, and the engine names the record. By day each order has two of four directions and
 * delimiters, and a sample of the whole orders of lines.
 */
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/engine.js';
import { SORT_STAGES } from '../../../src/gpu/engine/algorithms.js';
import { assembleGpuEngine } from '../../../src/gpu/engine/engine-core.js';
import { keysOnDevice } from '../../../src/gpu/keyed-lines/key-support.js';
import type { FormatName, KeyPart, Ordering, ToolName } from '../../../src/job.js';
import { KeyMaker } from '../../../src/keys/key-maker.js';
import { partsOf } from '../../../src/keys/orders/ordering.js';
import { withContigs } from '../../../src/records/contigs.js';
import { wholeRun } from '../../../src/runs/partition.js';
import { describeGpu } from '../../setup/gpu.js';
import { collector, silent, sortChunk } from '../../support/jobs.js';
import { randomBelow } from '../../support/random.js';
import { join } from '../../support/records.js';
import { NIGHTLY, sampled } from '../../support/tier.js';
import { useGpu } from '../helpers.js';
import { comparedKeys, lines, orderingOf, part, spanOf } from './compared.js';

const below = randomBelow(1718);
const pick = <T>(list: readonly T[]): T => list[below(list.length)];
const repeated = (count: number, make: () => string): string[] => Array.from({ length: count }, make);
const drawn = (most: number, alphabet: readonly string[]): string =>
  Array.from({ length: below(most) }, () => pick(alphabet)).join('');
const listOf = (names: readonly string[]): Buffer => Buffer.from(names.map((name) => `${name}\n`).join(''), 'latin1');
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
  ...['0000000000000000000000000001', '7\r', '000\r'],
];
const BAD_INTEGERS = ['', '\r', '-1', '+1', ' 1', '1 ', '1\r\r', 'x', '1x', '1.5', '\x80', '549755813888', '1e3'];
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

describeGpu('keys of genomics on the device', () => {
  const { made, check } = comparedKeys();

  async function checkWays(texts: readonly string[], changes: Partial<KeyPart>, name: string): Promise<void> {
    const turn = name.length % 2;
    for (const reverse of [false, true])
      if (NIGHTLY || Number(reverse) === turn)
        await check(among(texts), orderingOf([second({ ...changes, reverse })]), `${name}, ${reverse}`);
    if (NIGHTLY || turn === 0)
      await check(among(texts), orderingOf([second(changes)], { reverse: true }), `${name}, all reversed`);
    if (!NIGHTLY && turn === 0) return;
    const format = { kind: 'lines', delimiter: 0 } as const;
    const plain = among(texts.filter((text) => !text.includes('\0')));
    await check(plain, orderingOf([second(changes)], { format }), `${name}, NUL`);
  }

  it('whole numbers', async () => {
    const digits = (): string => drawn(12, [...'0123456789']) || '0';
    await checkWays(
      [...INTEGERS, ...repeated(2000, digits).map((text) => text + pick(['', '', '\r']))],
      {
        order: 'integer',
      },
      'integer',
    );
  });

  it('flags', async () => {
    const flags = [
      ...Array.from({ length: 4096 }, (_, flag) => String(flag)),
      '65024',
      '65025',
      '65535',
      '0016',
      '4\r',
    ];
    await checkWays(flags, { order: 'strand' }, 'strand');
    await checkWays(flags, { order: 'template' }, 'template');
  });

  it('names in natural order', async () => {
    await checkWays(
      [...NAMES, ...repeated(1500, () => drawn(12, ['0', '1', '9', '00', ':', '/', 'r', '.', '\xff']))],
      {
        order: 'natural',
      },
      'natural',
    );
    await check(among(repeated(1500, () => drawn(8, ALL_BYTES))), orderingOf([second({ order: 'natural' })]), 'bytes');
  });

  it('lengths, of long lines too', async () => {
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
      const parts = partsOf({ format: name, by: 'length', as: null, guessed: false }, null);
      await check(records, orderingOf(parts, { format }), name);
    }
  });

  it.each([0, 1, 2, 254, 255, 256, 3000, 65_025])('contigs of a list of %i', async (count) => {
    const names = contigNames(count);
    // Of equal names the first counts.
    const contigs = listOf([...names, ...names.slice(0, 3)]);
    const texts = [
      '*',
      '*',
      ...repeated(2000, () => (names.length === 0 ? '*' : pick([...names.slice(-3), pick(names)]))),
    ];
    await checkWays(texts, { order: 'contig', contigs }, 'contig');
  });

  it('contigs of names as long as what a thread reads', async () => {
    const names = [3, 4, 5, 8, 255, 256, 3999].map((bytes) => 'c'.repeat(bytes));
    await check(
      among(repeated(200, () => pick(names))),
      orderingOf([second({ order: 'contig', contigs: listOf(names) })]),
      'long names',
    );
  });

  it('alleles', async () => {
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

  it('whole orders of lines', async () => {
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

  it('of comments, of any length', async () => {
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
    const parts = [part(spanOf('1'), { order: 'comment' }), part(spanOf('1,1', '\t'))];
    for (const reverse of [false, true])
      await check(lines(texts), orderingOf(parts.map((one) => ({ ...one, reverse }))), `comments, ${reverse}`);
    const whole = [part(spanOf('1'), { order: 'comment' }), second({ order: 'integer' })];
    await check(lines(['#', '#\tx', `#\t${'7'.repeat(60)}`, 'x\t7']), orderingOf(whole), 'comments, no numbers');
  });

  it('not of what has no key', async () => {
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

function genomicOrdering(
  format: FormatName,
  by: string,
  as: ToolName | null,
  listed: 'list' | 'natural' | null,
  contigs: readonly string[],
): Ordering {
  const parts = partsOf({ format, by, as, guessed: false }, listed);
  return withContigs(orderingOf(parts, { lastResort: false }), () => listOf(contigs));
}

describeGpu('the engine with keys of genomics', () => {
  const gpu = useGpu();
  const contigs = ['chr2', 'chr10', 'chr1'];
  const ordering = genomicOrdering('sam', 'coordinate', null, null, contigs);
  const engineOf = (mostRecords: number | null): Engine =>
    assembleGpuEngine(
      gpu(),
      {
        ordering,
        chunkBytes: 1 << 16,
        pieceBytes: 1 << 12,
        rangeBytes: 1 << 16,
        mostRecords,
        residentBytes: null,
        deviceKeys: true,
        recorder: silent,
      },
      SORT_STAGES['string-merge'],
    );
  const recordOf = (i: number, contig: string, position: number | string): string =>
    `r${i}\t${below(2) * 16}\t${contig}\t${position}\t60`;
  const some = Array.from({ length: 900 }, (_, i) => recordOf(i, pick([...contigs, '*']), below(40)));

  async function sorted(records: readonly string[], mostRecords: number | null): Promise<string[]> {
    const engine = engineOf(mostRecords);
    try {
      const text = Buffer.from(records.map((record) => `${record}\n`).join(''), 'latin1');
      const chunk = await engine.openChunk(text.length);
      for (let at = 0; at < text.length; at += engine.pieceBytes) {
        const piece = await chunk.openPiece(at);
        const bytes = text.subarray(at, at + piece.bytes.length);
        piece.bytes.set(bytes);
        piece.commit(bytes.length);
      }
      const runs = await Promise.all((await sortChunk(engine, chunk, text.length)).map((one) => one.keep()));
      const { write, bytes } = collector();
      for (const one of await engine.merge(
        runs.map((run) => wholeRun(run!)),
        0,
      ))
        await one.emit(write);
      for (const run of runs) run!.release();
      return bytes().toString('latin1').split('\n').slice(0, -1);
    } finally {
      await engine.close();
    }
  }

  describe.each([null, 100])('%s records at once', (mostRecords) => {
    it.each([
      ['sorts', some],
      // A number that the device does not know.
      ['sorts with keys of the host', [...some, recordOf(0, 'chr2', '-0')]],
    ])('%s', async (_, records) => {
      const rank = (record: string): number[] => {
        const [, flag, contig, position] = record.split('\t');
        return [[...contigs, '*'].indexOf(contig), Number(position), Number(flag) & 16];
      };
      const keys = new Map(records.map((record) => [record, rank(record)]));
      const expected = [...records].sort((a, b) => {
        const [x, y] = [keys.get(a)!, keys.get(b)!];
        return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
      });
      expect(await sorted(records, mostRecords)).toEqual(expected);
    });

    it('refuses records without a key, as the host does', async () => {
      for (const [contig, position, message] of [
        ['chr3', 7, "record 'bad': contig not listed: 'chr3'"],
        ['chr2', 'x7', "record 'bad': not a whole number: 'x7'"],
        ['chr2', 2 ** 39, `record 'bad': number out of range: '${2 ** 39}'`],
      ] as const) {
        const bad = recordOf(0, contig, position).replace('r0', 'bad');
        await expect(sorted([...some.slice(0, 555), bad, ...some], mostRecords)).rejects.toMatchObject({
          code: 'bad-records',
          message,
        });
      }
    });
  });
});
