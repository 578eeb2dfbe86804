/** Genomics data through named pipes, headers that change under --verify, and mates: what goes where. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sampled } from '../support/tier.js';
import { gpusortHere } from './here.js';
import { gpusort, shell, withDirectory } from './run.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const READS = join(FIXTURES, 'reads.fastq');
const MATES = join(FIXTURES, 'reads_R2.fastq');
const ALIGNMENTS = join(FIXTURES, 'alignments.sam');

/** The reads of the fixture by name. Its names are unique. */
const READS_BY_NAME = (readFileSync(READS, 'latin1').match(/(?:.*\n){4}/g) ?? [])
  .map((read) => ({ read, key: read.slice(0, read.indexOf('\n')) }))
  .sort((a, b) => (a.key < b.key ? -1 : 1))
  .map(({ read }) => read)
  .join('');

const PIPES = [
  `$GPUSORT --by name <(cat '${READS}')`,
  `$GPUSORT --by name <(gzip -c '${READS}')`,
  `cat '${READS}' | $GPUSORT --by name /dev/stdin`,
];
it.each(sampled(PIPES, { count: 3, seed: 1 }))('guesses a format from a pipe without losing bytes: %s', (line) => {
  expect(shell(line)).toMatchObject({ status: 0, stderr: '', stdout: READS_BY_NAME });
});

it('guesses the format of a pipe for -c', () => {
  expect(shell(`cat '${READS}' | $GPUSORT -c --by name /dev/stdin`)).toMatchObject({ status: 1 });
});

it.each(['', '-r', '--by=queryname', '--by=tag:NM', '--as=picard', '--top=3'])(
  '--verify skips the header in the output: %s',
  async (option) => {
    const args = ['--engine=cpu', '--format', 'sam', ...(option === '' ? [] : [option]), ALIGNMENTS];
    const { status, stderr, stdout } = await gpusortHere(['--verify', ...args]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe((await gpusortHere(args)).stdout);
  },
);

it('--mate - reads standard input', () =>
  withDirectory((directory) => {
    const output = join(directory, 'mates');
    const input = readFileSync(MATES, 'latin1');
    const { status, stdout } = gpusort(['--by', 'name', '--mate', '-', '--mate-out', output, READS], { input });
    expect({ status, stdout }).toEqual({ status: 0, stdout: READS_BY_NAME });
    expect(readFileSync(output, 'latin1').match(/^@\S+/gm)).toEqual(stdout.match(/^@M\S+/gm));
  }));

it.each([
  ['the input is standard input too', ['--mate', '-', '--mate-out', 'b'], 'standard input cannot be both'],
  ['there are several inputs', ['--mate', MATES, '--mate-out', 'b', READS, READS], 'extra operand'],
])('--mate is refused if %s', (_, options, message) => {
  const { status, stderr } = gpusort(['--by', 'name', '--format', 'fastq', ...options], { input: '' });
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
