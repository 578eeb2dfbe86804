import { describe, expect, it } from 'vitest';
import { expectSameBytes } from '../battery/runner.js';
import { encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, longAlignment, SAM_HEADER, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { CONVERT_HEADER, convertibleLines } from '../support/genomics-tags.js';
import { bytes, eachInItsDirectory, names, quiet, read, write } from './converting.js';
import { itWith, oracle } from './oracles.js';

eachInItsDirectory();

const lines = alignments(212, 200);
const HEADER = sortedHeader(SAM_HEADER, 'coordinate');

/** SAM with random records, its lines in the order of samtools. */
const random = (seed: number): string => `${CONVERT_HEADER}${convertibleLines(seed, 600).join('\n')}\n`;

describe.each([1, 2])('random records, seed %i', (seed) => {
  itWith('samtools')('become the same BAM as in samtools', async () => {
    write('in.sam', random(seed));
    const order = ['--by', 'queryname'];
    const sorted = await quiet(...order, 'in.sam');
    const output = await quiet(...order, '--output-format', 'bam', 'in.sam');
    const theirs = oracle('samtools view -b --no-PG x.sam 2> log | gzip -dc', { 'x.sam': sorted });
    expectSameBytes(unBgzf(output), bytes(theirs));
  });

  itWith('samtools')('become the same SAM as in samtools', async () => {
    const bam = bytes(oracle('samtools view -b --no-PG x.sam 2> log', { 'x.sam': random(seed) }));
    write('in.bam', bam);
    const output = await quiet('--by', 'queryname', '--output-format', 'sam', 'in.bam');
    const sorted = await quiet('--by', 'queryname', 'in.bam');
    expectSameBytes(output, bytes(oracle('samtools view -h --no-PG x.bam', { 'x.bam': sorted })));
  });

  it('are the same BAM after a round trip', async () => {
    write('in.sam', random(seed));
    await quiet('--by', 'queryname', '-o', 'one.bam', 'in.sam');
    await quiet('--by', 'queryname', '-o', 'two.sam', 'one.bam');
    await quiet('--by', 'queryname', '-o', 'three.bam', 'two.sam');
    await quiet('--by', 'queryname', '-o', 'four.sam', 'three.bam');
    expectSameBytes(read('four.sam'), read('two.sam'));
  });
});

describe('rules of htslib', () => {
  const HEAD = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:a\tLN:1000\n';
  /** One line, as samtools shows the record that becomes of it. */
  async function asWritten(line: string): Promise<string> {
    write('in.sam', `${HEAD}${line}\n`);
    await quiet('--by', 'coordinate', '-o', 'out.bam', 'in.sam');
    const text = (await quiet('--by', 'coordinate', '--output-format', 'sam', 'out.bam')).toString('latin1');
    return text.slice(HEAD.length, -1);
  }
  const aligned = (tags: string): string => `r\t0\ta\t5\t9\t2M\t=\t7\t0\tAC\tII\t${tags}`;

  it.each([
    ['U becomes T, as since 1.22', 'r\t4\t*\t0\t0\t*\t*\t0\t0\tUuA\t*', 'r\t4\t*\t0\t0\t*\t*\t0\t0\tTTA\t*'],
    ['no contig: unmapped', 'r\t0\t*\t0\t0\t*\t*\t0\t0\tA\t*', 'r\t4\t*\t0\t0\t*\t*\t0\t0\tA\t*'],
    ['no CIGAR: unmapped', 'r\t0\ta\t3\t0\t*\t*\t0\t0\tA\t*', 'r\t4\ta\t3\t0\t*\t*\t0\t0\tA\t*'],
    ['a mate without a position', 'r\t4\t*\t0\t0\t*\ta\t0\t0\tA\t*', 'r\t4\t*\t0\t0\t*\t*\t0\t0\tA\t*'],
    ['the mate on the same contig', 'r\t0\ta\t3\t0\t1M\ta\t9\t0\tA\t*', 'r\t0\ta\t3\t0\t1M\t=\t9\t0\tA\t*'],
    ['an array of bytes up to 255', aligned('XA:B:c,255,0'), aligned('XA:B:S,255,0')],
    ['negative numbers of an unsigned type, as since 1.20', aligned('XA:B:C,-1,5'), aligned('XA:B:c,-1,5')],
    ['a tie is rounded to even, as since 1.19', aligned('XA:B:f,59.90625'), aligned('XA:B:f,59.9062')],
    ['zeros and a sign in front', aligned('XA:i:+007'), aligned('XA:i:7')],
    ['types a, c and C are letters', aligned('XA:c:x'), aligned('XA:A:x')],
    ['type I is an integer', aligned('XA:I:5'), aligned('XA:i:5')],
    ['an empty array and an empty text', aligned('XA:B:s\tXB:Z:'), aligned('XA:B:s\tXB:Z:')],
    ['a tab at the end of the line', aligned(''), aligned('').slice(0, -1)],
  ])('%s', async (_, line, written) => {
    expect(await asWritten(line)).toBe(written);
  });

  it.each([
    ['-0', 'c\0'],
    ['0', 'C\0'],
  ])('chooses the type of an integer by its sign: %s', async (value, stored) => {
    write('in.sam', `${HEAD}${aligned(`XA:i:${value}`)}\n`);
    const output = unBgzf(await quiet('--by', 'coordinate', '--output-format', 'bam', 'in.sam'));
    expect(output.subarray(-4).toString('latin1')).toBe(`XA${stored}`);
  });

  it('keeps the contig of a record without a position', async () => {
    expect(await asWritten('r\t0\ta\t0\t0\t1M\t*\t0\t0\tA\t*')).toBe('r\t0\ta\t0\t0\t1M\t*\t0\t0\tA\t*');
  });

  it('moves a CIGAR of more than 65,535 operations to the tag CG, and back', async () => {
    const long = [longAlignment(65535), longAlignment(65536), longAlignment(70001)];
    write('in.sam', sam([...lines, ...long]));
    await quiet('--by', 'coordinate', '-o', 'out.bam', 'in.sam');
    const sorted = HEADER + sam(ordered([...lines, ...long], alignmentOrder('coordinate', names)), '');
    expectSameBytes(unBgzf(read('out.bam')), encodeBam(sorted));
    expectSameBytes(await quiet('--by', 'coordinate', '--output-format', 'sam', 'out.bam'), bytes(sorted));
  });

  it('gives a line the CIGAR of its tag CG', async () => {
    const line = 'r\t0\ta\t5\t9\t2S4N\t=\t7\t0\tAC\tII\tXA:i:1\tCG:B:I,16,18,16\tXB:Z:x';
    expect(await asWritten(line)).toBe('r\t0\ta\t5\t9\t1M1D1M\t=\t7\t0\tAC\tII\tXA:i:1\tXB:Z:x');
  });

  itWith('samtools')('treats tags CG as samtools does', async () => {
    const operations = Array.from({ length: 70_000 }, (_, i) => (i % 2 === 0 ? 16 : 18));
    const bases = 'A'.repeat(35_000);
    const text = [
      `r1\t0\ta\t1\t9\t35000S70000N\t*\t0\t0\t${bases}\t*\tXA:i:1\tCG:B:I,${operations.join(',')}\tXB:Z:x`,
      'r2\t16\ta\t7\t9\t3S1N\t*\t0\t0\tACG\t*\tCG:B:i,16,18,32',
      'r3\t16\ta\t7\t9\t3S\t*\t0\t0\tACG\t*\tCG:B:I,16,18,32',
      'r4\t16\ta\t7\t9\t1M2S\t*\t0\t0\tACG\t*\tCG:B:I,16,18,32',
      'r5\t0\ta\t9\t9\t3S1N\t*\t0\t0\tACG\t*\tCG:B:s,16,18,32',
      'r6\t4\t*\t0\t9\t3S1N\t*\t0\t0\tACG\t*\tCG:B:I,16,18,32',
    ].join('\n');
    write('in.sam', `${HEAD}${text}\n`);
    await quiet('--by', 'coordinate', '-o', 'out.bam', 'in.sam');
    const theirs = oracle('samtools view -b --no-PG x.sam 2> log | gzip -dc', { 'x.sam': `${HEAD}${text}\n` });
    expectSameBytes(unBgzf(read('out.bam')), bytes(theirs));
    const shown = oracle('samtools view -h --no-PG x.bam', { 'x.bam': read('out.bam') });
    expectSameBytes(await quiet('--by', 'coordinate', '--output-format', 'sam', 'out.bam'), bytes(shown));
  });

  it('writes records longer than a task, and a long read name', async () => {
    const bases = 'ACGTN'.repeat(300_000);
    const long = `${'n'.repeat(254)}\t4\t*\t0\t0\t*\t*\t0\t0\t${bases}\t${'I'.repeat(bases.length)}\tXA:Z:${'z'.repeat(9999)}`;
    write('in.sam', sam([long, ...lines]));
    await quiet('--by', 'queryname-ascii', '-o', 'out.bam', 'in.sam');
    const sorted = await quiet('--by', 'queryname-ascii', 'in.sam');
    expectSameBytes(unBgzf(read('out.bam')), encodeBam(sorted.toString('latin1')));
    expectSameBytes(await quiet('--by', 'queryname-ascii', '--output-format', 'sam', 'out.bam'), sorted);
  });
});
