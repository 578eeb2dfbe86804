/**
 * Carriage returns before newlines, in every text format and order: they do not count, and are written as they were
 * read. The reference is the output for the same records without them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { sampled } from '../support/tier.js';

const sort = sortOn('cpu');
const READS = ['b', 'a x', 'b x', 'a10', 'a9', 'a9', ''];
const BASES = ['ACGT', 'A', 'ACG', 'AC', 'ACGTTGCAACGTTGCACCATGACG', 'TCGTTGCAACGTTGCACCATGACGA', ''];
const QUALITIES = ['I', 'J', 'K', 'IJ', 'JI', 'A', '#'];
const fastq = READS.map(
  (name, i) => `@${name}\n${BASES[i]}\n+\n${QUALITIES[i].repeat(99).slice(0, BASES[i].length)}\n`,
);
// Some records of FASTA are one line.
const fasta = ['>b\n', '>a\n', ...READS.map((name, i) => `>${name}\n${BASES[i].replace(/^.{3}/, '$&\n')}\n`)];
const table = (rows: readonly string[]): string[] => rows.map((row) => `${row.replaceAll(' ', '\t')}\n`);
const sam = table([
  'r2 0 c2 5 9 2M * 0 0 AC * XX:Z:b',
  'r10 16 c1 5 9 2M = 7 1 AC * XX:Z:a',
  'r2 16 c2 5 9 2M * 0 0 AC *',
  'r1 4 * 0 0 * * 0 0 ACGTTGCAACGTTGCACCATGACG * XX:Z:a',
  'r1 4 * 0 0 * * 0 0 TCGTTGCAACGTTGCACCATGACG * XX:i:7',
]);
const bed = table(['c2 5 9', 'c10 5 9 x 3 +', 'c2 5 9 x', 'c2 5 9 x 2 -', 'c2 5 9 x 2', 'c2 5 9 x z', 'c2 4 9']);
const vcf = table([
  'c1 5 x',
  'c1 6 x',
  'c2 5 x A C',
  'c1 5 x A C,G 7',
  'c1 5',
  'c1 5 x A .',
  'c1 5 x A',
  'c1 5 y A C 7',
  'c1 5 a A C .',
]);
const gff = table(['c2 s t 5 9 . +', 'c1 s t 5 9', 'c1 s t 5 8 3', 'c1 s a 5 8 3 -', 'c1 s t 5 9 3 - . ID=x']);

interface Case {
  readonly format: string;
  readonly header?: string;
  readonly records: readonly string[];
  readonly orders: readonly string[];
  readonly unique?: false;
}

const SAM_HEADER = '@HD\tVN:1.6\n@SQ\tLN:99\tSN:c2\n@SQ\tLN:99\tSN:c1\n';
const VCF_HEADER = '##fileformat=VCFv4.2\n##contig=<ID=c2>\n##contig=<ID=c1>\n#CHROM\n';
const INTERVALS = ['position', 'contig', 'start'];
const CASES: readonly Case[] = [
  { format: 'fastq', records: fastq, orders: ['name', 'id', 'natural', 'seq', 'length', 'similar', 'quality'] },
  { format: 'fasta', records: fasta, orders: ['name', 'id', 'natural', 'seq', 'length', 'similar', 'length,id:r'] },
  {
    format: 'sam',
    header: SAM_HEADER,
    records: sam,
    orders: ['coordinate', 'queryname', 'queryname-ascii', 'tag:XX', 'minimiser', 'start,flag'],
    unique: false,
  },
  { format: 'bed', records: bed, orders: [...INTERVALS, 'end', 'length', 'name', 'score', 'strand', 'strand:r,name'] },
  { format: 'vcf', header: VCF_HEADER, records: vcf, orders: [...INTERVALS, 'id', 'quality'] },
  { format: 'gff', records: gff, orders: [...INTERVALS, 'end', 'length', 'type', 'score', 'strand'] },
];

const returned = (text: string): string => text.replaceAll('\n', '\r\n');
const all = CASES.flatMap(({ orders, ...one }) => orders.map((by) => ({ ...one, by })));
const cases = sampled(all, { count: 20, seed: 1, values: ({ format, by }) => [format, by === 'id' && format] });

describe.each(cases)('$format by $by', ({ format, by, header = '', records, unique }) => {
  const cwd = freshDirectory('returns');
  const write = (name: string, text: string): void => writeFileSync(join(cwd, name), text, 'latin1');
  write('plain', header + records.join(''));
  write('all', returned(header + records.join('')));
  write('some', header + records.map((record, i) => (i % 2 === 0 ? record : returned(record))).join(''));
  write('others', header + records.map((record, i) => (i % 2 === 0 ? returned(record) : record)).join(''));
  const output = async (...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await sort(['--format', format, '--by', by, ...args], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout.toString('latin1');
  };
  const options = unique === false ? [[], ['-r']] : [[], ['-r'], ['-u']];

  it('has no carriage returns in keys', async () => {
    for (const some of options) {
      const expected = await output(...some, 'plain');
      expectSameBytes(Buffer.from(await output(...some, 'all')), Buffer.from(returned(expected)));
      for (const name of ['some', 'others'])
        expectSameBytes(
          Buffer.from((await output(...some, '--verify', name)).replaceAll('\r', '')),
          Buffer.from(expected),
        );
    }
  });

  it('merges and checks them', async () => {
    write('sorted', await output('plain'));
    write('sorted-some', await output('some'));
    expect(await output('-c', 'sorted-some')).toBe('');
    if (unique !== false)
      expect((await output('-m', '-u', 'sorted', 'sorted-some')).replaceAll('\r', '')).toBe(
        await output('-u', 'plain'),
      );
    expect((await output('-m', 'sorted', 'sorted-some')).replaceAll('\r', '')).toBe(await output('plain', 'plain'));
  });
});
