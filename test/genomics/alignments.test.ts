/**
 * SAM and BAM through the program beyond their orders (orders.test.ts): headers, long records, files without records or
 * contigs, formats that are refused, and --check=orders. tools.slow.test.ts has the indexes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { sortOn } from '../battery/here.js';
import { expectSameBytes, freshDirectory } from '../battery/runner.js';
import { BGZF_END, bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, CONTIG_LINES, CONTIGS, SAM_HEADER, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { itWith, oracle } from './oracles.js';

const sort = sortOn('cpu');
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const text = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const names = CONTIGS.map(([name]) => name);
const SAM = ['--format', 'sam', '--by', 'coordinate'];
const BAM = ['--format', 'bam', '--by', 'coordinate'];
let cwd = '';
beforeEach(() => {
  cwd = freshDirectory('alignments');
});
const write = (name: string, content: string | Buffer): void => writeFileSync(join(cwd, name), content, 'latin1');
const read = (name: string): Buffer => readFileSync(join(cwd, name));
const lines = alignments(111, 300);
const byCoordinate = (of: readonly string[]): string[] => ordered(of, alignmentOrder('coordinate', names));

/** Runs the program, which must succeed without messages. */
async function quiet(args: readonly string[]): Promise<Buffer> {
  const { status, stdout, stderr } = await sort(args, { cwd });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

/** Runs the program, which must refuse its input: one message, at most one hint, an unchanged output file. */
async function refused(args: readonly string[], message: RegExp): Promise<void> {
  write('kept', 'before\n');
  const { status, stdout, stderr } = await sort([...args, '-o', 'kept'], { cwd });
  expect({ status, stdout: stdout.length, stderr }).toEqual({
    status: 2,
    stdout: 0,
    stderr: expect.stringMatching(message),
  });
  expect(stderr.split('\n').length).toBeLessThanOrEqual(3);
  expect(read('kept').toString()).toBe('before\n');
}

describe('the header', () => {
  it.each([
    ['makes a header for SAM and BAM without @HD', CONTIG_LINES],
    [
      'keeps the version of @HD and replaces its order',
      `@HD\tVN:1.4\tSO:queryname\tSS:queryname:natural\n${CONTIG_LINES}`,
    ],
    ['keeps the header lines after the contigs', SAM_HEADER],
  ])('%s', async (_, header) => {
    write('in', sam(lines, header));
    const expected = sortedHeader(header, 'coordinate') + sam(byCoordinate(lines), '');
    expectSameBytes(await quiet([...SAM, 'in']), bytes(expected));
    write('in', encodeBam(sam(lines, header)));
    expectSameBytes(unBgzf(await quiet([...BAM, 'in'])), encodeBam(expected));
  });

  it('refuses inputs whose SAM or BAM headers differ', async () => {
    write('a', sam(lines));
    write('b', sam(lines, SAM_HEADER.replace('LN:16569', 'LN:16570')));
    await refused([...SAM, 'a', 'b'], /^gpusort: b: .*header/);
    write('a', encodeBam(sam(lines)));
    write('b', encodeBam(sam(lines, SAM_HEADER.replace('LN:16569', 'LN:16570'))));
    await refused([...BAM, 'a', 'b'], /^gpusort: b: .*header/);
  });

  it('refuses a SAM record whose contig the header does not list', async () => {
    write('in', sam([...lines, lines[0].replace(/^((?:[^\t]*\t){2})[^\t]*/, '$1chrUn')]));
    await refused([...SAM, 'in'], /^gpusort: .*chrUn/);
  });
});

describe('files without records, contigs or a newline, and other formats', () => {
  it.each([
    ['no records', SAM_HEADER, []],
    [
      'no contigs',
      '@HD\tVN:1.6\tSO:unknown\n',
      ['b\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII', 'a\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII'],
    ],
    ['no header and no records', '', []],
  ])('sorts SAM and BAM with %s', async (_, header, records) => {
    const expected = sam(records, sortedHeader(header, 'coordinate'));
    write('in', encodeBam(sam(records, header)));
    expectSameBytes(unBgzf(await quiet([...BAM, 'in'])), encodeBam(expected));
    if (header === '') return;
    write('in', sam(records, header));
    expectSameBytes(await quiet([...SAM, 'in']), bytes(expected));
  });

  it('sorts SAM without its last newline', async () => {
    write('in', sam(lines).slice(0, -1));
    expectSameBytes(
      await quiet([...SAM, 'in']),
      bytes(sam(byCoordinate(lines), sortedHeader(SAM_HEADER, 'coordinate'))),
    );
  });

  it.each([
    ['CRAM', bytes('CRAM\x03\x00 and more'), /^gpusort: in: .*CRAM.*\n.*samtools view/],
    ['BCF', bgzf(bytes('BCF\x02\x02 and more')), /^gpusort: in: .*BCF.*\n.*bcftools view/],
    ['BCF without compression', bytes('BCF\x02\x02 and more\n'), /^gpusort: in: .*BCF.*\n.*bcftools view/],
  ])('refuses %s and names the tool that converts it', async (_, content, message) => {
    write('in', content);
    await refused([...BAM, 'in'], message);
    await refused(['--format', 'vcf', '--by', 'position', 'in'], message);
  });
});

it.each(['@CO', '@CO\r', '@XY\tAB:c', '@XY\t'])('guesses SAM from its first line, and keeps that: %j', async (line) => {
  const header = `${line}\n@SQ\tSN:c\tLN:9\n@ZZ\n@CO\n`;
  const record = 'r\t0\tc\t1\t0\t1M\t*\t0\t0\tA\tI\n';
  write('in', header + record);
  const end = line.endsWith('\r') ? '\r\n' : '\n';
  expectSameBytes(
    await quiet(['--by', 'coordinate', 'in']),
    bytes(`@HD\tVN:1.6\tSO:coordinate${end}${header}${record}`),
  );
});

describe('compression', () => {
  const text = sam(lines);
  const sorted = sam(byCoordinate(lines), sortedHeader(SAM_HEADER, 'coordinate'));

  it.each([
    ['gzip', gunzipSync],
    ['bgzf', unBgzf],
  ])('writes sorted SAM compressed with %s', async (form, decompress) => {
    write('in', text);
    for (const level of [[], ['--level', '6']])
      expectSameBytes(decompress(await quiet([...SAM, '--output-format', form, ...level, 'in'])), bytes(sorted));
  });

  it('writes BAM without compression, plain and in stored blocks', async () => {
    write('in', encodeBam(text));
    expectSameBytes(await quiet([...BAM, '--output-format', 'plain', 'in']), encodeBam(sorted));
    expectSameBytes(unBgzf(await quiet([...BAM, '--level', '0', 'in'])), encodeBam(sorted));
  });

  const whole = bgzf(bytes(text), 1, 8000);
  const bam = bgzf(encodeBam(text), 1, 8000);
  it.each([
    ['BGZF without its end block', SAM, whole.subarray(0, -BGZF_END.length)],
    ['BGZF cut in a block', SAM, whole.subarray(0, whole.length >> 1)],
    ['BAM without its end block', BAM, bam.subarray(0, -BGZF_END.length)],
    ['BAM cut in a block', BAM, bam.subarray(0, bam.length - 2000)],
    ['BAM whose last record is cut off', BAM, bgzf(encodeBam(text).subarray(0, -7))],
  ])('refuses %s', async (_, options, content) => {
    write('in', content);
    await refused([...options, 'in'], /^gpusort: in\b/);
  });

  it('sorts compressed bytes as lines with one warning, unless --decompress is given', async () => {
    write('in', whole);
    const { status, stderr } = await sort(['in'], { cwd });
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^gpusort: .*in.*--decompress/),
    });
    expect(stderr.trimEnd().split('\n').length).toBe(1);
    expectSameBytes(await quiet(['--decompress', 'in']), bytes(oracle('sort in', { in: text })));
  });
});

