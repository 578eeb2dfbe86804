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

it('puts comments between records of GFF before all records', async () => {
  const line = (contig: string): string => `${contig}\tmade\tgene\t5\t9\t.\t+\t.\tID=x\n`;
  write('x', `##gff-version 3\n${line('chr2')}# between\n${line('chr1')}`);
  const { status, stdout } = await sort(['--format', 'gff', '--by', 'position', 'x'], { cwd });
  expect([status, stdout.toString()]).toEqual([0, `##gff-version 3\n# between\n${line('chr1')}${line('chr2')}`]);
});
