/** Lists of orders in --by: their order, their header, their indexes, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import {
  alignments,
  bed,
  CONTIGS,
  fastq,
  genes,
  reads,
  SAM_HEADER,
  sam,
  VCF_HEADER,
  variants,
} from '../support/genomics-data.js';
import { alignmentOrder, type Compare, first, ordered, READ_ORDERS, vcfOrder } from '../support/genomics-models.js';
import { compareNatural, compareTags, type TagValue, templateOf } from '../support/genomics-orders.js';

const sort = sortOn('cpu');
const names = CONTIGS.map(([name]) => name);
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('lists');
});

async function sorted(input: string | Buffer, ...args: readonly string[]): Promise<Buffer> {
  writeFileSync(join(cwd, 'in'), input, 'latin1');
  const { status, stdout, stderr } = await sort([...args, 'in'], { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** Compares a column as text or, with a function, the value that it makes of the columns. */
const column = (number: number): Compare<string> => byValue((fields) => fields[number]);
const byValue =
  (of: (fields: readonly string[]) => string | number): Compare<string> =>
  (a, b) => {
    const [x, y] = [of(a.split('\t')), of(b.split('\t'))];
    return x < y ? -1 : x > y ? 1 : 0;
  };
const reversed =
  (compare: Compare<string>): Compare<string> =>
  (a, b) =>
    compare(b, a);
const number = (at: number): Compare<string> => byValue((fields) => Number(fields[at]));
const rank = byValue((fields) => (fields[2] === '*' ? names.length : names.indexOf(fields[2])));

const tag =
  (name: string): Compare<string> =>
  (a, b) => {
    const of = (line: string): TagValue | null => {
      const found = line
        .split('\t')
        .slice(11)
        .find((text) => text.startsWith(`${name}:`));
      return found === undefined ? null : { type: found[3], value: found.slice(5) };
    };
    return compareTags(of(a), of(b));
  };
const template = byValue((fields) => templateOf(Number(fields[1])));
const queryname = first<string>((a, b) => compareNatural(a.split('\t')[0], b.split('\t')[0]), template);
const coordinate = alignmentOrder('coordinate', names);

const ALIGNMENT_LISTS: readonly (readonly [by: string, compare: Compare<string>, header: string])[] = [
  ['tag:CB,queryname', first(tag('CB'), queryname), 'SO:unsorted\tSS:unsorted:CB:queryname:natural'],
  ['tag:CB,coordinate', alignmentOrder('tag:CB', names), 'SO:unsorted\tSS:unsorted:CB:coordinate'],
  ['tag:CB,tag:NM:r', first(tag('CB'), reversed(tag('NM'))), 'SO:unsorted\tSS:unsorted:CB'],
  [
    'coordinate,queryname-ascii',
    first(coordinate, column(0), template),
    'SO:coordinate\tSS:coordinate:queryname:lexicographical',
  ],
  ['mapq:r,flag', first(reversed(number(4)), number(1)), 'SO:unknown'],
  [
    'contig:r,start,strand',
    first(
      reversed(rank),
      number(3),
      byValue((fields) => Number(fields[1]) & 16),
    ),
    'SO:unknown',
  ],
  ['queryname,template-length:r', first(queryname, reversed(number(8))), 'SO:queryname\tSS:queryname:natural'],
];

describe('lists of orders of alignments', () => {
  const lines = alignments(61, 400);
  for (const [by, compare, described] of ALIGNMENT_LISTS)
    for (const options of [[], ['-S', '64K', '--chunk-size', '16K']])
      it(`sorts SAM and BAM by ${by} ${options.join(' ')}`, async () => {
        const expected = sam(ordered(lines, compare), SAM_HEADER.replace('SO:unsorted\tGO:query', described));
        expectSameBytes(
          await sorted(sam(lines), '--format', 'sam', '--by', by, ...options),
          Buffer.from(expected, 'latin1'),
        );
        const bam = await sorted(encodeBam(sam(lines)), '--format', 'bam', '--by', by, ...options);
        expectSameBytes(unBgzf(bam), encodeBam(expected));
        await sorted(expected, '--format', 'sam', '--by', by, '-c');
        await sorted(expected, '--format', 'sam', '--by', by, '-m');
      });

  it('reverses all of a list under -r', async () => {
    const expected = sam(
      ordered(lines, first(number(4), reversed(number(1)))),
      SAM_HEADER.replace('SO:unsorted\tGO:query', 'SO:unknown'),
    );
    const output = await sorted(sam(lines), '--format', 'sam', '--by', 'mapq:r,flag', '-r');
    expectSameBytes(output, Buffer.from(expected, 'latin1'));
  });

  it('lists the list of --by under --check=orders', async () => {
    const text = sam(ordered(lines, first(tag('CB'), queryname)));
    const output = await sorted(text, '--format', 'sam', '--check=orders', '--by', 'tag:CB,queryname');
    expect(output.toString('latin1')).toMatch(/^coordinate: not in order.*\ntag:CB,queryname: in order\n$/s);
  });
});

