/** BED, VCF and GFF through the program: orders of contigs, and records that are refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { bed, VCF_HEADER } from '../support/genomics-data.js';
import { bedOrder, first, natural, ordered } from '../support/genomics-models.js';

const sort = sortOn('cpu');
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const position = (format: string): string[] => ['--format', format, '--by', 'position'];
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('intervals');
});
const write = (name: string, content: string): void => writeFileSync(join(cwd, name), content, 'latin1');
const read = (name: string): Buffer => readFileSync(join(cwd, name));

async function quiet(args: readonly string[]): Promise<Buffer> {
  const { status, stdout, stderr } = await sort(args, { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

describe('--contigs', () => {
  const lines = bed(141, 300, 6);
  const contig = (line: string): string => line.split('\t')[0];
  it('orders contigs as the file of --contigs lists them', async () => {
    const order = ['chrX', 'chr10', 'chr1_alt', 'chr2', 'chr1'];
    write('in', text(lines));
    write('genome', order.map((name) => `${name}\t1000\n`).join(''));
    const expected = ordered(
      lines,
      first((a, b) => order.indexOf(contig(a)) - order.indexOf(contig(b)), bedOrder),
    );
    expectSameBytes(await quiet([...position('bed'), '--contigs', 'genome', 'in']), bytes(text(expected)));
  });

  it('orders contigs naturally under --contigs natural', async () => {
    write('in', text(lines));
    const expected = ordered(
      lines,
      first((a, b) => natural(contig(a), contig(b)), bedOrder),
    );
    expectSameBytes(await quiet([...position('bed'), '--contigs', 'natural', 'in']), bytes(text(expected)));
  });

  it('refuses BED with a contig that the file of --contigs does not list', async () => {
    write('in', text(lines));
    write('genome', 'chr1\t1000\n');
    const { status, stderr } = await sort([...position('bed'), '--contigs', 'genome', 'in'], { cwd });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringMatching(/^gpusort: .*chr/) });
  });
});

describe('--check=orders', () => {
  it.each([
    ['chr1\nchr10\nchr2\n', 'position: not in order'],
    ['chr2\nchr10\nchr1\n', 'position: in order'],
  ])('checks orders of BED by the list of --contigs: %j', async (list, expected) => {
    write('list', list);
    write('in', 'chr2\t5\t9\nchr10\t1\t2\nchr1\t7\t8\n');
    const { status, stdout } = await sort(['--format', 'bed', '--contigs', 'list', '--check=orders', 'in'], { cwd });
    expect(status).toBe(0);
    expect(stdout.toString().slice(0, expected.length)).toBe(expected);
  });
});

describe('refused records', () => {
  it.each([
    ['BED without a start', 'bed', 'chr1\t1\t2\nchr1\n'],
    ['BED whose start is no number', 'bed', 'chr1\t1\t2\nchr1\tx\t2\n'],
    ['VCF whose contig is not declared', 'vcf', `${VCF_HEADER}chrUn\t1\t.\tA\tC\t.\t.\t.\n`],
    ['VCF whose position is no number', 'vcf', `${VCF_HEADER}chr1\tone\t.\tA\tC\t.\t.\t.\n`],
    ['GFF whose start is no number', 'gff', 'chr1\tmade\tgene\t-\t9\t.\t+\t.\tID=x\n'],
  ])('refuses %s', async (_, format, content) => {
    write('in', content);
    write('kept', 'before\n');
    const { status, stderr } = await sort([...position(format), '-o', 'kept', 'in'], { cwd });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^gpusort: in: line \d+, column \d+: record .+\n/),
    });
    expect(stderr.split('\n').length).toBeLessThanOrEqual(3);
    expect(read('kept').toString()).toBe('before\n');
  });
});

describe('lines between records', () => {
  const genesOf = (records: readonly string[]): string[] =>
    records.map((record) => record.split('\t')).map(([contig, start, end]) => `${contig}\tx\tgene\t${start}\t${end}`);
  const [contig, start] = [0, 3].map(
    (field) =>
      (line: string): string =>
        line.split('\t')[field],
  );
  const gffOrder: typeof bedOrder = (a, b) =>
    contig(a) < contig(b) ? -1 : contig(a) > contig(b) ? 1 : Number(start(a)) - Number(start(b));

  it.each([
    ['track', 'browser', '', '# x', 'track name=x', 'browser\tposition'],
    ['', ' ', '\t\r', '#', 'track\r'],
  ])('move before all records: %j, %j, %j', async (...between) => {
    const intervals = bed(143, 60, 6);
    for (const [format, records, order] of [
      ['bed', intervals, bedOrder],
      ['gff', genesOf(intervals), gffOrder],
    ] as const) {
      const given = records.flatMap((record, i) => [record, ...(i % 10 === 3 ? between : [])]);
      const comments = given.filter((line) => between.includes(line));
      for (const options of [[], ['-r'], ['--chunk-size', '500']]) {
        write('in', text(given));
        const lines = ordered(records, options.includes('-r') ? (a, b) => order(b, a) : order);
        expectSameBytes(await quiet([...position(format), ...options, 'in']), bytes(text([...comments, ...lines])));
      }
    }
  });

  it('are no records whose contig has a longer name', async () => {
    write('in', 'tracks\t5\t6\nbrowser2\t1\t2\ntracks\t1\t2\n');
    expectSameBytes(await quiet([...position('bed'), 'in']), bytes('browser2\t1\t2\ntracks\t1\t2\ntracks\t5\t6\n'));
  });

  it('stay in the header if they are before the first record', async () => {
    for (const [format, rest] of [
      ['bed', '1\t2'],
      ['gff', 'x\tgene\t1\t2'],
    ]) {
      write('in', `\ntrack\n\r\n#a\nbrowser\r\nchr2\t${rest}\n#b\nchr1\t${rest}\n`);
      const expected = `\ntrack\n\r\n#a\nbrowser\r\n#b\nchr1\t${rest}\nchr2\t${rest}\n`;
      expectSameBytes(await quiet([...position(format), 'in']), bytes(expected));
    }
  });
});

describe('BED separated by blanks', () => {
  const spaced = (line: string): string => line.replaceAll('\t', ' ');

  it.each([
    ['spaces', spaced],
    ['several spaces', (line: string) => line.replaceAll('\t', '   ')],
    ['spaces and tabs', (line: string) => line.replace('\t', ' \t ')],
  ])('is sorted like BED with tabs: %s', async (_, change) => {
    const lines = bed(145, 200, 6);
    write('in', `track name=x\n${text(lines.map(change))}`);
    const expected = `track name=x\n${text(ordered(lines, bedOrder).map(change))}`;
    for (const options of [[], ['--chunk-size', '1K'], ['-m']]) {
      if (options.includes('-m')) write('in', expected);
      expectSameBytes(await quiet([...position('bed'), ...options, 'in']), bytes(expected));
    }
    expectSameBytes((await sort(['--by', 'position'], { cwd, stdin: read('in') })).stdout, bytes(expected));
  });

  it.each(['length', 'contig,length:r', 'end', 'score,name', 'strand,start'])(
    'has the columns of BED with tabs: --by %s',
    async (by) => {
      const lines = bed(147, 60, 6).map((line) => line.replace('exon 1', 'exon1'));
      write('tabs', text(lines));
      const expected = (await quiet(['--by', by, '--format', 'bed', 'tabs'])).toString('latin1');
      for (const separator of [' ', '   ', ' \t ']) {
        write('in', text(lines.map((line) => line.replaceAll('\t', separator))));
        expectSameBytes(
          await quiet(['--by', by, '--format', 'bed', 'in']),
          bytes(expected.replaceAll('\t', separator)),
        );
      }
    },
  );

  it('is refused if a line lacks its end', async () => {
    write('in', 'chr1 5 6\nchr1 7\n');
    const { status, stderr } = await sort([...position('bed'), 'in'], { cwd });
    expect([status, stderr.split('\n')[0]]).toEqual([
      2,
      "gpusort: in: line 2, column 3: record 'chr1 7': not a whole number: ''",
    ]);
  });
});

describe('VCF without a list of contigs', () => {
  const header = VCF_HEADER.replaceAll(/##contig.*\n/g, '');
  it('names --contigs natural, which sorts it', async () => {
    const line = (contig: string): string => `${contig}\t1\t.\tA\tC\t.\t.\t.\n`;
    write('in', `${header}${line('chr10')}${line('chr2')}`);
    const { status, stderr } = await sort([...position('vcf'), 'in'], { cwd });
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('Add --contigs natural') });
    const sorted = `${header}${line('chr2')}${line('chr10')}`;
    expectSameBytes(await quiet([...position('vcf'), '--contigs', 'natural', 'in']), bytes(sorted));
  });
});

it('puts comments between records of GFF before all records', async () => {
  const line = (contig: string): string => `${contig}\tmade\tgene\t5\t9\t.\t+\t.\tID=x\n`;
  write('x', `##gff-version 3\n${line('chr2')}# between\n${line('chr1')}`);
  const { status, stdout } = await sort(['--format', 'gff', '--by', 'position', 'x'], { cwd });
  expect([status, stdout.toString()]).toEqual([0, `##gff-version 3\n# between\n${line('chr1')}${line('chr2')}`]);
});
