/**
 * SAM that threads sort as BAM (src/run/sort-bam.ts), against SAM that is sorted as lines because of --chunk-size, and
 * converted then: the same bytes and index, and the same refusals.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Sort, sortOn } from '../battery/here.js';
import { freshDirectory, gpusort, script } from '../battery/runner.js';
import { alignments, SAM_HEADER } from '../support/genomics-data.js';

const BY = ['--by', 'coordinate', '--format', 'sam', '--output-format', 'bam'];
const AS_LINES = ['--chunk-size', '1M'];
const onCpu = sortOn('cpu');
const asBam: Sort = (args, options) => onCpu([...BY, ...args], options);
const asLines: Sort = (args, options) => onCpu([...BY, ...AS_LINES, ...args], options);

const cwd = freshDirectory('sam-as-bam');
mkdirSync(cwd, { recursive: true });
const write = (name: string, text: string | Buffer): void => writeFileSync(join(cwd, name), text, 'latin1');

const lines = alignments(19, 2500);
/** So many records that the file is not a small one. */
const records = `${lines.join('\n')}\n`.repeat(30);
const file = `${SAM_HEADER}${records}`;
write('a.sam', file);

/** Expects the same outcome of both ways, and this exit status. */
async function same(words: readonly string[], expected: number): Promise<void> {
  const [here, there] = [await asBam(words, { cwd }), await asLines(words, { cwd })];
  expect({ status: here.status, stderr: here.stderr }).toEqual({ status: there.status, stderr: there.stderr });
  expect(here.stdout.equals(there.stdout)).toBe(true);
  expect(here.status).toBe(expected);
}

it('is sorted so', async () => {
  expect(file.length).toBeGreaterThan(8 << 20);
  const explained = async (...words: string[]): Promise<string> =>
    (await gpusort(['--engine', 'cpu', '--explain', ...BY, ...words, 'a.sam'], { cwd })).stdout.toString();
  expect(await explained()).toContain('SAM becomes BAM before it is sorted');
  expect(await explained(...AS_LINES)).not.toContain('SAM becomes BAM before');
});

it.each([
  ['stored', ['--level', '0']],
  ['at level 1, by three threads', ['--level', '1', '--parallel', '3']],
  ['by name', ['--level', '1', '--by', 'queryname']],
  ['by one thread', ['--level', '1', '--parallel', '1']],
])('is the same file, %s', async (_, words) => {
  await same([...words, 'a.sam'], 0);
});

it('gets the same index', async () => {
  const files: Buffer[][] = [];
  for (const [i, sort] of [asBam, asLines].entries()) {
    const { status, stderr } = await sort(['--level', '1', '--index', '-o', `${i}.bam`, 'a.sam'], { cwd });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    files.push([`${i}.bam`, `${i}.bam.bai`].map((name) => readFileSync(join(cwd, name))));
  }
  expect(files[0].map((bytes, i) => bytes.equals(files[1][i]))).toEqual([true, true]);
});

it('is the same file from several ones, whose headers are united', async () => {
  const lane = (id: string): string =>
    `${SAM_HEADER.replaceAll('ID:g1', `ID:${id}`)}${records.replace(/\tRG:Z:\w+/g, '')}`;
  write('l1.sam', lane('one'));
  write('l2.sam', lane('two'));
  // Its ID collides with that of the first one, so its records change.
  write('l3.sam', `${lane('one').replace('SM:sample', 'SM:other')}`);
  await same(['--level', '1', 'l1.sam', 'l2.sam'], 0);
  await same(['--level', '1', 'l1.sam', 'l2.sam', 'l3.sam'], 0);
});

it('may be standard input, read from where a header begins', async () => {
  write('behind.sam', `nothing\n${file}`);
  const sort = 'gpusort --engine cpu --by coordinate --format sam --output-format bam --level 1';
  const command = `${sort} a.sam > 1.bam && { read -r line; ${sort}; } < behind.sam > 2.bam && cmp 1.bam 2.bam`;
  expect(await script(command, { cwd })).toMatchObject({ status: 0 });
});

const changed = (at: number, line: string): string => {
  const all = records.slice(0, -1).split('\n');
  all[at] = line;
  return `${SAM_HEADER}${all.join('\n')}\n`;
};

it.each([
  ['no newline at its end', file.slice(0, -1), 0],
  ['a position of 0', changed(40_000, 'zero\t0\tchr1\t0\t9\t*\t*\t0\t0\t*\t*'), 0],
  ['no references', `@CO\tnone\n${'r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Z:some text of a tag\n'.repeat(200_000)}`, 0],
  ['an incomplete last line', file.slice(0, -60), 2],
  ['an empty line', changed(30_000, ''), 2],
  ['a contig that is not listed', changed(45_000, 'r\t0\tother\t5\t9\t*\t*\t0\t0\t*\t*'), 2],
  ['a broken tag', changed(49_000, 'r\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*\tXX:Q:1'), 2],
  ['a CR before each newline', file.replaceAll('\n', '\r\n'), 0],
  ['a contig without a length', file.replace(/\tLN:\d+/, ''), 2],
])('has the output and the message of lines if it has %s', async (_, text, status) => {
  write('b.sam', text);
  await same(['--level', '1', 'b.sam'], status);
});

it('says why it is sorted as lines', async () => {
  write('zero.sam', changed(40_000, 'zero\t0\tchr1\t0\t9\t*\t*\t0\t0\t*\t*'));
  const { status, stderr } = await gpusort(['--engine', 'cpu', ...BY, '--stats', '-o', 'c.bam', 'zero.sam'], { cwd });
  expect(status).toBe(0);
  expect(stderr.toString()).toContain('SAM cannot be sorted as BAM: a record has a reference, but no position');
});
