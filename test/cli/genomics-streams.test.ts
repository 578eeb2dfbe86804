/**
 * Genomics data through named pipes, headers that change under --verify, and mates: what goes where, and what is
 * refused.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { gpusort, shell, withDirectory } from './run.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const READS = join(FIXTURES, 'reads.fastq');
const MATES = join(FIXTURES, 'reads_R2.fastq');
const ALIGNMENTS = join(FIXTURES, 'alignments.sam');

const text = (name: string): string => readFileSync(name, 'latin1');

/** The reads of a file by name. The fixture's names are unique. */
function readsByName(name: string): string {
  const reads = text(name).match(/(?:.*\n){4}/g)!;
  return reads
    .map((read) => ({ read, key: read.slice(0, read.indexOf('\n')) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ read }) => read)
    .join('');
}

it.each([
  ['plain text', 'cat'],
  ['gzip', 'gzip -c'],
])('a format is guessed from a named pipe, and nothing of it is lost: %s', (_, writer) => {
  const { status, stderr, stdout } = shell(`"$GPUSORT" --by name <(${writer} '${READS}')`);
  expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: '', stdout: readsByName(READS) });
});

it('a pipe is named by /dev/stdin, in another mode too', () => {
  const { status, stdout } = shell(`cat '${READS}' | "$GPUSORT" --by name /dev/stdin`);
  expect({ status, stdout }).toEqual({ status: 0, stdout: readsByName(READS) });
  expect(shell(`cat '${READS}' | "$GPUSORT" -c --by name /dev/stdin`)).toMatchObject({ status: 1 });
});

it.each(['', '-r', '--by=queryname', '--by=tag:NM', '--as=picard', '-u', '--top=3'])(
  '--verify knows the length of the header that is written: %s',
  (option) => {
    const args = ['--engine=cpu', '--format', 'sam', ...(option === '' ? [] : [option]), ALIGNMENTS];
    const verified = gpusort(['--verify', ...args]);
    expect(verified).toMatchObject({ status: 0, stderr: '' });
    expect(verified.stdout).toBe(gpusort(args).stdout);
  },
);

it('--mate - is standard input', () =>
  withDirectory((directory) => {
    const output = join(directory, 'mates');
    const { status, stdout } = gpusort(['--by', 'name', '--mate', '-', '--mate-out', output, READS], {
      input: text(MATES),
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: readsByName(READS) });
    expect(text(output).match(/^@\S+/gm)).toEqual(stdout.match(/^@M\S+/gm));
  }));

it.each([
  ['the input is standard input too', ['--mate', '-', '--mate-out', 'b'], 'standard input cannot be both'],
  ['there are several inputs', ['--mate', MATES, '--mate-out', 'b', READS, READS], 'extra operand'],
])('--mate is refused if %s', (_, options, message) => {
  const { status, stderr } = gpusort(['--by', 'name', '--format', 'fastq', ...options], { input: '' });
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
