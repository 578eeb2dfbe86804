/**
 * SAM written as BAM, and BAM as SAM: what asks for it, headers, the modes of a sort, and refusals.
 * convert-records.test.ts has the content of records.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { expectSameBytes, gpusort } from '../battery/runner.js';
import { bgzf, encodeBam, unBgzf } from '../support/genomics-bam.js';
import { alignments, SAM_HEADER, sam } from '../support/genomics-data.js';
import { alignmentOrder, ordered, sortedHeader } from '../support/genomics-models.js';
import { bytes, directory, eachInItsDirectory, names, quiet, read, sort, write } from './converting.js';

eachInItsDirectory();

/** The message of the program, which must fail and write no file `out.bam`. */
async function refused(...args: readonly string[]): Promise<string> {
  const { status, stderr } = await sort(args, { cwd: directory() });
  expect({ status, written: existsSync(join(directory(), 'out.bam')) }).toEqual({ status: 2, written: false });
  return stderr;
}

const lines = alignments(211, 400);
const inOrder = ordered(lines, alignmentOrder('coordinate', names));
const HEADER = sortedHeader(SAM_HEADER, 'coordinate');
const SORTED_SAM = HEADER + sam(inOrder, '');
const SORTED_BAM = encodeBam(SORTED_SAM);

describe('the form of the output', () => {
  it.each([
    ['the suffix of -o', ['-o', 'out.bam']],
    ['--output-format', ['--output-format', 'bam', '-o', 'out']],
    ['both', ['--output-format', 'bam', '-o', 'out.bam']],
    ['the suffix in capitals', ['-o', 'OUT.BAM']],
    ['the suffix, not compressed', ['--output-format', 'plain', '-o', 'out.bam']],
    ['-m', ['-m', '-o', 'out.bam']],
    ['--verify', ['--verify', '-o', 'out.bam']],
    ['little memory', ['-S', '64K', '-o', 'out.bam']],
  ])('writes SAM as BAM: %s', async (_, args) => {
    write('in.sam', args.includes('-m') ? sam(inOrder) : sam(lines));
    await quiet('--by', 'coordinate', ...args, 'in.sam');
    const output = read(args.at(-1)!);
    expectSameBytes(args.includes('plain') ? output : unBgzf(output), SORTED_BAM);
  });

  it.each([
    ['the suffix of -o', ['-o', 'out.sam']],
    ['the suffix of a compressed file', ['-o', 'out.sam.gz']],
    ['--output-format sam', ['--output-format', 'sam', '-o', 'out']],
    ['--output-format sam.gz', ['--output-format', 'sam.gz', '-o', 'out']],
    ['gzip', ['--output-format', 'gzip', '-o', 'out.sam.gz']],
    ['--verify', ['--verify', '-o', 'out.sam']],
    ['little memory', ['-S', '64K', '-o', 'out.sam']],
  ])('writes BAM as SAM: %s', async (_, args) => {
    write('in.bam', bgzf(encodeBam(sam(lines))));
    await quiet('--by', 'coordinate', ...args, 'in.bam');
    const output = read(args.at(-1)!);
    expectSameBytes(args.join().includes('gz') ? gunzipSync(output) : output, bytes(SORTED_SAM));
  });

  it('keeps the format without a name or an option for another one', async () => {
    write('in.sam', sam(lines));
    expectSameBytes(await quiet('--by', 'coordinate', 'in.sam'), bytes(SORTED_SAM));
    await quiet('--by', 'coordinate', '-o', 'out.txt', 'in.sam');
    expectSameBytes(read('out.txt'), bytes(SORTED_SAM));
  });

  it('keeps b as an abbreviation of bgzf', async () => {
    write('in.sam', sam(lines));
    expectSameBytes(unBgzf(await quiet('--by', 'coordinate', '--output-format', 'b', 'in.sam')), bytes(SORTED_SAM));
  });

  it('writes several inputs, standard input, the first records and reverse order', async () => {
    write('a.sam', sam(lines.slice(0, 150)));
    write('b.sam', sam(lines.slice(150)));
    expectSameBytes(unBgzf(await quiet('--by', 'coordinate', '--output-format', 'bam', 'a.sam', 'b.sam')), SORTED_BAM);
    const piped = await sort(['--format', 'sam', '--output-format', 'bam'], {
      cwd: directory(),
      stdin: bytes(sam(lines)),
    });
    expectSameBytes(unBgzf(piped.stdout), SORTED_BAM);
    write('in.sam', sam(lines));
    const top = await quiet('--by', 'coordinate', '--top', '7', '--output-format', 'bam', 'in.sam');
    expectSameBytes(unBgzf(top), encodeBam(HEADER + sam(inOrder.slice(0, 7), '')));
    const reversed = await quiet('--by', 'coordinate', '-r', '--output-format', 'sam', 'in.sam');
    write('out.bam', await quiet('--by', 'coordinate', '-r', '--output-format', 'bam', 'in.sam'));
    expectSameBytes(await quiet('--by', 'coordinate', '-r', '--output-format', 'sam', 'out.bam'), reversed);
  });

  it('writes the index of BAM that is made from SAM', async () => {
    write('in.sam', sam(lines));
    await quiet('--by', 'coordinate', '--index', '-o', 'out.bam', 'in.sam');
    write('again.bam', read('out.bam'));
    await quiet('--by', 'coordinate', '--index', '-o', 'sorted.bam', 'again.bam');
    expectSameBytes(read('out.bam.bai'), read('sorted.bam.bai'));
  });

  it('says that alignments are converted', async () => {
    write('in.sam', sam(lines));
    const { stdout, stderr } = await gpusort(['--by', 'coordinate', '--explain', '-o', 'out.bam', 'in.sam'], {
      cwd: directory(),
    });
    expect(`${stdout}${stderr}`).toContain('output bam: alignments are converted');
  });
});

