/** Empty inputs: depending on the format, a valid file, or the output of a failed program. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FORMAT_NAMES } from '../../src/job/job.js';
import { bamHeaderBytes } from '../../src/records/headers.js';
import { gpusortHere } from '../cli/here.js';
import { gpusort, withDirectory } from '../cli/run.js';
import { sorted } from '../cluster/both.js';
import { bgzf } from '../support/genomics-bam.js';

const HINT = 'Check whether the program that wrote it failed.\n';
const refused = (what: string, format: string): object => ({
  status: 2,
  stderr: `gpusort: ${what} empty: a ${format} file has at least a header\n${HINT}`,
});
const NEVER_EMPTY = ['sam', 'bam', 'vcf'] as const;
/** Files with a header and no records. */
const WITHOUT_RECORDS = {
  sam: '@SQ\tSN:c\tLN:9\n',
  bam: bgzf(bamHeaderBytes(Buffer.from('@HD\tVN:1.6\n'), [{ name: Buffer.from('c'), length: 9 }])),
  vcf: '##fileformat=VCFv4.2\n',
};

describe.each(NEVER_EMPTY)('an empty file of %s', (format) => {
  it.each([[], ['--verify'], ['-m'], ['-c'], ['-r', '--top=2']])(
    'is refused, and -o is not written: %s',
    (...options) =>
      withDirectory(async (cwd) => {
        writeFileSync(join(cwd, 'x'), '');
        writeFileSync(join(cwd, 'x.gz'), gzipSync(''));
        const args = ['--format', format, ...options, ...(/^-[cC]/.test(options[0] ?? '') ? [] : ['-o', 'out'])];
        expect(await gpusortHere([...args, 'x'], { cwd })).toMatchObject(refused('x is', format));
        expect(await gpusortHere([...args, 'x.gz'], { cwd })).toMatchObject(refused('x.gz is', format));
        if (args.includes('-o'))
          expect(await gpusortHere([...args, 'x', 'x.gz'], { cwd })).toMatchObject(refused('all 2 inputs are', format));
        expect(existsSync(join(cwd, 'out'))).toBe(false);
      }),
  );

  it('is accepted among several inputs, and a header is enough', () =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'x'), '');
      writeFileSync(join(cwd, 'y'), WITHOUT_RECORDS[format]);
      for (const option of ['-s', '-m']) {
        const args = ['--format', format, option];
        const expected = await gpusortHere([...args, 'y'], { cwd });
        expect(expected).toMatchObject({ status: 0, stderr: '' });
        for (const inputs of [
          ['x', 'y'],
          ['y', 'x'],
        ])
          expect(await gpusortHere([...args, ...inputs], { cwd })).toEqual(expected);
      }
    }));

  it('is refused if its name says the format, from a pipe and in tasks', async () => {
    const name = `x.${format}`;
    await withDirectory(async (cwd) => {
      writeFileSync(join(cwd, name), '');
      for (const options of [[`--by=${format === 'vcf' ? 'position' : 'coordinate'}`], ['--check=orders']])
        expect(await gpusortHere([...options, name], { cwd })).toMatchObject({
          ...refused(`${name} is`, format),
          stdout: '',
        });
    });
    const { status, messages } = await sorted(['--format', format, name], { [name]: '' }, { shares: 2, ranges: 2 });
    expect({ status, stderr: messages }).toEqual(refused(`${name} is`, format));
  });
});

it('an empty pipe is refused', () =>
  expect(gpusort(['--format=bam'], { input: '' })).toMatchObject({ ...refused('- is', 'bam'), stdout: '' }));

it('the format of an empty input cannot be guessed', () =>
  withDirectory(async (cwd) => {
    writeFileSync(join(cwd, 'x'), '');
    expect(await gpusortHere(['--by=coordinate', 'x'], { cwd })).toMatchObject({
      status: 2,
      stderr:
        'gpusort: x is empty: its format cannot be guessed\n' +
        'If it may be empty, name the format, for example --format bed.\n',
    });
  }));

it.each(FORMAT_NAMES.filter((format) => !NEVER_EMPTY.includes(format as 'sam')))(
  'an empty file of %s is valid',
  (format) =>
    withDirectory(async (cwd) => {
      writeFileSync(join(cwd, 'x'), '');
      for (const option of ['-s', '-m', '-c', '--verify'])
        expect(await gpusortHere(['--format', format, option, 'x'], { cwd })).toMatchObject({
          ...{ status: 0, stdout: '', stderr: '' },
        });
    }),
);
