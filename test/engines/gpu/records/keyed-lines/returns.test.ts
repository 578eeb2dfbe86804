/** Carriage returns at the ends of lines do not count in the device's keys of genomics, as in the host's. */
import { expect, it } from 'vitest';
import { keysOnDevice } from '../../../../../src/engines/gpu/records/keyed-lines/key-support.js';
import { partsOf } from '../../../../../src/keys/orders.js';
import { describeGpu } from '../../../../setup/gpu.js';
import { comparedKeys, lines, orderingOf, part, spanOf } from './compared.js';
import { genomicOrdering, listOf } from './genomics.js';

const NUL = { format: { kind: 'lines', delimiter: 0 } } as const;
/** Texts with carriage returns at their ends and elsewhere. */
const TEXTS = ['', 'x', 'x9', '\r', 'x\r', 'x9\r', 'x\r\r', '\rx', 'x\ry\r'];

describeGpu('keys made on the device', () => {
  const { check, made } = comparedKeys();

  it('drop a carriage return where a record or a line in it ends', async () => {
    for (const by of ['name', 'id', 'natural', 'seq', 'length'])
      for (const format of ['fastq', 'fasta'] as const) {
        const ordering = orderingOf(partsOf({ format, by, as: null, guessed: false, program: null }, null), NUL);
        expect(keysOnDevice(ordering.key), by).toBe(true);
        const records = TEXTS.flatMap((text) => [
          `@${text}`,
          `@${text}\nAC\r\n+\n`,
          `@${text} z\r\n${text}\r\nA\r\n+\r\nII`,
        ]);
        await check(lines(records), ordering, `${format} by ${by}`);
      }
  });

  it('drop it from the last field of a line alone', async () => {
    const span = spanOf('2,2', '\t');
    const records = lines(TEXTS.flatMap((text) => [`a\t${text}`, `a\t${text}\tb\r`, text]));
    for (const order of ['bytes', 'natural', 'length'] as const)
      for (const reverse of [false, true])
        await check(records, orderingOf([part(span, { order, reverse, dropsReturn: true })]), order);
    const contigs = listOf(['chr1']);
    const numbers = orderingOf([part(span, { order: 'integer', dropsReturn: true })]);
    const names = orderingOf([part(span, { order: 'contig', contigs, dropsReturn: true })]);
    await check(lines(['a\t7\r', 'a\t7', 'a\t7\tb\r']), numbers, 'integer');
    await check(lines(['a\tchr1\r', 'a\tchr1', 'a\tchr1\tb\r']), names, 'contig');
    for (const [ordering, text] of [
      [numbers, '7'],
      [names, 'chr1'],
    ] as const)
      expect((await made(lines([`a\t${text}\r\tb`]), ordering)).kind).toBe('long');
    for (const [format, line] of [
      ['vcf', 'chr1\t7\tx\tA\tC\r'],
      ['bed', 'chr1\t7\t9\tx\r'],
      ['bed', 'chr1\t7\t9\r'],
      ['gff', 'chr1\ts\tt\t7\r'],
    ] as const)
      await check(lines([line, line.slice(0, -1)]), genomicOrdering(format, 'position', null, 'list', ['chr1']), line);
  });

  it('are left to the host if a part ends at the last byte that a thread reads, a carriage return', async () => {
    const ordering = orderingOf([part(spanOf('1,1', '\n'), { dropsReturn: true })], NUL);
    const record = (bytes: number): Buffer[] => lines([`${'x'.repeat(bytes - 1)}\r\n${'y'.repeat(9000)}`]);
    await check(record(4095), ordering, 'before the limit');
    expect((await made(record(4096), ordering)).kind).toBe('long');
  });
});