describe('headers', () => {
  it('takes the @SQ lines that a BAM header lacks from its references', async () => {
    const text = '@HD\tVN:1.6\tSO:coordinate\n';
    const whole = encodeBam(sam(['r\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII'], '@SQ\tSN:chr1\tLN:77\n'));
    const references = whole.subarray(8 + whole.readInt32LE(4));
    const size = Buffer.alloc(4);
    size.writeInt32LE(text.length);
    write('in.bam', Buffer.concat([whole.subarray(0, 4), size, bytes(text), references]));
    const output = await quiet('--by', 'coordinate', '--output-format', 'sam', 'in.bam');
    expectSameBytes(output, bytes(`${text}@SQ\tSN:chr1\tLN:77\nr\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n`));
  });

  it('writes BAM without contigs, and without records', async () => {
    for (const text of ['@CO\tx\n', SAM_HEADER, 'r\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n']) {
      write('in.sam', text);
      const expected = await quiet('--format', 'sam', 'in.sam');
      const output = await quiet('--format', 'sam', '--output-format', 'bam', 'in.sam');
      expectSameBytes(unBgzf(output), encodeBam(expected.toString('latin1')));
    }
  });

  it('refuses a contig without a length', async () => {
    write('in.sam', '@SQ\tSN:a\nr\t4\t*\t0\t0\t*\t*\t0\t0\tAC\tII\n');
    expect(await refused('--by', 'coordinate', '-o', 'out.bam', 'in.sam')).toMatch(
      /^gpusort: in\.sam: contig a has no length \(LN\)/,
    );
  });

  it('reads lines that end in CR and newline', async () => {
    write('in.sam', sam(lines).replaceAll('\n', '\r\n'));
    expectSameBytes(unBgzf(await quiet('--by', 'coordinate', '--output-format', 'bam', 'in.sam')), SORTED_BAM);
  });
});