describe('lists of orders of reads and intervals', () => {
  it('sorts FASTQ by length, the longest first, then by name', async () => {
    const some = reads(62, 300);
    const longest = (a: (typeof some)[number], b: (typeof some)[number]): number => READ_ORDERS.length(b, a);
    const expected = fastq(ordered(some, first(longest, READ_ORDERS.natural)));
    const output = await sorted(fastq(some), '--format', 'fastq', '--by', 'length:r,natural');
    expectSameBytes(output, Buffer.from(expected, 'latin1'));
  });

  const width = byValue((fields) => Number(fields[2]) - Number(fields[1]));
  it.each<[string, string, string, readonly string[], Compare<string>]>([
    ['bed', 'contig,length:r', '', bed(63, 300, 6), first(column(0), reversed(width))],
    ['bed', 'score:r,name,strand', '', bed(64, 300, 6), first(reversed(number(4)), column(3), column(5))],
    ['bed', 'contig,start:r,end', '', bed(65, 300, 3), first(column(0), reversed(number(1)), number(2))],
    [
      'gff',
      'type,length:r,position',
      '',
      genes(66, 300),
      first(column(2), reversed(byValue((fields) => Number(fields[4]) - Number(fields[3]))), column(0), number(3)),
    ],
    ['vcf', 'id,position', VCF_HEADER, variants(67, 300), first(column(2), vcfOrder(names))],
  ])('sorts %s by %s', async (format, by, header, lines, compare) => {
    const text = (of: readonly string[]): string => header + of.map((line) => `${line}\n`).join('');
    const output = await sorted(text(lines), '--format', format, '--by', by);
    expectSameBytes(output, Buffer.from(text(ordered(lines, compare)), 'latin1'));
  });

  it('keeps one record of each key of a list under -u', async () => {
    const lines = bed(68, 300, 6);
    const output = await sorted(
      lines.map((line) => `${line}\n`).join(''),
      '--format',
      'bed',
      '--by',
      'strand,score',
      '-u',
    );
    const expected = ordered(lines, first(column(5), number(4)), { unique: true });
    expectSameBytes(output, Buffer.from(expected.map((line) => `${line}\n`).join(''), 'latin1'));
  });

  it('keeps comments of GFF before all records of a reversed list', async () => {
    const output = await sorted('#a\nc\t.\tx\t1\t2\n#b\nd\t.\tx\t1\t2\n', '--format', 'gff', '--by', 'contig:r');
    expect(output.toString()).toBe('#a\n#b\nd\t.\tx\t1\t2\nc\t.\tx\t1\t2\n');
  });

  it('orders contigs of a list by --contigs', async () => {
    writeFileSync(join(cwd, 'list'), 'b\na\n');
    const text = 'a\t1\t2\nb\t5\t9\nb\t6\t8\n';
    const output = await sorted(text, '--format', 'bed', '--by', 'contig,length', '--contigs', 'list');
    expect(output.toString()).toBe('b\t6\t8\nb\t5\t9\na\t1\t2\n');
    const orders = await sorted(
      output,
      '--format',
      'bed',
      '--by',
      'contig,length',
      '--contigs',
      'list',
      '--check=orders',
    );
    expect(orders.toString()).toMatch(/^position: not in order.*\ncontig,length: in order\n$/s);
  });
});

describe('--index with lists', () => {
  it.each([
    ['bam', 'coordinate,queryname', true],
    ['bam', 'minimiser', true],
    ['bam', 'contig,start,mapq', true],
    ['bam', 'tag:CB,coordinate', false],
    ['bam', 'coordinate:r', false],
    ['bed', 'position,score', true],
    ['bed', 'contig,start,length:r', true],
    ['bed', 'contig,length', false],
    ['bed', 'contig:r,start', false],
  ])('%s by %s has an index: %s', async (format, by, isIndexed) => {
    const text =
      format === 'bam'
        ? encodeBam(sam(alignments(68, 50)))
        : bed(69, 50, 6)
            .map((line) => `${line}\n`)
            .join('');
    writeFileSync(join(cwd, 'in'), text);
    const args = ['--format', format, '--by', by, '--index', '--output-format', 'bgzf', '-o', 'out.gz', 'in'];
    const { status, stderr } = await sort(args, { cwd });
    expect({ status, stderr }).toEqual(
      isIndexed
        ? { status: 0, stderr: '' }
        : { status: 2, stderr: expect.stringContaining('--index needs the order coordinate') },
    );
  });
});

it.each([
  ['bed', 'contig,', "invalid order '' for bed"],
  ['bed', 'contig,nosuch', "invalid order 'nosuch' for bed"],
  ['bed', 'contig:x', "invalid order 'contig:x' for bed"],
  ['sam', 'tag:XX:r', null],
  ['sam', 'tag:ABC,flag', "invalid order 'tag:ABC' for sam"],
  ['fastq', 'position', "invalid order 'position' for fastq"],
])('refuses an unknown order in a list: %s, %s', async (format, by, message) => {
  writeFileSync(join(cwd, 'in'), format === 'sam' ? SAM_HEADER : '');
  const { status, stderr } = await sort(['--format', format, '--by', by, 'in'], { cwd });
  if (message === null) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  else expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
});

it.each([
  [['--format', 'sam', '--as', 'picard', '--by', 'coordinate,queryname'], 'Picard has no order coordinate,queryname'],
  [['--format', 'sam', '--as', 'picard', '--by', 'template-coordinate'], 'Picard has no order template-coordinate'],
  [['--format', 'bed', '--as', 'sort-bed', '--by', 'length'], '--as sort-bed has no order length'],
  [['--format', 'bed', '--contigs', 'natural', '--by', 'length'], '--contigs has no effect on the order length'],
])('refuses %j', async (args, message) => {
  writeFileSync(join(cwd, 'in'), '');
  const { status, stderr } = await sort([...args, 'in'], { cwd });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
});