describe('records that only samtools changes', () => {
  const header = '@SQ\tSN:chr1\tLN:999\n@SQ\tSN:chr2\tLN:999\n';
  const record = (name: string, flag: number, contig: string, position: string | number, tag = ''): string =>
    `${name}\t${flag}\t${contig}\t${position}\t9\t1M\t*\t0\t0\tA\tI${tag && `\tXX:${tag}`}`;
  const namesOf = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('@'))
      .map((line) => line.split('\t', 1)[0]);

  const unmapped = ['chr1', 'chr2', '*'].flatMap((contig, i) =>
    ['0', '00', '3', '7', '0'].map((position, j) => record(`r${i}${j}`, 16 * (j % 2), contig, position)),
  );
  itWith('samtools')('a read of position 0 sorts with unmapped reads, as in samtools', async () => {
    const files = { in: header + text(unmapped) };
    write('in', files.in);
    const expected = namesOf(oracle('samtools sort --no-PG -O sam in 2> log', files));
    for (const options of [[], ['--chunk-size', '100']])
      expect(namesOf((await quiet([...SAM, ...options, 'in'])).toString())).toEqual(expected);
  });

  const tags = ['I:50', 'i:7', 'C:5', 'c:b', 'a:a', 'A:c', 'd:6.5', 'f:8', 'i:-3', 'I:4294967295', 'Z:x'];
  itWith('samtools')('types of tags that SAM seldom has sort as in samtools', async () => {
    const files = { in: header + text(tags.map((tag, i) => record(`r${i}`, 0, 'chr1', 1, tag))) };
    write('in', files.in);
    const expected = namesOf(oracle('samtools sort -t XX --no-PG -O sam in', files));
    expect(namesOf((await quiet(['--format', 'sam', '--by', 'tag:XX', 'in'])).toString())).toEqual(expected);
  });
});

describe('--verify', () => {
  it.each([
    [SAM, 'lines'],
    [[...SAM, '--chunk-size', '4K'], 'lines in chunks'],
    [['--format', 'sam', '--by', 'queryname'], 'a header that grows'],
  ])('sorts SAM with %j and passes --verify: %s', async (args) => {
    write('in', sam(lines));
    expect(await quiet([...args, '--verify', 'in'])).toEqual(await quiet([...args, 'in']));
  });
  it('sorts BAM and passes --verify', async () => {
    write('in', bgzf(encodeBam(sam(lines))));
    expect(await quiet([...BAM, '--verify', 'in'])).toEqual(await quiet([...BAM, 'in']));
  });
});

describe('--check=orders', () => {
  it.each([
    ['coordinate', 'coordinate', 'samtools'],
    ['natural', 'queryname', 'samtools'],
    ['ascii', 'queryname-ascii', 'samtools'],
    ['picard queryname', 'queryname', 'picard'],
  ])('names the order of sorted SAM under --check=orders: %s', async (named, by, as) => {
    write('in', sam(ordered(lines, alignmentOrder(by, names, as))));
    const { status, stdout, stderr } = await sort(['--format', 'sam', '--check=orders', 'in'], { cwd });
    expect([0, 1]).toContain(status);
    const report = `${stdout.toString('latin1')}${stderr}`.toLowerCase();
    for (const word of named.split(' ')) expect(report).toContain(word);
  });
});