describe('what is refused', () => {
  const HEAD = '@SQ\tSN:a\tLN:1000\n';
  const GOOD = 'r\t0\ta\t5\t9\t2M\t=\t7\t0\tAC\tII';

  it.each([
    ['columns', 'r\t0\ta\t5\t9\t2M\t=\t7\t0\tAC', 'fewer than 11 columns'],
    ['a position at the end', 'r\t0\ta\t5\t9\t2M\t=\t7', 'fewer than 11 columns'],
    ['a name', GOOD.replace('r', 'n'.repeat(255)), 'the read name is longer than 254 bytes'],
    ['a flag', GOOD.replace('\t0\t', '\t010\t'), "the flag is not a decimal number from 0 to 65535: '010'"],
    ['a contig', GOOD.replace('a\t5', 'b\t5'), "contig not listed in the header: 'b'"],
    ['the contig of a mate', GOOD.replace('=', 'b'), "contig not listed in the header: 'b'"],
    ['a position', GOOD.replace('a\t5', 'a\t5x'), "the position is not a number from 0 to 2147483648: '5x'"],
    ['the position of a mate', GOOD.replace('=\t7', '=\t-1'), "from 0 to 2147483648: '-1'"],
    ['a mapping quality', GOOD.replace('\t9\t', '\t256\t'), "the mapping quality is not a number from 0 to 255: '256'"],
    ['a letter of a CIGAR', GOOD.replace('2M', '2Z'), "malformed CIGAR: '2Z'"],
    ['a CIGAR without a length', GOOD.replace('2M', 'M'), "malformed CIGAR: 'M'"],
    ['a long operation', GOOD.replace('2M', '2M268435456D'), "malformed CIGAR: '2M268435456D'"],
    ['a CIGAR of another length', GOOD.replace('2M', '3M'), "the CIGAR and the sequence have different lengths: '3M'"],
    ['a template length', GOOD.replace('\t0\tAC', '\t3000000000\tAC'), 'the template length is not a number'],
    ['few qualities', GOOD.replace('II', 'I'), "the sequence and the qualities have different lengths: 'I'"],
    ['many qualities', GOOD.replace('II', 'III'), "the sequence and the qualities have different lengths: 'III'"],
    ['a quality', GOOD.replace('II', 'I '), "qualities have a character that is not from ! to ~: 'I '"],
    ['a tag without a value', `${GOOD}\tXA:i:`, "malformed optional field: 'XA:i:'"],
    ['text after a number', `${GOOD}\tXB:i:1\tXA:i:5x`, "malformed optional field: 'XA:i:5x'"],
    ['a large integer', `${GOOD}\tXA:i:4294967296`, "number out of range in an optional field: 'XA:i:4294967296'"],
    ['a small integer', `${GOOD}\tXA:i:-2147483649`, 'number out of range in an optional field'],
    ['a real number', `${GOOD}\tXA:f:1.5e`, "malformed optional field: 'XA:f:1.5e'"],
    ['an unknown type', `${GOOD}\tXA:q:1`, "malformed optional field: 'XA:q:1'"],
    ['two letters', `${GOOD}\tXA:A:ab`, "malformed optional field: 'XA:A:ab'"],
    ['odd hexadecimal digits', `${GOOD}\tXA:H:1`, "malformed optional field: 'XA:H:1'"],
    ['a value of an array', `${GOOD}\tXA:B:c,1,x`, "malformed optional field: 'XA:B:c,1,x'"],
    ['the type of an array', `${GOOD}\tXA:B:q,1`, "malformed optional field: 'XA:B:q,1'"],
    ['the range of an array', `${GOOD}\tXA:B:c,-1,3000000000`, 'number out of range in an optional field'],
  ])('names the line: %s', async (_, line, message) => {
    write('in.sam', `${HEAD}${GOOD}\n${line}\n${GOOD}\n`);
    const stderr = await refused('--by', 'queryname', '-o', 'out.bam', 'in.sam');
    expect(stderr).toMatch(/^gpusort: in\.sam: line 3: record '/);
    expect(stderr).toContain(message);
  });

  it('names the file of a pipe, and the record of BAM', async () => {
    const { stderr } = await sort(['--format', 'sam', '--by', 'queryname', '--output-format', 'bam'], {
      cwd: directory(),
      stdin: bytes(`${HEAD}${GOOD}\tXA:i:5x\n`),
    });
    expect(stderr).toContain("-: record 'r': malformed optional field: 'XA:i:5x'");
    const bam = encodeBam(`${HEAD}${GOOD}\n${GOOD.replace('r', 's')}\tXA:Z:x\n`);
    // A text without its NUL.
    bam[bam.length - 1] = 120;
    write('in.bam', bgzf(bam));
    const { status, stderr: message } = await sort(['--by', 'queryname', '--output-format', 'sam', 'in.bam'], {
      cwd: directory(),
    });
    expect({ status, message }).toEqual({
      status: 2,
      message:
        "gpusort: in.bam: record 2: record 's': malformed optional field: 'XA'\nCheck the file with `samtools view`.\n",
    });
  });

  it('refuses BAM whose CIGAR and sequence differ in length', async () => {
    write('in.bam', bgzf(encodeBam(`${HEAD}${GOOD.replace('2M', '3M')}\n`)));
    const { status, stderr } = await sort(['--by', 'queryname', '--output-format', 'sam', 'in.bam'], {
      cwd: directory(),
    });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: "gpusort: in.bam: record 1: record 'r': the CIGAR and the sequence have different lengths\n",
    });
  });
});
